package feed

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forged makes an archive with one file whose header says what it likes of its
// length.
func forged(t *testing.T, name string, content []byte, says uint64) string {
	t.Helper()
	var packed bytes.Buffer
	f, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(content)
	f.Close()
	return raw(t, zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(content), UncompressedSize64: says}, packed.Bytes())
}

// raw makes an archive with one file, whatever its header says.
func raw(t *testing.T, h zip.FileHeader, content []byte) string {
	t.Helper()
	var b bytes.Buffer
	h.CompressedSize64 = uint64(len(content))
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&h)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(content)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// repeated compresses n MiB of one byte by gzip, a member for each MiB.
func repeated(t *testing.T, c string, n int) string {
	t.Helper()
	return strings.Repeat(gzipped(t, strings.Repeat(c, 1<<20)), n)
}

// What cannot be read is one error that says where and why; a source never
// becomes a database that holds less.
func TestBad(t *testing.T) {
	t.Parallel()
	small := Limits{Record: 2000, Document: 3 << 20, Total: 8 << 20, Files: 3}
	stored := zipped(t, "a.json", one)
	for _, tc := range []struct {
		name, content, want string
		limits              Limits
	}{
		{"empty.json", "", "X: holds no advisory", Limits{}},
		{"blank.jsonl", "\n \n", "X: holds no advisory", Limits{}},
		{"none.json", "[]", "X: holds no advisory", Limits{}},
		{"empty.zip", zipped(t), "X: holds no advisory", Limits{}},
		{"yaml.zip", zipped(t, "P-1.yaml", "id: P-1"), "X: holds no advisory", Limits{}},
		{"debian.json", `{"id":"DSA-1","affected":[{"package":{"ecosystem":"Debian:12","name":"foo"}}]}`, "X: holds no advisory about a Python project", Limits{}},
		{"html.json", "<!doctype html>", `X:1: this is no JSON: it begins with "<!doctype html>"`, Limits{}},
		{"escape.json", "\x1b]0;x\x07\u202e", `X:1: this is no JSON: it begins with "\x1b]0;x\a\u202e"`, Limits{}},
		{"utf16.json", "\xff\xfe{\x00}\x00", "X:1: the text is UTF-16; JSON is UTF-8", Limits{}},
		{"broken.jsonl", one + "\n" + two[:50] + "\n" + two + "\n", "X:2: the text ends in the middle of a string", Limits{}},
		{"broken-late.jsonl", strings.Repeat(one+"\n", 20_000) + "{\n" + two[1:], "X:20001: the text ends in the middle of a value", Limits{}},
		{"broken-first.jsonl", "{\n" + strings.Repeat(one+"\n", 2), "X:2: there is an object where a field's name must be", Limits{}},
		{"no-id.jsonl", one + "\n" + `{"modified":"2026-01-01T00:00:00Z"}` + "\n", "X:2: a record has no id", Limits{}},
		{"twice.jsonl", one + "\n" + `{"id":"A","id":"B"}`, `X:2: the field "id" comes twice`, Limits{}},
		{"deep.json", `{"id":"A","x":` + strings.Repeat("[", 5_000_000), "X:1: nested deeper than 200", Limits{}},
		{"cut.jsonl.gz", gzipped(t, strings.Repeat(one+"\n", 100))[:150], "X: ends in the middle", Limits{}},
		{"bad.gz", "\x1f\x8bnothing of the kind", "X: cannot be read: gzip: invalid header", Limits{}},
		{"cut.zip", stored[:len(stored)-30], "X: is no zip archive that can be read: not a valid zip file", Limits{}},
		{"in-archive.zip", zipped(t, "a.json", one, "b/c.jsonl", one+"\n{}"), "X: b/c.jsonl:2: a record has no id", Limits{}},
		{"up.zip", zipped(t, "a.json", one, "../../etc/cron.d/x.json", one), "X: ../../etc/cron.d/x.json: the archive names a file outside of itself, or by no plain name", Limits{}},
		{"up-no-json.zip", zipped(t, "a/../../x", one), "X: a/../../x: the archive names a file outside of itself, or by no plain name", Limits{}},
		{"root.zip", zipped(t, "/etc/passwd", one), "X: /etc/passwd: the archive names a file outside of itself, or by no plain name", Limits{}},
		{"drive.zip", zipped(t, `C:\x.json`, one), `X: C:\x.json: the archive names a file outside of itself, or by no plain name`, Limits{}},
		{"hostile.zip", zipped(t, "\x1b[2J\n::error::x.json", "{"), `X: \x1b[2J\n::error::x.json: the archive names a file outside of itself, or by no plain name`, Limits{}},
		{"10-gigabytes.zip", forged(t, "zeros.json", make([]byte, 1<<20), 10<<30), "X: zeros.json: is larger than 256 MiB, which is all that is read", Limits{}},
		{"zeros.zip", zipped(t, "zeros.json", strings.Repeat("\x00", 1<<20)), `X: zeros.json:1: this is no JSON: it begins with "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"`, Limits{}},
		{"liar.zip", forged(t, "blanks.json", bytes.Repeat([]byte(" "), 8<<20), 10), "X: blanks.json: cannot be read: not a valid zip file", small},
		{"10-gigabytes.gz", repeated(t, "\x00", 10<<10), `X:1: this is no JSON: it begins with "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"`, Limits{}},
		{"blanks.gz", repeated(t, " ", 10), "X: is larger than 3 MiB, which is all that is read", small},
		{"lines.gz", gzipped(t, strings.Repeat(one+"\n", 50_000)), "X: with what came before it, is larger than 8 MiB, which is all that is read", small},
		{"total.zip", zipped(t, "a.json", strings.Repeat(" ", 2<<20)+"[]", "b.json", strings.Repeat(" ", 2<<20)+"[]", "c.json", strings.Repeat(" ", 2<<20)+one), "X: c.json: with what came before it, is larger than 5 MiB, which is all that is read", Limits{Document: 3 << 20, Total: 5 << 20}},
		{"files.zip", zipped(t, "a.json", one, "b.json", one, "c.json", one, "d.json", one), "X: d.json: there are more than 3 files", small},
		{"line.jsonl", strings.Repeat(one+"\n", 10_000) + `{"id":"A","summary":"` + strings.Repeat("x", 4<<20) + `"}`, "X:10001: a line is longer than 2000 bytes", small},
		{"checksum.zip", raw(t, zip.FileHeader{Name: "a.json", CRC32: 1, UncompressedSize64: uint64(len(one))}, []byte(one)), "X: a.json: cannot be read: checksum error", Limits{}},
		{"method.zip", raw(t, zip.FileHeader{Name: "a.json", Method: 99, UncompressedSize64: uint64(len(one))}, []byte(one)), "X: a.json: cannot be read: unsupported compression algorithm", Limits{}},
		{"large.zip", stored + strings.Repeat("\x00", 4<<20), "X: is larger than 3 MiB, which is all that is read", small},
	} {
		path := write(t, tc.name, tc.content)
		for _, source := range []string{path, Stdin} {
			db, _, err := Open(t.Context(), source, Options{Stdin: strings.NewReader(tc.content), Limits: tc.limits})
			want := strings.Replace(tc.want, "X", map[string]string{path: path, Stdin: "<stdin>"}[source], 1)
			got := failure(t, err)
			if db != nil || got != want {
				t.Errorf("%s as %s:\n got %.200s\nwant %s", tc.name, source, got, want)
			}
		}
	}
}

