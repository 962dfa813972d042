package plain

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ in, text, line string }{
		{"", "", ""},
		{"RUN curl http://example.com", "RUN curl http://example.com", "RUN curl http://example.com"},
		{"größe 漢字", "größe 漢字", "größe 漢字"},
		{"a\tb", `a\tb`, "a\tb"},
		{"a\r", `a\r`, "a\r"},
		{"a\rb", `a\rb`, `a\rb`},
		{"\x1b[2Jx", `\x1b[2Jx`, `\x1b[2Jx`},
		{"\u009b2J", `\u009b2J`, `\u009b2J`},
		{"a\u202eb", `a\u202eb`, `a\u202eb`},
		{"a\u200bb", `a\u200bb`, `a\u200bb`},
		{"a\xffb", `a\xffb`, `a\xffb`},
		{"a\uFFFDb", "a\uFFFDb", "a\uFFFDb"},
		{"one\ntwo", `one\ntwo`, `one\ntwo`},
		{"::error::x", `\x3a:error::x`, `\x3a:error::x`},
		{" \t::error::x", ` \t::error::x`, " \t\\x3a:error::x"},
		{"std::string", "std::string", "std::string"},
		{"a ##[group]", `a #\x23[group]`, `a #\x23[group]`},
		{"##vso[task]", `#\x23vso[task]`, `#\x23vso[task]`},
		{"# ## heading", "# ## heading", "# ## heading"},
	} {
		if got := Text(tc.in); got != tc.text {
			t.Errorf("Text(%q) = %q, want %q", tc.in, got, tc.text)
		}
		if got := Line(tc.in); got != tc.line {
			t.Errorf("Line(%q) = %q, want %q", tc.in, got, tc.line)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, s := range []string{"", "a\u202e\u009b\x7f\x1b b", "##[x] ##vso[y] # ##", "\U000e0001", "größe", `\"`} {
		doc, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		safe := JSON(doc)
		var back string
		if err := json.Unmarshal(safe, &back); err != nil || back != s {
			t.Errorf("%q became %s, which means %q: %v", s, safe, back, err)
		}
		if text := Text(string(safe)); text != string(safe) {
			t.Errorf("%q became %s, which is not only text", s, safe)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[31m\u202e::x ##[y] \xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		text := Text(s)
		for _, r := range text {
			if !strconv.IsPrint(r) {
				t.Errorf("Text(%q) = %q holds %q", s, text, r)
			}
		}
		if strings.HasPrefix(strings.TrimSpace(text), "::") || strings.Contains(text, "##[") || strings.Contains(text, "##vso[") {
			t.Errorf("Text(%q) = %q holds a workflow command", s, text)
		}
		if again := Text(text); again != text {
			t.Errorf("Text is not stable: %q, then %q", text, again)
		}
	})
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"images/app/Dockerfile":           "images/app/Dockerfile",
		"a b":                             "'a b'",
		"x;rm -rf /":                      "'x;rm -rf /'",
		"$(id)":                           "'$(id)'",
		"it's":                            `"it's"`,
		"":                                "''",
		"https://u:hunter2@example.com/x": "'https://***@example.com/x'",
	} {
		if got, ok := ShellWord(text); !ok || got != want {
			t.Errorf("ShellWord(%q) = %s, %t; want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"a\nb", "\x1b[31m", "a\u202eb", "\x00"} {
		if got, ok := ShellWord(text); ok {
			t.Errorf("ShellWord(%q) = %s", text, got)
		}
	}
}
