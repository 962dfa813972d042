package format_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/notice/format"
	"github.com/loopx/loopx-frontend/policy/osv"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// decoded is one line for each record and for each package in it, and the error.
func decoded(text string) string {
	var b strings.Builder
	err := format.Decode(text, 1, func(r osv.Record) error {
		fmt.Fprintf(&b, "%s %s|%s|%s %q %v %v\n", r.ID, day(r.Published.String()), day(r.Modified.String()), day(r.Withdrawn.String()), r.Summary, r.Aliases, r.Upstream)
		for _, a := range r.Affected {
			fmt.Fprintf(&b, "  %s %s", a.Ecosystem, a.Name)
			for _, g := range a.Ranges {
				for _, e := range g.Events {
					fmt.Fprintf(&b, " %s:%s", e.Kind, e.Version)
				}
			}
			for _, v := range a.Versions {
				b.WriteString(" =" + v)
			}
			for _, p := range a.Binaries {
				fmt.Fprintf(&b, " [%s %s]", p.Name, p.Version)
			}
			b.WriteString("\n")
		}
		for _, n := range r.Notes {
			b.WriteString("  note: " + n + "\n")
		}
		return nil
	})
	if err != nil {
		b.WriteString("error: " + err.Error() + "\n")
	}
	return b.String()
}

