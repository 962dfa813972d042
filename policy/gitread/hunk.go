package gitread

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Span is a range of lines, from 1, the last one included.
type Span struct{ First, Last int }

// Lines are those of a file, as it is after a change, that a diff shows: with three
// lines around what differs, as forges have it.
type Lines struct{ Shown, Added []Span }

// Has reports whether a line is in one of the spans.
func Has(spans []Span, line int) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.First <= line && line <= s.Last })
}

// Lines returns what a diff shows of changed files, by path. All files are text to
// it, whatever attributes say. The error is an [*Error].
func (r *Repo) Lines(ctx context.Context, from, to Commit, changed []Change) (map[string]Lines, error) {
	args := []string{
		"diff-tree", "-r", "-p", "-U3", "--text", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-prefix",
		"--ignore-submodules=none", "--submodule=short", string(from), string(to), "--",
	}
	var want []Change
	for _, c := range changed {
		if c.Status == "A" || c.Status == "M" || c.Status == "T" {
			want = append(want, c)
			args = append(args, ":(top,literal)"+c.Path)
		}
	}
	if want == nil {
		return map[string]Lines{}, nil
	}
	slices.SortFunc(want, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	out, err := r.git.run(ctx, args...)
	if err != nil {
		return nil, failed("the difference cannot be read", err)
	}
	p := patch{rest: out}
	all := map[string]Lines{}
	for _, c := range want {
		sections := 1
		if c.Status == "T" {
			sections = 2 // the old kind goes, the new one comes
		}
		for range sections {
			lines, ok := p.section()
			if !ok {
				return nil, &Error{Message: "git diff-tree prints something else than one difference for each file"}
			}
			all[c.Path] = lines
		}
	}
	if len(p.rest) > 0 {
		return nil, &Error{Message: "git diff-tree prints more than one difference for each file"}
	}
	return all, nil
}

// patch is what git prints, in the order of the files. What a file holds, or is
// called, is counted and not looked at, so it can't be taken for anything else:
// git quotes line breaks in names.
type patch struct{ rest []byte }

func (p *patch) line() []byte {
	line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
	p.rest = rest
	return line
}

// section reads the difference of one file.
func (p *patch) section() (lines Lines, ok bool) {
	if !bytes.HasPrefix(p.rest, []byte("diff --git ")) {
		return lines, false
	}
	p.line()
	for len(p.rest) > 0 && !bytes.HasPrefix(p.rest, []byte("diff --git ")) {
		if !bytes.HasPrefix(p.rest, []byte("@@ ")) {
			p.line() // modes, names
			continue
		}
		if !p.hunk(&lines) {
			return lines, false
		}
	}
	return lines, true
}

// hunk reads "@@ -1,2 +3,4 @@" and as many lines as it says.
func (p *patch) hunk(lines *Lines) bool {
	words := strings.Fields(string(p.line()))
	if len(words) < 3 {
		return false
	}
	_, old, ok1 := numbers(words[1])
	at, left, ok2 := numbers(words[2])
	if !ok1 || !ok2 {
		return false
	}
	if left > 0 {
		lines.Shown = append(lines.Shown, Span{at, at + left - 1})
	}
	for old > 0 || left > 0 {
		switch line := p.line(); {
		case len(line) == 0:
			return false
		case line[0] == '-':
			old--
		case line[0] == '+':
			lines.Added = extend(lines.Added, at)
			at, left = at+1, left-1
		case line[0] == ' ':
			at, old, left = at+1, old-1, left-1
		case line[0] != '\\': // "\ No newline at end of file"
			return false
		}
	}
	if bytes.HasPrefix(p.rest, []byte(`\`)) {
		p.line()
	}
	return old == 0 && left == 0
}

// numbers reads "-1,2" or "+3", whose second number is 1.
func numbers(text string) (first, count int, ok bool) {
	a, b, two := strings.Cut(text[1:], ",")
	first, err := strconv.Atoi(a)
	if count = 1; err == nil && two {
		count, err = strconv.Atoi(b)
	}
	return first, count, err == nil && first >= 0 && count >= 0
}

// extend adds a line to spans that end before it.
func extend(spans []Span, line int) []Span {
	if n := len(spans); n > 0 && spans[n-1].Last == line-1 {
		spans[n-1].Last = line
		return spans
	}
	return append(spans, Span{line, line})
}

// String is "3-5", or "3".
func (s Span) String() string {
	if s.First == s.Last {
		return strconv.Itoa(s.First)
	}
	return fmt.Sprintf("%d-%d", s.First, s.Last)
}
