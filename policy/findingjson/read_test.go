package findingjson

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/result"
)

const one = `{"type":"security_privacy","detail":"Hard-coded credential detected"}`

func TestShapes(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"object":        one,
		"array":         "[" + one + "]",
		"lines":         one + "\n" + "\n",
		"list":          `{"findings":[` + one + `]}`,
		"array of list": `[{"schema_version":1,"findings":[` + one + `],"validations":[]}]`,
		"other names":   `{"class":"security_privacy","message":"Hard-coded credential detected"}`,
		"both names":    `{"class":"security_privacy","type":"security_privacy","detail":"Hard-coded credential detected"}`,
		"byte mark":     "\ufeff" + one,
		"null":          `{"type":"security_privacy","detail":"Hard-coded credential detected","severity":null,"tags":null}`,
	} {
		got, err := Read(strings.NewReader(in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []policy.Finding{{Class: policy.SecurityPrivacy, Severity: policy.Warning, Message: "Hard-coded credential detected"}}
		if diff := cmp.Diff(want, got.Findings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	in := `{"type":"efficiency","detail":"cache","severity":"advisory","rule":"r","file":"a/Dockerfile","line":3,"column":2,
		"end_line":4,"end_column":1,"evidence":"RUN x","tags":["a","b"],"tool":{"name":"t","version":"1"},"status":"resolved",
		"reason":"done","properties":{"any":[1]},"fingerprint":"made up","confidence":0.5}
		{"type":"efficiency","detail":"cache","tags":"a, private_or_security_sensitive","tool":"t"}
		{"type":"efficiency","detail":"cache","tags":"a","private_or_security_sensitive":true,"tool":"t"}
		{"type":"efficiency","detail":"cache","private_or_security_sensitive":false}
		{"validations":[{"name":"go test","status":"failed","detail":"two fail"},
		{"name":"scan","status":"skipped","required":false,"type":"security_privacy","tool":"s"}],"findings":[]}`
	want := policy.Intake{
		Findings: []policy.Finding{
			{
				Class: policy.Efficiency, Severity: policy.Advisory, Rule: "r", Message: "cache", Evidence: "RUN x",
				Location: &policy.Location{File: "a/Dockerfile", Start: policy.Position{Line: 3, Column: 2}, End: policy.Position{Line: 4, Column: 1}},
				Tags:     []string{"a", "b"}, Tool: policy.Tool{Name: "t", Version: "1"},
				Claims: []policy.Claim{{By: "status", State: "resolved", Reason: "done"}},
			},
			{
				Class: policy.Efficiency, Severity: policy.Warning, Message: "cache",
				Tags: []string{"a", policy.SensitiveTag}, Tool: policy.Tool{Name: "t"},
			},
			{
				Class: policy.Efficiency, Severity: policy.Warning, Message: "cache",
				Tags: []string{"a", policy.SensitiveTag}, Tool: policy.Tool{Name: "t"},
			},
			{Class: policy.Efficiency, Severity: policy.Warning, Message: "cache"},
		},
		Checks: []policy.Check{
			{Name: "go test", Status: policy.Failed, Required: true, Class: policy.Validation, Message: "two fail"},
			{Name: "scan", Status: policy.Skipped, Class: policy.SecurityPrivacy, Tool: policy.Tool{Name: "s"}},
		},
		Notes: []string{`the field "confidence" is not known and was not read`},
	}
	got, err := Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// bad are inputs that must end with an error. The test of the schema has the
// same list, of those that a schema can tell.
var bad = []struct{ in, want string }{
	{`{"type":"securty_privacy","detail":"x"}`, `line 1: the field "type": "securty_privacy" is no class; write one of: correctness, security_privacy, api_contract, validation, complexity, efficiency, error_supervision, documentation, release_compatibility`},
	{`{"type":"Security_Privacy","detail":"x"}`, `line 1: the field "type": "Security_Privacy" is no class; write one of: correctness, security_privacy, api_contract, validation, complexity, efficiency, error_supervision, documentation, release_compatibility`},
	{"\n\n{\"detail\":\"x\"}", `line 3: a finding lacks "type" (or "class", which is another name of it)`},
	{`{"type":"correctness"}`, `line 1: a finding lacks "detail" (or "message", which is another name of it)`},
	{`{"type":"correctness","detail":" "}`, `line 1: a finding has an empty "detail"`},
	{`{"type":null,"detail":"x"}`, `line 1: a finding lacks "type" (or "class", which is another name of it)`},
	{`{"type":"correctness","class":"efficiency","detail":"x"}`, `line 1: a finding has "type" and "class", which say different things`},
	{`{"type":"correctness","type":"security_privacy","detail":"x"}`, `line 1: the field "type" comes twice`},
	{`{"type":"correctness","detail":"x","severity":"high"}`, `line 1: the field "severity": "high" is no severity; write one of: blocker, warning, advisory`},
	{`{"type":"correctness","detail":"x","tag":"private_or_security_sensitive"}`, `line 1: the field "tag" is not known; did you mean "tags"?`},
	{`{"type":"correctness","detail":"x","Tags":["private_or_security_sensitive"]}`, `line 1: the field "Tags" is not known; did you mean "tags"?`},
	{`{"type":"correctness","detail":"x","serverity":"blocker"}`, `line 1: the field "serverity" is not known; did you mean "severity"?`},
	{`{"findings":[],"validation":[]}`, `line 1: the field "validation" is not known; did you mean "validations"?`},
	{`{"type":"correctness","detail":"x","line":-1,"file":"f"}`, `line 1: the field "line": it must be a whole number, counted from 1`},
	{`{"type":"correctness","detail":"x","line":"3","file":"f"}`, `line 1: the field "line": it must be a whole number, counted from 1`},
	{`{"type":"correctness","detail":"x","line":3}`, `line 1: a finding has a line and no "file"`},
	{`{"type":"correctness","detail":"x","tags":[1]}`, `line 1: the field "tags": it must be an array of strings`},
	{`{"type":"correctness","detail":"x","tool":3}`, `line 1: the field "tool": it must be a string, or an object with "name" and "version"`},
	{`{"type":"correctness","detail":3}`, `line 1: the field "detail": there is a number where a string must be`},
	{`{"type":"correctness","detail":"x","status":"ignored"}`, `line 1: the field "status": "ignored" is no status; write one of: open, resolved`},
	{one + "\n" + `{"type":"correctness"`, `line 2: the text ends in the middle of a value`},
	{one + "\n" + `x`, `line 2: there is 'x' where an object must be`},
	{`[` + one, `line 1: the text ends in the middle of a value`},
	{`[` + one + `,3]`, `line 1: there is a number where an object must be`},
	{`{"findings":[` + one + `],"type":"correctness"}`, `line 1: an object has findings or validations, and fields of a finding too; give a finding an object of its own`},
	{`{"findings":[{"findings":[]}]}`, `line 1: the field "findings" has no place here`},
	{`{"findings":null}`, `line 1: there is null where an array must be`},
	{`{"schema_version":2,"findings":[]}`, `line 1: schema_version is 2; this release reads 1`},
	{`{"validations":[{"status":"passed"}]}`, `line 1: a validation lacks "name"`},
	{`{"validations":[{"name":"x"}]}`, `line 1: a validation lacks "status"`},
	{`{"validations":[{"name":"x","status":"ok"}]}`, `line 1: the field "status": "ok" is no status; write one of: passed, failed, skipped`},
	{`{"validations":[{"name":"x","status":"passed","type":"y"}]}`, `line 1: the field "type": "y" is no class; write one of: correctness, security_privacy, api_contract, validation, complexity, efficiency, error_supervision, documentation, release_compatibility`},
	{`{}`, `line 1: a finding lacks "type" (or "class", which is another name of it)`},
	{`{"type":"correctness","detail":"` + strings.Repeat("x", MaxFinding) + `"}`, `line 1: the field "detail": a value is larger than 1024 KiB`},
	{"\x7fELF\x02\x01", `line 1: there is '\x7f' where an object must be`},
	{"", ErrEmpty.Error()},
	{" \n", ErrEmpty.Error()},
	{`{"version":"2.1.0","runs":[]}`, ErrSARIF.Error()},
}

func TestBad(t *testing.T) {
	t.Parallel()
	for _, tc := range bad {
		in, err := Read(strings.NewReader(tc.in))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%.100q: %v, want %s", tc.in, err, tc.want)
		}
		if len(in.Findings) > 0 {
			t.Errorf("%.100q: findings beside an error", tc.in)
		}
	}
}

// TestLongLine holds that a line of 100 MB is not read to its end.
func TestLongLine(t *testing.T) {
	t.Parallel()
	src := &counting{r: io.MultiReader(
		strings.NewReader(`{"type":"correctness","detail":"`), io.LimitReader(repeat('x'), 100<<20), strings.NewReader(`"}`),
	)}
	_, err := Read(src)
	if want := `line 1: the field "detail": a value is larger than 1024 KiB`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if src.n > 8*MaxFinding {
		t.Errorf("%d bytes were read", src.n)
	}
}

type repeat byte

func (c repeat) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c)
	}
	return len(b), nil
}

