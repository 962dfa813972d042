package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// How a fetch travelled.
const (
	inClearText = "clear text"
	overTLS     = "TLS"
	both        = "both"
	notSeen     = "not seen"
)

// fetch is one that the Dockerfile makes: what makes it, and how the address of
// what it asks for begins, without the scheme.
type fetch struct{ tool, url string }

// fetches are all of those in the Dockerfile.
func fetches() []fetch {
	return []fetch{
		{"apt-get update", archive + "/debian/dists/"},
		{"apt-get install", archive + "/debian/pool/"},
		{"ADD", host + "/add.txt"},
		{"curl", host + "/curl.txt"},
		{"wget", host + "/wget.txt"},
		{"git clone", host + "/repo.git"},
	}
}

// outcome is what a build left behind.
type outcome struct {
	image      string // repository and tag in the registry
	log        string
	clear, tls []testbed.Hit
}

// how says how a fetch travelled: the server pairs have seen every request.
func (o outcome) how(f fetch) string {
	seen := func(hits []testbed.Hit) bool {
		return slices.ContainsFunc(hits, func(h testbed.Hit) bool { return strings.HasPrefix(h.Host+h.Path, f.url) })
	}
	return verdict(seen(o.clear), seen(o.tls))
}

func verdict(clearText, tls bool) string {
	switch {
	case clearText && tls:
		return both
	case clearText:
		return inClearText
	case tls:
		return overTLS
	}
	return notSeen
}

// notAll names the fetches that did not travel as wanted.
func (o outcome) notAll(wanted string) []string {
	var names []string
	for _, f := range fetches() {
		if how := o.how(f); how != wanted {
			names = append(names, fmt.Sprintf("%s http://%s (%s)", f.tool, f.url, how))
		}
	}
	return names
}

// table shows the two builds side by side.
func table(w io.Writer, before, after outcome) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "fetch\tBuildKit's frontend\tloopx-frontend")
	for _, f := range fetches() {
		fmt.Fprintf(t, "%s http://%s\t%s\t%s\n", f.tool, f.url, before.how(f), after.how(f))
	}
	fmt.Fprintf(t, "requests at port 80\t%d\t%d\n", len(before.clear), len(after.clear))
	fmt.Fprintf(t, "requests at port 443\t%d\t%d\n", len(before.tls), len(after.tls))
	t.Flush()
}
