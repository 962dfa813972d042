package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// Of a line that is quoted, at most maxQuoted bytes are shown, from at most
// lead bytes in front of the range. A line longer than maxLine is not quoted.
const (
	maxQuoted = 160
	lead      = 60
	maxLine   = 4096
)

// quoter shows the line of a finding.
type quoter struct {
	texts
	// secret are the lines that may hold a secret.
	secret map[string]map[int]bool
}

func newQuoter(r *Report, all []entry) quoter {
	q := quoter{secret: map[string]map[int]bool{}}
	if r.unquoted {
		return q
	}
	q.texts = split(r)
	rules := r.rules()
	for _, e := range all {
		at := e.at()
		if !rules[e.rule].Secret || at.Start.Line == 0 {
			continue
		}
		if q.secret[at.File] == nil {
			q.secret[at.File] = map[int]bool{}
		}
		last := min(max(at.Start.Line, at.End.Line), len(q.texts[at.File]))
		for n := at.Start.Line; n <= last; n++ {
			q.secret[at.File][n] = true
		}
	}
	return q
}

// quote returns the line at which a range begins, and below it carets under the
// range, as far as it is on that line. It returns "" where that can't be shown.
func (q quoter) quote(at policy.Location, p Painter) string {
	line, ok := q.line(at.File, at.Start.Line)
	if !ok || q.secret[at.File][at.Start.Line] || len(line) > maxLine || strings.TrimSpace(line) == "" {
		return ""
	}
	if at.Start.Line == 1 && strings.HasPrefix(line, bom) {
		line = line[len(bom):]
		at.Start.Column -= len(bom)
		if at.End.Line == 1 {
			at.End.Column -= len(bom)
		}
	}
	start, end := span(line, at)
	if start < 0 {
		return ""
	}
	before, inside, after, ok := cutLine(line, start, end)
	if !ok {
		return ""
	}
	number := fmt.Sprintf("%5d | ", at.Start.Line)
	carets := strings.Repeat("^", max(1, utf8.RuneCountInString(plain.Line(inside))))
	return p.Faint(number) + plain.Line(before+inside+after) + "\n" +
		p.Faint("      | ") + blank(plain.Line(before)) + p.Red(carets) + "\n"
}

// span returns the part of the line that a range covers, as offsets; -1 if none
// is known.
func span(line string, at policy.Location) (start, end int) {
	start, end = at.Start.Column-1, len(line)
	if at.End.Line == at.Start.Line && at.End.Column > 0 {
		end = at.End.Column - 1
	}
	if at.End == (policy.Position{}) {
		end = start + 1
	}
	if start < 0 || start > len(line) {
		return -1, -1
	}
	return start, max(start, min(end, len(line)))
}

// cutLine redacts a line and takes out what is shown of it, in three parts. It
// is not ok if a secret stands in two of them.
func cutLine(line string, start, end int) (before, inside, after string, ok bool) {
	shown := policy.Redact(line)
	before, inside = policy.Redact(line[:start]), policy.Redact(line[start:end])
	rest, ok := strings.CutPrefix(shown, before+inside)
	if !ok {
		return "", "", "", false
	}
	if cut := len(before) - lead; cut > 0 && len(shown) > maxQuoted {
		for cut < len(before) && !utf8.RuneStart(before[cut]) {
			cut++
		}
		before = "…" + before[cut:]
	}
	room := maxQuoted - len(before)
	inside, whole := head(inside, room)
	if !whole {
		return before, inside, "…", true
	}
	after, whole = head(rest, room-len(inside))
	if !whole {
		after += "…"
	}
	return before, inside, after, true
}

// head is the beginning of s, of about n bytes.
func head(s string, n int) (text string, whole bool) {
	if len(s) <= n {
		return s, true
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], false
}

// blank is as wide as s: its tabs are kept, and all else is a blank.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}