type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

func TestTooMany(t *testing.T) {
	t.Parallel()
	text := `{"type":"correctness","detail":"x"}` + "\n"
	if _, err := Read(strings.NewReader(strings.Repeat(text, MaxFindings+1))); err == nil || !strings.HasSuffix(err.Error(), "there are more than 200000 findings") {
		t.Error(err)
	}
}

// FuzzRead holds that nothing panics, that an error comes without findings, and
// that an input with a finding of the class security_privacy never passes.
func FuzzRead(f *testing.F) {
	for _, tc := range bad {
		if len(tc.in) < 1000 {
			f.Add(tc.in)
		}
	}
	f.Add("[" + one + "]")
	f.Fuzz(func(t *testing.T, s string) {
		in, err := Read(strings.NewReader(s))
		if err != nil {
			if len(in.Findings)+len(in.Checks) > 0 {
				t.Errorf("%q: findings beside the error %v", s, err)
			}
			return
		}
		var shadowed []lens.Shadowed
		for _, finding := range in.Findings {
			shadowed = append(shadowed, lens.Apply(finding))
		}
		r := result.Judge(shadowed, in.Checks)
		for _, finding := range in.Findings {
			if finding.Class == policy.SecurityPrivacy && !r.Blocking {
				t.Errorf("%q passes", s)
			}
		}
		if !r.Blocking && r.Decision != result.Pass {
			t.Errorf("%q: %s, not blocking", s, r.Decision)
		}
	})
}

func ExampleRead() {
	in, err := Read(strings.NewReader(`{"type":"efficiency","detail":"two layers would do","file":"Dockerfile","line":3}`))
	fmt.Println(in.Findings[0].Class, in.Findings[0].Location.Start.Line, err)
	_, err = Read(strings.NewReader(`{"type":"speed"}`))
	fmt.Println(err != nil, errors.Is(err, ErrEmpty))
	// Output:
	// efficiency 3 <nil>
	// true false
}