func day(s string) string {
	if strings.HasPrefix(s, "0001") {
		return "-"
	}
	return s[:10]
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{
			"OSV", `{"id":"DSA-1-1","modified":"2026-01-02T00:00:00Z","affected":[{"package":{"ecosystem":"Debian:12","name":"foo"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"1-2"}]}]}]}`,
			"DSA-1-1 -|2026-01-02|- \"\" [] []\n  Debian:12 foo introduced:0 fixed:1-2\n",
		},
		{
			"OSV of Ubuntu", `{"id":"USN-1-1","modified":"2026-01-02T00:00:00Z","affected":[{"package":{"ecosystem":"Ubuntu:24.04:LTS","name":"foo"},"ecosystem_specific":{"binaries":[{"binary_name":"libfoo1","binary_version":"1-2"},{"old":"3"},7],"availability":"x"}},{"package":{"ecosystem":"npm","name":"x"},"ecosystem_specific":{"binaries":"none"}}]}`,
			"USN-1-1 -|2026-01-02|- \"\" [] []\n  Ubuntu:24.04:LTS foo [libfoo1 1-2] [old 3]\n  npm x\n",
		},
		{
			"GitHub", `[{"ghsa_id":"GHSA-aaaa-bbbb-cccc","cve_id":"CVE-2026-1","summary":"S","severity":"high","html_url":"https://github.com/advisories/x","published_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","withdrawn_at":null,"identifiers":[{"type":"GHSA","value":"GHSA-aaaa-bbbb-cccc"},{"type":"CVE","value":"CVE-2026-1"}],"vulnerabilities":[` +
				`{"package":{"ecosystem":"pip","name":"Foo"},"vulnerable_version_range":">= 1.0, < 2.0","first_patched_version":"2.0"},` +
				`{"package":{"ecosystem":"pip","name":"foo"},"vulnerable_version_range":"<= 0.9","first_patched_version":{"identifier":"0.9.1"}},` +
				`{"package":{"ecosystem":"pip","name":"foo"},"vulnerable_version_range":"<= 0.8","first_patched_version":null},` +
				`{"package":{"ecosystem":"pip","name":"foo"},"vulnerable_version_range":"= 3.1"},` +
				`{"package":{"ecosystem":"npm","name":"foo"},"vulnerable_version_range":"> 1"},` +
				`{"package":{"ecosystem":"pip","name":"foo"},"vulnerable_version_range":"~> 1"}` +
				`],"cvss_severities":{"cvss_v3":{"vector_string":"CVSS:3.1/X"},"cvss_v4":null}}]`,
			`GHSA-aaaa-bbbb-cccc 2026-01-01|2026-01-02|- "S" [CVE-2026-1] []
  PyPI Foo introduced:1.0 fixed:2.0
  PyPI foo introduced:0 fixed:0.9.1
  PyPI foo introduced:0 last_affected:0.8
  PyPI foo =3.1
  npm foo introduced:1
  PyPI foo
  note: the range of affected versions can't be read
`,
		},
		{
			"Ubuntu's page", `{"id":"USN-2-1","title":"Foo vulnerability","summary":"Foo could crash.","published":"2026-01-01T10:11:12.131415","cves_ids":["CVE-2026-2"],"release_packages":{"noble":[{"name":"foo","version":"1-2","is_source":true},{"name":"libfoo1","version":"1-2","is_source":false,"pocket":"security","source_link":"https://launchpad.net/ubuntu/+source/foo"},{"name":"libfoo-dev","version":"1-2","is_source":false}],"bionic":[{"name":"foo","version":"0-9","is_source":true},{"name":"libfoo0","version":"0-9","is_source":false,"pocket":"esm-infra"}],"zany":[{"name":"foo","version":"9","is_source":true}]}}`,
			`USN-2-1 2026-01-01|2026-01-01|- "Foo vulnerability" [] [CVE-2026-2]
  Ubuntu:Pro:18.04 foo introduced:0 fixed:0-9 [libfoo0 0-9]
  Ubuntu:24.04 foo introduced:0 fixed:1-2 [libfoo1 1-2] [libfoo-dev 1-2]
  Ubuntu:zany foo introduced:0 fixed:9
  note: the release "zany" is not known here
`,
		},
		{
			"Ubuntu's page: some of a release in Pro alone", `{"id":"USN-4-1","published":"2026-01-01T10:11:12","release_packages":{"focal":[{"name":"foo","version":"2","is_source":true,"pocket":"security"},{"name":"bar","version":"3","is_source":true,"pocket":"esm-apps"}]}}`,
			`USN-4-1 2026-01-01|2026-01-01|- "" [] []
  Ubuntu:20.04 foo introduced:0 fixed:2
  Ubuntu:Pro:20.04 bar introduced:0 fixed:3
`,
		},
		{
			"Ubuntu's team", `{"id":"3-1","cves":["CVE-2026-3"],"isummary":"x","summary":"foo vulnerability","title":"Foo vuln","timestamp":1767225600.5,"releases":{"jammy":{"sources":{"foo":{"version":"1"},"bar":{"version":"2"}},"binaries":{"libfoo":{"version":"1"}},"allbinaries":{"libfoo":{"version":"1","source":"foo","pocket":"security"},"libbar":{"version":"2","source":"bar"},"odd":{"version":"3","source":"none"}}}}}`,
			`USN-3-1 2026-01-01|2026-01-01|- "foo vulnerability" [] [CVE-2026-3]
  Ubuntu:22.04 bar introduced:0 fixed:2 [libbar 2]
  Ubuntu:22.04 foo introduced:0 fixed:1 [libfoo 1]
  Ubuntu:22.04 odd introduced:0 fixed:3 [odd 3]
`,
		},
		{
			"Debian's tracker", `{"foo":{"CVE-2026-4":{"description":"D","releases":{"bookworm":{"status":"resolved","fixed_version":"1-2"},"trixie":{"status":"resolved","fixed_version":"0"},"bullseye":{"status":"open"},"buster":{"status":"undetermined"},"sid":{"status":"open"}}}},"bar":{"CVE-2026-4":{"releases":{"bookworm":{"status":"open"}}},"TEMP-1":{"releases":{}}}}`,
			`DEBIAN-CVE-2026-4 -|-|- "" [] [CVE-2026-4]
  Debian:12 bar introduced:0
  Debian:12 foo introduced:0 fixed:1-2
  Debian:11 foo introduced:0
  Debian:10 foo
  Debian:13 foo introduced:0 fixed:0
TEMP-1 -|-|- "" [] []
`,
		},
		{"lines", "{\"id\":\"A\",\"modified\":\"2026-01-01T00:00:00Z\"}\n{\"ghsa_id\":\"G\"}\n", "A -|2026-01-01|- \"\" [] []\nG -|-|- \"\" [] []\n"},
		{"nothing", " \n", ""},
		// what is wrong
		{"no JSON", "{\n\"id\": }", "error: line 2: the field \"id\" holds '}' and must hold a string\n"},
		{"a part", `{"id":"A"`, "error: line 1: the text ends in the middle of a value\n"},
		{"a number", "\n7", "error: line 2: there is a value where a notice must be, an object\n"},
		{"no id", `{"ghsa_id":""}`, "error: line 1: a notice has no id\n"},
		{"no notice", `{"name":"x"}`, "error: line 1: a record has no id\n"},
		{"an empty object", `{}`, "error: line 1: a record has no id\n"},
		{"another type", "\n{\"ghsa_id\":\"G\",\"summary\":7}", "error: line 2: the field \"summary\" holds number, which it must not\n"},
		{"a time that is none", `{"ghsa_id":"G","updated_at":"yesterday"}`, "G -|-|- \"\" [] []\n  note: \"yesterday\" is no time\n"},
		{"twice", `{"id":"A","id":"B"}`, "error: line 1: the field \"id\" comes twice\n"},
	} {
		if diff := cmp.Diff(tc.want, decoded(tc.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestBounds holds that a text that is too much is an error, at its line.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"arrays":  strings.Repeat("[", 100) + strings.Repeat("]", 100),
		"depth":   strings.Repeat(`{"id":`, 100_000),
		"objects": `{"id":"A","x":` + strings.Repeat(`{"y":`, 300) + "1" + strings.Repeat("}", 301),
	} {
		if got := decoded(text); !strings.HasPrefix(got, "error: line 1: ") {
			t.Errorf("%s: %.200s", name, got)
		}
	}
}

// FuzzDecode holds that any text is read or refused, that no record lacks an id,
// and that what is refused says where.
func FuzzDecode(f *testing.F) {
	f.Add(`{"id":"A","affected":[{"package":{"ecosystem":"Debian:12","name":"x"}}]}`)
	f.Add(`[{"ghsa_id":"G","vulnerabilities":[{"vulnerable_version_range":"< 2"}]}]`)
	f.Add(`{"id":"USN-1-1","release_packages":{"noble":[{"name":"x","is_source":true}]}}`)
	f.Add(`{"id":"1-1","cves":[],"releases":{"noble":{"sources":{"x":{}}}}}`)
	f.Add(`{"x":{"CVE-1":{"releases":{"bookworm":{"status":"open"}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		err := format.Decode(text, 1, func(r osv.Record) error {
			if r.ID == "" {
				t.Errorf("%q: a record without an id", text)
			}
			return nil
		})
		if e, ok := err.(*osv.Error); err != nil && (!ok || e.Line < 1) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
