package foreign

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/result"
	"github.com/loopx/loopx-frontend/policy/sarif"
)

// sarifLog is a SARIF log with one run of a scanner, whose other fields are given.
func sarifLog(fields string) string {
	return `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"s"}},` + fields + `}]}`
}

func TestBad(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"", ErrEmpty.Error()},
		{"{}", ErrUnknown.Error()},
		{`{"version":"2.1.0"}`, ErrUnknown.Error()},
		{`{"type":"correctness","detail":"x"}`, ErrUnknown.Error()},
		{`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"s"}},"results":[]}],"warnings":[]}`, ErrUnknown.Error()},
		{"[]", "line 1: there is an array where an object must be"},
		{"\x00\x01\x02", `line 1: there is '\x00' where an object must be`},
		{`{"version":"2.1.0","runs":[]}`, "line 1: the log has no runs, so nothing was looked at"},
		{`{"version":"2.1.0","runs":null}`, "line 1: there is null where an array must be"},
		{`{"version":"2.0.0","runs":[{"tool":{"driver":{"name":"s"}},"results":[]}]}`, `line 1: the log has the version "2.0.0"; this release reads SARIF 2.1.0`},
		{`{"runs":[{"tool":{"driver":{"name":"s"}},"results":[]}]}`, `line 1: the log has the version ""; this release reads SARIF 2.1.0`},
		{"{\"version\":\"2.1.0\",\"runs\":[\n{\"results\":[]}]}", "line 2: a run does not name its tool (tool.driver.name)"},
		{sarifLog(`"results":[]`) + "x", "line 1: something follows behind the report"},
		{sarifLog(`"results":[`), "line 1: this is no JSON: invalid character '}' looking for beginning of value"},
		{sarifLog(`"results":[]`)[:60], "line 1: the text ends in the middle of a value"},
		{sarifLog("\"results\":[\n{\"message\":{\"text\":\"x\"},\"level\":\"critical\"}]"), `line 2: a result has the level "critical"; SARIF has error, warning, note and none`},
		{sarifLog(`"results":[{"message":{"text":"x"},"kind":"bad"}]`), `line 1: a result has the kind "bad", which SARIF does not have`},
		{sarifLog(`"results":[{"message":"x"}]`), `line 1: the field "message" holds a string and must hold a object`},
		{sarifLog(`"results":[{"message":{"text":"x"},"locations":[{"physicalLocation":{"region":{"startLine":"1"}}}]}]`), `line 1: the field "locations.physicalLocation.region.startLine" holds a string and must hold a whole number`},
		{sarifLog(`"results":[],"results":[]`), `line 1: the field "results" comes twice`},
		{sarifLog(`"results":[],"externalPropertyFileReferences":{"results":[{}]}`), "line 1: the run keeps its results in other files; give a log that holds them"},
		{`{"version":"2.1.0","inlineExternalProperties":[],"runs":[]}`, "line 1: the log keeps parts of its runs in inlineExternalProperties; give one whose runs are whole"},
		{`{"warnings":[{"ruleName":1}]}`, `line 1: the field "ruleName" holds a number and must hold a string`},
		{`{"warnings":[],"sources":[{"data":"!"}]}`, "line 1: illegal base64 data at input byte 0"},
	} {
		in, err := Read(strings.NewReader(tc.in))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", tc.in, err, tc.want)
		}
		if len(in.Findings)+len(in.Checks) > 0 {
			t.Errorf("%s: findings beside an error", tc.in)
		}
	}
}

