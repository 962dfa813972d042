package pep723

import (
	"bytes"
	"flag"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var _ = flag.Bool("update", false, "there are no goldens here")

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file string
		// text is what is found, between the bytes start and end.
		text       string
		start, end int
	}{
		"a script": {
			"#!/usr/bin/env python3\n# /// script\n# requires-python = \">=3.11\"\n#\n# dependencies = [\n#   \"a\",\n# ]\n# ///\nimport a\n",
			"requires-python = \">=3.11\"\n\ndependencies = [\n  \"a\",\n]\n", 23, 104,
		},
		"no line break at the end":  {"# /// script\n# a = 1\n# ///", "a = 1\n", 0, 26},
		"only the first blank goes": {"# /// script\n#  a = 1 \n# ///\n", " a = 1 \n", 0, 28},
		"Windows":                   {"# /// script\r\n# a = 1\r\n#\r\n# ///\r\nx\r\n", "a = 1\n\n", 0, 31},
		"old Macintosh":             {"# /// script\r# a = 1\r# ///\r", "a = 1\n", 0, 26},
		"byte order mark":           {"\ufeff# /// script\n# a = 1\n# ///\n", "a = 1\n", 3, 29},
		"letters":                   {"# /// script\n# ä = \"漢\"\n# ///\n", "ä = \"漢\"\n", 0, 31},
		"comments follow":           {"# /// script\n# a = 1\n# ///\n# b\n", "a = 1\n", 0, 26},
		"the last closing line counts": {
			"# /// script\n# a = '''\n# /// text\n# ///\n# '''\n# ///\n", "a = '''\n/// text\n///\n'''\n", 0, 51,
		},
		"what opens after it is unclosed": {
			"# /// script\n# a = 1\n# ///\n# /// script\n# b = 1\n", "a = 1\n", 0, 26,
		},
		"another type beside it": {
			"# /// other\n# a = 1\n# ///\n\n# /// script\n# b = 1\n# ///\n", "b = 1\n", 27, 53,
		},
		"in a string": {"x = '''\n# /// script\n# a = 1\n# ///\n'''\n", "a = 1\n", 8, 34},
		"a closing line can be content, if it is the first": {
			"# /// script\n# ///\n# ///\n", "///\n", 0, 24,
		},
	} {
		b, err := Find([]byte(tc.file))
		if err != nil || b == nil {
			t.Errorf("%s: %v, %v", name, b, err)
			continue
		}
		if b.Text != tc.text || b.Start != tc.start || b.End != tc.end {
			t.Errorf("%s: %q from %d to %d, want %q from %d to %d", name, b.Text, b.Start, b.End, tc.text, tc.start, tc.end)
		}
		checkOffsets(t, b, []byte(tc.file))
	}
}

// checkOffsets holds that each byte of the text stands in the file where
// Offset says, and that nothing but line breaks is another byte there.
func checkOffsets(t *testing.T, b *Block, file []byte) {
	t.Helper()
	for i := range len(b.Text) {
		at := b.Offset(i)
		if b.Text[i] == '\n' && (file[at] == '\r' || file[at] == '\n') {
			continue
		}
		if file[at] != b.Text[i] {
			t.Fatalf("byte %d of %q is %q in the file at %d", i, b.Text, file[at], at)
		}
	}
	last := b.Offset(len(b.Text) - 1)
	if b.Offset(len(b.Text)) != last || b.Offset(1<<30) != last || b.Offset(-1) != b.Offset(0) {
		t.Errorf("offsets beyond %q: %d, %d", b.Text, b.Offset(-1), b.Offset(len(b.Text)))
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"empty file":               "",
		"a mark only":              "\ufeff",
		"no block":                 "import a\n# a\n",
		"another type":             "# /// pyproject\n# a = 1\n# ///\n",
		"letter case":              "# /// Script\n# a = 1\n# ///\n",
		"unclosed":                 "# /// script\n# a = 1\n",
		"an empty line":            "# /// script\n# a = 1\n\n# ///\n",
		"no blank after #":         "# /// script\n#a = 1\n# ///\n",
		"a tab after #":            "# /// script\n#\ta = 1\n# ///\n",
		"indented":                 "  # /// script\n  # a = 1\n  # ///\n",
		"blanks after the type":    "# /// script \n# a = 1\n# ///\n",
		"blanks after the end":     "# /// script\n# a = 1\n# /// \n",
		"no type":                  "# ///\n# a = 1\n# ///\n",
		"two blanks":               "#  /// script\n# a = 1\n# ///\n",
		"nothing between":          "# /// script\n# ///\n",
		"a form feed ends no line": "x\f# /// script\n# a = 1\n# ///\n",
		"latin-1 elsewhere":        "# caf\xe9\n",
	} {
		if b, err := Find([]byte(file)); b != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
}

func TestFindErrors(t *testing.T) {
	t.Parallel()
	const (
		second = `the script has a second block "# /// script": join the two`
		inner  = `"# /// script" opens in a block that isn't closed: close that with "# ///" and an empty line, or take one of the two away`
	)
	for name, tc := range map[string]struct{ file, want string }{
		"two blocks":      {"# /// script\n# a = 1\n# ///\n\n# /// script\n# b = 1\n# ///\n", second + " (at byte 28)"},
		"in one":          {"# /// script\n# a = 1\n# /// script\n# ///\n", inner + " (at byte 21)"},
		"no empty line":   {"# /// script\n# a = 1\n# ///\n# /// script\n# b = 1\n# ///\n", inner + " (at byte 27)"},
		"in another type": {"# /// other\n# a = 1\n# ///\n# /// script\n# b = 1\n# ///\n", inner + " (at byte 26)"},
		"latin-1":         {"# /// script\n# a = \"caf\xe9\"\n# ///\n", "the script's metadata is not UTF-8: save the file as UTF-8 (at byte 23)"},
	} {
		b, err := Find([]byte(tc.file))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: %+v, %v; want %s", name, b, err, tc.want)
		}
	}
}

