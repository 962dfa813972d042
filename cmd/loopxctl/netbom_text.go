package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/netbom"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// netbomText writes a document for people.
type netbomText struct {
	bytes.Buffer
	paint.Painter
}

// overWidth is the width of the column that says what something travelled over.
const overWidth = 12

func writeNetbom(w io.Writer, doc *netbom.Document, p paint.Painter) error {
	t := &netbomText{Painter: p}
	t.head(doc)
	for i := range doc.Images {
		t.image(&doc.Images[i])
	}
	t.totals(doc)
	_, err := w.Write(t.Bytes())
	return err
}

func (t *netbomText) head(doc *netbom.Document) {
	fmt.Fprintf(t, "%s (%s)\n", t.Bold(plain.Text(doc.Artifact.Name)), doc.Artifact.Kind)
	t.fact("digest", doc.Artifact.Digest)
	if r := doc.Report; r != nil {
		t.fact("report", fmt.Sprintf("of the frontend %s, hosts as of %s, mode %s, apt %s", r.Frontend, r.Hosts, r.Mode, r.Apt))
	} else {
		t.fact("report", "none of the frontend")
	}
}

func (t *netbomText) fact(name, value string) {
	if value != "" {
		fmt.Fprintf(t, "  %-10s  %s\n", name, plain.Text(value))
	}
}

func (t *netbomText) image(img *netbom.Image) {
	name := img.Platform
	if name == "" {
		name = "platform not recorded"
	}
	fmt.Fprintf(t, "\n%s\n", t.Bold(plain.Text(name)))
	t.fact("image", img.Digest)
	switch {
	case img.Provenance == "none":
		t.fact("provenance", "none")
	case img.Bound:
		t.fact("provenance", "mode "+img.Provenance+", about this image by its digests")
	default:
		t.fact("provenance", "mode "+img.Provenance+", not known to be about an image: "+img.Unbound)
	}
	if f := img.Frontend; f != nil {
		t.fact("frontend", strings.TrimSpace(f.Name+" "+f.Image+" "+f.Digest))
	}
	if img.ProxyNetwork {
		t.fact("network", "RUNs were in BuildKit's proxy network")
	}
	if img.Offline+img.Silent > 0 {
		t.fact("other RUNs", fmt.Sprintf("%d without a network, %d of programs that fetch nothing", img.Offline, img.Silent))
	}
	for _, s := range img.Unknown {
		t.fact("not known", s)
	}
	for _, s := range img.Steps {
		t.step(s)
	}
}

func (t *netbomText) step(s netbom.Step) {
	t.WriteString("\n")
	fmt.Fprintln(t, t.Bold(plain.Text(s.Text)))
	if where := s.Where(); where != "" {
		fmt.Fprintf(t, "  %s\n", t.Cyan(plain.Text(where)))
	}
	for _, f := range s.Fetches {
		t.fetch(f)
	}
	for _, u := range s.Unknown {
		t.under("not known: " + u)
	}
}

func (t *netbomText) fetch(f netbom.Fetch) {
	over := fmt.Sprintf("%-*s", overWidth, f.Over.Words())
	switch f.Over {
	case netbom.Clear:
		over = t.Red(over)
	case netbom.Unknown:
		over = t.Yellow(over)
	default:
		over = t.Green(over)
	}
	layer := ""
	if f.Layer != "" {
		layer = " " + t.Faint("["+string(f.Layer)+"]")
	}
	fmt.Fprintf(t, "  %s %s%s\n", over, plain.Text(netbom.What(f)), layer)
	if f.Asked != "" && f.Asked != f.From {
		t.under("written as " + f.Asked)
	}
	if f.Digest != "" {
		t.under(f.Digest)
	}
	if f.Note != "" {
		t.under(f.Note)
	}
}

// under writes a line that belongs to the one before.
func (t *netbomText) under(text string) {
	fmt.Fprintf(t, "  %*s %s\n", overWidth, "", t.Faint(plain.Text(text)))
}

func (t *netbomText) totals(doc *netbom.Document) {
	var parts []string
	for _, o := range netbom.All() {
		if n := doc.Totals[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.Words()))
		}
	}
	if parts == nil {
		parts = []string{"none is known"}
	}
	fmt.Fprintf(t, "\nfetches: %s\n", strings.Join(parts, ", "))
	switch {
	case doc.ClearText:
		fmt.Fprintln(t, t.Red("something was fetched in clear text"))
	case doc.HasUnknown():
		fmt.Fprintln(t, t.Yellow("nothing is known to have been fetched in clear text; not all of what was fetched is recorded"))
	default:
		fmt.Fprintln(t, t.Green("nothing is known to have been fetched in clear text"))
	}
}
