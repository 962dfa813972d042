package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
)

const full = `# the whole file
floors:
  SetupTools:
    version: 83.0.0
    reason: MANIFEST.in exclusion bypass
    ids: [PYSEC-2026-3447, CVE-2026-59890]
    expires: 2027-06-30
  foo: 1.10
  bar:
    - {version: ">2.0", marker: 'python_version >= "3.10"'}
    - {version: ">=1.5", marker: 'python_version < "3.10"', reason: no newer one for old Pythons}
require_floor: true
cap: {require: true, next_major: true}
exceptions:
  - {id: PYSEC-2024-1, name: Foo_Bar, file: docs/, reason: not reachable, expires: 2027-01-31}
  - {name: torch, file: "*/requirements.txt", marker: 'sys_platform == "win32"', reason: capped, expires: "2027-02-01"}
private: [MyCompany-*, internal_lib]
library: true
scopes: {build: true, locks: false}
unpinned: warn
unprovable: error
minimum_severity: high
database: {source: advisories.zip, max_age: 36h}
advisories:
  prefer: [PYSEC, GHSA]
  ignore:
    - {id: GHSA-aaaa-bbbb-cccc, reason: wrong range, expires: 2027-03-01}
environments: {python: ">=3.10", platforms: [linux, darwin]}
strict_constraints: true
`

