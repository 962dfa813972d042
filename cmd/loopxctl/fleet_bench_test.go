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

// BenchmarkFleet goes over 10,000 Dockerfiles in 10,000 folders, a third of which
// has blockers. The bar is 5 s on two processors.
func BenchmarkFleet(b *testing.B) {
	root := b.TempDir()
	writeFleet(b, root, 10_000)
	for _, bm := range []struct {
		name string
		args []string
	}{
		{"check", []string{"check", "-r", root}},
		{"check-jsonl", []string{"check", "-r", "--format", "jsonl", root}},
		{"rewrite-check", []string{"rewrite", "-r", "--check", "--apt=refuse", root}},
		{"explain", []string{"explain", "-r", root}},
		{"audit", []string{"audit", root}},
		{"bake", []string{"bake", "--frontend", "localhost:5000/loopx-frontend:dev", root}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				var diag bytes.Buffer
				code := run(b.Context(), strings.NewReader(""), io.Discard, &diag, bm.args, []string{"PATH=" + os.Getenv("PATH")})
				if code != exitClean && code != exitBlocked {
					b.Fatal(code, diag.String())
				}
			}
		})
	}
}

// fleetTexts are Dockerfiles as a fleet has them: a long one whose stages fetch
// with several tools, one with a blocker, and one that needs nothing.
func fleetTexts() []string {
	return []string{
		`# syntax=docker/dockerfile:1
FROM golang:1.26-bookworm AS build
ARG VERSION=1.2.3
ENV BASE=http://downloads.example.com/$VERSION
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg go mod download
COPY . .
RUN apt-get update && \
    apt-get install -y --no-install-recommends \
      ca-certificates \
      curl \
      git && \
    rm -rf /var/lib/apt/lists/*
RUN curl -fsSL "$BASE/tool.tar.gz" | tar xz -C /usr/local && \
    wget -q http://mirror.example.org/data.bin -O /data.bin && \
    git clone http://git.example.org/lib.git /lib
RUN CGO_ENABLED=0 go build -o /out/app ./cmd/app

FROM debian:bookworm-slim
RUN <<EOT
set -e
echo "deb http://deb.debian.org/debian bookworm-backports main" >/etc/apt/sources.list.d/backports.list
apt-get update
apt-get install -y tini
EOT
COPY --from=build /out/app /usr/local/bin/app
LABEL org.opencontainers.image.source=http://git.example.org/app
EXPOSE 8080
USER 1000:1000
HEALTHCHECK CMD curl -f http://localhost:8080/healthz || exit 1
ENTRYPOINT ["tini", "--", "app"]
`,
		`FROM python:3.13-slim
RUN curl -k https://a.example.com/install.sh | sh
ADD ftp://ftp.example.com/data.bin /opt/
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . /app
CMD ["python", "/app/main.py"]
`,
		`FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
CMD ["node", "server.js"]
`,
	}
}

// writeFleet writes n Dockerfiles below root, each in a folder of its own.
func writeFleet(tb testing.TB, root string, n int) {
	tb.Helper()
	texts := fleetTexts()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("team-%03d", i/40), fmt.Sprintf("service-%02d", i%40))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(texts[i%len(texts)]), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
}
