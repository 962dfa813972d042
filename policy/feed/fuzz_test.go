package feed

import (
	"errors"
	"strings"
	"testing"
)

// FuzzOpen holds that whatever comes on standard input is a database with
// records or an error of this package, and no more is unpacked than allowed.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{one + "\n" + two, "[" + one + "]", gzipped(f, one), zipped(f, "a.json", one, "b/c.jsonl", two+"\n"+one)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		limits := Limits{Record: 1 << 10, Document: 64 << 10, Total: 128 << 10, Files: 100}
		db, snapshot, err := Open(t.Context(), Stdin, Options{Stdin: strings.NewReader(text), Limits: limits})
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok || db != nil {
				t.Errorf("%q: %T %v", text, err, err)
			}
			return
		}
		if snapshot.Records == 0 || len(db.Names()) == 0 {
			t.Errorf("%q: %+v", text, snapshot)
		}
	})
}
