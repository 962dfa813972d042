package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/feed"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/plain"
)

const floorsUpdateLong = `Update fetches an export of advisories in the form of OSV and keeps it: a zip
archive, JSON or JSON lines, from an https address; unless given, OSV's export
of all records about projects of PyPI. A server that has nothing new is asked
only that. From then on every check uses the export, and opens no connection.

It takes the place of the old one whole, after it was read once: what goes wrong
leaves the old one. Certificates are always checked, and HTTPS_PROXY is used.`

const floorsUpdateExample = `  loopxctl floors update

  # From a mirror, behind a company's certificate authority
  loopxctl floors update --ca company-ca.pem https://mirror.example.com/osv/PyPI/all.zip
  loopxctl floors check --database https://mirror.example.com/osv/PyPI/all.zip`

type floorsUpdate struct {
	*program
	cache string
	ca    []string
}

func newFloorsUpdate(p *program) *cobra.Command {
	c := &floorsUpdate{program: p}
	cmd := &cobra.Command{
		Use:               "update [URL]",
		Short:             "Fetch the advisories that checks go by",
		Long:              floorsUpdateLong,
		Example:           floorsUpdateExample,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{osvExport}, cobra.ShellCompDirectiveNoFileComp),
		RunE:              p.does(c.run),
	}
	declareCache(cmd, &c.cache)
	cmd.Flags().StringArrayVar(&c.ca, "ca", nil, "`FILE` of PEM certificates that are trusted beside those of the system; repeatable")
	return cmd
}

func (c *floorsUpdate) run(cmd *cobra.Command, args []string) (int, error) {
	address := osvExport
	if len(args) > 0 {
		address = args[0]
	}
	o := c.feedOptions(c.cache)
	if o.Cache == "" {
		return 0, errNoCache
	}
	o.CA = c.ca
	if paint.For("auto", c.stderr, c.env) {
		o.Progress = c.progress()
	}
	done, err := feed.Update(cmd.Context(), address, o)
	if err != nil {
		return 0, unfed(err)
	}
	word := "fetched"
	if !done.Changed {
		word = "nothing new"
	}
	fmt.Fprintf(&c.out, "%s: %s, %s\n", plain.Text(done.Snapshot.Source), word, aboutSnapshot(done.Snapshot, now()))
	return exitClean, nil
}

// progress shows on a terminal how much has come.
func (c *floorsUpdate) progress() func(done, total int64) {
	var last time.Time
	return func(done, total int64) {
		const often = 200 * time.Millisecond
		if t := time.Now(); t.Sub(last) < often && done != total {
			return
		} else {
			last = t
		}
		text := fmt.Sprintf("\r%.1f MB", float64(done)/1e6)
		if total > 0 {
			text += fmt.Sprintf(" of %.1f MB", float64(total)/1e6)
		}
		if done == total {
			text += "\n"
		}
		fmt.Fprint(c.stderr, text)
	}
}

// aboutSnapshot says what a state of the advisories holds, and how old it is.
func aboutSnapshot(s osv.Snapshot, today time.Time) string {
	text := fmt.Sprintf("%s about projects of PyPI", count(s.Records, "record", "records"))
	if age, ok := s.Age(today); ok {
		text += fmt.Sprintf(", the newest of %s (%s ago)", s.Newest.Format(time.DateOnly), count(int(age.Hours()/24), "day", "days"))
	}
	return text
}
