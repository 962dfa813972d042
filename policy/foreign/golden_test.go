package foreign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/result"
)

// TestGolden reads each report of testdata and compares what comes of it: one
// line for each finding, with what belongs to it below, then the validations,
// then the verdict.
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, name := range names {
		page, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in, err := Read(strings.NewReader(string(page.Files[0].Data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := show(in)
		if *update {
			page.Files[1].Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(page), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(page.Files[1].Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func show(in policy.Intake) string {
	var b strings.Builder
	var shadowed []lens.Shadowed
	for _, f := range in.Findings {
		s := lens.Apply(f)
		shadowed = append(shadowed, s)
		showFinding(&b, s)
	}
	r := result.Judge(shadowed, in.Checks)
	for _, c := range r.Document().Validations {
		fmt.Fprintf(&b, "validation %s: %s %s, blocking: %v, %q\n", c.Name, c.Status, c.Lens, c.Blocking, c.Message)
	}
	fmt.Fprintf(&b, "%s %s\n", r.Decision, strings.Join(r.Codes, " "))
	return b.String()
}

func showFinding(b *strings.Builder, s lens.Shadowed) {
	at := policy.Location{File: "-"}
	if s.Location != nil {
		at = *s.Location
	}
	fmt.Fprintf(b, "%s:%d:%d-%d:%d %s %s %s [%s %s %s] %q\n", at.File, at.Start.Line, at.Start.Column, at.End.Line, at.End.Column,
		s.Severity, s.Class, s.State(), s.Tool.Name, s.Tool.Version, s.Rule, s.Message)
	if s.Evidence != "" {
		fmt.Fprintf(b, "    evidence %q\n", s.Evidence)
	}
	if len(s.Tags) > 0 {
		fmt.Fprintf(b, "    tags %q\n", s.Tags)
	}
	if s.Elevated != "" {
		fmt.Fprintf(b, "    elevated %s\n", s.Elevated)
	}
	for _, c := range s.Claims {
		fmt.Fprintf(b, "    claim %s: %s %q\n", c.By, c.State, c.Reason)
	}
	for _, f := range s.ToolFingerprints {
		fmt.Fprintf(b, "    %s = %s\n", f.Name, f.Value)
	}
}
