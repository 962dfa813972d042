// Package llbpass moves the fetches of a marshaled LLB definition to TLS: one
// forward pass over its ops edits the commands, the environment and the
// heredoc scripts of exec ops, and the addresses of source ops. It does no I/O.
//
// A definition in which nothing applies is returned as it came. The pass run
// twice gives what it gave once.
package llbpass

import (
	"context"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// Pass is what a definition is edited by. It is not changed by running it, and
// safe for concurrent use.
type Pass struct {
	// Table decides where a URL is fetched from.
	Table *route.Table
	// Context is the identifier of the source that the build context is, "" if it
	// is none, and ContextTable decides about it: the configuration that comes out
	// of a context has no say in where that is fetched from.
	Context      string
	ContextTable *route.Table
	// ProxyNetwork says that RUNs are in BuildKit's proxy network, with the table
	// as its source policy: they are left as they are, since the daemon moves
	// every request, and an image without a CA bundle can be served http only.
	// What is refused is reported all the same.
	ProxyNetwork bool
	// Analyse finds the fetches of a command: words.Analyse.
	Analyse func(words.Input, *route.Table) words.Result
	// Protected reports whether an op, named by its digest, is part of
	// another build's result and must stay as it is; nil protects none.
	//
	// Equal ops are one op: if this build writes an op that the other build
	// holds too, it is the other build's, already solved.
	Protected func(digest string) bool
	// Bundle is mounted into RUNs whose fetches moved, and into those that may
	// run apt if the operator added a certificate authority.
	Bundle cabundle.Bundle

	// Apt says which RUNs get the guard of package mount.
	Apt AptMode
	// Mount returns the definition of the frontend's own image, resolved for
	// this build: all of its ops, and last the one that names the result. It
	// is asked only for a folder that is to be mounted: key is that of a
	// platform (see mount.Key), "" that of the certificates.
	//
	// Mount, or its answer, is nil where the image can't be had; an error says
	// why, for a person to read. Then a RUN that runs apt is a finding, and the
	// bundle comes from an op of its own.
	Mount func(ctx context.Context, key string) (*pb.Definition, error)
	// MountName is the name of the image's vertex in the progress output, ""
	// for what the definition itself says. It is metadata, and no part of a
	// cache key.
	MountName string
	// Operator is the content of mount.RouteFile, nil if the operator
	// configured nothing that apt needs to know.
	Operator []byte
	// Locked says that an organisation has locked its configuration: what a text
	// lends to RUNs in the place of it is a blocker.
	Locked bool
	// RecursiveStubs says that the daemon removes the folders that it made for
	// a mount point, as well as the mount point itself, as BuildKit does since
	// v0.11. Without it nothing is mounted outside of /dev.
	RecursiveStubs bool
}

// AptMode says which RUNs are guarded: it is the value of LOOPX_APT.
type AptMode string

// The modes of Pass.Apt; the zero value is AptAuto.
const (
	// AptAuto guards each RUN that may run apt.
	AptAuto AptMode = "auto"
	// AptAll guards each RUN that can be guarded.
	AptAll AptMode = "all"
	// AptOff guards none, and says nothing about it.
	AptOff AptMode = "off"
)

// Told is what a run has to tell.
type Told struct {
	// Findings are for the author and the operator; Steps are what was changed.
	Findings []Finding
	Steps    []buildreport.Step
}

// Run returns def with its fetches moved, and what there is to tell about it.
// def is not changed; the result is def itself if nothing applies. An error
// means that def is not a valid definition.
func (p *Pass) Run(ctx context.Context, def *pb.Definition) (*pb.Definition, Told, error) {
	if def == nil {
		return nil, Told{}, nil
	}
	g, err := newGraph(def)
	if err != nil {
		return nil, Told{}, err
	}
	r := &run{Pass: p, ctx: ctx, graph: g}
	for _, v := range g.vertices {
		edited := g.rename(v)
		if p.Protected == nil || !p.Protected(v.old) {
			moved, err := r.edit(v)
			if err != nil {
				return nil, Told{}, err
			}
			edited = edited || moved
		}
		if err := g.record(v, edited); err != nil {
			return nil, Told{}, err
		}
	}
	told := Told{r.findings, r.steps}
	if !g.changed {
		return def, told, nil
	}
	return g.definition(), told, nil
}

// run is one run of a Pass.
type run struct {
	*Pass
	ctx      context.Context
	graph    *graph
	findings []Finding
	steps    []buildreport.Step
	bundle   *vertex // once a RUN needs it
	operator *vertex // likewise
}

// edit edits the op of v in place and reports whether it did.
func (r *run) edit(v *vertex) (bool, error) {
	switch op := v.op.Op.(type) {
	case *pb.Op_Exec:
		return r.exec(v, op.Exec)
	case *pb.Op_Source:
		return r.source(v, op.Source), nil
	}
	return false, nil
}
