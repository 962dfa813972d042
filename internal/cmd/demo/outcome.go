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

// fetch is one that the Dockerfile writes: the tool, and its URL without the
// scheme.
type fetch struct {
	tool, url string
	// how says how the fetch travelled in a build.
	how func(o outcome, url string) string
}

// fetches are all of those in the Dockerfile.
func fetches() []fetch {
	return []fetch{
		{"ADD", host + "/add.txt", outcome.byServer},
		{"curl", host + "/curl.txt", outcome.byServer},
		{"wget", host + "/wget.txt", outcome.byServer},
		{"git clone", host + "/repo.git", outcome.byServer},
		{"ADD", archive + "/Release", outcome.byProvenance},
		{"curl", archive + "/InRelease", outcome.byCurl},
	}
}

// outcome is what a build left behind.
type outcome struct {
	image      string // repository and tag in the registry
	log        string
	provenance string // the build's metadata file
	clear, tls []testbed.Hit
}

// byServer asks the server pair on loopback: it has seen every request.
func (o outcome) byServer(url string) string {
	seen := func(hits []testbed.Hit) bool {
		return slices.ContainsFunc(hits, func(h testbed.Hit) bool { return strings.HasPrefix(h.Host+h.Path, url) })
	}
	return verdict(seen(o.clear), seen(o.tls))
}

// byProvenance asks BuildKit's provenance: it lists what the daemon fetched.
func (o outcome) byProvenance(url string) string {
	seen := func(scheme string) bool { return strings.Contains(o.provenance, `"`+scheme+"://"+url+`"`) }
	return verdict(seen("http"), seen("https"))
}

// byCurl asks curl, which prints what it fetched.
func (o outcome) byCurl(url string) string {
	seen := func(scheme string) bool { return strings.Contains(o.log, curlReport+scheme+"://"+url) }
	return verdict(seen("http"), seen("https"))
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
		if how := f.how(o, f.url); how != wanted {
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
		fmt.Fprintf(t, "%s http://%s\t%s\t%s\n", f.tool, f.url, f.how(before, f.url), f.how(after, f.url))
	}
	fmt.Fprintf(t, "requests at %s:80\t%d\t%d\n", host, len(before.clear), len(after.clear))
	fmt.Fprintf(t, "requests at %s:443\t%d\t%d\n", host, len(before.tls), len(after.tls))
	t.Flush()
}
