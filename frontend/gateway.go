package frontend

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/gateway/client"
	gwpb "github.com/moby/buildkit/frontend/gateway/pb"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
)

// keyCmdline is the option by which a frontend that was started for a syntax
// line knows that it was. BuildKit's builder follows a syntax line, and
// BUILDKIT_SYNTAX, only where it is missing.
const keyCmdline = "cmdline"

// gateway is the client that BuildKit's builder talks to: the real one, with
// the pass on each definition that is solved.
type gateway struct {
	client.Client
	opts     client.BuildOpts
	pass     llbpass.Pass // Protected is set for each run
	reporter *reporter
	record   record
	mount    mountSource
	inputs   foreignOps
	review   review

	signatures signatures

	project   *project // nil if the request does without
	settling  sync.Once
	unsettled error // why nothing is in force
}

func newGateway(c client.Client, cfg request, pass llbpass.Pass) *gateway {
	g := &gateway{Client: c, opts: c.BuildOpts(), pass: pass, reporter: newReporter(c, cfg)}
	g.mount.gateway, g.mount.root = g, "/"
	g.review.gateway = g
	g.pass.Mount = g.mount.definition
	// No daemon announces pb.CapExecMetaRemoveMountStubsRecursive: BuildKit has
	// the name, but never registers it. This one came in the same release, v0.11.
	g.pass.RecursiveStubs = g.opts.LLBCaps.Supports(pb.CapSourceDateEpoch) == nil
	// The builder writes into the options: a copy, and always the same one.
	opts := map[string]string{keyCmdline: "loopx-frontend"}
	maps.Copy(opts, g.opts.Opts)
	g.opts.Opts = opts
	return g
}

// BuildOpts returns the request's options as if a syntax line had been
// followed already, so that a foreign one in the Dockerfile never is.
func (g *gateway) BuildOpts() client.BuildOpts { return g.opts }

// CurrentFrontend returns the state of the image that the frontend runs from,
// nil where the client does not know.
func (g *gateway) CurrentFrontend() (*llb.State, error) {
	if c, ok := g.Client.(interface{ CurrentFrontend() (*llb.State, error) }); ok {
		return c.CurrentFrontend()
	}
	return nil, nil
}

// Solve solves the request with its definition's fetches moved.
func (g *gateway) Solve(ctx context.Context, req client.SolveRequest) (*client.Result, error) {
	if !fromClient(req.Definition) {
		def, err := g.move(ctx, req.Definition, g.tell)
		if err != nil {
			return nil, err
		}
		req.Definition = def
	}
	res, err := g.Client.Solve(ctx, req)
	if err == nil {
		g.reporter.solved(ctx, head(req.Definition))
	}
	return res, err
}

// ResolveImageConfig asks for an image once it is clear that the build can go on.
func (g *gateway) ResolveImageConfig(ctx context.Context, ref string, opt sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	if err := g.settle(ctx); err != nil {
		return "", "", nil, err
	}
	return g.Client.ResolveImageConfig(ctx, ref, opt)
}

// besides is the client for what a review itself asks for: it moves fetches as
// the gateway does, and reviews nothing, which would wait for itself.
type besides struct{ *gateway }

// Solve solves the request with its definition's fetches moved.
func (b besides) Solve(ctx context.Context, req client.SolveRequest) (*client.Result, error) {
	def, err := b.move(ctx, req.Definition, func(ctx context.Context, _ *pb.Definition, found []llbpass.Finding) error {
		return b.reporter.report(ctx, asFound(found))
	})
	if err != nil {
		return nil, err
	}
	req.Definition = def
	return b.Client.Solve(ctx, req)
}

// ResolveSourceMetadata asks for the source where the build will fetch it.
func (g *gateway) ResolveSourceMetadata(ctx context.Context, op *pb.SourceOp, opt sourceresolver.Opt) (*sourceresolver.MetaResponse, error) {
	if err := g.settle(ctx); err != nil {
		return nil, err
	}
	op, found := g.pass.Source(op)
	if len(found) > 0 {
		if err := g.tell(ctx, nil, found); err != nil {
			return nil, err
		}
	}
	return g.Client.ResolveSourceMetadata(ctx, op, opt)
}

// teller tells what a pass found in a definition.
type teller func(ctx context.Context, def *pb.Definition, found []llbpass.Finding) error

// move runs the pass and tells what it found.
func (g *gateway) move(ctx context.Context, def *pb.Definition, tell teller) (*pb.Definition, error) {
	if def == nil {
		return nil, nil
	}
	if err := g.settle(ctx); err != nil {
		return nil, err
	}
	foreign, err := g.inputs.digests(ctx, g)
	if err != nil {
		return nil, err
	}
	pass := g.pass
	pass.Protected = func(dgst string) bool { return foreign[dgst] }
	moved, told, err := pass.Run(ctx, def)
	if err != nil {
		return nil, err
	}
	g.record.addSteps(told.Steps)
	return moved, tell(ctx, def, told.Findings)
}

// tell tells what a pass found in a definition, and with the first one what the
// text says. Without a definition the Dockerfile is read for that.
func (g *gateway) tell(ctx context.Context, def *pb.Definition, found []llbpass.Finding) error {
	findings, err := g.review.judge(ctx, def, found)
	if err != nil {
		return err
	}
	g.record.addFindings(findings)
	return g.reporter.report(ctx, findings)
}

// tellText tells what the text of the Dockerfile says, if no definition was made
// of it: an image of settings alone is none.
func (g *gateway) tellText(ctx context.Context) error {
	if g.reporter.cfg.quiet || g.review.done() {
		return nil
	}
	return g.tell(ctx, nil, nil)
}

// head returns the digest of the op that a definition is for, "" for scratch.
func head(def *pb.Definition) digest.Digest {
	if len(def.GetDef()) == 0 {
		return ""
	}
	var d llb.Definition
	d.FromPB(def)
	dgst, err := d.Head()
	if err != nil {
		return ""
	}
	return dgst
}

// foreignOps are the ops that came in as frontend inputs. They belong to
// another build, which is solved already.
type foreignOps struct {
	mu  sync.Mutex
	set map[string]bool // nil until asked for
}

// digests returns the digests of the ops. It asks the daemon once.
func (o *foreignOps) digests(ctx context.Context, g *gateway) (map[string]bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.set != nil || g.opts.Caps.Supports(gwpb.CapFrontendInputs) != nil {
		return o.set, nil
	}
	inputs, err := g.Client.Inputs(ctx)
	if err != nil {
		return nil, fmt.Errorf("failed to get frontend inputs: %w", err)
	}
	set := map[string]bool{}
	for name, st := range inputs {
		def, err := st.Marshal(ctx)
		if err != nil {
			return nil, fmt.Errorf("failed to read frontend input %s: %w", name, err)
		}
		for _, raw := range def.Def {
			set[digest.FromBytes(raw).String()] = true
		}
	}
	o.set = set
	return set, nil
}
