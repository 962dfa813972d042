package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// advisoryFixture is the snapshot of package osv's tests: 2,661 records.
const advisoryFixture = "../../policy/osv/testdata/pypi-advisories.jsonl.gz"

// BenchmarkFloorsCheck reads 1,000 manifests with 20,000 requirements from the
// disk, loads the whole snapshot and prints the report, as one run of the
// command does. The bar is 1.15 s on two processors: 1 s, and 150 ms for the
// advisories.
func BenchmarkFloorsCheck(b *testing.B) {
	dir := b.TempDir()
	names := []string{"django", "urllib3", "pillow", "setuptools", "demo", "other"}
	specs := []string{"", ">=1.0", ">=1.0,<2", "==1.2.3", "~=2.1", "<4", ">=0.5,!=1.0", "==2.*", ">=3; python_version >= '3.9'"}
	for i := range 1000 {
		var text strings.Builder
		for j := range 20 {
			n := 20*i + j
			fmt.Fprintf(&text, "%s-%d%s\n", names[n%len(names)], n/len(names)%50, specs[n%len(specs)])
			if n%3 == 0 {
				fmt.Fprintf(&text, "# %d\n", n)
			}
		}
		name := filepath.Join(dir, fmt.Sprint(i), "requirements.txt")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text.String(), "-0", "")), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, format := range []string{"text", "json", "sarif"} {
		b.Run(format, func(b *testing.B) {
			args := []string{"floors", "check", "--root", dir, "--database", advisoryFixture, "--format", format, dir}
			for b.Loop() {
				var diag bytes.Buffer
				if code := run(b.Context(), strings.NewReader(""), io.Discard, &diag, args, nil); code != exitBlocked {
					b.Fatal(code, diag.String())
				}
			}
		})
	}
}