// TestBounds holds that neither a huge value nor many results fill the memory.
func TestBounds(t *testing.T) {
	t.Parallel()
	head := `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"s"}},"results":[{"message":{"text":"`
	_, err := Read(io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 1<<40)))
	if want := "line 1: a value is larger than 16384 KiB"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	many := sarifLog(`"results":[` + strings.Repeat("{},", sarif.MaxResults) + "{}]")
	if _, err := Read(strings.NewReader(many)); err == nil || !strings.Contains(err.Error(), "more than "+strconv.Itoa(sarif.MaxResults)) {
		t.Errorf("many results: %v", err)
	}
	long := sarifLog(`"results":[{"message":{"text":"` + strings.Repeat("word ", 100_000) + `"}}]`)
	in, err := Read(strings.NewReader(long))
	if err != nil || len(in.Findings[0].Message) > 3000 {
		t.Errorf("a long message is kept whole: %v", err)
	}
	skipped := sarifLog(`"results":[],"properties":{"x":[` + strings.Repeat(`"`+strings.Repeat("y", 1000)+`",`, 20_000) + `1]}`)
	if _, err := Read(strings.NewReader(skipped)); err != nil {
		t.Errorf("20 MB of properties: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte("0"), len(b))), nil }

// TestSecurityToolsBlock holds that a result of a tool that is no linter blocks
// whatever it is about, at any level, suppressed or not.
func TestSecurityToolsBlock(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"Trivy", "Checkov", "Semgrep OSS", "CodeQL", "KICS", "gosec", "never heard of"} {
		for _, level := range []string{"none", "note", "warning", "error"} {
			text := `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"` + tool + `"}},"results":[{"ruleId":"r","level":"` + level +
				`","message":{"text":"x"},"suppressions":[{"kind":"external","status":"accepted"}]}]}]}`
			in, err := Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			r := result.Process(lens.Apply(in.Findings[0]))
			if !r.Blocking || r.Lens != lens.SecurityRelease || len(r.Findings[0].Claims) != 1 {
				t.Errorf("%s, %s: %+v", tool, level, r)
			}
		}
	}
}

// FuzzRead holds that nothing panics, that an error comes without findings, and
// that each security finding and each run that went wrong blocks.
func FuzzRead(f *testing.F) {
	f.Add(sarifLog(`"results":[{"ruleId":"r/1","ruleIndex":0,"rule":{"toolComponent":{"index":0}},"message":{"id":"m","arguments":["a"]},"level":"note",` +
		`"locations":[{"physicalLocation":{"artifactLocation":{"index":0},"region":{"startLine":1,"snippet":{"text":"x"}}}}],"suppressions":[{"kind":"external"}]}],` +
		`"artifacts":[{"location":{"uri":"a%20b","uriBaseId":"B"}}],"originalUriBaseIds":{"B":{"uri":"c/","uriBaseId":"B"}},"invocations":[{"executionSuccessful":false}]`))
	f.Add(`{"version":"2.1.0","runs":[{"results":[{"kind":"pass"}],"tool":{"extensions":[{"rules":[{"id":"r","properties":{"tags":["security"]}}]}],"driver":{"name":"hadolint","rules":[]}}}]}`)
	f.Add(`{"warnings":[{"ruleName":"x","location":{"sourceIndex":0,"ranges":[{"start":{"line":1,"character":2},"end":{"line":1}}]}}],"sources":[{"filename":"f","data":"eA=="}],"buildError":{"message":"m"}}`)
	f.Fuzz(func(t *testing.T, s string) {
		in, err := Read(strings.NewReader(s))
		if err != nil {
			if len(in.Findings)+len(in.Checks) > 0 {
				t.Errorf("%q: findings beside the error %v", s, err)
			}
			return
		}
		if len(in.Checks) == 0 {
			t.Errorf("%q: no validation", s)
		}
		var shadowed []lens.Shadowed
		bad := false
		for _, finding := range in.Findings {
			shadowed = append(shadowed, lens.Apply(finding))
			bad = bad || finding.Class == policy.SecurityPrivacy
		}
		for _, c := range in.Checks {
			bad = bad || c.Status != policy.Passed
		}
		if r := result.Judge(shadowed, in.Checks); bad && !r.Blocking {
			t.Errorf("%q passes", s)
		}
	})
}