func TestBadFolder(t *testing.T) {
	t.Parallel()
	outside := write(t, "secret.json", `{"id":"SECRET"}`)
	link := folder(t, "a.json", one)
	if err := os.Symlink(outside, filepath.Join(link, "b.json")); err != nil {
		t.Fatal(err)
	}
	circle := folder(t, "a/a.json", one)
	if err := os.Symlink("..", filepath.Join(circle, "a", "b.json")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ source, want string }{
		{folder(t, "README.md", "x", "P-1.yaml", "id: P-1"), "holds no advisory"},
		{folder(t, "a.json", one, "b/c.json", "{}"), ": b/c.json:1: a record has no id"},
		{folder(t, "a.json", one, "b/package.json", `{"name":"x"}`), ": b/package.json:1: a record has no id"},
		{folder(t, "a.json", one, "b.zip", "PK\x03\x04"), ": b.zip: is no zip archive that can be read: not a valid zip file"},
		{filepath.Join(t.TempDir(), "nothing"), "there is no such file or folder"},
		{link, ": b.json: cannot be read: path escapes from parent"},
		{circle, ": a/b.json: is no file"},
		{"http://example.org/all.zip", "http://example.org/all.zip: advisories are fetched by https only"},
		{"ftp://u:secret@example.org/all.zip", "ftp://***@example.org/all.zip: advisories are fetched by https only"},
	} {
		_, _, err := Open(t.Context(), tc.source, Options{})
		if got := failure(t, err); !strings.HasSuffix(got, tc.want) || strings.Contains(got, "SECRET") {
			t.Errorf("%s\nwant %s", got, tc.want)
		}
	}
}

// endless gives compressed blanks for ever, and cancels in the middle.
type endless struct {
	member []byte
	cancel func()
	n      int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n++; e.n == 100 {
		e.cancel()
	}
	return copy(p, e.member), nil
}

func TestStdinEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	z.Close()
	_, _, err := Open(ctx, Stdin, Options{Stdin: &endless{member: member.Bytes(), cancel: cancel}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	broken := errors.New("the disk is gone")
	_, _, err = Open(t.Context(), Stdin, Options{Stdin: io.MultiReader(strings.NewReader(one+"\n"), failing{broken})})
	if !errors.Is(err, broken) || failure(t, err) != "<stdin>: cannot be read: the disk is gone" {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
