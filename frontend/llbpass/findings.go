package llbpass

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// The rules of package rewrite that the pass reports by.
const (
	ClearTextRefused   = "ClearTextRefused"
	notEdited          = "NotEdited"
	addWithoutChecksum = "AddWithoutChecksum"
	aptUnguarded       = "AptUnguarded"
	aptMayBeUnguarded  = "AptMayBeUnguarded"
	guardTampering     = "GuardTampering"
)

// Finding is one thing to tell a person about a definition.
type Finding struct {
	// Rule is the name of one of rewrite.Rules.
	Rule     string
	Severity rewrite.Severity
	// Message is one line, without userinfo, and says what to do.
	Message string
	// Source is the file that the op was made from, nil if it is not known;
	// Ranges are lines of it, from 1.
	Source *pb.SourceInfo
	Ranges []*pb.Range
}

func refused(url string, d route.Decision, why string) Finding {
	return Finding{
		Rule: ClearTextRefused, Severity: rewrite.Blocker,
		Message: fmt.Sprintf("%s %s: %s", route.Redact(url), d.State(url), why),
	}
}

// unmoved reports a fetch that stays in clear text because its text can't be
// edited.
func (r *run) unmoved(v *vertex, f words.Fetch, why string) {
	r.report(v, f.URL, Finding{
		Rule: notEdited, Severity: rewrite.Warning,
		Message: fmt.Sprintf("%s %s and isn't edited: %s; fetch %s instead",
			route.Redact(f.URL), f.Decision.State(f.URL), why, route.Redact(f.Decision.To)),
	})
}

// checksum reports an ADD over http that moved from url and names no checksum:
// TLS says who sent the file, not what is in it, and the daemon follows a
// redirect from https back to http.
func (r *run) checksum(v *vertex, op *pb.SourceOp, url string) {
	if op.Attrs[pb.AttrHTTPChecksum] != "" || !strings.HasPrefix(op.Identifier, "https://") {
		return
	}
	if len(r.graph.locationsOf(v)) == 0 { // a remote context: nowhere to write one
		return
	}
	r.report(v, url, Finding{
		Rule: addWithoutChecksum, Severity: rewrite.Warning,
		Message: fmt.Sprintf("add --checksum=sha256:… for %s: BuildKit follows a redirect back to http", route.Redact(op.Identifier)),
	})
}

// report adds f once for each place that v was made from, or once without a
// place.
func (r *run) report(v *vertex, url string, f Finding) {
	infos := r.graph.in.GetSource().GetInfos()
	placed := false
	for _, loc := range r.graph.locationsOf(v) {
		if i := int(loc.SourceIndex); i >= 0 && i < len(infos) {
			f.Source = infos[i]
			f.Ranges = narrow(f.Source.GetData(), loc.Ranges, url)
			r.findings = append(r.findings, f)
			placed = true
		}
	}
	if !placed {
		r.findings = append(r.findings, f)
	}
}

// locationsOf returns where v was made from. BuildKit gives an ADD's location
// to the op that copies, not to the source, so a source has its users'. A build
// context has none: it stands on the command line.
func (g *graph) locationsOf(v *vertex) []*pb.Location {
	all := g.in.GetSource().GetLocations()
	name := v.meta.GetDescription()[customName]
	if v.op.GetSource() == nil || len(all[v.old].GetLocations()) > 0 {
		return all[v.old].GetLocations()
	}
	if strings.HasPrefix(name, "[internal] ") || strings.HasPrefix(name, "[context ") {
		return nil
	}
	var locs []*pb.Location
	for _, user := range g.users[v.old] {
		locs = append(locs, all[user].GetLocations()...)
	}
	return locs
}

// narrow returns the first line of the ranges that holds the URL or word, or
// the ranges themselves if none does: it may come from a variable.
func narrow(data []byte, ranges []*pb.Range, url string) []*pb.Range {
	lines := bytes.Split(data, []byte("\n"))
	for _, rg := range ranges {
		start, end := rg.GetStart().GetLine(), max(rg.GetStart().GetLine(), rg.GetEnd().GetLine())
		for n := max(start, 1); n <= end && int(n) <= len(lines); n++ {
			if i := bytes.Index(lines[n-1], []byte(url)); i >= 0 {
				return []*pb.Range{{
					Start: &pb.Position{Line: n, Character: int32(i)},
					End:   &pb.Position{Line: n, Character: int32(i + len(url))},
				}}
			}
		}
	}
	return ranges
}

func actions(fetches []words.Fetch) []route.Action {
	var out []route.Action
	for _, f := range fetches {
		out = append(out, f.Decision.Action)
	}
	return out
}

// summary says in a vertex's name what moved: " (2 fetches over TLS)",
// " (1 fetch via mirror)", " (1 fetch over TLS, 1 via mirror)",
// " (2 fetches and apt over TLS)", " (1 fetch via mirror, apt over TLS)".
func summary(moved []route.Action, apt bool) string {
	mirror := 0
	for _, a := range moved {
		if a == route.Mirror {
			mirror++
		}
	}
	tls := len(moved) - mirror
	var parts []string
	switch {
	case tls > 0 && apt:
		parts = append(parts, fetchesCount(tls)+" and apt over TLS")
	case tls > 0:
		parts = append(parts, fetchesCount(tls)+" over TLS")
	}
	switch {
	case mirror > 0 && tls > 0:
		parts = append(parts, fmt.Sprintf("%d via mirror", mirror))
	case mirror > 0:
		parts = append(parts, fetchesCount(mirror)+" via mirror")
	}
	if apt && tls == 0 {
		parts = append(parts, "apt over TLS")
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func fetchesCount(n int) string {
	if n == 1 {
		return "1 fetch"
	}
	return fmt.Sprintf("%d fetches", n)
}
