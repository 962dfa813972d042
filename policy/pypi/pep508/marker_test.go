package pep508

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func parseMarker(t testing.TB, text string) *Marker {
	t.Helper()
	m, err := ParseMarker(text)
	if err != nil {
		t.Fatalf("ParseMarker(%q): %v", text, err)
	}
	return m
}

func TestMarkerErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in     string
		offset int
		want   string
	}{
		{"", 0, "is missing here: found the end"},
		{"()", 1, "is missing here: found ')'"},
		{"python_version", 14, "the operator is missing here"},
		{"python_version >", 16, "is missing here: found the end"},
		{`python_version = "3"`, 15, `write "=="`},
		{`python_version => "3"`, 15, `write ">="`},
		{`python_version =< "3"`, 15, `write "<="`},
		{`python_version <> "3"`, 15, `write "!="`},
		{`python_version ^ "3"`, 15, `"^" is no operator`},
		{`python_version >= 3.8`, 18, `stands in quotes: write "3.8"`},
		{`PYTHON_VERSION >= "3"`, 0, "write python_version"},
		{`OS.Name == "x"`, 0, "write os_name"},
		{`pyversion >= "3"`, 0, `no marker variable "pyversion"`},
		{`python_version not "3"`, 15, `write it, or turn the comparison round`},
		{`python_version notin "3"`, 15, "the operator is missing here"},
		{`not os_name == "x"`, 0, `no "not" before a comparison`},
		{`and os_name == "x"`, 0, `before "and" a comparison is missing`},
		{`os_name == "x" or or os_name == "y"`, 18, `before "or" a comparison is missing`},
		{`os_name == "x" and`, 18, "is missing here: found the end"},
		{`os_name == "x" AND os_name == "y"`, 15, `"AND" is lower case in a marker: write "and"`},
		{`os_name == "x" && os_name == "y"`, 15, `joined with "and" or "or": found '&'`},
		{`os_name == "x", os_name == "y"`, 14, `joined with "and" or "or": found ','`},
		{`os_name == "x" "y"`, 15, `after a comparison comes "and", "or"`},
		{`os_name == "x")`, 14, "no matching ("},
		{`(os_name == "x"`, 0, "no matching )"},
		{`(os_name == "x" "y")`, 16, `after a comparison comes "and", "or"`},
		{`os_name == "x`, 11, "the text in quotes has no end"},
		{`os_name == 'a\'b'`, 13, "no backslash"},
		{"os_name == 'a\nb'", 13, "line break"},
		{"os_name == 'a\x00b'", 13, "NUL"},
		{"\nos_name == 'a'", 0, `found '\n'`},
		{strings.Repeat("a", 100) + ` == "x"`, 0, strings.Repeat("a", 40) + `…"`},
	} {
		_, err := ParseMarker(tc.in)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("ParseMarker(%q): %v, want a *SyntaxError", tc.in, err)
			continue
		}
		if syntax.Offset != tc.offset || !strings.Contains(syntax.Msg, tc.want) {
			t.Errorf("ParseMarker(%q): at %d %s; want at %d %s", tc.in, syntax.Offset, syntax.Msg, tc.offset, tc.want)
		}
	}
}

// linux is an environment without an extra.
func linux() map[string]string {
	return map[string]string{
		"implementation_name": "cpython", "implementation_version": "3.12.1", "os_name": "posix",
		"platform_machine": "x86_64", "platform_python_implementation": "CPython",
		"platform_release": "6.1.0-13-amd64", "platform_system": "Linux", "platform_version": "#1 SMP",
		"python_full_version": "3.12.1", "python_version": "3.12", "sys_platform": "linux",
	}
}

func TestEval(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		// Versions: python_version has two numbers.
		`python_version > "3.12"`:                  false,
		`python_version == "3.12.0"`:               true,
		`python_version >= "3.12.1"`:               false,
		`python_full_version > "3.12"`:             true,
		`python_version == "3.12.*"`:               true,
		`python_version == " 3.12 "`:               true,
		`python_version ~= "3.4"`:                  true,
		`python_version === "3.12"`:                true,
		`python_version === "3.12.0"`:              false,
		`python_version == "=3.12"`:                true,
		`python_version === "3.12,<4"`:             false,
		`"3.12.dev1" < python_version`:             false,
		`"4" > python_version`:                     true,
		`"3.*" == python_version`:                  false,
		`"nine" < python_version`:                  false,
		`"nine" != python_version`:                 false,
		`implementation_version == "3.12.1"`:       true,
		`python_version < "2" or "a" in "os_name"`: false,
		// A bound that makes no specifier: texts, which have no order.
		`python_version < "nine"`:      false,
		`python_version != "nine"`:     true,
		`python_version == "3.12,<4"`:  false,
		`python_version >= "3.12+x"`:   false,
		`python_version in "3.1, 3.2"`: false,
		`python_version in "3.12"`:     true,
		// A release that is no version is admitted by no specifier.
		`platform_release >= "6"`:               false,
		`platform_release != "6"`:               false,
		`platform_release == "6.1.0-13-amd64"`:  true,
		`platform_release === "6.1.0-13-AMD64"`: true,
		`platform_version >= "#1 SMP"`:          true,
		`platform_version > "#0"`:               false,
		// Texts.
		`sys_platform == "Linux"`:   false,
		`sys_platform <= "linux"`:   true,
		`sys_platform < "z"`:        false,
		`"lin" in sys_platform`:     true,
		`"lin" not in sys_platform`: false,
		`os_name == "a" or os_name == "posix" and sys_platform == "linux"`:   true,
		`(os_name == "posix" or os_name == "a") and sys_platform == "win32"`: false,
		// Two variables: the right one is text. Two texts: the right one is
		// a variable.
		`os_name == os_name`:   false,
		`os_name != os_name`:   true,
		`"posix" == "os_name"`: true,
	} {
		got, err := parseMarker(t, text).Eval(linux())
		if err != nil || got != want {
			t.Errorf("%s is %t, %v; want %t", text, got, err, want)
		}
	}
}

func TestEvalErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a" == "b"`:                              `the marker needs a value for "b": give one, or compare with a variable that has one`,
		`os_name == "posix" or "x" in extras`:     `the marker needs a value for "extras": give one, or compare with a variable that has one`,
		`os_name == "nt" and sys_platform ~= "x"`: `the comparison "sys_platform ~= \"x\"" is not defined: ~= and === compare versions only, and a set is only asked with in and not in`,
		`python_version ~= "3"`:                   `the comparison "python_version ~= \"3\"" is not defined: ~= and === compare versions only, and a set is only asked with in and not in`,
		`(os_name == "posix" or extra === "x")`:   `the comparison "extra === \"x\"" is not defined: ~= and === compare versions only, and a set is only asked with in and not in`,
	} {
		for _, extras := range [][]string{nil, {"x"}} {
			if _, err := parseMarker(t, text).Eval(linux(), extras...); err == nil || err.Error() != want {
				t.Errorf("%s with %q: %v, want %s", text, extras, err, want)
			}
		}
	}
	var undefined *UndefinedError
	if _, err := parseMarker(t, `os_name == "x"`).Eval(nil); !errors.As(err, &undefined) || undefined.Variable != "os_name" {
		t.Errorf("an empty environment: %v", err)
	}
}

// TestExtras: extra is one of the extras that are asked for, or the
// environment's own, or nothing.
func TestExtras(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, own string
		extras    []string
		want      bool
	}{
		{`extra == "dev"`, "", nil, false},
		{`extra != "dev"`, "", nil, true},
		{`extra == "dev"`, "Dev", nil, true},
		{`extra == "dev"`, "dev", []string{"test"}, false},
		{`extra == "a.B"`, "", []string{"test", "A_b"}, true},
		{`"A__B" == extra`, "", []string{"a-b"}, true},
		{`extra == "x" and extra == "y"`, "", []string{"x", "y"}, false},
		{`extra in "x y"`, "", nil, true},
	} {
		env := linux()
		if tc.own != "" {
			env["extra"] = tc.own
		}
		if got, err := parseMarker(t, tc.text).Eval(env, tc.extras...); err != nil || got != tc.want {
			t.Errorf("%s with %q and %q is %t, %v; want %t", tc.text, tc.own, tc.extras, got, err, tc.want)
		}
	}
}

func TestEvalLocked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`"Dev_x" in extras`:           true,
		`"dev-x" not in extras`:       false,
		`"test" in extras`:            false,
		`"test" in dependency_groups`: true,
		`"dev" == extras`:             false,
		`"dev" != extras`:             true,
		`"dev" < extras`:              false,
		`"dev-x" in extras and "docs" not in dependency_groups`: true,
	} {
		got, err := parseMarker(t, text).EvalLocked(linux(), []string{"dev.X"}, []string{"Test"})
		if err != nil || got != want {
			t.Errorf("%s is %t, %v; want %t", text, got, err, want)
		}
	}
	for _, text := range []string{`extra == "x"`, `extras == "x"`, `"x" ~= extras`, `dependency_groups in "x"`} {
		if got, err := parseMarker(t, text).EvalLocked(linux(), nil, nil); err == nil {
			t.Errorf("%s is %t, want an error", text, got)
		}
	}
}

// TestUntagged is python_full_version as a Python says that was built from no
// tag.
func TestUntagged(t *testing.T) {
	t.Parallel()
	env := linux()
	env["python_full_version"] = "3.13.0a1+"
	for text, want := range map[string]bool{
		`python_full_version >= "3.13.0a1"`:       true,
		`python_full_version == "3.13.0a1+local"`: true,
		`python_full_version < "3.13"`:            false,
	} {
		before := maps.Clone(env)
		got, err := parseMarker(t, text).Eval(env)
		if err != nil || got != want {
			t.Errorf("%s is %t, %v; want %t", text, got, err, want)
		}
		if !maps.Equal(env, before) {
			t.Errorf("%s changed the environment", text)
		}
	}
}

func TestNoMarker(t *testing.T) {
	t.Parallel()
	var m *Marker
	holds, err := m.Eval(nil, "x")
	locked, lockedErr := m.EvalLocked(nil, nil, nil)
	if !holds || err != nil || !locked || lockedErr != nil || m.String() != "" {
		t.Errorf("no marker is %t, %v, locked %t, %v, and prints as %q", holds, err, locked, lockedErr, m)
	}
}
