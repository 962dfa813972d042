package rewrite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// persistent is testCarry for --apt=persist.
func persistent(name, route string) Config {
	c := testCarry(name, route)
	c.Persist = true
	return Config{Carry: c}
}

// withoutBlocks takes the blocks out of a text.
func withoutBlocks(t *testing.T, text string) string {
	t.Helper()
	file, err := parse(newSource(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := 0
	for _, k := range findBlocks(file.src, file.escape) {
		b.WriteString(text[at:k.start])
		at = k.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// TestPersistLaws: whole lines come in between the author's, which are those of a
// text that lends nothing; BuildKit reads it, and again there is nothing to do.
func TestPersistLaws(t *testing.T) {
	inserted := 0
	for _, f := range corpus(t) {
		t.Run(f.name, func(t *testing.T) {
			if checkPersist(t, f.text) {
				inserted++
			}
		})
	}
	if inserted < 20 {
		t.Errorf("lines came into only %d texts", inserted)
	}
}

// checkPersist checks the laws of one text and reports whether lines came in.
func checkPersist(t *testing.T, src []byte) (inserted bool) {
	t.Helper()
	if buildkitError(src) != "" || bytes.Contains(src, []byte("# loopx: ")) {
		return false
	}
	plain, once := rewritten(t, src, Config{}), rewritten(t, src, persistent("a", `{"mode":"audit"}`))
	if once == plain {
		return false
	}
	if e := buildkitError([]byte(once)); e != "" {
		t.Fatalf("BuildKit can't read the output: %s\n%s", e, once)
	}
	if diff := cmp.Diff(plain, withoutBlocks(t, once)); diff != "" {
		t.Fatalf("without the lines that came in (-lends nothing +lends):\n%s", diff)
	}
	less := persistent("", "")
	less.Carry.Image = ""
	if diff := cmp.Diff(once, rewritten(t, []byte(once), less)); diff != "" {
		t.Fatalf("again:\n%s", diff)
	}
	return true
}

// TestPersistReplaces: another image, and another table, take the place of those
// in the lines.
func TestPersistReplaces(t *testing.T) {
	const src = "FROM debian\r\nUSER app:app\r\nRUN sudo apt-get update\r\n"
	a, b := persistent("a", `{"mirrors":{"debian":["https://a.example/debian"]}}`), persistent("b", `{"mirrors":{"debian":["https://b.example/debian"]}}`)
	a.Route.Mirrors = map[string][]string{"debian": {"https://a.example/debian"}}
	b.Route.Mirrors = map[string][]string{"debian": {"https://b.example/debian"}}
	first, second := rewritten(t, []byte(src), a), rewritten(t, []byte(src), b)
	if strings.Count(first, "\r\n") != strings.Count(first, "\n") || !strings.Contains(first, "USER root\r\nCOPY ") || !strings.Contains(first, "done\r\nUSER app:app\r\n"+blockTail) {
		t.Errorf("the lines:\n%s", first)
	}
	if first == second {
		t.Error("both images and tables give one text")
	}
	if diff := cmp.Diff(second, rewritten(t, []byte(first), b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPersistOwnLines: an author's instruction is read, wherever it stands.
func TestPersistOwnLines(t *testing.T) {
	once := rewritten(t, []byte("FROM debian\nRUN apt-get update\n"), persistent("a", ""))
	for _, change := range [][2]string{
		{"\nRUN set -e", "\nRUN curl -O http://example.com/x\nRUN set -e"},
		{"RUN set -e;", "RUN set -e; curl -O http://example.com/x;"},
		{"    done\n", "    done; curl -O http://example.com/x\n"},
		{"    done\n", "    done\nRUN curl -O http://example.com/x\n"},
		{"#gI' ", "#gI' -e 's#a#curl -O http://example.com/x#e' "},
		{"    echo ", "    curl -O http://example.com/x; echo "},
	} {
		text := strings.Replace(once, change[0], change[1], 1)
		if text == once {
			t.Fatalf("there is no %q", change[0])
		}
		file, err := parse(newSource(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(findBlocks(file.src, file.escape)) > 0 {
			t.Errorf("with %q the lines are taken for ours", change[1])
		}
	}
}

// TestPersistAgain: sources that are copied in later are moved by lines of their
// own, and a stage that goes on from one with the lines needs none.
func TestPersistAgain(t *testing.T) {
	const src = "FROM debian AS one\nRUN apt-get update\nCOPY x.list /etc/apt/sources.list.d/\nRUN apt-get update\nFROM one\nRUN apt-get update\nFROM debian\nRUN ls\n"
	if n := strings.Count(rewritten(t, []byte(src), persistent("a", "")), blockHead); n != 2 {
		t.Errorf("%d blocks, want 2", n)
	}
}
