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
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// Pass is what a definition is edited by. It is not changed by running it, and
// safe for concurrent use.
type Pass struct {
	// Table decides where a URL is fetched from.
	Table *route.Table
	// Analyse finds the fetches of a command: words.Analyse.
	Analyse func(words.Input, *route.Table) words.Result
	// Protected reports whether an op, named by its digest, is part of
	// another build's result and must stay as it is; nil protects none.
	//
	// Equal ops are one op: if this build writes an op that the other build
	// holds too, it is the other build's, already solved.
	Protected func(digest string) bool
	// Bundle is mounted into RUNs whose fetches moved.
	Bundle cabundle.Bundle
}

// Run returns def with its fetches moved, and what there is to tell about it.
// def is not changed; the result is def itself if nothing applies. An error
// means that def is not a valid definition.
func (p *Pass) Run(ctx context.Context, def *pb.Definition) (*pb.Definition, []Finding, error) {
	if def == nil {
		return nil, nil, nil
	}
	g, err := newGraph(def)
	if err != nil {
		return nil, nil, err
	}
	r := &run{Pass: p, ctx: ctx, graph: g}
	for _, v := range g.vertices {
		edited := g.rename(v)
		if p.Protected == nil || !p.Protected(v.old) {
			moved, err := r.edit(v)
			if err != nil {
				return nil, nil, err
			}
			edited = edited || moved
		}
		if err := g.record(v, edited); err != nil {
			return nil, nil, err
		}
	}
	if !g.changed {
		return def, r.findings, nil
	}
	return g.definition(), r.findings, nil
}

// run is one run of a Pass.
type run struct {
	*Pass
	ctx      context.Context
	graph    *graph
	findings []Finding
	bundle   *vertex // once a RUN needs it
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
