package osv

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func decode(text string, line int) ([]Record, error) {
	var all []Record
	err := Decode(text, line, func(r Record) error { all = append(all, r); return nil })
	return all, err
}

// whole has every field that is read, and some that are not.
const whole = `{
  "schema_version": "1.7.4",
  "id": "GHSA-aaaa-bbbb-cccc",
  "modified": "2026-07-05T10:11:12.131415Z",
  "published": "2026-07-04T10:11:12+02:00",
  "withdrawn": "2026-07-06T00:00:00Z",
  "aliases": ["CVE-2026-1", "PYSEC-2026-2"],
  "upstream": ["CVE-2026-3"],
  "related": ["CVE-2026-4"],
  "summary": "A \"summary\" \u2014 \ud83d\ude00",
  "details": "## Details\n",
  "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N"}],
  "affected": [
    {
      "package": {"ecosystem": "PyPI", "name": "Foo_Bar", "purl": "pkg:pypi/foo-bar"},
      "severity": [{"type": "CVSS_V4", "score": "CVSS:4.0/AV:N"}],
      "ranges": [
        {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"last_affected": "1.2"}], "database_specific": {"x": [1, -2.5e3, null]}},
        {"type": "GIT", "repo": "https://example.org/foo", "events": [{"introduced": "0"}, {"fixed": "abc"}, {"limit": "def"}]}
      ],
      "versions": ["1.0", "1.1"],
      "ecosystem_specific": {"affects": {"arch": [], "os": [true, false]}}
    },
    {"package": {"ecosystem": "Debian:12", "name": "python-foo"}, "versions": null}
  ],
  "references": [{"type": "FIX", "url": "https://example.org/fix"}, {"type": "ADVISORY", "url": "https://example.org/adv"}],
  "credits": [{"name": "A", "contact": ["mailto:a@example.org"], "type": "FINDER"}],
  "database_specific": {"severity": "HIGH", "severity_2": {"severity": "LOW"}, "cwe_ids": ["CWE-22"]}
}`

