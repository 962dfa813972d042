package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/sarif"
)

// Limits of GitHub code scanning; a log beyond them is refused
// (https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit).
// Of the results it shows the 5,000 worst, and of a message the first 1,000
// characters.
const (
	maxResults     = 25_000
	maxTags        = 20
	maxMessage     = 1000 // bytes
	maxDescription = 1000 // bytes; GitHub takes 1,024 characters
)

// nowhere stands for the file of a finding about no file: GitHub refuses a log
// with a result that has no place.
const nowhere = "no-file"

// SARIF writes SARIF 2.1.0 with one run. Rules of other tools have the tool's
// name and a slash in front. An acknowledged finding is a result with an
// accepted suppression, which names who, until when and why; what the input
// claims against a finding suppresses it only where the claim counts. Beyond
// 25,000 results, which is all that GitHub takes, the mildest are left out, and
// a notification says so.
type SARIF struct{}

// Write writes r.
func (SARIF) Write(w io.Writer, r Report) error {
	all, dropped := limit(entries(&r))
	s := scribe{report: &r, sources: sources(&r), texts: split(&r), index: map[string]int{}}
	results := make([]sarifResult, 0, len(all))
	for _, e := range all {
		results = append(results, s.result(&e))
	}
	for _, held := range withheld(&r) {
		results = append(results, s.withheld(held))
	}
	run := sarifRun{
		Tool: sarif.Tool{Driver: sarif.Component{
			Name: plain.Text(r.Tool.Name), Version: plain.Text(r.Tool.Version), InformationURI: r.Tool.URI, Rules: s.rules,
		}},
		Invocations: []sarif.Invocation{invocation(&r, dropped)},
		ColumnKind:  "utf16CodeUnits",
		Results:     results,
	}
	return plain.Encode(w, sarifLog{Schema: sarifSchema, Version: sarif.Version, Runs: []sarifRun{run}})
}

// limit leaves out the mildest of too many findings.
func limit(all []entry) (kept []entry, dropped int) {
	dropped = len(all) - maxResults
	if dropped <= 0 {
		return all, 0
	}
	room := maxResults
	keep := map[int]bool{}
	for _, severity := range policy.Severities() {
		for i, e := range all {
			if e.severity == severity && room > 0 {
				keep[i] = true
				room--
			}
		}
	}
	for i, e := range all {
		if keep[i] {
			kept = append(kept, e)
		}
	}
	return kept, dropped
}

// invocation tells how the run went.
func invocation(r *Report, dropped int) sarif.Invocation {
	ok := len(r.Problems) == 0
	i := sarif.Invocation{ExecutionSuccessful: &ok}
	for _, p := range problems(r) {
		i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, sarif.Notification{
			Level: "error", Message: message(p.String()),
		})
	}
	if dropped > 0 {
		i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, sarif.Notification{
			Level: "warning", Message: message(fmt.Sprintf("%d more findings, the mildest, are left out: a run may have %d results", dropped, maxResults)),
		})
	}
	return i
}

// scribe writes results, and gathers their rules.
type scribe struct {
	texts
	sources map[string]string
	report  *Report
	known   map[string]Rule
	rules   []sarif.Rule
	index   map[string]int // into rules, by id
}

// sarifLevels are the levels of severities.
var sarifLevels = map[policy.Severity]string{policy.Blocker: "error", policy.Warning: "warning", policy.Advisory: "note"}

func (s *scribe) result(e *entry) sarifResult {
	id := plain.Text(e.rule)
	i := s.rule(id, e.rule, e.Class, e.severity, e.Tags)
	out := sarifResult{Result: sarif.Result{
		RuleID: id, RuleIndex: &i, Level: sarifLevels[e.severity], Message: message(e.Message),
		Locations:           []sarif.Location{{Physical: s.location(e)}},
		PartialFingerprints: fingerprints(e),
		Suppressions:        suppressions(e),
	}}
	out.Fixes = s.fixes(e)
	out.Properties = sarifProperties{Class: e.Class, Lens: e.Lens, Elevated: plain.Text(e.Elevated), Claims: plain.Text(e.claimed())}
	if s.report.foreign(e.Finding) {
		out.Properties.Tool = plain.Text(strings.TrimSpace(e.Tool.Name + " " + e.Tool.Version))
	}
	return out
}

