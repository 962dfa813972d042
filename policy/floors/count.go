package floors

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/lens"
)

// tally counts requirements for the last line.
type tally struct{ hold, fail, accepted, told, unproved int }

func (r *Report) tally(findings []lens.Shadowed) tally {
	var n tally
	next := 0
	for _, v := range r.Verdicts {
		acknowledged := false
		if v.Rule != "" {
			acknowledged = next < len(findings) && findings[next].State() == lens.Acknowledged
			next++
		}
		switch {
		case v.Requirement == nil:
		case acknowledged, len(v.Accepted) > 0:
			n.accepted++
		case v.Answer == Pass && v.Rule == "", v.Answer == NotApplicable:
			n.hold++
		case v.Answer == Unprovable:
			n.unproved++
		case v.Severity == blocker, v.With != nil:
			n.fail++
		default:
			n.told++
		}
	}
	return n
}

// count is the last line.
func (r *Report) count(findings []lens.Shadowed) string {
	s, n := r.summary(findings), r.tally(findings)
	var text strings.Builder
	text.WriteString(fmt.Sprintf("%s in %s: %d hold", many(s.Requirements, "requirement"), many(s.Files, "file"), n.hold))
	for _, part := range []struct {
		n    int
		text string
	}{
		{n.fail, "fail"},
		{n.told, "to look at"},
		{n.accepted, "accepted"},
		{n.unproved, "could not be proved"},
	} {
		if part.n > 0 {
			text.WriteString(fmt.Sprintf(", %d %s", part.n, part.text))
		}
	}
	if s.Unread > 0 {
		text.WriteString(", " + many(s.Unread, "file") + " could not be read")
	}
	return text.String() + "; " + r.advisories()
}

// advisories says which advisories there were.
func (r *Report) advisories() string {
	if !r.Database.Loaded {
		return "no advisories"
	}
	text := fmt.Sprintf("%s of PyPI", many(r.Database.Records, "advisory record"))
	if newest := r.Database.Snapshot.Newest; !newest.IsZero() {
		text += ", the newest of " + date(newest)
	}
	return text
}

func many(n int, what string) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n != 1 {
		what += "s"
	}
	return digits + " " + what
}
