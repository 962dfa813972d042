package gate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Tree is what was found in the tree that is to be released.
type Tree struct {
	// Repository is its identifier, "host/path"; "" if it is not known.
	Repository string
	Commit     string
	// Pins are the digests that its Dockerfiles pin, by the full name of the image.
	Pins map[string][]string
	// Tags are those of the commit, sorted.
	Tags []string
	// NoGit says why git could not be asked; "" if it could.
	NoGit string
	// Changed are the files that are not as committed, those that git does not
	// know among them, as "M path".
	Changed []string

	// Ran are the checks that were made, by name.
	Ran      []string
	Findings []lens.Shadowed
	Rules    []report.Rule
	// Validations are those of other tools.
	Validations []policy.Check
	// Problems are what could not be looked at.
	Problems []report.Problem

	// Acknowledgements are those that lift something in this tree.
	Acknowledgements []Acknowledgement
	// Declared is true if the tree declares packages that advisories can be
	// about.
	Declared bool
	// Database is which advisories were asked; nil for none.
	Database *osv.Snapshot
	Notices  NoticeRun
}

// Acknowledgement is one that lifts a blocker.
type Acknowledgement struct {
	// Place is where it stands, "FILE:LINE".
	Place, Rule, Principal string
	Expires                time.Time
	// DaysLeft are whole days, rounded up.
	DaysLeft int
}

// NoticeRun is what became of the notices since the last passing gate.
type NoticeRun struct {
	// Since is the time of that gate, zero for none; Commit is what it was for.
	Since  time.Time
	Commit string
	// Problem says why they could not be evaluated; "" if they were.
	Problem string
	// Records are those which changed since and are about what is declared.
	Records []Notice
}

// Notice is one advisory that concerns the tree.
type Notice struct {
	ID       string
	Modified time.Time
	// Subject is what it is about: "urllib3", "debian:12 openssl".
	Subject string
	// Places are where that is declared.
	Places []string
	// Affected says that a version that is affected may be installed, and
	// Unproved why that can't be told; neither is: it is dealt with.
	Affected bool
	Unproved string
	// Todo is what to do about it.
	Todo string
}

// tree makes the checks of the tree.
func (in *Input) tree() []Check {
	t := &in.Tree
	return []Check{
		t.scan(), t.blockers(), t.acknowledgements(in.Config.Days()), t.advisories(in.Config.Age(), in.Now),
		t.notices(), t.clean(), t.tag(&in.Config),
	}
}

func (t *Tree) scan() Check {
	var what []string
	for _, p := range t.Problems {
		what = append(what, p.String())
	}
	switch {
	case len(what) > 0:
		return unproved(Scan, "Mend what is named, or take it out of the tree: what can't be read is not known to be right.",
			"%s could not be looked at", number(len(what), "thing", "things")).with(what)
	case len(t.Ran) == 0:
		return unproved(Scan, "Ask for the checks of the tree.", "no check was made")
	}
	return passed(Scan, "%s made", number(len(t.Ran), "check", "checks")).with(t.Ran)
}

// blockers names those that nobody signed for.
func (t *Tree) blockers() Check {
	var told, sensitive []string
	for _, s := range t.Findings {
		switch {
		case !s.Blocks():
		case report.Sensitive(s):
			sensitive = append(sensitive, findingLine(s))
		default:
			told = append(told, findingLine(s))
		}
	}
	for _, v := range t.Validations {
		if v.Blocks() {
			told = append(told, fmt.Sprintf("%s: the validation is %s", v.Name, v.Status))
		}
	}
	told, sensitive = each(told), each(sensitive)
	n := len(told) + len(sensitive)
	switch {
	case n == 0 && len(t.Findings) == 0:
		return passed(Blockers, "nothing was found")
	case n == 0:
		return passed(Blockers, "%s, and none blocks", number(len(t.Findings), "finding", "findings"))
	}
	return failed(Blockers, "Mend them, or have a reviewer sign for them: loopxctl ack create --help.", "%s left",
		number(n, "blocker is", "blockers are")).with(told).secretly(sensitive)
}

// each is a sorted list with each line once: two files may lead to one place.
func each(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

func findingLine(s lens.Shadowed) string {
	where := ""
	if s.Location != nil {
		where = s.Location.File
		if s.Location.Start.Line > 0 {
			where += fmt.Sprintf(":%d", s.Location.Start.Line)
		}
		where += ": "
	}
	return fmt.Sprintf("%s%s [%s]", where, s.Message, s.Rule)
}

func (t *Tree) acknowledgements(days int) Check {
	var soon []string
	all := slices.Clone(t.Acknowledgements)
	slices.SortStableFunc(all, func(a, b Acknowledgement) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Place, b.Place))
	})
	for _, a := range all {
		if a.DaysLeft <= days {
			soon = append(soon, fmt.Sprintf("%s: %s by %s, until %s (%s left)", a.Place, a.Rule, a.Principal,
				a.Expires.UTC().Format(time.DateOnly), number(a.DaysLeft, "day", "days")))
		}
	}
	switch {
	case len(all) == 0:
		return spared(Acknowledgements, "nothing that was found is lifted by one")
	case len(soon) > 0:
		return failed(Acknowledgements, "Mend what they are for, or have them signed again: a release outlives them.",
			"%s within %s", number(len(soon), "acknowledgement ends", "acknowledgements end"), number(days, "day", "days")).with(soon)
	}
	return passed(Acknowledgements, "%s, until %s at least", number(len(all), "acknowledgement", "acknowledgements"), all[0].Expires.UTC().Format(time.DateOnly))
}

