package rewrite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// instructionOf returns what a reviewer signs for of the file's only finding.
func instructionOf(t *testing.T, src string, args map[string]string) string {
	t.Helper()
	plan, err := New([]byte(src), Config{BuildArgs: args})
	if err != nil {
		t.Fatal(err)
	}
	var found []Finding
	for _, f := range plan.Findings {
		if f.Severity == Blocker {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blockers, want 1: %v", len(found), found)
	}
	return plan.Instruction(found[0])
}

func TestInstruction(t *testing.T) {
	const want = "loopx instruction 1\n" +
		"RUN curl -k https://${HOST}/$UNKNOWN | tee f\n#44\n" +
		"HOST=example.com\n#16\n"
	// What says the same has one text, wherever it stands and however it is
	// broken into lines.
	for name, src := range map[string]string{
		"one line":    "FROM x\nARG HOST=example.com\nRUN curl -k https://${HOST}/$UNKNOWN | tee f\n",
		"moved":       "# a comment\n\nFROM x\nRUN true\nENV HOST=example.com OTHER=1\n  RUN curl -k https://${HOST}/$UNKNOWN | tee f  ",
		"continued":   "FROM x\nARG HOST=example.com\nRUN curl -k \\\n# why\n\nhttps://${HOST}/$UNKNOWN | tee f\n",
		"CRLF":        "FROM x\r\nARG HOST=example.com\r\nRUN curl -k https://${HOST}/$UNKNOWN | tee f\r\n",
		"other value": "ARG HOST=example.com\nFROM x\nARG HOST\nRUN curl -k https://${HOST}/$UNKNOWN | tee f\n",
	} {
		if diff := cmp.Diff(want, instructionOf(t, src, nil)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestInstructionChanges holds what makes a signature void.
func TestInstructionChanges(t *testing.T) {
	const src = "FROM x\nARG HOST=example.com\nRUN <<E1 cat > f && curl -k https://${HOST}/\none\nE1\n"
	was := instructionOf(t, src, nil)
	for name, now := range map[string]string{
		"a build arg": instructionOf(t, src, map[string]string{"HOST": "other.example.com"}),
		"a default":   instructionOf(t, strings.Replace(src, "=example.com", "=example.net", 1), nil),
		"the command": instructionOf(t, strings.Replace(src, "&&", ";", 1), nil),
		"the heredoc": instructionOf(t, strings.Replace(src, "one", "two", 1), nil),
		"no default":  instructionOf(t, strings.Replace(src, "=example.com", "", 1), nil),
	} {
		if now == was || now == "" {
			t.Errorf("%s changes nothing: %q", name, now)
		}
	}
	if same := instructionOf(t, src, map[string]string{"UNRELATED": "1"}); same != was {
		t.Errorf("a variable that is not named changes it: %q", same)
	}
}

func TestInstructionOfComment(t *testing.T) {
	plan, err := New([]byte("FROM x\n# loopx:ignore=CurlPipeShell reason=none\nRUN true\n"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Findings) != 1 || plan.Instruction(plan.Findings[0]) != "" {
		t.Errorf("findings %v, instruction %q", plan.Findings, plan.Instruction(plan.Findings[0]))
	}
}
