package rewrite

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// checkMask checks that the text of every instruction is rebuilt byte for byte
// as BuildKit read it, that each byte stands where the text says, and that
// every argument is found in it.
func checkMask(t *testing.T, src []byte) {
	t.Helper()
	file, err := parse(newSource(string(src)))
	if err != nil {
		return
	}
	for _, in := range file.list {
		b, ok := file.body(in.node)
		if !ok {
			t.Fatalf("line %d: rebuilt %q, BuildKit read %q", in.node.StartLine, b.line.String(), in.node.Original)
		}
		checkPlaces(t, string(src), b.line)
		for _, doc := range b.docs {
			checkPlaces(t, string(src), doc)
			if got, want := chomp(doc).String(), parser.ChompHeredocContent(doc.String()); got != want {
				t.Fatalf("chomp(%q) = %q, BuildKit's is %q", doc, got, want)
			}
		}
		checkArgs(t, in.node, b.line, file.escape)
	}
}

// checkPlaces checks a text that maps each byte to itself.
func checkPlaces(t *testing.T, src string, text textmap.Text) {
	t.Helper()
	for k := range text.Len() {
		i, j, ok := text.Range(k, k+1)
		if !ok || j != i+1 || src[i] != text.String()[k] {
			t.Fatalf("byte %d of %q maps to [%d, %d)", k, text, i, j)
		}
	}
}

// checkArgs checks that BuildKit's arguments have a place in the text. The
// words of a text that is no UTF-8 are rebuilt by BuildKit and have none.
func checkArgs(t *testing.T, node *parser.Node, line textmap.Text, escape byte) {
	t.Helper()
	args := values(node)
	if node.Attributes["json"] {
		if len(args) > 0 && bytes.EqualFold([]byte(node.Value), []byte("healthcheck")) {
			args = args[1:]
		}
		checkTexts(t, args, jsonArgs(line, args))
	} else if len(args) > 0 && (node.Value == "ADD" || node.Value == "COPY" || node.Value == "ARG") {
		checkTexts(t, args, tailWords(line, args, escape))
	}
}

func checkTexts(t *testing.T, want []string, texts []textmap.Text) {
	t.Helper()
	got := make([]string, len(texts))
	for i, text := range texts {
		got[i] = text.String()
	}
	if !slices.Equal(got, want) {
		t.Fatalf("arguments %q, BuildKit has %q", got, want)
	}
}

func TestMask(t *testing.T) {
	for _, f := range corpus(t) {
		t.Run(f.name, func(t *testing.T) { checkMask(t, f.text) })
	}
}

func FuzzMask(f *testing.F) {
	for _, file := range corpus(f) {
		f.Add(file.text)
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkMask(t, src) })
}

// TestMaskPlaces shows where the bytes of joined lines stand, for the forms
// that the parser removes text in.
func TestMaskPlaces(t *testing.T) {
	for _, row := range []struct{ name, src, line, word string }{
		{"continuation", "FROM a\nRUN x \\\n  y http://h\n", "RUN x   y http://h", "http://h"},
		{"blanks behind the backslash", "FROM a\nRUN x \\ \t\n y\n", "RUN x  y", "y"},
		{"glued backslash", "FROM a\nRUN x\\\ny\n", "RUN xy", "y"},
		{"comment line", "FROM a\nRUN x \\\n # http://no \\\n y\n", "RUN x  y", "y"},
		{"empty line", "FROM a\nRUN x \\\n\n \t\n y\n", "RUN x  y", "y"},
		{"leading blanks", "FROM a\n \t RUN x\n", "RUN x", "x"},
		{"CRLF", "FROM a\r\nRUN x \\\r\n y\r\n", "RUN x  y", "y"},
		{"byte order mark", bom + "FROM a\nRUN x\n", "RUN x", "x"},
		{"backtick", "# escape=`\nFROM a\nRUN C:\\x `\n y\n", "RUN C:\\x  y", "y"},
		{"two escapes are none", "FROM a\nRUN x \\\\\nRUN y\n", "RUN x \\\\", "x"},
		{"no last newline", "FROM a\nRUN x \\\n y", "RUN x  y", "y"},
		{"continued at the end", "FROM a\nRUN x \\\n", "RUN x ", "x"},
	} {
		t.Run(row.name, func(t *testing.T) {
			file, err := parse(newSource(row.src))
			if err != nil {
				t.Fatal(err)
			}
			b, ok := file.body(file.list[1].node)
			if !ok || b.line.String() != row.line {
				t.Fatalf("line %q (%v), want %q", b.line, ok, row.line)
			}
			at := bytes.LastIndex([]byte(row.line), []byte(row.word))
			i, j, _ := b.line.Range(at, at+len(row.word))
			if row.src[i:j] != row.word {
				t.Errorf("%q stands at %q", row.word, row.src[i:j])
			}
		})
	}
}

// TestMaskMismatch makes BuildKit's text differ from the file's: the plan must
// say so and edit nothing in that instruction.
func TestMaskMismatch(t *testing.T) {
	file, err := parse(newSource("FROM debian\nRUN curl http://example.com/a\nRUN curl http://example.com/b\n"))
	if err != nil {
		t.Fatal(err)
	}
	file.list[1].node.Original += " "
	table, err := route.NewTable(route.Config{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(file, Config{}, table, words.Analyse)
	p.walk()
	got := showFindings(p.finish())
	for _, want := range []string{"2:1-2:30 MaskMismatch ", "2:1-2:30 NotEdited http://example.com/a ", "3:10-3:30 ClearTextFetch "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if out := string(p.finish().Bytes()); strings.Count(out, "https://") != 1 {
		t.Errorf("edited to\n%s", out)
	}
}
