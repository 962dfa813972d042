package ack

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// same compares entries but for their places in a file.
var same = cmpopts.IgnoreFields(Entry{}, "Line", "end")

func appended(t testing.TB, data string, e *Entry, replace bool) string {
	t.Helper()
	out, err := Append([]byte(data), e, replace)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestAppend holds that what is written is read as it was, and that the bytes
// before stay.
func TestAppend(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	hostile := signed(t, key, func(e *Entry) {
		e.Fingerprint = "123"
		e.Reason = "a: \"b\" \\ # 'c'\n\n- größe {x} & *y !z % @ `|\nyes"
		e.Rule = "null"
		e.File = "a b/: # - c"
	})
	plain := signed(t, key)
	text := appended(t, appended(t, "", plain, false), hostile, false)
	got, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Entry{*plain, *hostile}, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
	if got[0].Line != 4 || got[1].Line != got[0].end {
		t.Errorf("lines %d to %d and %d", got[0].Line, got[0].end, got[1].Line)
	}
}

// TestAppendLayouts adds to files that people have laid out.
func TestAppendLayouts(t *testing.T) {
	t.Parallel()
	e := entry()
	other := entry()
	other.Fingerprint = "other"
	ours := appended(t, "", other, false)
	for name, data := range map[string]string{
		"nothing":            "",
		"comments":           "# a note\n\n",
		"no entries":         "version: 1\nacknowledgements:\n",
		"no list":            "version: 1\n",
		"an entry":           ours,
		"no last line break": strings.TrimSuffix(ours, "\n"),
		"not indented":       strings.NewReplacer("\n  - ", "\n- ", "\n    ", "\n  ").Replace(ours),
		"a note at the end":  ours + "# a note\n",
	} {
		out, err := Append([]byte(data), e, false)
		if name == "no list" {
			if err == nil {
				t.Errorf("%s: %q", name, out)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(string(out), data) {
			t.Errorf("%s: the bytes before have changed:\n%s", name, out)
		}
		if all, err := Parse(out); err != nil || all[len(all)-1].Fingerprint != finding.Fingerprint {
			t.Errorf("%s: %v %v", name, all, err)
		}
	}
	for name, data := range map[string]string{
		"flow":      "version: 1\nacknowledgements: []\n",
		"key after": strings.Replace(ours, "version: 1\n", "", 1) + "version: 1\n",
	} {
		if out, err := Append([]byte(data), e, false); err == nil || !strings.Contains(err.Error(), "as it is laid out") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	first, second, third := entry(), entry(), entry()
	second.Fingerprint, third.Fingerprint = "second", "third"
	text := "# head\n" + appended(t, appended(t, appended(t, "", first, false), second, false), third, false)
	longer := *second
	longer.Expires = longer.Expires.Add(day)
	_, err := Append([]byte(text), &longer, false)
	if exists, ok := errors.AsType[*ExistsError](err); !ok || exists.Line != 15 {
		t.Errorf("%v", err)
	}
	got, err := Parse([]byte(appended(t, text, &longer, true)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Entry{*first, *third, longer}, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestParseRefuses changes one line of a good file.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := appended(t, "", signed(t, ed25519Key(t)), false)
	for _, tc := range []struct{ old, new, want string }{
		{"version: 1", "version: 2", `line 2: the file has no "version: 1"`},
		{"version: 1", "version: [1]", `line 2: the file has no "version: 1"`},
		{"acknowledgements:", "acknowledgments:", `line 3: "acknowledgments" is not a key here; known are version, acknowledgements`},
		{"    rule: ", "    rules: ", `line 5: "rules" is not a key here`},
		{"    rule: ", "    rule: a\n    rule: ", "line 6: rule is given twice"},
		{"    rule: \"PipedToShell\"\n", "", "line 4: the entry has no rule"},
		{`"PipedToShell"`, "", "line 5: rule is empty"},
		{`"PipedToShell"`, "~", "line 5: rule is empty"},
		{`"PipedToShell"`, "[a]", "line 5: rule is not a text"},
		{`"PipedToShell"`, "!!str a", "line 5: tags (!!str) are not allowed"},
		{`"PipedToShell"`, "&a a", "line 5: anchors (&) and aliases (*) are not allowed"},
		{`"PipedToShell"`, `"a\e[31m"`, `line 4: rule holds '\x1b': only visible`},
		{`"PipedToShell"`, `"a\nb"`, `line 4: rule holds '\n': only visible`},
		{`"PipedToShell"`, `"a\u202e"`, `line 4: rule holds '\u202e': only visible`},
		{`"PipedToShell"`, `" a"`, "line 4: rule begins or ends with a blank"},
		{"occurrences: 1", "occurrences: 0", "line 4: occurrences is not a number from 1 on"},
		{"occurrences: 1", "occurrences: -1", `line 7: occurrences: "-1" is not a number`},
		{"occurrences: 1", "occurrences: 0x1", `line 7: occurrences: "0x1" is not a number`},
		{"sha256:a", "sha1:a", `line 4: instruction "sha1:`},
		{"created: 2026-11-20T12:00:00Z", "created: yesterday", `line 12: created: "yesterday" is not a time of the form`},
		{"2026-11-20T12:00:00Z", "2026-11-20T12:00:00.5Z", "line 4: created and expires have no fractions"},
		{"2026-12-20T12:00:00Z", "2026-11-20T12:00:00Z", "line 4: expires is not after created"},
		{"    expires: 2026-12-20T12:00:00Z\n", "", "line 4: the entry has no expires"},
		{"-----BEGIN", "\u00e4-----BEGIN", "line 4: signature holds other characters"},
		{"the installer", strings.Repeat("x", MaxReason), "line 4: reason has "},
		{"  - repo", "  - x\n  - repo", "line 4: there is no mapping (key: value) here"},
		{"\nacknowledgements:\n", "\nacknowledgements: 1\n---\n", "line 4: a second document begins"},
		{"    rule", "\t rule", "line 5: is not YAML: "},
		{"# Findings", strings.Repeat("#", MaxFile), "the file is larger than"},
	} {
		text := strings.Replace(good, tc.old, tc.new, 1)
		_, err := Parse([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%q for %q: %v; want %s", tc.new[:min(40, len(tc.new))], tc.old, err, tc.want)
		}
	}
	_, items, _ := strings.Cut(good, "acknowledgements:\n")
	if _, err := Parse([]byte(good + items)); err == nil || !strings.HasPrefix(err.Error(), "line 21: acknowledges the same as the entry in line 4") {
		t.Errorf("an entry twice: %v", err)
	}
}

// TestParseTimes holds that a time in another zone is the same time, also for
// the signature.
func TestParseTimes(t *testing.T) {
	t.Parallel()
	e := signed(t, ed25519Key(t))
	text := strings.Replace(appended(t, "", e, false), "2026-11-20T12:00:00Z", "2026-11-20T14:00:00+02:00", 1)
	all, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all[0].CheckSignature(); err != nil || !all[0].Created.Equal(e.Created) || all[0].Created.Location() != time.UTC {
		t.Errorf("%v, %v", all[0].Created, err)
	}
}

func TestParsePolicy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Policy{
		"":                                {},
		"# none\n":                        {},
		"max_days: 30\n":                  {MaxDays: 30},
		"unsigned: true\nmax_days: 400":   {MaxDays: 400, Unsigned: true},
		"---\nunsigned: false # not us\n": {},
	} {
		if got, err := ParsePolicy([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"max_days: 0":              "line 1: max_days is not a number from 1 to 36500",
		"max_days: 99999":          "line 1: max_days is not a number from 1 to 36500",
		"a: 1":                     `line 1: "a" is not a key here; known are max_days, unsigned`,
		"unsigned: yes":            "line 1: unsigned is not true or false",
		"unsigned: \"true\"":       "line 1: unsigned is not true or false",
		"unsigned: 1":              "line 1: unsigned is not true or false",
		"unsigned:":                "line 1: unsigned is empty",
		"- a":                      "line 1: there is no mapping",
		"max_days: 1\nmax_days: 2": "line 2: max_days is given twice",
	} {
		if _, err := ParsePolicy([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRepositoryID(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"https://git.example.com/acme/app":               "git.example.com/acme/app",
		"https://user:word@Git.Example.com/Acme/App.git": "git.example.com/Acme/App",
		"https://token@git.example.com:8443/a/b/c.git/":  "git.example.com/a/b/c",
		"ssh://git@git.example.com:2222/acme/app.git":    "git.example.com/acme/app",
		"git@git.example.com:acme/app.git":               "git.example.com/acme/app",
		"git.example.com:/acme/app/\n":                   "git.example.com/acme/app",
		"git://git.example.com/acme/app":                 "git.example.com/acme/app",
		"https://user:a@b@git.example.com/acme/app":      "git.example.com/acme/app",
		"":                              "",
		"/srv/git/app.git":              "",
		"../app":                        "",
		"file:///srv/git/app.git":       "",
		`C:\git\app`:                    "",
		"https://git.example.com/":      "",
		"https://git.example.com":       "",
		"https://git.example.com//.git": "",
	} {
		if got, ok := RepositoryID(remote); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", remote, got, ok, want)
		}
	}
}
