package rewrite

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/checks"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

func at(start, end int, s string) Edit { return Edit{Start: start, End: end, New: s} }

// TestSettle checks the list of edits that findings leave behind, and which of
// them keep theirs.
func TestSettle(t *testing.T) {
	const src = "FROM debian\nRUN curl http://a http://b\r\n"
	for _, row := range []struct {
		name  string
		edits [][]Edit // of each finding
		want  []Edit
		kept  []bool
	}{
		{"sorted", [][]Edit{{at(26, 26, "s")}, {at(21, 25, "x")}}, []Edit{at(21, 25, "x"), at(26, 26, "s")}, []bool{true, true}},
		{"equal edits count once", [][]Edit{{at(21, 25, "x")}, {at(21, 25, "x"), at(26, 27, "")}}, []Edit{at(21, 25, "x"), at(26, 27, "")}, []bool{true, true}},
		{"touching is no conflict", [][]Edit{{at(21, 25, "x")}, {at(25, 27, "y")}}, []Edit{at(21, 25, "x"), at(25, 27, "y")}, []bool{true, true}},
		{"overlap drops both", [][]Edit{{at(21, 25, "x")}, {at(24, 27, "y")}, {at(30, 30, "z")}}, []Edit{at(30, 30, "z")}, []bool{false, false, true}},
		{"two texts for one place drop both", [][]Edit{{at(21, 25, "x")}, {at(21, 25, "y")}}, nil, []bool{false, false}},
		{"two insertions drop both", [][]Edit{{at(21, 21, "x")}, {at(21, 21, "y")}}, nil, []bool{false, false}},
		{"inside another", [][]Edit{{at(20, 30, "x")}, {at(22, 22, "y")}, {at(24, 25, "")}}, nil, []bool{false, false, false}},
		{"a fix is dropped whole", [][]Edit{{at(17, 18, "q"), at(21, 25, "x")}, {at(22, 23, "y")}}, nil, []bool{false, false}},
		{"an equal edit stays another's", [][]Edit{{at(21, 25, "x"), at(26, 28, "q")}, {at(21, 25, "x")}, {at(27, 29, "y")}}, []Edit{at(21, 25, "x")}, []bool{false, true, false}},
		{"out of bounds", [][]Edit{{at(21, 99, "x")}, {at(-1, 2, "x")}, {at(25, 21, "x")}}, nil, []bool{false, false, false}},
		{"overlap of its own", [][]Edit{{at(21, 25, "x"), at(24, 26, "y")}}, nil, []bool{false}},
		{"a newline comes", [][]Edit{{at(21, 25, "x\n")}, {at(21, 25, "\r")}}, nil, []bool{false, false}},
		{"a newline goes", [][]Edit{{at(5, 14, "")}, {at(38, 39, "")}}, nil, []bool{false, false}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var all []candidate
			for i, edits := range row.edits {
				f := &words.Fetch{URL: "http://a", Decision: route.Decision{To: "https://a"}}
				c := candidate{clearTextFetch(Range{Start: Position{Offset: i}}, *f), f}
				c.Edits = edits
				all = append(all, c)
			}
			got, findings := settle(src, all, nil)
			if !slices.Equal(got, row.want) {
				t.Errorf("edits %+v, want %+v", got, row.want)
			}
			for i, f := range findings {
				if kept := f.Rule == "ClearTextFetch" && len(f.Edits) > 0; kept != row.kept[i] {
					t.Errorf("finding %d: %s %+v", i, f.Rule, f.Edits)
				}
			}
			if _, ok := textmap.Apply(src, got); !ok {
				t.Error("the edits can't be applied")
			}
		})
	}
}

// TestSettleSaysOnce checks that the same finding of two commands is one.
func TestSettleSaysOnce(t *testing.T) {
	f := ruleRuntimeClearText.at(Range{}, "m")
	if _, findings := settle("", []candidate{{Finding: f}, {Finding: f}}, nil); len(findings) != 1 {
		t.Errorf("%+v", findings)
	}
}

// TestRules checks that the list is complete and fit to print.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	worst := []Severity{Blocker, Warning, Advisory}
	rank := 0
	for _, r := range Rules() {
		if seen[r.Name] || r.Name == "" || r.Description == "" || strings.ContainsAny(r.Description, "\r\n") {
			t.Errorf("rule %+v", r)
		}
		seen[r.Name] = true
		for rank < len(worst) && worst[rank] != r.Severity {
			rank++
		}
	}
	if rank == len(worst) {
		t.Error("the list is not worst first")
	}
	fetch := words.Fetch{URL: "http://user:secret@h.example/", Decision: route.Decision{To: "https://user:secret@h.example/", Why: "w"}}
	for _, f := range []Finding{
		clearTextFetch(Range{}, fetch), clearTextRefused(Range{}, fetch), notEdited(Range{}, fetch, "w"),
		addWithoutChecksum(Range{}, fetch), runtimeClearText(Range{}, fetch.URL, "CMD"), unparsedShell(Range{}, "w"), maskMismatch(Range{}),
		unusedIgnore(Range{}, "w"),
		aptUnguarded(Range{}, "runs apt", "w", RunApart, true), aptUnguarded(Range{}, "make may run apt", "w", RunApart, false),
		guardTampering(Range{}, "-c http://user:secret@h.example/"),
	} {
		if !seen[f.Rule] {
			t.Errorf("%s is not in the list", f.Rule)
		}
		if strings.Contains(f.Message, "secret") || f.Message == "" {
			t.Errorf("%s: message %q", f.Rule, f.Message)
		}
		delete(seen, f.Rule)
	}
	for _, r := range checks.Rules() {
		delete(seen, r.Name) // that package has its own tests
	}
	if len(seen) > 0 {
		t.Errorf("rules without a finding: %v", seen)
	}
}
