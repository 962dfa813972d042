package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/rewrite"
)

// Tally sums up the files of a run. The zero value is ready.
type Tally struct {
	// Files by their verdict; Ignored are those that .gitignore files left out.
	Total, Clean, Changed, Blocked, Failed, Ignored int
	// Moved are the addresses that the edits move.
	Moved int
	// Lent are the RUN instructions that the edits lend something to.
	Lent int
	// AptRuns are the RUN instructions that run apt, or may, on sources that the
	// text does not show; AptFiles are their files.
	AptRuns, AptFiles int

	rules     map[ruleKey]*RuleCount
	decisions map[decisionKey]*DecisionCount
}

type (
	ruleKey     struct{ rule, severity string }
	decisionKey struct{ action, rule string }
)

// RuleCount is how often a rule was found, of one severity.
type RuleCount struct {
	Rule         string `json:"rule"`
	Severity     string `json:"severity"`
	Findings     int    `json:"findings"`
	Acknowledged int    `json:"acknowledged"`
	Files        int    `json:"files"`
}

// DecisionCount is how often a decision was made about an address.
type DecisionCount struct {
	Action  string `json:"action"`
	Rule    string `json:"rule"`
	Fetches int    `json:"fetches"`
	Files   int    `json:"files"`
}

// Add counts f.
func (t *Tally) Add(f *File) {
	t.Total++
	switch f.Verdict() {
	case "error":
		t.Failed++
	case "blocked":
		t.Blocked++
	case "changed":
		t.Changed++
	default:
		t.Clean++
	}
	t.Moved += f.Moved()
	t.Lent += f.Lent()
	if n := len(f.HiddenApt()); n > 0 {
		t.AptRuns += n
		t.AptFiles++
	}
	if f.Plan != nil {
		t.addFindings(f)
		t.addDecisions(f.Plan.Fetches)
	}
}

func (t *Tally) addFindings(f *File) {
	seen := map[ruleKey]bool{}
	for i, finding := range f.Plan.Findings {
		key := ruleKey{finding.Rule, string(f.severity(finding))}
		row := entryOf(&t.rules, key, RuleCount{Rule: key.rule, Severity: key.severity})
		row.Findings++
		if f.acknowledged(i) != nil {
			row.Acknowledged++
		}
		if !seen[key] {
			row.Files++
		}
		seen[key] = true
	}
}

// severity is that of a finding under the file's policy. Audit does not change it.
func (f *File) severity(finding rewrite.Finding) rewrite.Severity {
	if f.Policy.blocks(finding) {
		return rewrite.Blocker
	}
	return finding.Severity
}

func (t *Tally) addDecisions(fetches []rewrite.Fetch) {
	seen := map[decisionKey]bool{}
	for _, fetch := range fetches {
		key := decisionKey{ActionName(fetch.Decision.Action), fetch.Decision.Rule}
		row := entryOf(&t.decisions, key, DecisionCount{Action: key.action, Rule: key.rule})
		row.Fetches++
		if !seen[key] {
			row.Files++
		}
		seen[key] = true
	}
}

// entryOf returns the value of a key, which is made if it is not there.
func entryOf[K comparable, V any](m *map[K]*V, key K, fresh V) *V {
	if *m == nil {
		*m = map[K]*V{}
	}
	if (*m)[key] == nil {
		(*m)[key] = &fresh
	}
	return (*m)[key]
}

// Rules are the counts of rules, worst first, then by number and name.
func (t *Tally) Rules() []RuleCount {
	all := make([]RuleCount, 0, len(t.rules))
	for _, row := range t.rules {
		all = append(all, *row)
	}
	rank := []string{string(rewrite.Blocker), string(rewrite.Warning), string(rewrite.Advisory)}
	slices.SortFunc(all, func(a, b RuleCount) int {
		return cmp.Or(
			cmp.Compare(slices.Index(rank, a.Severity), slices.Index(rank, b.Severity)),
			cmp.Compare(b.Findings, a.Findings), strings.Compare(a.Rule, b.Rule),
		)
	})
	return all
}

// Decisions are the counts of decisions, the most frequent first.
func (t *Tally) Decisions() []DecisionCount {
	all := make([]DecisionCount, 0, len(t.decisions))
	for _, row := range t.decisions {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b DecisionCount) int {
		return cmp.Or(cmp.Compare(b.Fetches, a.Fetches), strings.Compare(a.Action, b.Action), strings.Compare(a.Rule, b.Rule))
	})
	return all
}

// RuleTable writes the counts of rules, and nothing if there are none.
func (t *Tally) RuleTable(w io.Writer, p paint.Painter) error {
	rows := [][]string{{"RULE", "SEVERITY", "FINDINGS", "ACKNOWLEDGED", "FILES"}}
	for _, r := range t.Rules() {
		rows = append(rows, []string{r.Rule, r.Severity, number(r.Findings), number(r.Acknowledged), number(r.Files)})
	}
	return table(w, p, 2, rows)
}

// DecisionTable writes the counts of decisions, and nothing if there are none.
func (t *Tally) DecisionTable(w io.Writer, p paint.Painter) error {
	rows := [][]string{{"DECISION", "BECAUSE OF", "ADDRESSES", "FILES"}}
	for _, d := range t.Decisions() {
		rows = append(rows, []string{d.Action, d.Rule, number(d.Fetches), number(d.Files)})
	}
	return table(w, p, 2, rows)
}

// Line sums up the files in one line.
func (t *Tally) Line() string {
	files := "files"
	if t.Total == 1 {
		files = "file"
	}
	line := fmt.Sprintf("%d %s: %d clean, %d changed, %d blocked, %d unreadable", t.Total, files, t.Clean, t.Changed, t.Blocked, t.Failed)
	if t.Ignored > 0 {
		line += fmt.Sprintf("; %d left out by .gitignore", t.Ignored)
	}
	return line + "\n"
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// table writes rows below a head, in columns: the first ones to the left, the
// others, which are numbers, to the right.
func table(w io.Writer, p paint.Painter, left int, rows [][]string) error {
	if len(rows) < 2 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			width := widths[i]
			if i < left {
				width = -width
			}
			fmt.Fprintf(&line, "%*s  ", width, cell)
		}
		text := strings.TrimRight(line.String(), " ")
		if n == 0 {
			text = p.Bold(text)
		}
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
