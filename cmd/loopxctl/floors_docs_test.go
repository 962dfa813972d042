package main

import (
	"os"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
)

func floorsPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/floors.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFloorsPageRules holds that each rule has a section, under the anchor that
// reports link to, that says what the rule does.
func TestFloorsPageRules(t *testing.T) {
	t.Parallel()
	page := floorsPage(t)
	for _, r := range floors.Rules() {
		_, section, ok := strings.Cut(page, "\n## "+r.Name+"\n")
		if !ok {
			t.Errorf("there is no section %s", r.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		flat := strings.Join(strings.Fields(section), " ")
		for _, part := range []string{"Severity: " + string(r.Severity) + ". " + r.Description, r.Why, "Reported, in " + r.In + ":"} {
			if !strings.Contains(flat, part) {
				t.Errorf("%s does not say %q", r.Name, part)
			}
		}
		for _, example := range []string{r.Bad, r.Good} {
			if !strings.Contains(section, "```text\n"+example+"\n```\n") {
				t.Errorf("%s does not show %q", r.Name, example)
			}
		}
		if row := "| [" + r.Name + "](#" + strings.ToLower(r.Name) + ") | " + string(r.Severity) + " |\n"; !strings.Contains(page, row) {
			t.Errorf("the table lacks %s", row)
		}
		if !strings.HasSuffix(r.Page(), "/docs/floors.md#"+strings.ToLower(r.Name)) {
			t.Errorf("%s links to %s", r.Name, r.Page())
		}
	}
}

// TestFloorsPageConfig holds that the page lists each key of the policy that has no
// other page, each scope and each answer, and that the file that it shows is one.
func TestFloorsPageConfig(t *testing.T) {
	t.Parallel()
	page := floorsPage(t)
	others, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := page + string(others)
	_, err = config.Parse("", []byte("nothing: 1"))
	_, keys, ok := strings.Cut(err.Error(), "known are: ")
	if !ok {
		t.Fatal(err)
	}
	words := strings.Split(keys, ", ")
	words = append(words, floorScopes()...)
	for _, word := range words {
		if !strings.Contains(tables, "\n| `"+word+"` | ") {
			t.Errorf("no table has a row for %s", word)
		}
	}
	for _, a := range floors.Answers() {
		if !strings.Contains(page, "\n| "+string(a)+" | ") {
			t.Errorf("no table has a row for %s", a)
		}
	}
	_, example, _ := strings.Cut(page, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if c, err := config.Parse("loopx.yaml", []byte(example)); err != nil || len(c.Floors) != 3 {
		t.Error(err)
	}
}
