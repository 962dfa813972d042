package main

import (
	"os"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/notice"
)

// TestNoticePageRules holds that each rule has a section, under the anchor that
// reports link to, that says what the rule does; and each state and action a row.
func TestNoticePageRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/notices.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, r := range notice.Rules() {
		_, section, ok := strings.Cut(page, "\n## "+r.Name+"\n")
		if !ok {
			t.Errorf("there is no section %s", r.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		flat := strings.Join(strings.Fields(section), " ")
		for _, part := range []string{"Severity: " + string(r.Severity) + ". " + r.Description, r.Why} {
			if !strings.Contains(flat, part) {
				t.Errorf("%s does not say %q", r.Name, part)
			}
		}
		if row := "| [" + r.Name + "](#" + strings.ToLower(r.Name) + ") | " + string(r.Severity) + " |\n"; !strings.Contains(page, row) {
			t.Errorf("the table lacks %s", row)
		}
	}
	words := []string{string(notice.Rebuild), string(notice.Change), string(notice.Move), string(notice.Wait), string(notice.Remove), string(notice.Look)}
	for _, s := range notice.States() {
		words = append(words, string(s))
	}
	for _, word := range words {
		if !strings.Contains(page, "\n| "+word+" | ") {
			t.Errorf("no table has a row for %s", word)
		}
	}
}