func date(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParse(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("loopx.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	var floors []string
	for _, name := range []string{"setuptools", "foo", "bar"} {
		for _, f := range c.Floors[name] {
			text := name + " " + f.Version.String() + " " + f.Marker.String() + " " + f.Reason
			if f.Above {
				text += " above"
			}
			floors = append(floors, text)
		}
	}
	want := []string{
		"setuptools 83.0.0  MANIFEST.in exclusion bypass", "foo 1.10  ",
		`bar 2.0 python_version >= "3.10"  above`, `bar 1.5 python_version < "3.10" no newer one for old Pythons`,
	}
	if diff := cmp.Diff(want, floors); diff != "" {
		t.Errorf("floors (-want +got):\n%s", diff)
	}
	first := c.Floors["setuptools"][0]
	if first.Line != 3 || !first.Expires.Equal(date(t, "2027-06-30")) || len(first.IDs) != 2 || c.Floors["bar"][1].Line != 11 {
		t.Errorf("%+v", first)
	}
	rest := *c
	rest.Floors, rest.Environments.Pythons, rest.Exceptions[1].Marker = nil, c.Environments.Pythons.Minus(c.Environments.Pythons), nil
	wantRest := config.Config{
		Name: "loopx.yaml", RequireFloor: true, Cap: config.Cap{Require: true, NextMajor: true},
		Exceptions: []config.Exception{
			{ID: "PYSEC-2024-1", Name: "foo-bar", File: "docs/", Reason: "not reachable", Expires: date(t, "2027-01-31"), Line: 15},
			{Name: "torch", File: "*/requirements.txt", Reason: "capped", Expires: date(t, "2027-02-01"), Line: 16},
		},
		Private: []string{"mycompany-*", "internal-lib"}, Library: true, Scopes: map[string]bool{"build": true, "locks": false},
		Unpinned: config.Warn, Unprovable: config.Fail, MinimumSeverity: config.High,
		Database: config.Database{Source: "advisories.zip", MaxAge: 36 * time.Hour, Line: 23},
		Advisories: config.Advisories{
			Prefer: []string{"PYSEC", "GHSA"},
			Ignore: []config.Ignored{{ID: "GHSA-aaaa-bbbb-cccc", Reason: "wrong range", Expires: date(t, "2027-03-01"), Line: 27}},
		},
		Environments:      config.Environments{Python: ">=3.10", Platforms: []string{"linux", "darwin"}},
		StrictConstraints: true,
	}
	if diff := cmp.Diff(wantRest, rest, cmp.AllowUnexported(rest.Environments.Pythons)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEmpty has texts that say nothing.
func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "---\n...\n", "null\n", "\ufeff", "{}"} {
		c, err := config.Parse("loopx.yaml", []byte(text))
		if err != nil || c.RequireFloor || c.UnprovableLevel() != config.Warn || c.UnpinnedLevel() != config.Fail ||
			c.Database.Oldest() != 7*24*time.Hour || c.Use("runtime") != config.Check {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

// TestErrors has what is wrong, with the first words of each message.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"requires_floor: true", []string{`1:1: "requires_floor" is no key here (did you mean require_floor?)`}},
		{"xyzzy: 1", []string{`1:1: "xyzzy" is no key here; known are: apt, mirrors`}},
		{"- a", []string{"1:1: the file is no mapping"}},
		{"just text", []string{"1:1: the file is no mapping"}},
		{"library: true\nlibrary: true", []string{`2:1: "library" is already in line 1`}},
		{"library: yes", []string{"1:10: this is neither true nor false"}},
		{"library: True", []string{"1:10: this is neither true nor false"}},
		{"library: &x true", []string{"1:10: anchors"}},
		{"library: &x true\nstrict_constraints: *x", []string{"1:10: anchors", "2:21: anchors"}},
		{"library: !!bool true", []string{"1:10: tags (!!bool)"}},
		{"? [a]\n: 1", []string{"1:3: a key is no text"}},
		{"a: [", []string{": this is not YAML: "}},
		{"a: 1\n---\nb: 1\n", []string{"2:1: a second document"}},
		{"\tlibrary: true", []string{": this is not YAML: "}},
		{"library: \xff", []string{": this is not YAML: "}},
		{"floors: [a]", []string{"1:9: floors is no mapping"}},
		{"floors: {a: {reason: x}}", []string{"1:13: the floor has no version"}},
		{"floors: {a: {version: 1.x}}", []string{`1:23: "1.x" is no version number of PEP 440`}},
		{"floors: {a: 1+local}", []string{`1:13: "1+local" has a local label`}},
		{"floors: {a: }", []string{"1:13: the value is empty"}},
		{"floors: {a: []}", []string{"1:13: the list is empty"}},
		{"floors: {-a-: 1}", []string{`1:10: "-a-" is no project's name`}},
		{"floors: {a.b: 1, A_b: 2}", []string{"1:18: a-b is already in line 1"}},
		{"floors: {a: [{version: 1}, {version: 2, marker: \"os_name == 'nt'\"}]}", []string{"1:14: one of several floors has no marker"}},
		{"floors: {a: {version: 1, marker: nonsense}}", []string{"1:34: this is no marker"}},
		{"floors: {a: {version: 1, ids: CVE-1}}", []string{"1:31: ids is no list"}},
		{"floors: {a: {version: 1, ids: [\"CVE 1\"]}}", []string{`1:32: "CVE 1" is no id`}},
		{"floors: {a: {version: 1, expires: soon}}", []string{`1:35: "soon" is no date`}},
		{"floors: {a: {version: 1, versoin: 2}}", []string{`1:26: "versoin" is no key here (did you mean version?)`}},
		{"exceptions: [{name: a, reason: b}]", []string{"1:14: the exception has no expires"}},
		{"exceptions: [{name: a, expires: 2027-01-01}]", []string{"1:14: the exception has no reason"}},
		{"exceptions: [{name: a, reason: '', expires: 2027-01-01}]", []string{"1:32: the value is empty"}},
		{"exceptions: [{reason: b, expires: 2027-01-01}]", []string{"1:14: the exception is for everything"}},
		{"exceptions: [{name: a, file: '[', reason: b, expires: 2027-01-01}]", []string{`1:30: "[" is no pattern`}},
		{"exceptions: [{name: a, file: /etc/x, reason: b, expires: 2027-01-01}]", []string{`1:30: "/etc/x" is no pattern`}},
		{"exceptions: [{name: a, reason: b, expires: 2027-02-30}]", []string{`1:44: "2027-02-30" is no date`}},
		{"exceptions: {}", []string{"1:13: exceptions is no list"}},
		{"exceptions: [1]", []string{"1:14: an exception is no mapping"}},
		{"private: ['*']", []string{`1:11: "*" is every project`}},
		{"private: ['a b']", []string{`1:11: "a b" is no project's name`}},
		{"scopes: {run: true}", []string{`1:10: "run" is no key here`}},
		{"unpinned: no", []string{`1:11: "no" is none of: error, warn, allow`}},
		{"unprovable: wran", []string{`1:13: "wran" is none of: error, warn, allow (did you mean warn?)`}},
		{"minimum_severity: worst", []string{`1:19: "worst" is none of: low`}},
		{"database: {max_age: 0}", []string{`1:21: "0" is no age`}},
		{"database: {max_age: 7w}", []string{`1:21: "7w" is no age`}},
		{"database: {max_age: 99999999999999999999}", []string{"1:21: "}},
		{"database: {source: 'http://example.com/x'}", []string{"1:20: advisories are fetched by https only"}},
		{"database: {source: 'https://u:hunter2@example.com/x'}", []string{"1:20: the address holds a user"}},
		{"database: {source: \"a\\nb\"}", []string{`1:20: "a\nb" is no path`}},
		{"advisories: {ignore: [{id: a}]}", []string{"1:23: the record that is ignored has no reason", "1:23: the record that is ignored has no expires"}},
		{"advisories: {ignore: [{reason: a, expires: 2027-01-01}]}", []string{"1:23: the record has no id"}},
		{"environments: {python: 3.10}", []string{`1:24: "3.10" is no specifier`}},
		{"environments: {python: '>4,<3'}", []string{`1:24: ">4,<3" admits no version`}},
		{"environments: {platforms: [windows]}", []string{`1:28: "windows" is none of: linux, darwin, win32`}},
		{"library: maybe\nunpinned: 3\n", []string{"1:10: this is neither", `2:11: "3" is none of`}},
		{strings.Repeat(" ", config.MaxFile+1), []string{": the file is larger than"}},
	} {
		_, err := config.Parse("loopx.yaml", []byte(tc.text))
		var all config.Errors
		if !errors.As(err, &all) {
			t.Errorf("%.60q: %v", tc.text, err)
			continue
		}
		ok := len(all) == len(tc.want)
		for i := 0; ok && i < len(all); i++ {
			ok = strings.HasPrefix(strings.TrimPrefix(all[i].Error(), "loopx.yaml:"), tc.want[i]) || strings.Contains(all[i].Error(), tc.want[i])
		}
		if !ok {
			t.Errorf("%.60q:\n%v\nwant\n%s", tc.text, err, strings.Join(tc.want, "\n"))
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.60q: the password is in %v", tc.text, err)
		}
	}
}

// TestManyErrors has more errors than are told at once.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	_, err := config.Parse("loopx.yaml", []byte("private: ["+strings.Repeat("'*',", 30)+"]"))
	if err == nil || !strings.HasSuffix(err.Error(), "\nand 10 more") || strings.Count(err.Error(), "\n") != 20 {
		t.Errorf("%v", err)
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, scope string
		want        config.Use
	}{
		{"", "runtime", config.Check},
		{"library: true", "runtime", config.Note},
		{"library: true", "optional", config.Check},
		{"{library: true, scopes: {runtime: true}}", "runtime", config.Check},
		{"scopes: {runtime: false}", "runtime", config.Skip},
		{"scopes: {locks: false}", "locks", config.Skip},
	} {
		c, err := config.Parse("loopx.yaml", []byte(tc.text))
		if err != nil || c.Use(tc.scope) != tc.want {
			t.Errorf("%q %s: %v, %v", tc.text, tc.scope, c, err)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		e          config.Exception
		name, file string
		want       bool
	}{
		{config.Exception{Name: "a"}, "a", "x/y.txt", true},
		{config.Exception{Name: "a"}, "b", "x/y.txt", false},
		{config.Exception{ID: "CVE-1"}, "b", "x/y.txt", true},
		{config.Exception{Name: "a", File: "x/"}, "a", "x/y/z.txt", true},
		{config.Exception{Name: "a", File: "x/"}, "a", "xy/z.txt", false},
		{config.Exception{Name: "a", File: "x/*.txt"}, "a", "x/y.txt", true},
		{config.Exception{Name: "a", File: "x/*.txt"}, "a", "x/y/z.txt", false},
	} {
		if got := tc.e.Covers(tc.name, tc.file); got != tc.want {
			t.Errorf("%+v %s %s: %v", tc.e, tc.name, tc.file, got)
		}
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	last := date(t, "2026-11-30")
	for _, tc := range []struct {
		last, today time.Time
		want        bool
	}{
		{last, last.Add(23 * time.Hour), false},
		{last, last.Add(24 * time.Hour), true},
		{last, last.AddDate(0, 0, -1), false},
		{time.Time{}, last, false},
	} {
		if got := config.Expired(tc.last, tc.today); got != tc.want {
			t.Errorf("%v %v: %v", tc.last, tc.today, got)
		}
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	c := &config.Config{Private: []string{"mycompany-*", "lib"}}
	for name, want := range map[string]bool{"mycompany-a": true, "mycompany": false, "lib": true, "lib2": false} {
		if c.IsPrivate(name) != want {
			t.Error(name)
		}
	}
}

// FuzzParse holds that nothing panics, that an error is of the type it says, and
// that messages are only text.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, text := range []string{"", "a: [", "floors: {a: [1, {version: 2}]}", "? a\n: b", "a: &x [*x]", "private: ['*', 'a*']", "database: {max_age: 1d, source: x}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse("loopx.yaml", data)
		var all config.Errors
		switch {
		case err == nil && c == nil:
			t.Error("nothing")
		case err != nil && !errors.As(err, &all):
			t.Errorf("%T", err)
		}
		for _, e := range all {
			if strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("%q", e.Message)
			}
		}
	})
}
