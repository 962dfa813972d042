package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/feed"
	"github.com/loopx/loopx-frontend/policy/notice/format"
	"github.com/loopx/loopx-frontend/policy/osv"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

// osvServer is the API of osv.dev (https://google.github.io/osv.dev/api/).
const osvServer = "https://api.osv.dev"

// noticeRecords bring the records of notices.
type noticeRecords struct {
	server  string
	offline bool
	ca      []string

	// wanted are the ids that are looked up, in capitals.
	wanted map[string]bool
	// records are those of the notices, each id once; told is how many were not
	// evaluated before.
	records  []osv.Record
	byID     map[string]int
	told     int
	failures []findings.Problem
	// builder has all records, also those of the database.
	builder osv.Builder
	options feed.Options
}

func (n *noticeRecords) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&n.server, "osv", osvServer, "`URL` of the server with the API of osv.dev that is asked for ids that the database does not have; it learns the ids, and nothing else")
	flags.BoolVar(&n.offline, "offline", false, "ask no server")
	flags.StringArrayVar(&n.ca, "ca", nil, "`FILE` of PEM certificates that are trusted beside those of the system; repeatable")
	complete(cmd, "osv", cobra.FixedCompletions([]string{osvServer}, cobra.ShellCompDirectiveNoFileComp))
}

