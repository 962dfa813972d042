package llbpass

import (
	"maps"
	"path"
	"strings"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/solver/pb"
	"github.com/moby/buildkit/util/gitutil"
)

// source moves the address of an http or git source.
func (r *run) source(v *vertex, op *pb.SourceOp) bool {
	url := address(op)
	d, findings := r.readdress(op)
	for _, f := range findings {
		r.report(v, url, f)
	}
	if d.Action == route.Keep {
		return false
	}
	r.step(v, v.meta.GetDescription()[customName], "", []buildreport.Move{move(url, d)})
	v.meta = describe(v.meta, summary([]route.Action{d.Action}, false))
	r.checksum(v, op, url)
	return true
}

// Source returns op with its address moved as in a definition, and what there
// is to tell about it. It is op itself if the address stays.
func (p *Pass) Source(op *pb.SourceOp) (*pb.SourceOp, []Finding) {
	moved := op.CloneVT()
	d, findings := p.readdress(moved)
	if d.Action == route.Keep {
		return op, findings
	}
	return moved, findings
}

// readdress moves the address of op in place. The decision's
// action is Keep if it stays.
func (p *Pass) readdress(op *pb.SourceOp) (route.Decision, []Finding) {
	var keep route.Decision
	url := address(op)
	if url == "" {
		return keep, nil
	}
	table := p.Table
	if p.Context != "" && op.Identifier == p.Context {
		table = p.ContextTable
	}
	d := table.Route(url, route.Context{Role: route.Fetch})
	switch d.Action {
	case route.Keep:
		return keep, nil
	case route.Refuse:
		return keep, []Finding{refused(url, d, d.Why)}
	}
	if !setAddress(op, d.To) {
		return keep, []Finding{refused(url, d, "BuildKit can't read "+route.Redact(d.To)+" as the address of this source")}
	}
	return d, nil
}

// address returns the URL that the daemon would fetch the source from, or ""
// for one that needs no decision. An https URL needs one: the operator may have
// a mirror for it.
func address(op *pb.SourceOp) string {
	scheme, _, _ := strings.Cut(op.Identifier, "://")
	switch scheme {
	case "http", "https":
		return op.Identifier
	case "git":
		// Without the attribute the daemon takes https.
		full := op.Attrs[pb.AttrFullRemoteURL]
		s, _, _ := strings.Cut(full, "://")
		switch strings.ToLower(s) {
		case "http", "https", "git":
			return full
		}
	}
	return ""
}

// setAddress makes op fetch from url. ok is false, and op unchanged, if a
// source of op's kind can't have that address.
//
// A git source names its repository twice, and the daemon compares: the
// identifier is "git://", host, path and "#ref:subdir", whatever the protocol,
// as llb.Git makes it.
func setAddress(op *pb.SourceOp, url string) (ok bool) {
	if strings.HasPrefix(op.Identifier, "http") {
		if !strings.HasPrefix(url, "https://") {
			return false
		}
		op.Identifier = url
		return true
	}
	u, err := gitutil.ParseURL(url)
	if err != nil || u.Scheme != gitutil.HTTPSProtocol {
		return false
	}
	_, fragment, hasFragment := strings.Cut(op.Identifier, "#")
	op.Identifier = "git://" + u.Host + path.Join("/", u.Path)
	if hasFragment {
		op.Identifier += "#" + fragment
	}
	op.Attrs = maps.Clone(op.Attrs)
	op.Attrs[pb.AttrFullRemoteURL] = u.Remote
	return true
}
