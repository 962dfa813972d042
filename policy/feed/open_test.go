package feed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// Every form of the same records makes the same database.
func TestOpen(t *testing.T) {
	t.Parallel()
	lines := one + "\n" + two + "\n"
	long := lines + strings.Repeat(record("P-1", "2025-01-01T00:00:00Z", "0.1")+"\n", 20_000)
	pretty := strings.ReplaceAll(lines, ",", ",\n  ")
	for name, content := range map[string]string{
		"all.jsonl": lines, "all.ndjson": "\ufeff" + lines, "crlf.jsonl": strings.ReplaceAll(lines, "\n", "\r\n"),
		"no-last-newline.jsonl": strings.TrimSpace(lines), "blank-first.jsonl": "\n" + lines,
		"array.json": "[" + one + ",\n" + two + "]", "pretty.json": pretty,
		"all.jsonl.gz": gzipped(t, lines), "members.gz": gzipped(t, one+"\n") + gzipped(t, two), "misnamed.txt": lines,
		"long.jsonl": long, "long.jsonl.gz": gzipped(t, long), "long-array.json": "[" + strings.ReplaceAll(strings.TrimSpace(long), "\n", ",") + "]",
		"all.zip":   zipped(t, "PYSEC/P-1.json", one, "README.md", "nothing", "P-2.JSON", two, "empty/", ""),
		"lines.zip": zipped(t, "all.jsonl", long),
	} {
		sum := sha256.Sum256([]byte(content))
		path := write(t, name, content)
		for _, source := range []string{path, Stdin} {
			db, snapshot, err := Open(t.Context(), source, Options{Stdin: strings.NewReader(content)})
			if err != nil {
				t.Errorf("%s as %s: %v", name, source, err)
				continue
			}
			if got := show(db); got != both {
				t.Errorf("%s as %s: %s", name, source, got)
			}
			want := osv.Snapshot{Source: source, SHA256: hex.EncodeToString(sum[:]), Newest: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Records: 2}
			if source == Stdin {
				want.Source = "<stdin>"
			}
			if snapshot != want {
				t.Errorf("%s: %+v", name, snapshot)
			}
		}
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := folder(t, "P-1.json", one, "deep/er/P-2.json.gz", gzipped(t, two), "README.md", "nothing", ".git/x.json", "nothing", ".x.json", "nothing")
	if err := os.Symlink("deep/er/P-2.json.gz", filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	db, first, err := Open(t.Context(), dir, Options{})
	if err != nil || show(db) != both {
		t.Fatalf("%v %v", db, err)
	}
	if err := os.Remove(filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	_, second, err := Open(t.Context(), dir, Options{})
	if err != nil || len(first.SHA256) != 64 || first.SHA256 == second.SHA256 {
		t.Errorf("%+v %+v %v", first, second, err)
	}
	zips := folder(t, "a.zip", zipped(t, "x.json", one), "b.jsonl", two)
	if db, _, err := Open(t.Context(), zips, Options{}); err != nil || show(db) != both {
		t.Errorf("%v", err)
	}
}

// Each hands over records of every ecosystem, and ends where it is told to.
func TestEach(t *testing.T) {
	t.Parallel()
	path := write(t, "x.jsonl", one+"\n"+`{"id":"DSA-1","affected":[{"package":{"ecosystem":"Debian:12","name":"foo"}}]}`+"\n"+two)
	var ids []string
	enough := errors.New("enough")
	_, err := Each(t.Context(), path, Options{}, func(r osv.Record) error {
		if ids = append(ids, r.ID); len(ids) == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || strings.Join(ids, " ") != "P-1 DSA-1" {
		t.Errorf("%q %v", ids, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Each(ctx, path, Options{}, func(osv.Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