func TestHuge(t *testing.T) {
	t.Parallel()
	const many = 1_000_000
	for name, file := range map[string]string{
		"unclosed blocks": strings.Repeat("# /// script\n", many),
		"a long line":     "# /// script\n# " + strings.Repeat("a", 10*many),
		"runs":            strings.Repeat("# /// script\n# a\n\n", many),
		"slashes":         strings.Repeat("# ///\n", many),
	} {
		if b, err := Find([]byte(file)); b != nil || err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := []byte("# /// script\n" + strings.Repeat("#\n# a\n", many) + "# ///\n")
	b, err := Find(file)
	if err != nil {
		t.Fatal(err)
	}
	if at := b.Offset(len(b.Text) - 2); string(file[at-2:at+2]) != "# a\n" {
		t.Errorf("the last letter is at %d of %d", at, len(file))
	}
}

// FuzzFind asks a regular expression that says what the specification's
// canonical one says. Go's finds the same leftmost, greedy match.
func FuzzFind(f *testing.F) {
	for _, file := range []string{
		"# /// script\n# a = 1\n# ///\n", "\ufeff# /// a\n# ///\n# ///\n# /// script\n#\n# ///", "# /// script\n#\n# ///\n\n# /// script\n#\n# ///",
		"# /// x\n# /// script\n# a\n# ///\n#x\n# /// script\n# \r\n# ///",
	} {
		f.Add([]byte(file))
	}
	canonical := regexp.MustCompile(`(?m)^# /// ([[:alnum:]-]+)\n((?:#(?: .*)?\n)+)# ///$`)
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := Find(file)
		if b != nil {
			checkOffsets(t, b, file)
		}
		if bad, ok := err.(*Error); err != nil && (!ok || bad.Offset < 0 || bad.Offset >= len(file)) {
			t.Fatalf("%q: %v", file, err)
		}
		if bytes.ContainsRune(file, '\r') || !utf8.Valid(file) {
			return
		}
		var want [][]byte
		inner := false
		for _, match := range canonical.FindAllSubmatch(bytes.TrimPrefix(file, []byte(mark)), -1) {
			inner = inner || bytes.Contains(append([]byte("\n"), match[2]...), []byte("\n# /// script\n"))
			if string(match[1]) == scriptType {
				want = append(want, match[2])
			}
		}
		switch {
		case inner || len(want) > 1:
			if err == nil {
				t.Errorf("%q has no error", file)
			}
		case err != nil || (b != nil) != (len(want) == 1):
			t.Errorf("%q: %+v, %v; want %q", file, b, err, want)
		case b != nil && b.Text != uncommented(want[0]):
			t.Errorf("%q: %q, want %q", file, b.Text, uncommented(want[0]))
		}
	})
}

func uncommented(content []byte) string {
	var out strings.Builder
	for line := range strings.Lines(string(content)) {
		rest, ok := strings.CutPrefix(line, "# ")
		if !ok {
			rest = line[1:]
		}
		out.WriteString(rest)
	}
	return out.String()
}

func BenchmarkFind(b *testing.B) {
	file := []byte("#!/usr/bin/env python3\n# /// script\n# dependencies = [\n#   \"a>=1\",\n# ]\n# ///\n" + strings.Repeat("print('hello')  # a comment\n", 1000))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Find(file); err != nil {
			b.Fatal(err)
		}
	}
}