func TestDecode(t *testing.T) {
	t.Parallel()
	got, err := decode(whole, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.UTC()
	}
	want := []Record{{
		ID: "GHSA-aaaa-bbbb-cccc", Aliases: []string{"CVE-2026-1", "PYSEC-2026-2"},
		Upstream: []string{"CVE-2026-3"}, Related: []string{"CVE-2026-4"},
		Modified: at("2026-07-05T10:11:12.131415Z"), Published: at("2026-07-04T08:11:12Z"), Withdrawn: at("2026-07-06T00:00:00Z"),
		Summary: "A \"summary\" — 😀", Details: "## Details\n", Rating: "HIGH",
		Severity: []Severity{{"CVSS_V3", "CVSS:3.1/AV:N"}},
		Affected: []Affected{
			{
				Ecosystem: "PyPI", Name: "Foo_Bar", PURL: "pkg:pypi/foo-bar",
				Severity: []Severity{{"CVSS_V4", "CVSS:4.0/AV:N"}},
				Ranges: []Range{
					{Type: "ECOSYSTEM", Events: []Event{{Introduced, "0", false}, {LastAffected, "1.2", false}}},
					{Type: "GIT", Repo: "https://example.org/foo", Events: []Event{{Introduced, "0", false}, {Fixed, "abc", false}, {Limit, "def", false}}},
				},
				Versions: []string{"1.0", "1.1"},
			},
			{Ecosystem: "Debian:12", Name: "python-foo"},
		},
		References: []Reference{{"FIX", "https://example.org/fix"}, {"ADVISORY", "https://example.org/adv"}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDecodeForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		ids  string
	}{
		{"", ""},
		{" \n\r\n\t", ""},
		{"[]", ""},
		{`{"id":"A"}`, "A"},
		{"\ufeff" + `{"id":"A"}` + "\r\n" + `{"id":"B"}` + "\r\n", "A B"},
		{`{"id":"A"}{"id":"B"}`, "A B"},
		{`[{"id":"A"},[{"id":"B"}]]` + "\n[]\n" + `{"id":"C"}`, "A B C"},
		{`{"x":{"a":1,"a":2},"id":"A"}`, "A"}, // no field of the schema
	} {
		got, err := decode(tc.text, 1)
		var ids []string
		for _, r := range got {
			ids = append(ids, r.ID)
		}
		if err != nil || strings.Join(ids, " ") != tc.ids {
			t.Errorf("%q: %q, %v", tc.text, ids, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"x", "line 7: there is 'x' where an object must be"},
		{"\n\n\"A\"", "line 9: there is a string where an object must be"},
		{`3`, "line 7: there is a number where an object must be"},
		{"\x00", "line 7: there is a control character where an object must be"},
		{"é", "line 7: there is a character where an object must be"},
		{"{\"id\":\"A\"}\n{\"id\":", "line 8: the text ends in the middle of a value"},
		{`{`, "line 7: the text ends in the middle of a value"},
		{`{"id":"A"`, "line 7: the text ends in the middle of a value"},
		{`{"id":"A`, "line 7: the text ends in the middle of a string"},
		{`{"id":"A\`, "line 7: the text ends in the middle of a string"},
		{`[{"id":"A"}`, "line 7: the text ends in the middle of a value"},
		{`{}`, "line 7: a record has no id"},
		{"{\"id\":\"A\"}\n {\"id\":null,\n\"summary\":\"\"}", "line 8: a record has no id"},
		{`{"id":""}`, "line 7: a record has no id"},
		{`{"ID":"A"}`, "line 7: a record has no id"},
		{`{"id":1}`, `line 7: the field "id" holds a number and must hold a string`},
		{`{"id":"A",}`, "line 7: there is a comma in front of '}'"},
		{`{"id" "A"}`, "line 7: there is a string where a colon must be"},
		{`{"id":"A" "x":1}`, "line 7: there is a string where a comma or '}' must be"},
		{`{id:"A"}`, "line 7: there is 'i' where a field's name must be"},
		{"{\"id\":\"A\",\n\"id\":\"B\"}", `line 8: the field "id" comes twice`},
		{`{"id":"A","affected":[{"versions":["1"],"versions":[]}]}`, `line 7: the field "versions" comes twice`},
		{`{"id":"A","affected":[{"ranges":[{"events":[{"fixed":"1","fixed":"2"}]}]}]}`, `line 7: the field "fixed" comes twice`},
		{`{"id":"A","affected":{}}`, "line 7: there is an object where an array must be"},
		{`{"id":"A","affected":["x"]}`, "line 7: there is a string where an object must be"},
		{`{"id":"A","affected":[{"package":"x"}]}`, "line 7: there is a string where an object must be"},
		{`{"id":"A","affected":[{"versions":"1.0"}]}`, `line 7: the field "versions" holds a string and must hold an array`},
		{`{"id":"A","affected":[{"versions":[1.0]}]}`, "line 7: there is a number where a string must be"},
		{`{"id":"A","aliases":[null]}`, "line 7: there is null where a string must be"},
		{`{"id":"A","withdrawn":true}`, `line 7: the field "withdrawn" holds true or false and must hold a string`},
		{`{"id":"A","x":tru}`, "line 7: there is true or false where a value must be"},
		{`{"id":"A","x":01}`, "line 7: there is a number where a value must be"},
		{`{"id":"A","x":-}`, "line 7: there is a number where a value must be"},
		{`{"id":"A","x":1.}`, "line 7: there is a number where a value must be"},
		{`{"id":"A","x":truefalse}`, "line 7: there is true or false where a comma or '}' must be"},
		{`{"id":"A\q"}`, `line 7: the string "A\\q" is no JSON: invalid character 'q' in string escape code`},
		{"{\"id\":\"A\nB\"}", "line 7: a string holds the control character 0x0a"},
		{"{\"id\":\"A\"}\n{\"id\":\"\xff\"}", "line 8: the text is not UTF-8"},
		{`{"id":"A","x":` + strings.Repeat("[", 1_000_000), "line 7: nested deeper than 200"},
		{strings.Repeat("[", 300), "line 7: nested deeper than 200"},
		{`{"id":"A"` + strings.Repeat(`,"x":{}`, 2), `line 7: the field "x" comes twice`},
		{`{"id":"A"` + manyFields(), "line 7: an object has more than 200 fields"},
	} {
		_, err := decode(tc.text, 7)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%.60q: %v, want %s", tc.text, err, tc.want)
		}
	}
}

func manyFields() string {
	var b strings.Builder
	for i := range 300 {
		b.WriteString(`,"` + strings.Repeat("x", i+1) + `":1`)
	}
	return b.String()
}

// What is odd and read anyway is said.
func TestDecodeNotes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, note string }{
		{`{"id":"A","modified":"2026-01-02T03:04:05Z"}`, ""},
		{`{"id":"A"}`, `it does not say when it was modified`},
		{`{"id":"A","modified":""}`, `it does not say when it was modified`},
		{`{"id":"A","modified":"2026-01-02T03:04:05Z","withdrawn":"yes"}`, `the field "withdrawn" holds "yes", which is no time`},
		{`{"id":"A","modified":"2026-13-02"}`, `the field "modified" holds "2026-13-02", which is no time`},
		{`{"id":"A","modified":"2026-01-02T03:04:05Z","published":"\u001b[2J"}`, `the field "published" holds "\x1b[2J", which is no time`},
	} {
		got, err := decode(tc.text, 1)
		if err != nil {
			t.Fatal(err)
		}
		if note := strings.Join(got[0].Notes, "|"); note != tc.note || got[0].IsWithdrawn() {
			t.Errorf("%s: %q, withdrawn %v; want %q", tc.text, note, got[0].IsWithdrawn(), tc.note)
		}
	}
}
