package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// maxAnnotations is how many annotations of one level GitHub keeps of a step
// (https://github.com/orgs/community/discussions/26680); it drops the others
// without a word.
const maxAnnotations = 10

// GitHub writes workflow commands of GitHub Actions, which become annotations
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
// The worst come first: GitHub keeps ten of a level for each step, and a last
// line says so where there are more.
type GitHub struct{}

// levels are the names of GitHub's commands.
var levels = map[policy.Severity]string{policy.Blocker: "error", policy.Warning: "warning", policy.Advisory: "notice"}

// Write writes r. Findings that are acknowledged or resolved are notices.
func (GitHub) Write(w io.Writer, r Report) error {
	var b strings.Builder
	count := map[policy.Severity]int{}
	for _, p := range problems(&r) {
		count[policy.Blocker]++
		b.WriteString(command("error", "not checked", policy.Location{File: p.File, Start: policy.Position{Line: p.Line}}, p.Message))
	}
	for _, held := range withheld(&r) {
		count[held.Severity]++
		b.WriteString(command(levels[held.Severity], held.Family, policy.Location{}, held.sentence(&r)))
	}
	all := entries(&r)
	lines := split(&r)
	for _, severity := range policy.Severities() {
		for _, e := range all {
			message := e.Message
			counts := e.severity
			if told := e.told(); told != "" {
				counts, message = policy.Advisory, message+" ("+told+")"
			}
			if counts == severity {
				count[severity]++
				b.WriteString(command(levels[severity], e.rule, lines.columns(e.at()), message))
			}
		}
	}
	b.WriteString(dropped(count))
	_, err := io.WriteString(w, b.String())
	return err
}

// columns counts those of a location in UTF-16 code units.
func (t texts) columns(at policy.Location) policy.Location {
	at.Start.Column, at.End.Column = t.column(at.File, at.Start), t.column(at.File, at.End)
	return at
}

// command is one line: "::LEVEL PROPERTIES::MESSAGE".
func command(level, title string, at policy.Location, message string) string {
	var properties []string
	add := func(name string, value string) {
		properties = append(properties, name+"="+property.Replace(plain.Text(value)))
	}
	if at.File != "" {
		add("file", at.File)
		if at.Start.Line > 0 {
			add("line", strconv.Itoa(at.Start.Line))
			place := at.Start.Column > 0
			if place {
				add("col", strconv.Itoa(at.Start.Column))
			}
			switch {
			case at.End.Line > at.Start.Line: // columns count only within a line
				add("endLine", strconv.Itoa(at.End.Line))
			case place && at.End.Line == at.Start.Line && at.End.Column > at.Start.Column:
				add("endColumn", strconv.Itoa(at.End.Column))
			}
		}
	}
	add("title", title)
	return fmt.Sprintf("::%s %s::%s\n", level, strings.Join(properties, ","), data.Replace(plain.Text(message)))
}

// The escapes of the runner (actions/runner, src/Runner.Common/ActionCommand.cs).
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// dropped says what GitHub does not show as annotations.
func dropped(count map[policy.Severity]int) string {
	var over []string
	for _, severity := range policy.Severities() {
		if n := count[severity]; n > maxAnnotations {
			over = append(over, fmt.Sprintf("%d of level %s", n, levels[severity]))
		}
	}
	if over == nil {
		return ""
	}
	return fmt.Sprintf("GitHub shows %d annotations of a level for a step; all of them are in this log: %s\n", maxAnnotations, strings.Join(over, ", "))
}
