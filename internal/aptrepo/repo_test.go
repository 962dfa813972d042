package aptrepo_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/aptrepo"
)

var _ = flag.Bool("update", false, "accepted for `go test ./... -update`; there is no golden here")

// Example shows the sources of an archive.
func Example() {
	repo := aptrepo.New(aptrepo.Options{Packages: 2, Suite: "bookworm"})
	fmt.Println(repo.Line("http://archive.example.org/debian"))
	fmt.Println(repo.FlatLine("http://archive.example.org/debian"))
	fmt.Print(repo.Stanza("http://archive.example.org/debian"))
	fmt.Println(repo.Names(), repo.All())
	// Output:
	// deb [trusted=yes] http://archive.example.org/debian bookworm main
	// deb [trusted=yes] http://archive.example.org/debian/flat/ ./
	// Types: deb deb-src
	// URIs: http://archive.example.org/debian
	// Suites: bookworm
	// Components: main
	// Trusted: yes
	// [pkg001 pkg002] pkg-all
}

// TestSameBytes holds that nothing but Options decides the content.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	opts := aptrepo.Options{Packages: 3, Signed: true, Seed: 7}
	one, two := aptrepo.New(opts), aptrepo.New(opts)
	opts.Seed = 8
	other := aptrepo.New(opts)
	if diff := cmp.Diff(one.Paths(), two.Paths()); diff != "" {
		t.Fatal(diff)
	}
	for _, path := range one.Paths() {
		if !bytes.Equal(one.File(path), two.File(path)) {
			t.Errorf("%s differs for the same options", path)
		}
	}
	if bytes.Equal(one.Packages()[0].Body, other.Packages()[0].Body) || bytes.Equal(one.Key(), other.Key()) {
		t.Error("another seed gave the same package, or the same key")
	}
}

// TestSizes holds the shape that the benchmarks need.
func TestSizes(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 200, Bytes: 20e6})
	if n := repo.Bytes(); n < 19.9e6 || n > 20.1e6 {
		t.Errorf("%d bytes, not 20 MB", n)
	}
	var sizes []int
	for _, p := range repo.Packages() {
		sizes = append(sizes, len(p.Body))
	}
	slices.Sort(sizes)
	mean, median, top := 100_000, sizes[100], sizes[199]
	if median < mean/6 || median > mean/2 || top < 5*mean || top > 30*mean {
		t.Errorf("median %d and largest %d for a mean of %d", median, top, mean)
	}
}

// TestConditions holds what a client that resumes or revalidates relies on.
func TestConditions(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 1})
	p := repo.Packages()[0]
	const date = "Sat, 29 Jun 2024 12:00:00 GMT"
	for _, c := range []struct {
		path, header, want string
	}{
		{p.Path(), "", fmt.Sprintf("200 %s %d", date, len(p.Body))},
		{p.Path(), "If-Modified-Since: " + date, "304 " + date + " 0"},
		{p.Path(), "Range: bytes=100-", fmt.Sprintf("206 %s %d", date, len(p.Body)-100)},
		{p.Path(), "Range: bytes=100-\nIf-Range: " + date, fmt.Sprintf("206 %s %d", date, len(p.Body)-100)},
		{p.Path(), "Range: bytes=100-\nIf-Range: Sat, 29 Jun 2024 11:00:00 GMT", fmt.Sprintf("200 %s %d", date, len(p.Body))},
		{p.Path(), fmt.Sprintf("Range: bytes=%d-", len(p.Body)), "416  33"},
		{"flat/./Packages", "", fmt.Sprintf("200 %s %d", date, len(repo.File("flat/Packages")))},
		{"dists/stable/InRelease", "", "404  19"},
	} {
		req := httptest.NewRequest(http.MethodGet, "/"+c.path, nil)
		for line := range strings.SplitSeq(c.header, "\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		repo.ServeHTTP(w, req)
		got := fmt.Sprintf("%d %s %d", w.Code, w.Header().Get("Last-Modified"), w.Body.Len())
		if got != c.want {
			t.Errorf("%s with %q: %s, not %s", c.path, c.header, got, c.want)
		}
	}
}