// noticeID is the id of a record: letters, and parts behind dashes.
var noticeID = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9.:]+)+$`)

// idPages are the pages of people that show a record: their hosts, and what its id
// follows in the path.
var idPages = map[string]string{
	"github.com": "/advisories/", "osv.dev": "/vulnerability/", "nvd.nist.gov": "/vuln/detail/", "www.cve.org": "/CVERecord", "security-tracker.debian.org": "/tracker/",
}

// read reads the sources that hold records, and remembers the ids that are to be
// looked up. What is wrong with one source is a problem, and the others are read;
// the error is about the command line.
func (n *noticeRecords) read(ctx context.Context, args []string) error {
	n.wanted, n.byID = map[string]bool{}, map[string]int{}
	for _, arg := range args {
		u, err := url.Parse(arg)
		switch {
		case strings.Contains(arg, "://") && (err != nil || u.Scheme != "https"):
			return fmt.Errorf("%s is no https address: notices are fetched over TLS only; fetch the page by other means and name the file", policy.Redact(arg))
		case strings.Contains(arg, "://"):
			if err := n.page(ctx, u); err != nil {
				return err
			}
		case arg == feed.Stdin || exists(arg):
			if err := n.file(ctx, arg); err != nil {
				return err
			}
		case noticeID.MatchString(arg):
			n.wanted[strings.ToUpper(arg)] = true
		default:
			return &fault.Error{File: arg, Message: "there is no such file, and it is no id of a notice", Todo: "Name a file with records, an https address, or an id such as CVE-2026-59890."}
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// page reads a record at an address. The pages that are made for people are no
// records: of those that are known, the id is looked up.
func (n *noticeRecords) page(ctx context.Context, u *url.URL) error {
	id := path.Base(u.Path)
	if start, ok := idPages[u.Host]; ok && strings.HasPrefix(u.Path, start) && noticeID.MatchString(id) {
		n.wanted[strings.ToUpper(id)] = true
		return nil
	}
	if u.Host == "ubuntu.com" && strings.HasPrefix(u.Path, "/security/notices/USN-") && path.Ext(u.Path) != ".json" {
		u.Path += ".json"
	}
	if n.offline {
		return errors.New("--offline and an address exclude each other: name a file with the record")
	}
	return n.failed(feed.Fetch(ctx, u.String(), n.options, n.add))
}

func (n *noticeRecords) file(ctx context.Context, name string) error {
	_, err := feed.Each(ctx, name, n.options, n.add)
	return n.failed(err)
}

// failed makes a problem of what is wrong with one source. Other errors end the
// run.
func (n *noticeRecords) failed(err error) error {
	e, ok := errors.AsType[*feed.Error](err)
	if !ok {
		return unfed(err)
	}
	text, todo := e.Message, e.Todo
	if e.Line > 0 {
		todo = "What is read: records of OSV, of GitHub's advisory API, of Ubuntu's notices and of Debian's tracker, as JSON."
	}
	if todo != "" {
		text += ". " + todo
	}
	n.failures = append(n.failures, findings.Problem{File: e.Name, Line: e.Line, Message: text})
	return nil
}

// add takes a record of a notice. Of two with one id, that which was modified later
// counts.
func (n *noticeRecords) add(r osv.Record) error {
	n.builder.Add(r)
	i, known := n.byID[r.ID]
	switch {
	case !known:
		n.byID[r.ID] = len(n.records)
		n.records = append(n.records, r)
	case r.Modified.After(n.records[i].Modified):
		n.records[i] = r
	}
	return nil
}

// open reads the database, which has the records that are looked up, and all that a
// floor has to be above.
func (n *noticeRecords) open(ctx context.Context, source string, o feed.Options) (*osv.Database, osv.Snapshot, error) {
	o.Decode = n.options.Decode
	snapshot, err := feed.Each(ctx, source, o, func(r osv.Record) error {
		if n.asked(&r) {
			return n.add(r)
		}
		n.builder.Add(r)
		return nil
	})
	return nil, snapshot, err
}

// asked reports whether a record is one of those that are looked up, by any of its
// names.
func (n *noticeRecords) asked(r *osv.Record) bool {
	if len(n.wanted) == 0 {
		return false
	}
	for _, name := range append([]string{r.ID}, append(r.Aliases, r.Upstream...)...) {
		if n.wanted[strings.ToUpper(name)] {
			return true
		}
	}
	return false
}

// finish asks the server for what the database does not have.
func (n *noticeRecords) finish(ctx context.Context) error {
	found := map[string]bool{}
	for _, r := range n.records {
		for _, name := range append([]string{r.ID}, append(r.Aliases, r.Upstream...)...) {
			found[strings.ToUpper(name)] = true
		}
	}
	for _, id := range sortedKeys(n.wanted) {
		if found[id] {
			continue
		}
		if n.offline {
			n.failures = append(n.failures, findings.Problem{File: id, Message: "the advisory database does not have it, and --offline asks no server"})
			continue
		}
		if err := n.ask(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// ask asks the server for a record, and for those that it names as its aliases if
// it says nothing of packages that can be looked at itself.
func (n *noticeRecords) ask(ctx context.Context, id string) error {
	r, err := feed.Record(ctx, n.server, spelled(id), n.options)
	if errors.Is(err, feed.ErrNoRecord) {
		n.failures = append(n.failures, findings.Problem{File: id, Message: "neither the advisory database nor " + policy.Redact(n.server) + " has a record of that name. Check the spelling, or name a file that holds it."})
		return nil
	}
	if err != nil {
		return n.failed(err)
	}
	if err := n.add(r); err != nil || namesPackages(&r) {
		return err
	}
	const most = 8
	for _, alias := range r.Aliases[:min(most, len(r.Aliases))] {
		other, err := feed.Record(ctx, n.server, alias, n.options)
		switch {
		case errors.Is(err, feed.ErrNoRecord):
		case err != nil:
			return n.failed(err)
		default:
			if err := n.add(other); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesPackages reports whether a record names packages of an ecosystem: one that
// is made from the CVE list names commits alone.
func namesPackages(r *osv.Record) bool {
	return slices.ContainsFunc(r.Affected, func(a osv.Affected) bool { return a.Ecosystem != "" })
}

// spelled is an id as databases write it: in capitals, but for what follows GHSA.
func spelled(id string) string {
	if rest, ok := strings.CutPrefix(id, "GHSA-"); ok {
		return "GHSA-" + strings.ToLower(rest)
	}
	return id
}

// prepare makes the options of reading notices.
func (n *noticeRecords) prepare(p *program, cache string) {
	n.options = p.feedOptions(cache)
	n.options.CA, n.options.Decode = n.ca, format.Decode
}
