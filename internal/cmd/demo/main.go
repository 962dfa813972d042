// Command demo shows what the frontend is for: the same Dockerfile, built by
// `docker buildx build` with BuildKit's own frontend and with this one, on a slim
// Debian base without a CA bundle. Its servers, registry and buildkitd live on
// loopback and are gone when it ends; Debian's archive is the real one behind a
// server that counts requests. `make demo` runs it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

const (
	// host is a server pair of this demo.
	host = "downloads.example.org"
	// archive is Debian's.
	archive = "deb.debian.org"
)

const dockerfile = `FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends curl wget git
ADD http://` + host + `/add.txt /
RUN curl -fsS -o /curl.txt http://` + host + `/curl.txt
RUN wget -q -O /wget.txt http://` + host + `/wget.txt
RUN git clone -q http://` + host + `/repo.git /repo
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &script{ctx: ctx, out: os.Stderr}
	s.Cleanup(testbed.Close)
	if err := s.run(func() { demo(s, os.Stdout) }); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func demo(s *script, w io.Writer) {
	fmt.Fprintln(w, "Starting buildkitd, a registry, and", host, "and", archive, "(ports 80 and 443) on loopback …")
	testbed.Buildkitd(s)
	web := servers{testbed.Archive(s), testbed.NewMirror(s, testbed.MirrorOptions{
		Names: []string{host},
		Files: map[string]string{"/add.txt": "by ADD\n", "/curl.txt": "by curl\n", "/wget.txt": "by wget\n"},
		Repos: map[string]map[string]string{"/repo.git": {"README": "by git\n"}},
	})}
	fmt.Fprintln(w, "Building both frontend images and pushing them to", testbed.Registry(s).Host, "…")
	stock, ours := testbed.StockImage(s), testbed.FrontendImage(s)
	fmt.Fprintln(w, "Taking a bookworm base, slim, without a CA bundle (the first time: making it) …")
	testbed.Base(s, "bookworm")
	fmt.Fprintf(w, "\nThe Dockerfile:\n\n%s\n", indent(dockerfile))

	before := build(s, w, web, stock)
	after := build(s, w, web, ours)
	fmt.Fprintln(w)
	table(w, before, after)

	if wrong := before.notAll(inClearText); len(wrong) > 0 {
		s.Fatalf("the demo proves nothing: not in clear text through %s: %s\n%s", stock, strings.Join(wrong, ", "), before.log)
	}
	if wrong := after.notAll(overTLS); len(wrong) > 0 || len(after.clear) > 0 {
		s.Fatalf("not all over TLS through %s: %s\n%s", ours, strings.Join(wrong, ", "), after.log)
	}
	compare(s, before, after)
	fmt.Fprintf(w, `
All %d moved to TLS, apt included, certificates checked. Both images have the same
configuration, history and list of files: nothing of ours stays in them.
What the user changed is the first line of the Dockerfile:

    # syntax=%s

and, as these servers have a private CA: --build-context loopx-ca=DIR
`, len(fetches()), ours)
}

// build runs docker buildx build on the Dockerfile with one line put before it,
// and pushes the result.
func build(s *script, w io.Writer, web servers, frontend string) outcome {
	fmt.Fprintf(w, "docker buildx build, with # syntax=%s …\n", frontend)
	dir := s.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte("# syntax="+frontend+"\n"+dockerfile), 0o644); err != nil {
		s.Fatalf("%v", err)
	}
	name := "demo:" + strings.TrimSuffix(filepath.Base(frontend), ":1")
	web.reset()
	got := testbed.Buildx(s, dir, nil, "build", "--progress=plain", "--no-cache", "--push",
		"--build-context=loopx-ca="+testbed.DefaultCA(s).Dir(s),
		"--tag="+testbed.Registry(s).Ref(name), ".")
	if got.Code != 0 {
		s.Fatalf("docker buildx build: exit code %d\n%s", got.Code, got.Stderr)
	}
	return outcome{image: name, log: got.Stderr, clear: web.hits((*testbed.Mirror).ClearHits), tls: web.hits((*testbed.Mirror).TLSHits)}
}

// servers are the server pairs of the demo.
type servers []*testbed.Mirror

func (web servers) reset() {
	for _, m := range web {
		m.Reset()
	}
}

// hits returns what all servers have seen, by one of their counts.
func (web servers) hits(count func(*testbed.Mirror) []testbed.Hit) []testbed.Hit {
	var all []testbed.Hit
	for _, m := range web {
		all = append(all, count(m)...)
	}
	return all
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}
