package reqfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// FuzzRead reads anything without a panic; whatever stretch of a text is said
// to stand in the file stands there; errors have a place and no line break.
func FuzzRead(f *testing.F) {
	for _, c := range loadVectors(f).Cases {
		files := c.contents()
		f.Add(files["requirements.txt"], files["other.txt"])
	}
	f.Add([]byte("\xff\xfea\x00"), []byte("# coding: latin-1\na\xe9>=1 \\\n<2"))
	small := Limits{Total: 1 << 14, Files: 20, Line: 1 << 12, Joined: 50}
	env := map[string]string{"VER": "1.2", "A": "${VER}", "S": " ", "Q": "\"", "N": "\n#"}
	f.Fuzz(func(t *testing.T, first, other []byte) {
		files := map[string][]byte{"requirements.txt": first, "other.txt": other, "sub/x.txt": other}
		set, err := Read("requirements.txt", Options{Open: opener(files), Env: env, Limits: small})
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Kind == 0 || e.File == "" || strings.ContainsAny(err.Error(), "\n\r\x1b\u2028")) {
			t.Fatalf("error %q", err)
		}
		for _, e := range set.Entries {
			checkEntry(t, &e, files[e.File])
		}
	})
}

func checkEntry(t *testing.T, e *Entry, data []byte) {
	t.Helper()
	if e.Kind == 0 || e.Line < 1 || e.EndLine < e.Line {
		t.Fatalf("entry %+v", e)
	}
	for i := range len(e.Text) + 1 {
		if p, _ := e.At(i); p.Line < 1 || p.Column < 1 {
			t.Fatalf("place %+v", p)
		}
		for j := i; j <= min(i+3, len(e.Text)); j++ {
			start, end, ok := e.Span(i, j)
			if ok && !bytes.Equal(data[start:end], []byte(e.Text[i:j])) {
				t.Fatalf("Span(%d, %d) of %q is %q", i, j, e.Text, data[start:end])
			}
		}
	}
}
