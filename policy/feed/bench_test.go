package feed

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// advisories are those of package osv's fixture, as JSON lines.
func advisories(b *testing.B) string {
	b.Helper()
	f, err := os.Open("../osv/testdata/pypi-advisories.jsonl.gz")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// BenchmarkOpen opens the whole fixture in each of its forms.
func BenchmarkOpen(b *testing.B) {
	text := advisories(b)
	var files []string
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		files = append(files, fmt.Sprintf("PyPI/%d.json", i), line)
	}
	for _, form := range []struct{ name, source string }{
		{"jsonl", write(b, "all.jsonl", text)},
		{"jsonl.gz", "../osv/testdata/pypi-advisories.jsonl.gz"},
		{"zip", write(b, "all.zip", zipped(b, files...))},
		{"folder", folder(b, files...)},
	} {
		b.Run(form.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Open(b.Context(), form.source, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
