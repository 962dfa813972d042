package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/checks"
)

const rulesPage = "docs/rules.md"

// camelCase is what the name of a rule looks like.
var camelCase = regexp.MustCompile(`^([A-Z][a-z]+){2,}$`)

// TestRules holds that each rule has a section, in their order, under the anchor
// to which the frontend links, that says its severity and description.
func TestRules(t *testing.T) {
	p := readPage(t, rulesPage)
	var names, titles []string
	for _, r := range rewrite.Rules() {
		names = append(names, r.Name)
	}
	for _, s := range p.sections(t) {
		if s.level == 2 && camelCase.MatchString(s.title) {
			titles = append(titles, s.title)
		}
	}
	if diff := cmp.Diff(names, titles); diff != "" {
		t.Fatalf("sections (-rules +%s):\n%s", rulesPage, diff)
	}
	for _, r := range rewrite.Rules() {
		if anchor(r.Name) != strings.ToLower(r.Name) {
			t.Errorf("%s has another anchor: %s", r.Name, anchor(r.Name))
		}
		first := "Severity: " + string(r.Severity) + ". " + r.Description
		if text := p.in(sectionOf(t, p, r.Name)); !strings.Contains(oneLine(text), first) {
			t.Errorf("%s does not say %q:\n%s", r.Name, first, text)
		}
		if !strings.Contains(strings.Join(p.lines, "\n"), "| ["+r.Name+"](#"+anchor(r.Name)+") | "+string(r.Severity)+" |") {
			t.Errorf("%s is not in the table, or with another severity", r.Name)
		}
	}
}

// TestRuleExamples holds that the Dockerfiles of each rule's section are reported
// and not reported as the line above them says.
func TestRuleExamples(t *testing.T) {
	p := readPage(t, rulesPage)
	for _, r := range rewrite.Rules() {
		s := sectionOf(t, p, r.Name)
		shown := map[string]int{}
		for _, b := range p.blocks(t) {
			if b.from < s.from || b.from >= s.to || b.info != "dockerfile" {
				continue
			}
			label := p.before(b)
			shown[label]++
			plan, err := rewrite.New([]byte(p.text(b)), rewrite.Config{})
			if err != nil {
				t.Fatalf("%s:%d: %v", p.path, b.from+1, err)
			}
			reported := slices.ContainsFunc(plan.Findings, func(f rewrite.Finding) bool { return f.Rule == r.Name })
			if reported != (label == "Reported:") {
				t.Errorf("%s:%d: %q, but the findings are %+v", p.path, b.from+1, label, plan.Findings)
			}
		}
		want := map[string]int{"Reported:": 1, "Not reported:": 1}
		if r.Name == "MaskMismatch" {
			want = map[string]int{} // no file is known that has it
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Errorf("%s: Dockerfiles by the line above (-want +got):\n%s", r.Name, diff)
		}
	}
}

// TestChecks holds that the section of each check says why, and has its examples.
func TestChecks(t *testing.T) {
	p := readPage(t, rulesPage)
	for _, r := range checks.Rules() {
		s := sectionOf(t, p, r.Name)
		if !strings.Contains(oneLine(p.in(s)), r.Why) {
			t.Errorf("%s does not say %q", r.Name, r.Why)
		}
		want := map[string]string{"Reported:": r.Bad, "Not reported:": r.Good}
		for _, b := range p.blocks(t) {
			if b.from < s.from || b.from >= s.to || b.info != "dockerfile" {
				continue
			}
			if diff := cmp.Diff(want[p.before(b)], p.text(b)); diff != "" {
				t.Errorf("%s, %q (-check +page):\n%s", r.Name, p.before(b), diff)
			}
		}
	}
}

func sectionOf(t *testing.T, p *page, title string) section {
	t.Helper()
	all := p.sections(t)
	i := slices.IndexFunc(all, func(s section) bool { return s.title == title })
	if i < 0 {
		t.Fatalf("%s has no section %s", p.path, title)
	}
	return all[i]
}

// oneLine joins text that is broken into lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
