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

// BenchmarkCheck checks 10,000 Dockerfiles, a third of which has blockers, in
// each format. The bar is 10 s on two processors.
func BenchmarkCheck(b *testing.B) {
	names := manyDockerfiles(b, 10_000)
	for _, format := range []string{"text", "json", "sarif"} {
		b.Run(format, func(b *testing.B) {
			args := append([]string{"check", "--format", format}, names...)
			for b.Loop() {
				var diag bytes.Buffer
				if code := run(b.Context(), strings.NewReader(""), io.Discard, &diag, args, []string{"PATH=" + os.Getenv("PATH")}); code != exitBlocked {
					b.Fatal(code, diag.String())
				}
			}
		})
	}
}

func manyDockerfiles(b *testing.B, n int) []string {
	b.Helper()
	texts := []string{
		"FROM debian:trixie-slim\nRUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/*\n",
		"FROM python:3.13-slim\nARG VERSION=1\nENV URL=http://downloads.example.com/$VERSION.tar.gz\nRUN curl -fsSLO $URL\nRUN pip install x>=1\nCOPY . /app\nCMD [\"/app/run\"]\n",
		"FROM debian:buster-slim\nRUN curl -k https://a.example.com/i.sh | sh\nADD ftp://ftp.example.com/data.bin /opt/\n",
	}
	dir := b.TempDir()
	names := make([]string, n)
	for i := range names {
		names[i] = filepath.Join(dir, fmt.Sprintf("%d.Dockerfile", i))
		if err := os.WriteFile(names[i], []byte(texts[i%len(texts)]), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return names
}
