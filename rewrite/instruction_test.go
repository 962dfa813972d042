package rewrite

import (
	"strconv"
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

// TestInstructionOfTrigger: ONBUILD runs with the values that its stage ends
// with.
func TestInstructionOfTrigger(t *testing.T) {
	const src = "FROM x AS base\nENV HOST=a\nONBUILD RUN curl -k https://$HOST/x\nENV HOST=b\nFROM base\n"
	was := instructionOf(t, src, nil)
	if !strings.Contains(was, "\nHOST=b\n") {
		t.Errorf("it has not the value that it runs with: %q", was)
	}
	const first = "FROM x AS base\nONBUILD ENV HOST=c\nONBUILD RUN curl -k https://$HOST/x\nFROM base\n"
	if got := instructionOf(t, first, nil); !strings.Contains(got, "\nHOST=c\n") {
		t.Errorf("it has not the value of the trigger before it: %q", got)
	}
}

// TestInstructionOfValue: a finding in a value is signed for with what becomes
// of the value.
func TestInstructionOfValue(t *testing.T) {
	const src = "ARG AT=http://h.example.org:8080\nFROM x\nARG AT\nENV URL=$AT/data\nRUN curl -o data $URL\nRUN true\n"
	was := instructionOf(t, src, nil)
	for name, now := range map[string]string{
		"the use":     instructionOf(t, strings.Replace(src, "curl -o data $URL", "curl $URL | sh", 1), nil),
		"one more":    instructionOf(t, src+"RUN curl $URL | sh\n", nil),
		"between":     instructionOf(t, strings.Replace(src, "/data\n", "/other\n", 1), nil),
		"by a script": instructionOf(t, src+"RUN curl $(printenv URL) | sh\n", nil),
	} {
		if now == was || now == "" {
			t.Errorf("%s changes nothing: %q", name, now)
		}
	}
	if same := instructionOf(t, strings.Replace(src, "RUN true", "RUN false", 1), nil); same != was {
		t.Errorf("an instruction without the value changes it: %q", same)
	}
}

// TestInstructionOfSecret: a secret is bad where it stands, whatever uses it.
func TestInstructionOfSecret(t *testing.T) {
	const src = "FROM x\nENV TOKEN=ghp_q7Rw2mZx9Kd41LpNvBq7Rw2mZx9Kd41LpNvB\n"
	if was, now := instructionOf(t, src, nil), instructionOf(t, src+"RUN echo $TOKEN\n", nil); was != now {
		t.Errorf("a use changes it: %q, %q", was, now)
	}
}

// TestInstructionNamesByWord: a variable is read without a $ too.
func TestInstructionNamesByWord(t *testing.T) {
	for _, use := range []string{"$(printenv HOST)", "!HOST!", "$env:host", "%Host%", "${!HOST}"} {
		src := "FROM x\nENV HOST=a\nRUN curl -k https://" + use + "/\n"
		if !strings.Contains(instructionOf(t, src, nil), "\nHOST=a\n") {
			t.Errorf("%s does not count for HOST", use)
		}
	}
}

func TestReaches(t *testing.T) {
	plan, err := New([]byte("FROM x\nARG URL=http://h.example.org:8080\nRUN curl -k \\\n https://a/\nRUN curl $URL\n"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range plan.Findings {
		for line := 1; line <= 5; line++ {
			if f.Severity == Blocker && plan.Reaches(f, line) {
				got[f.Rule] += strconv.Itoa(line)
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"VerificationOff": "34", "ClearTextRefused": "12345"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
