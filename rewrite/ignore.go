package rewrite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ignore is one rule of a comment "# loopx:ignore=RULE[,RULE] reason=…", which
// silences what the rule says about the instruction below it.
type ignore struct {
	rule   string
	reason bool
	span   Range // the comment
	// from and to are the lines of the instruction, 0 if there is none.
	from, to int
	used     bool
}

var ignoreComment = regexp.MustCompile(`^#\s*loopx:ignore\b(?:\s*=\s*([A-Z][\w,]*)?)?(?:\s+reason\s*=\s*(\S.*))?`)

// silence takes away the findings that a comment above their instruction
// silences, and adds one for each such comment that does nothing.
func (p *planner) silence(findings []Finding) []Finding {
	if !strings.Contains(p.file.src.text, "loopx:ignore") {
		return findings
	}
	list := p.ignores()
	findings = slices.DeleteFunc(findings, func(f Finding) bool {
		silenced := false
		for _, i := range list {
			if i.rule == f.Rule && i.reason && i.from <= f.Range.Start.Line && f.Range.Start.Line <= i.to && silenceable(f) {
				i.used, silenced = true, true
			}
		}
		return silenced
	})
	for _, i := range list {
		if !i.used {
			findings = append(findings, unusedIgnore(i.span, i.why(findings)))
		}
	}
	slices.SortStableFunc(findings, compareFindings)
	return findings
}

// silenceable reports whether a comment may silence the finding: no blocker,
// nothing that counts as one for a text without the frontend, and no fix that
// is made all the same.
func silenceable(f Finding) bool {
	return f.Severity != Blocker && f.Rule != ruleNotEdited.Name && len(f.Edits) == 0
}

// why says why the comment does nothing.
func (i *ignore) why(findings []Finding) string {
	known := slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == i.rule })
	switch {
	case i.rule == "":
		return "it names no rule"
	case !known:
		return fmt.Sprintf("there is no rule %q", i.rule)
	case i.to == 0:
		return "no instruction stands below it"
	case !i.reason:
		return "it gives no reason; write reason=… behind the rule"
	}
	for _, f := range findings {
		if f.Rule != i.rule || f.Range.Start.Line < i.from || f.Range.Start.Line > i.to {
			continue
		}
		if f.Severity == Blocker {
			return i.rule + " is a blocker, which no comment silences"
		}
		return i.rule + " can't be silenced: an edited text would pass for safe"
	}
	return "the instruction below it has no finding of " + i.rule
}

// ignores returns the comments of the file.
func (p *planner) ignores() []*ignore {
	var out []*ignore
	src := p.file.src
	for c := range p.comments() {
		m := ignoreComment.FindStringSubmatch(src.text[c.start:c.end])
		if m == nil {
			continue
		}
		one := ignore{reason: m[2] != "", span: src.span(c.start, c.end)}
		if c.next < len(p.file.list) && p.commentsTo(c.line, p.file.list[c.next].node.StartLine) {
			one.from, one.to = p.file.list[c.next].node.StartLine, p.file.list[c.next].node.EndLine
		}
		for rule := range strings.SplitSeq(m[1], ",") {
			copied := one
			copied.rule = rule
			out = append(out, &copied)
		}
	}
	return out
}

// commentsTo reports whether all lines between two are comments.
func (p *planner) commentsTo(from, to int) bool {
	for n := from + 1; n < to; n++ {
		i, j, _ := p.file.src.line(n)
		if !strings.HasPrefix(strings.TrimSpace(p.file.src.text[i:j]), "#") {
			return false
		}
	}
	return true
}
