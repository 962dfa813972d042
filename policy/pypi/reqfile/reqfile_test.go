package reqfile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const digest = "sha256:aaaa"

func readText(t *testing.T, files map[string]string, env map[string]string) (Set, error) {
	t.Helper()
	data := map[string][]byte{}
	for name, text := range files {
		data[name] = []byte(text)
	}
	return Read("requirements.txt", Options{Open: opener(data), Env: env})
}

func texts(set Set) []string {
	out := []string{}
	for _, e := range set.Entries {
		if e.Kind != Option {
			out = append(out, e.Text)
		}
	}
	return out
}

// TestLines holds what pip does and readers get wrong; all asked of pip 23.2.1
// and 24.2.
func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"comment swallows", "a==1 #c \\\nb\nd", []string{"a==1", "d"}},
		{"whole comment does not", "# c \\\nb", []string{"b"}},
		{"hash inside a word", "b==2#x", []string{"b==2#x"}},
		{"comment behind a tab", "a\t#c", []string{"a"}},
		{"comment behind a no-break space", "a\u00a0#c", []string{"a"}},
		{"comment behind a unit separator", "a\x1f#c", []string{"a"}},
		{"backslashes at both ends go", "\\\\a\\\\\nb", []string{"ab"}},
		{"backslash and space is no join", "a \\ \nb", []string{"a \\", "b"}},
		{"comment ends a join", "a \\\n# c \\\nb", []string{"a", "b"}},
		{"join at the end", "a\\", []string{"a"}},
		{"only backslashes", "\\\n\\\\\n", []string{}},
		{"all line breaks", "a\nb\rc\r\nd\ve\ff\x1cg\x1dh\x1ei\u0085j\u2028k\u2029l", strings.Split("abcdefghijkl", "")},
		{"unit separator is white space", "\x1fa\x1f", []string{"a"}},
		{"nul is text", "a\x00b", []string{"a\x00b"}},
		{"tab before an option", "a\t--pre", []string{"a\t--pre"}},
		{"hyphens end the options", "-e x -- --bogus", []string{"x"}},
		{"short value attached", "-e./x", []string{"./x"}},
		{"long name cut short", "--edit ./x", []string{"./x"}},
		{"empty editable", "-e ''", []string{""}},
		{"words among options", "--pre word", []string{}},
		{"only options", "--no-index --pre --prefer-binary --require-hashes\n-i u --pypi-url v\n-f w -C k=v --only-final=a", []string{}},
	}
	for _, tt := range tests {
		set, err := readText(t, map[string]string{"requirements.txt": tt.text}, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if diff := cmp.Diff(tt.want, texts(set)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"--bogus", "-h", "-q", "a --bogus", "--n", "--pr", "--pre=1", "-r", "-e", "--hash=" + digest + " --hash",
		"a --hash=md5:x", "a --hash=sha256", "--no-binary --pre", "--only-binary=-x", "--use-feature=nope",
		"--config-settings k", "-e 'x", `-e "x`, "-e x\\ ", "--install-option=x",
		"-----BEGIN PRIVATE KEY-----", "a -r",
	} {
		_, err := readText(t, map[string]string{"requirements.txt": "ok\n" + text}, nil)
		var e *Error
		if !errors.As(err, &e) || e.Kind != Syntax || e.Line != 2 || e.File != "requirements.txt" {
			t.Errorf("%q: %v, want a syntax error on line 2", text, err)
		} else if strings.Contains(err.Error(), "BEGIN") {
			t.Errorf("%q: the message repeats the file: %v", text, err)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want Kind
	}{
		{"a", Requirement},
		{"a[x]>=1; os_name == './'", Requirement},
		{"a @ https://e.com/a.whl", Requirement},
		{"a@https://e.com/a.whl ; python_version < '3'", Requirement},
		{"a @ file:///x", Requirement},
		{"https://e.com/a.whl", URL},
		{"HTTP://e.com/a#egg=a", URL},
		{"git+https://e.com/a.git@v1#egg=a", URL},
		{"git+ssh://git@e.com/a", URL},
		{"s3://bucket/a", URL},
		{"file:./y", URL},
		{"./x", Path},
		{".", Path},
		{".[dev]", Path},
		{"../x", Path},
		{"x/y", Path},
		{"./x@y", Path},
		{"a-1.0-py3-none-any.whl", Path},
		{"a-1.0.TAR.GZ[x]", Path},
		{"a-1.0.zip ; os_name == 'nt'", Path},
		{"-e ./x", Editable},
		{"-e git+https://e.com/a", Editable},
		{"-i https://e.com", Option},
		{"-r https://e.com/r.txt", NotRead},
		{"-c HTTP://169.254.169.254/x", NotRead},
		{"-r file:///etc/passwd", NotRead},
	}
	for _, tt := range tests {
		set, err := readText(t, map[string]string{"requirements.txt": tt.text}, nil)
		if err != nil || len(set.Entries) != 1 {
			t.Errorf("%q: %+v, %v", tt.text, set.Entries, err)
		} else if e := set.Entries[0]; e.Kind != tt.want || (e.Kind == NotRead) != (e.Reason != "") {
			t.Errorf("%q: kind %d, reason %q; want kind %d", tt.text, e.Kind, e.Reason, tt.want)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	env := map[string]string{"VER": "1.2", "A": "${VER}", "E": "", "DIR": "sub", "TOKEN": "t0k", "URL": "https://u:t0k@e.com/r.txt"}
	files := map[string]string{
		"requirements.txt": "a==${VER}\nb==$VER,${lower},${E},${NO}\nc==${A}\nd==${A}${VER}\n-r ${DIR}/x.txt\n-e git+https://${TOKEN}@e.com/a\n-r ${URL}\n",
		"sub/x.txt":        "x",
	}
	set, err := readText(t, files, env)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Text, Raw string
		Unset     []string
	}
	want := []row{
		{"a==1.2", "a==${VER}", nil},
		{"b==$VER,${lower},${E},${NO}", "b==$VER,${lower},${E},${NO}", []string{"E", "NO"}},
		{"c==${VER}", "c==${A}", []string{"VER"}},
		{"d==1.21.2", "d==${A}${VER}", nil},
		{"x", "x", nil},
		{"git+https://t0k@e.com/a", "git+https://${TOKEN}@e.com/a", nil},
		{"https://u:t0k@e.com/r.txt", "${URL}", nil},
	}
	var got []row
	for _, e := range set.Entries {
		got = append(got, row{e.Text, e.Raw, e.Unset})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, _, ok := set.Entries[0].Span(0, 3); !ok {
		t.Error("the text before a variable can't be edited")
	}
	if _, _, ok := set.Entries[0].Span(1, 6); ok {
		t.Error("an expanded value can be edited")
	}
}

func TestPre(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text  string
		pre   bool
		names []string
	}{
		{"--pre", true, nil},
		{"a --pre", false, nil},
		{"-e . --pre", false, nil},
		{"-r b.txt --pre", false, nil},
		{"-c pre.txt", true, nil},
		{"--all-releases=:all:", true, nil},
		{"--all-releases a,:none:,b", false, []string{"a", "b"}},
	}
	for _, tt := range tests {
		set, err := readText(t, map[string]string{"requirements.txt": tt.text, "b.txt": "", "pre.txt": "--pre"}, nil)
		if err != nil || set.Pre != tt.pre || !slices.Equal(set.PreNames, tt.names) {
			t.Errorf("%q: %v %q, %v", tt.text, set.Pre, set.PreNames, err)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	text := "a #c \\\n b>=1 \\\n#d\nx \\\n # c \\\ny --hash=" + digest + " -r q --pre word -Ck=v\n" +
		"-r b.txt -r q -c q --no-index\n-c b.txt -e\\ x\n-e x -e y --global-option=z\n--hash=" + digest + " --pre w"
	set, err := readText(t, map[string]string{"requirements.txt": text, "b.txt": ""}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(kind NoteKind, line int, text string) Note { return Note{kind, "requirements.txt", line, text} }
	want := []Note{
		at(Swallowed, 2, `b>=1 \`),
		at(IgnoredOption, 6, "--requirement"), at(IgnoredOption, 6, "--pre"), at(IgnoredWord, 6, "word"),
		at(IgnoredOption, 7, "--requirement"), at(IgnoredOption, 7, "--constraint"), at(IgnoredOption, 7, "--no-index"),
		// An editable and an include on one line: the editable counts.
		at(IgnoredOption, 8, "--constraint"),
		at(IgnoredOption, 9, "--editable"), at(IgnoredOption, 9, "--global-option"),
		at(IgnoredOption, 10, "--hash"), at(IgnoredWord, 10, "w"),
	}
	if diff := cmp.Diff(want, set.Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOwnOptions(t *testing.T) {
	t.Parallel()
	set, err := readText(t, map[string]string{"requirements.txt": "a --hash=" + digest + " --hash sha512:b:c --global-option='x y' -C k=v=w --config-settings l=\n-i https://e.com --no-index"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, o := set.Entries[0], set.Entries[1]
	if diff := cmp.Diff([]Hash{{"sha256", "aaaa"}, {"sha512", "b:c"}}, a.Hashes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Setting{{"k", "v=w"}, {"l", ""}}, a.ConfigSettings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"x y"}, a.GlobalOptions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]OptionValue{{"--index-url", "https://e.com"}, {"--no-index", ""}}, o.Options); diff != "" {
		t.Error(diff)
	}
}
