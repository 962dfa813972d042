package notice

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

func (a *Answer) affected(action Action, message string) {
	a.State, a.Action, a.Message = Affected, action, message
}

func (a *Answer) possible(message string) {
	a.State, a.Action, a.Message = Possible, Look, message
}

func (a *Answer) held(why string) { a.Held = append(a.Held, why) }

// published is when the fix came out, as far as it is known.
func (n *gathered) published() time.Time {
	if n.Published.IsZero() {
		return n.Modified
	}
	return n.Published
}

// day is a date, "" if it is not known.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// list is words as a person lists them.
func list(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// worst is the worst state of the answers; Unaffected without any.
func worst(all []Answer) State {
	for _, s := range States() {
		if slices.ContainsFunc(all, func(a Answer) bool { return a.State == s }) {
			return s
		}
	}
	return Unaffected
}

// compareAnswers goes by file and place.
func compareAnswers(a, b Answer) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		strings.Compare(a.Package, b.Package), strings.Compare(a.Table, b.Table), strings.Compare(a.Text, b.Text),
	)
}
