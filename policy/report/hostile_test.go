package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/sarif"
)

// hostile is what a reader could take for more than text: terminal escapes, a
// title, workflow commands of two systems, their escapes, Markdown, HTML, XML,
// bidirectional and invisible characters, NUL, bytes that are not UTF-8, what a
// format takes for a placeholder, and a password.
const hostile = "\x1b[31m\x1b]0;title\a%0A::error file=x::taken\r\n::error::taken\n ::set-output name=x::y\n##[error]taken ##vso[task.x]y" +
	"[link](https://evil.example.com) [one](1) ![i](x) **b** `c` <script>alert(1)</script>]]><!-- &lt; {0} \u202egnp.exe\u2066\u200b\ufeff\u0085\u2028\x00\xff\xc3 ,:;\\ https://u:hunter2@x.example.com"

// hostileReport has it in every text that comes from outside.
func hostileReport() Report {
	at := &policy.Location{File: hostile, Start: policy.Position{Line: 1, Column: 2}, End: policy.Position{Line: 1, Column: 5}}
	f := policy.Finding{
		Rule: hostile, Class: hostile, Severity: hostile, Message: hostile, Location: at, Evidence: hostile,
		Fix: []policy.Edit{{Start: 0, End: 1, New: hostile}}, Fingerprint: "f", Tool: policy.Tool{Name: hostile, Version: hostile},
		Tags: []string{hostile}, Claims: []policy.Claim{{By: hostile, State: "accepted", Reason: hostile}},
		ToolFingerprints: []policy.ToolFingerprint{{Name: hostile, Value: hostile}},
	}
	mild := f
	mild.Severity, mild.Class = policy.Advisory, policy.Efficiency
	open := f
	open.Severity, open.Claims = policy.Warning, nil
	r := Report{
		Command: "check", Tool: Tool{Tool: policy.Tool{Name: "loopxctl"}}, Pointer: hostile,
		Findings: []lens.Shadowed{
			lens.Apply(f),
			{Finding: f},
			{Finding: mild},
			lens.Apply(mild),
			{Finding: open},
			{Finding: f, Acknowledged: &lens.Acknowledgement{Owner: hostile, Reason: hostile, Expires: hostile}},
		},
		Files: []string{hostile, "x" + hostile}, Problems: []Problem{{File: hostile, Line: 1, Message: hostile}},
		Withheld: []Withheld{{Family: hostile, Severity: policy.Blocker, Count: 2}},
		Sources:  map[string]string{policy.Redact(policy.CleanFile(hostile)): hostile + "\n"},
	}
	for i := range r.Findings {
		r.Rules = append(r.Rules, Rule{Name: r.Findings[i].Rule, Description: hostile, Family: hostile})
	}
	return r
}

// TestHostile holds that what any format writes is only text: no byte that a
// terminal obeys, no line that a CI system obeys but our own, no password.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, r := range []Report{hostileReport(), Public(hostileReport(), hostile)} {
		for _, format := range Formats() {
			text := written(t, format, r)
			if !utf8.ValidString(text) {
				t.Errorf("%s is not UTF-8", format)
			}
			for _, c := range text {
				if c != '\n' && !strconv.IsPrint(c) {
					t.Errorf("%s has the character %U", format, c)
				}
			}
			for _, word := range []string{"##[", "##vso[", "hunter2"} {
				if strings.Contains(text, word) {
					t.Errorf("%s has %q: %.300s", format, word, text[strings.Index(text, word)-200:])
				}
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") && format != "github" {
					t.Errorf("%s has a command: %s", format, line)
				}
			}
		}
	}
}

// TestHostileGitHub reads the commands as GitHub's runner does.
func TestHostileGitHub(t *testing.T) {
	t.Parallel()
	text := written(t, "github", hostileReport())
	n := 0
	for line := range strings.Lines(text) {
		n++
		head, message, ok := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "::"), "::")
		level, properties, _ := strings.Cut(head, " ")
		if !ok || level != "error" && level != "warning" && level != "notice" {
			t.Fatalf("not a command of ours: %s", line)
		}
		for pair := range strings.SplitSeq(properties, ",") {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || !strings.Contains(" file line col endColumn title ", " "+name+" ") {
				t.Errorf("the property %q in %s", pair, line)
			}
			value = strings.NewReplacer("%25", "%", "%2C", ",", "%3A", ":").Replace(value)
			if name == "file" && !strings.Contains(value, "%0A::error file=x::taken") {
				t.Errorf("the file is %q", value)
			}
		}
		if strings.Contains(message, "%0A") || !strings.Contains(message, "%250A") {
			t.Errorf("the message %q has a line break", message)
		}
	}
	if n != 8 {
		t.Errorf("%d commands, want 8:\n%s", n, text)
	}
}

// TestHostileJSON holds that JSON means what it meant, redacted.
func TestHostileJSON(t *testing.T) {
	t.Parallel()
	r := hostileReport()
	r.Findings = r.Findings[1:2]
	var doc document
	if err := json.Unmarshal([]byte(written(t, "json", r)), &doc); err != nil {
		t.Fatal(err)
	}
	want := strings.ToValidUTF8(policy.Line(hostile), "\uFFFD")
	if got := strings.ReplaceAll(doc.Findings[0].Message, "\uFFFD\uFFFD", "\uFFFD"); got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

// TestHostileXML holds that JUnit's XML is well-formed and that its texts are
// those of the findings.
func TestHostileXML(t *testing.T) {
	t.Parallel()
	dec := xml.NewDecoder(strings.NewReader(written(t, "junit", hostileReport())))
	elements, texts := map[string]int{}, 0
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
			for _, a := range token.Attr {
				if strings.Contains(a.Value, "<script>alert(1)</script>]]>") {
					texts++
				}
			}
		case xml.Comment, xml.Directive:
			t.Errorf("%v in the text", token)
		}
	}
	if got := fmt.Sprint(elements); got != "map[error:1 failure:3 skipped:3 system-out:4 testcase:9 testsuite:1 testsuites:1]" || texts == 0 {
		t.Errorf("elements %s, %d attributes with the text", got, texts)
	}
}

// TestHostileSARIF holds that what GitHub shows of a log is text: no link, no
// placeholder, no character that is not printed.
func TestHostileSARIF(t *testing.T) {
	t.Parallel()
	log := readLog(t, written(t, "sarif", hostileReport()))
	run := log.Runs[0]
	var shown []sarif.Message
	for _, rule := range run.Tool.Driver.Rules {
		shown = append(shown, *rule.ShortDescription, *rule.FullDescription, *rule.Help)
	}
	for _, r := range run.Results {
		shown = append(shown, r.Message)
		for _, s := range r.Suppressions {
			shown = append(shown, sarif.Message{Text: s.Justification})
		}
		uri := r.Locations[0].Physical.Artifact.URI
		if u, err := url.Parse(uri); err != nil || u.Scheme != "" || u.Host != "" {
			t.Errorf("the file is %q: %v", uri, err)
		}
		if name, err := url.PathUnescape(uri); err != nil || uri != nowhere && name != policy.Redact(policy.CleanFile(hostile)) && name != "./"+policy.Redact(policy.CleanFile(hostile)) {
			t.Errorf("the file is %q", name)
		}
	}
	for _, m := range shown {
		for _, c := range m.Text {
			if !strconv.IsPrint(c) {
				t.Errorf("%U in %s", c, m.Text)
			}
		}
		if strings.Contains(m.Text, "](") || strings.Contains(m.Text, "{0}") && !strings.Contains(m.Text, "{{0}}") {
			t.Errorf("a link in %s", m.Text)
		}
	}
}