func (s *scribe) withheld(held Withheld) sarifResult {
	id := "withheld/" + plain.Text(held.Family)
	i := s.rule(id, id, policy.SecurityPrivacy, held.Severity, nil)
	return sarifResult{Result: sarif.Result{
		RuleID: id, RuleIndex: &i, Level: sarifLevels[held.Severity], Message: message(held.sentence(s.report)),
		Locations: []sarif.Location{{Physical: s.location(&entry{})}},
	}, Properties: sarifProperties{Class: policy.SecurityPrivacy, Lens: lens.SecurityRelease}}
}

// location is where a finding is. GitHub wants a file and a line of each.
func (s *scribe) location(e *entry) *sarif.PhysicalLocation {
	at := e.at()
	out := &sarif.PhysicalLocation{
		Artifact: sarif.ArtifactLocation{URI: uri(cmp.Or(at.File, nowhere))},
		Region:   s.region(at),
	}
	if e.Evidence != "" {
		out.Region.Snippet = &sarif.Message{Text: cut(plain.Text(e.Evidence), maxMessage)}
	}
	return out
}

// region is the place in a file, with columns in UTF-16 code units.
func (s *scribe) region(at policy.Location) *sarif.Region {
	out := &sarif.Region{StartLine: max(1, at.Start.Line)}
	if at.Start.Line < 1 {
		return out
	}
	out.StartColumn = max(0, s.column(at.File, at.Start))
	ends := at.End.Line > at.Start.Line || at.End.Line == at.Start.Line && at.End.Column >= at.Start.Column && at.End.Column > 0
	if !ends {
		return out
	}
	out.EndLine, out.EndColumn = at.End.Line, max(0, s.column(at.File, at.End))
	return out
}

// uri makes a relative reference of a file's name, and leaves a URL one.
func uri(file string) string {
	if strings.Contains(file, "://") {
		if u, err := url.Parse(file); err == nil {
			return u.String()
		}
	}
	return (&url.URL{Path: file}).String()
}

// fingerprints has our own name of a finding, and those of a foreign tool.
func fingerprints(e *entry) map[string]string {
	all := map[string]string{}
	for _, f := range e.ToolFingerprints {
		all[plain.Text(f.Name)] = plain.Text(f.Value)
	}
	if e.Fingerprint != "" {
		all["loopxFinding/v1"] = e.Fingerprint
	}
	return all
}

// suppressions are those that count.
func suppressions(e *entry) []sarif.Suppression {
	if e.Acknowledged != nil {
		return []sarif.Suppression{{Kind: "external", Status: "accepted", Justification: message(e.told()).Text}}
	}
	if e.State() != lens.Resolved {
		return nil
	}
	var all []sarif.Suppression
	for _, c := range e.Claims {
		kind := "external"
		if strings.HasPrefix(c.By, "inSource") {
			kind = "inSource"
		}
		all = append(all, sarif.Suppression{Kind: kind, Status: "accepted", Justification: message(c.Reason).Text})
	}
	return all
}

// fixes is the fix, if the file's text is known and JSON can hold it.
func (s *scribe) fixes(e *entry) []sarifFix {
	text, ok := s.sources[e.at().File]
	if len(e.Fix) == 0 || !ok {
		return nil
	}
	change := sarifChange{Artifact: sarif.ArtifactLocation{URI: uri(e.at().File)}}
	for _, edit := range e.Fix {
		start, ok := position(text, edit.Start)
		end, known := position(text, edit.End)
		if !ok || !known || !utf8.ValidString(edit.New) {
			return nil
		}
		at := policy.Location{File: e.at().File, Start: start, End: end}
		one := sarifReplacement{Deleted: *s.region(at)}
		if edit.New != "" {
			one.Inserted = &sarif.Message{Text: edit.New}
		}
		change.Replacements = append(change.Replacements, one)
	}
	return []sarifFix{{Description: message("fix of " + e.rule), Changes: []sarifChange{change}}}
}

// link is what SARIF takes for a link in a message (3.11.6), and Markdown too.
var link = strings.NewReplacer("](", "] (", "][", "] [")

// message is text for people: none of it is a link, a placeholder (3.11.5) or
// more than GitHub shows.
func message(text string) sarif.Message {
	return sarif.Message{Text: cut(placeholder.ReplaceAllString(link.Replace(plain.Text(text)), "{{$1}}"), maxMessage)}
}

// cut shortens text to about n bytes.
func cut(text string, n int) string {
	short, whole := head(text, n)
	if whole {
		return text
	}
	return short + "…"
}
