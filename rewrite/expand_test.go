package rewrite

import (
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/shell"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// testEnv has one variable that holds a whole URL, one that holds a part of
// one, and an empty one; NONE is not known.
func testEnv(src string) *environ {
	var env environ
	i := strings.Index(src, "http://u/")
	env.set("URL", textmap.Identity(src).Slice(i, i+len("http://u/")))
	env.set("PART", textmap.Synthetic("http"))
	env.set("EMPTY", textmap.Synthetic(""))
	return &env
}

// TestExpandPlaces checks values and, by the second column, their places: "_"
// stands for a byte without a source, anything else for the source byte. What
// BuildKit makes of each form is checked by every expansion itself.
func TestExpandPlaces(t *testing.T) {
	const defined = "http://u/ "
	for _, row := range []struct{ word, want, places string }{
		{`http://h/a`, `http://h/a`, `http://h/a`},
		{`"http://h/a"b'c'`, `http://h/abc`, `http://h/abc`},
		{`http://h/a\ b`, `http://h/a b`, `http://h/a b`},
		{`"a\"b\c"`, `a"b\c`, `a"b\c`},
		{`'a\$URL"'`, `a\$URL"`, `a\$URL"`},
		{`\$URL`, `$URL`, `$URL`},
		{`$URL/x`, `http://u//x`, `http://u//x`},
		{`"${URL}"x`, `http://u/x`, `http://u/x`},
		{`$PART://h`, `http://h`, `_______h`},
		{`${PART}://h`, `http://h`, `_______h`},
		{`a${PART}s://h`, `ahttps://h`, `a____s://h`},
		{`http://$NONE/x`, `http://${NONE}/x`, `http://$_NONE_/x`},
		{`http://${NONE}/x`, `http://${NONE}/x`, `http://${NONE_/x`},
		{`${NONE:-http://d}/x`, `http://d/x`, `http://d/x`},
		{`${NONE-http://d}`, `http://d`, `http://d`},
		{`${EMPTY:-http://d}`, `http://d`, `http://d`},
		{`${EMPTY-http://d}`, ``, ``},
		{`${URL:-http://d}`, `http://u/`, `http://u/`},
		{`${URL:+http://d}`, `http://d`, `http://d`},
		{`${EMPTY:+http://d}`, ``, ``},
		{`a${NONE:+http://d}`, `a${NONE}`, `a${NONE_`},
		{`${NONE:-${URL}x}`, `http://u/x`, `http://u/x`},
		{`${NONE:-"$PART://h"}`, `http://h`, `_______h`},
		{`${URL:?m}x`, `http://u/x`, `http://u/x`},
		{`${NONE:?m}`, `${NONE}`, `${NONE_`},
		{`${URL#http}`, `://u/`, `_____`},
		{`${URL/u/v}`, `http://v/`, `_________`},
		{`a$`, `a$`, `a$`},
		{`$1a$@`, `${1}a${@}`, `$_1_a$_@_`},
		{`$<<x`, `$<<x`, `$<<x`},
	} {
		t.Run(row.word, func(t *testing.T) {
			src := defined + row.word
			in := textmap.Identity(src).Slice(len(defined), len(src))
			got, ok := expansion{env: testEnv(src), escape: '\\'}.expand(in)
			if !ok || got.String() != row.want {
				t.Fatalf("%q (%v), want %q", got, ok, row.want)
			}
			if places := placesOf(src, got); places != row.places {
				t.Errorf("places %q, want %q", places, row.places)
			}
		})
	}
}

// placesOf returns the source byte of each byte of t: of an escape, the byte
// that it stands for.
func placesOf(src string, t textmap.Text) string {
	var b strings.Builder
	for k := range t.Len() {
		if _, j, ok := t.Range(k, k+1); ok {
			b.WriteByte(src[j-1])
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

func TestExpandFailsAsBuildKit(t *testing.T) {
	for _, word := range []string{`"a`, `'a`, `${A`, `${}`, `${EMPTY:?m}`, `${A!b}`, "a\x00$URL", "\xff"} {
		in := textmap.Identity(word)
		if out, ok := (expansion{env: &environ{}, escape: '\\'}).expand(in); ok && word != `${EMPTY:?m}` {
			t.Errorf("%q is %q, want no value", word, out)
		}
	}
}

// TestExpandRaw is the content of a heredoc: quotes are text there.
func TestExpandRaw(t *testing.T) {
	src := "http://u/ deb \"$URL\" '$NONE' \\$URL\n"
	in := textmap.Identity(src).Slice(10, len(src))
	got, ok := expansion{env: testEnv(src), escape: '\\', raw: true}.expand(in)
	if want := "deb \"http://u/\" '${NONE}' $URL\n"; !ok || got.String() != want {
		t.Errorf("%q (%v), want %q", got, ok, want)
	}
}

// FuzzExpand checks that the expansion is shell.Lex's, whatever the word, and
// that what has a source there is spelled there.
func FuzzExpand(f *testing.F) {
	for _, word := range []string{`a$URL"$NONE"'x'\ `, `${A:-${B:+c}}`, `${URL#h*p}`, `${PART}://h`} {
		f.Add(word, false)
		f.Add(word, true)
	}
	f.Fuzz(func(t *testing.T, word string, raw bool) {
		src := "http://u/ " + word
		env := testEnv(src)
		x := expansion{env: env, escape: '\\', raw: raw}
		got, ok := x.expand(textmap.Identity(src).Slice(10, len(src)))
		if !ok {
			return
		}
		lex := shell.NewLex('\\')
		lex.SkipProcessQuotes = raw
		want, _, err := lex.ProcessWord(word, lexEnv{env})
		// Of ${NAME-word} and ${NAME+word} with a NAME that is not known the
		// default is taken here, and lexEnv can't say so.
		if err == nil && got.String() != want && !strings.ContainsAny(word, "-+") {
			t.Fatalf("%q is %q, BuildKit has %q", word, got, want)
		}
		for k := range got.Len() {
			if _, j, ok := got.Range(k, k+1); ok && src[j-1] != got.String()[k] {
				t.Fatalf("byte %d of %q stands at %q", k, got, src[:j])
			}
		}
	})
}
