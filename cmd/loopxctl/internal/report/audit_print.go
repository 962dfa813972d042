package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Text writes a for people: tables of rules, of the files that a build would
// change or not make, and of the hosts that are refused.
func (a *Audit) Text(w io.Writer, p paint.Painter) error {
	var b strings.Builder
	for _, part := range []func(io.Writer, paint.Painter) error{a.ruleTable, a.fileTable, a.hostTable} {
		before := b.Len()
		if err := part(&b, p); err != nil {
			return err
		}
		if b.Len() > before {
			b.WriteString("\n")
		}
	}
	a.sum(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (a *Audit) ruleTable(w io.Writer, p paint.Painter) error {
	rows := [][]string{{"RULE", "SEVERITY", "FINDINGS", "ACKNOWLEDGED", "FILES"}}
	for _, r := range a.Rules {
		rows = append(rows, []string{r.Rule, r.Severity, number(r.Findings), number(r.Acknowledged), number(r.Files)})
	}
	return table(w, p, 2, rows)
}

// fileTable has the files that a build would change, or not make.
func (a *Audit) fileTable(w io.Writer, p paint.Painter) error {
	rows := [][]string{{"FILE", "BLOCKED BY", "MOVED", "APT"}}
	for _, f := range a.Files {
		if f.Verdict == "blocked" || f.Verdict == "changed" {
			rows = append(rows, []string{plain.Text(f.Name), blockedBy(f.Blockers), number(f.Moved), number(f.Apt)})
		}
	}
	return table(w, p, 2, rows)
}

// blockedBy counts blockers by their rule.
func blockedBy(blockers []lens.Shadowed) string {
	n := map[string]int{}
	for _, b := range blockers {
		n[b.Rule]++
	}
	var parts []string
	for _, rule := range slices.Sorted(maps.Keys(n)) {
		if n[rule] > 1 {
			rule = fmt.Sprintf("%s (%d)", rule, n[rule])
		}
		parts = append(parts, rule)
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func (a *Audit) hostTable(w io.Writer, p paint.Painter) error {
	rows := [][]string{{"REFUSED HOST", "RULE THAT KEEPS IT IN CLEAR TEXT", "FETCHES", "FILES"}}
	for _, h := range a.Hosts {
		rule := h.Rule
		if rule == "" {
			rule = "-"
		}
		rows = append(rows, []string{safe(h.Host), safe(rule), number(h.Fetches), number(h.Files)})
	}
	return table(w, p, 2, rows)
}

// sum writes what all comes to.
func (a *Audit) sum(b *strings.Builder) {
	t := a.totals()
	fmt.Fprintf(b, "%s: %d clean, %d changed, %d blocked, %d unreadable", quantity(len(a.Files), "file"), t.clean, t.changed, t.blocked, t.failed)
	if a.Ignored > 0 {
		fmt.Fprintf(b, "; %d left out by .gitignore", a.Ignored)
	}
	fmt.Fprintf(b, "\nover TLS: %s; apt in %s of %s, and in %d more if they run it\n",
		quantity(t.moved, "address"), quantity(t.apt, "RUN"), quantity(t.aptFiles, "file"), t.mayApt)
	if t.blockers+t.acknowledged > 0 {
		fmt.Fprintf(b, "%s, and %d acknowledged\n", quantity(t.blockers, "blocker"), t.acknowledged)
	}
	if rules := a.HostRules(); rules != "" {
		fmt.Fprintf(b, "Where a refused host has TLS, write upgrade, or another https address, in place of keep:\n  LOOPX_HOSTS='%s'\n", safe(rules))
	}
}

// quantity is "1 file", "2 files", "2 addresses".
func quantity(n int, one string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(one, "s"):
		one += "es"
	default:
		one += "s"
	}
	return fmt.Sprintf("%d %s", n, one)
}

// The public shape of [Audit.JSON].
type (
	auditDocument struct {
		SchemaVersion int                 `json:"schema_version"`
		Command       string              `json:"command"`
		Notes         []noteDocument      `json:"notes"`
		Files         []auditFileDocument `json:"files"`
		Hosts         []refusedDocument   `json:"hosts"`
		HostRules     string              `json:"host_rules"`
		Waivers       string              `json:"waivers,omitempty"`
		Summary       auditSummary        `json:"summary"`
	}
	auditFileDocument struct {
		File         string            `json:"file"`
		Verdict      string            `json:"verdict"`
		Error        *errorDocument    `json:"error,omitempty"`
		Moved        int               `json:"moved"`
		Apt          int               `json:"apt"`
		MayApt       int               `json:"may_apt"`
		Acknowledged int               `json:"acknowledged"`
		Blockers     []blockerDocument `json:"blockers"`
	}
	blockerDocument struct {
		Rule        string `json:"rule"`
		Line        int    `json:"line"`
		Column      int    `json:"column"`
		Message     string `json:"message"`
		Fingerprint string `json:"fingerprint"`
	}
	refusedDocument struct {
		Host    string `json:"host"`
		Rule    string `json:"rule"`
		Why     string `json:"why"`
		Fetches int    `json:"fetches"`
		Files   int    `json:"files"`
	}
	auditSummary struct {
		Files        filesDocument `json:"files"`
		Moved        int           `json:"moved"`
		Apt          aptDocument   `json:"apt"`
		MayApt       int           `json:"may_apt"`
		Blockers     int           `json:"blockers"`
		Acknowledged int           `json:"acknowledged"`
		Rules        []RuleCount   `json:"rules"`
	}
)

// JSON writes a as one document.
func (a *Audit) JSON(w io.Writer) error {
	t := a.totals()
	return plain.Encode(w, auditDocument{
		SchemaVersion: SchemaVersion, Command: "audit",
		Notes:     each(a.Notes, func(n route.Note) noteDocument { return noteDocument(n) }),
		Files:     each(a.Files, newAuditDocument),
		Hosts:     each(a.Hosts, func(h RefusedHost) refusedDocument { return refusedDocument(h) }),
		HostRules: a.HostRules(), Waivers: a.Waivers,
		Summary: auditSummary{
			Files: filesDocument{len(a.Files), t.clean, t.changed, t.blocked, t.failed, a.Ignored},
			Moved: t.moved, Apt: aptDocument{t.apt, t.aptFiles}, MayApt: t.mayApt,
			Blockers: t.blockers, Acknowledged: t.acknowledged, Rules: a.Rules,
		},
	})
}

func newAuditDocument(f AuditFile) auditFileDocument {
	return auditFileDocument{
		File: f.Name, Verdict: f.Verdict, Error: newError(f.File), Moved: f.Moved, Apt: f.Apt, MayApt: f.MayApt, Acknowledged: f.Acknowledged,
		Blockers: each(f.Blockers, func(s lens.Shadowed) blockerDocument {
			at := s.Location.Start
			return blockerDocument{s.Rule, at.Line, at.Column, route.RedactText(s.Message), s.Fingerprint}
		}),
	}
}