// clockSkew is how far clocks may be apart.
const clockSkew = time.Hour

// fetchAdvisories is what to do where there are none, or old ones.
const fetchAdvisories = "Fetch them: loopxctl floors update, or give --database."

// advisories says which were asked.
func (t *Tree) advisories(most time.Duration, now time.Time) Check {
	db := t.Database
	switch {
	case db == nil && !t.Declared:
		return spared(Advisories, "the tree declares no package that there are advisories about")
	case db == nil:
		return unproved(Advisories, fetchAdvisories, "there are no advisories, so nothing is known of what the tree declares")
	}
	age, ok := db.Age(now)
	switch {
	case db.Newest.After(now.Add(clockSkew)):
		return unproved(Advisories, "Set the clock, or fetch the advisories: loopxctl floors update.",
			"the advisories of %s are of %s, which is to come: how old they are is not known", db.Source, stamp(db.Newest))
	case db.Records == 0:
		return unproved(Advisories, fetchAdvisories, "%s holds no advisory", db.Source)
	case !ok:
		return unproved(Advisories, fetchAdvisories, "how old the advisories of %s are is not known", db.Source)
	case age > most:
		return failed(Advisories, fetchAdvisories, "the advisories of %s are %s old, and may be %s", db.Source, span(age), span(most))
	}
	return passed(Advisories, "%s of %s, %s old", number(db.Records, "advisory", "advisories"), db.Source, span(age))
}

// span is a time in days, or hours below two.
func span(d time.Duration) string {
	if hours := int(d.Hours()); hours < 48 {
		return number(hours, "hour", "hours")
	}
	return number(int(d.Hours())/24, "day", "days")
}

func (t *Tree) notices() Check {
	n := &t.Notices
	since := "so far, as no gate has passed before"
	if !n.Since.IsZero() {
		since = "since the gate of " + n.Since.UTC().Format(time.RFC3339)
	}
	if n.Problem != "" {
		return unproved(Notices, "Mend that, and run the gate again.", "the notices %s could not be evaluated: %s", since, n.Problem)
	}
	switch {
	case t.Database == nil && !t.Declared:
		return spared(Notices, "the tree declares no package that there are advisories about")
	case t.Database == nil:
		return unproved(Notices, fetchAdvisories, "there are no advisories, so no notice was looked for")
	}
	var affected, unknown []string
	for _, r := range n.Records {
		switch line := r.line(); {
		case r.Affected:
			affected = append(affected, line)
		case r.Unproved != "":
			unknown = append(unknown, line)
		}
	}
	slices.Sort(affected)
	slices.Sort(unknown)
	const todo = "Do what loopxctl notice says about them."
	switch {
	case len(affected) > 0:
		return failed(Notices, todo, "%s %s the tree", number(len(affected), "notice", "notices"), ending(len(affected), "affects", "affect")).secretly(slices.Concat(affected, unknown))
	case len(unknown) > 0:
		return unproved(Notices, todo, "of %s it can't be told whether the tree is affected", number(len(unknown), "notice", "notices")).secretly(unknown)
	}
	return passed(Notices, "%s %s, and none affects the tree", number(len(n.Records), "notice", "notices"), since)
}

func ending(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (r *Notice) line() string {
	line := r.ID + ": " + r.Subject
	if len(r.Places) > 0 {
		line += " in " + r.Places[0]
		if more := len(r.Places) - 1; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
	}
	if text := cmp.Or(r.Unproved, r.Todo); text != "" {
		line += ": " + text
	}
	return line
}

func (t *Tree) clean() Check {
	switch {
	case t.NoGit != "":
		return unproved(Clean, "Run the gate in a git repository.", "git can't be asked: %s", t.NoGit)
	case len(t.Changed) > 0:
		return failed(Clean, "Commit or undo it: what is released is what is committed.",
			"%s not as committed", number(len(t.Changed), "file is", "files are")).with(slices.Sorted(slices.Values(t.Changed)))
	}
	return passed(Clean, "all files are as committed in %s", short(t.Commit))
}

// tag checks that a tag of the commit has the pattern; "" is any.
func (t *Tree) tag(c *config.Release) Check {
	const todo = "Tag the commit, and run the gate on it: git tag -a v1.2.3 (and git fetch --tags in a pipeline)."
	switch tag := t.released(c.Tag); {
	case t.NoGit != "":
		return unproved(Tag, "Run the gate in a git repository.", "git can't be asked: %s", t.NoGit)
	case tag != "":
		return passed(Tag, "%s is %s", short(t.Commit), tag)
	case c.Untagged:
		return spared(Tag, "%s has no tag, which the configuration accepts", short(t.Commit))
	case len(t.Tags) > 0:
		return failed(Tag, todo, "no tag of %s has the form %s: %s", short(t.Commit), c.Tag, t.Tags[0])
	}
	return failed(Tag, todo, "%s has no tag", short(t.Commit))
}

// released is the tag of the release, "" if there is none.
func (t *Tree) released(pattern string) string {
	for _, tag := range t.Tags {
		if ok, err := path.Match(pattern, tag); pattern == "" || ok && err == nil {
			return tag
		}
	}
	return ""
}

// short is a commit in messages.
func short(commit string) string {
	if commit == "" {
		return "the commit"
	}
	return "commit " + commit[:min(12, len(commit))]
}
