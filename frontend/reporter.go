package frontend

import (
	"context"
	"fmt"
	"sync"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/gateway/client"
	gwpb "github.com/moby/buildkit/frontend/gateway/pb"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
)

// reporter tells the user about findings: as warnings, or as the error that
// ends the build.
type reporter struct {
	client client.Client
	cfg    request

	mu     sync.Mutex
	vertex digest.Digest   // of the first solve, "" before
	ready  bool            // the configuration is final
	noted  bool            // it was told of
	seen   map[string]bool // platforms and SBOM scans repeat what was said
}

func newReporter(c client.Client, cfg request) *reporter {
	return &reporter{client: c, cfg: cfg, seen: map[string]bool{}}
}

// report warns of the findings, and says which a reviewer signed for. It returns
// a *RefusedError with the blockers among them unless the mode is audit, and an
// error in BuildKit's words if a "check=error=true" turns a warning into one.
func (r *reporter) report(ctx context.Context, findings []Finding) error {
	var refused []Finding
	var violation error
	for _, f := range findings {
		switch {
		case f.Acknowledged != nil:
			if r.first(f) {
				show(ctx, r.client, fmt.Sprintf("[internal] %s:%d: %s %s", plain.Text(f.Source.GetFilename()), startLine(f.Ranges), f.Rule, f.Acknowledged))
			}
		case f.Severity == rewrite.Blocker && r.cfg.route.Mode != route.Audit:
			refused = append(refused, f)
		case r.cfg.quiet || !r.first(f):
		case f.Severity == rewrite.Blocker:
			r.warn(ctx, f)
		default:
			checks := newChecks(r.cfg.lint, f.Source.GetData()).at(startLine(f.Ranges))
			checks.Warn = func(string, string, string, string, []parser.Range) { r.warn(ctx, f) }
			checks.Run(ruleNamed(f.Rule), nil)
			if violation == nil {
				violation = checks.Error()
			}
		}
	}
	if len(refused) > 0 {
		return refusal(refused, r.cfg)
	}
	return violation
}

// first reports whether f was not said before.
func (r *reporter) first(f Finding) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := fmt.Sprint(f.Rule, "\x00", f.Source.GetFilename(), "\x00", startLine(f.Ranges), "\x00", f.Message)
	if r.seen[key] {
		return false
	}
	r.seen[key] = true
	return true
}

// warn sends a warning in the shape of BuildKit's own. That it can't be shown
// is no reason to fail a build.
func (r *reporter) warn(ctx context.Context, f Finding) {
	rule := ruleNamed(f.Rule)
	vertex := head(f.Source.GetDefinition())
	if vertex == "" {
		vertex = r.firstVertex()
	}
	msg := linter.LintFormatShort(rule.Name, f.Message, startLine(f.Ranges))
	r.send(ctx, vertex, msg, client.WarnOpts{
		Level: 1, SourceInfo: f.Source, Range: f.Ranges,
		Detail: [][]byte{[]byte(rule.Description)}, URL: rule.URL,
	})
}

// send sends one warning. A daemon that has no warnings, like that of Docker
// Engine 20.10, shows it as the name of a vertex that makes an empty folder.
func (r *reporter) send(ctx context.Context, vertex digest.Digest, msg string, opts client.WarnOpts) {
	caps := r.client.BuildOpts().Caps
	if caps.Supports(gwpb.CapGatewayWarnings) == nil {
		_ = r.client.Warn(ctx, vertex, msg, opts)
		return
	}
	show(ctx, r.client, "[internal] warning: "+msg)
}

// show puts a line into the progress output: the name of a vertex that makes an
// empty folder. That it can't be shown is no reason to fail a build.
func show(ctx context.Context, c client.Client, line string) {
	st := llb.Scratch().File(llb.Mkdir("/"+digest.FromString(line).Encoded(), 0o755), llb.WithCustomName(line))
	if def, err := st.Marshal(ctx); err == nil {
		_, _ = c.Solve(ctx, client.SolveRequest{Definition: def.ToPB(), Evaluate: true})
	}
}

// solved tells the reporter of a vertex that the client has seen.
func (r *reporter) solved(ctx context.Context, vertex digest.Digest) {
	r.mu.Lock()
	if r.vertex == "" {
		r.vertex = vertex
	}
	r.mu.Unlock()
	r.note(ctx)
}

// settled tells the reporter that its configuration is final.
func (r *reporter) settled(ctx context.Context) {
	r.mu.Lock()
	r.ready = true
	r.mu.Unlock()
	r.note(ctx)
}

// note sends the warnings about the configuration itself, once: without a vertex
// a client drops them.
func (r *reporter) note(ctx context.Context) {
	r.mu.Lock()
	vertex, now := r.vertex, r.ready && !r.noted && r.vertex != ""
	r.noted = r.noted || now
	r.mu.Unlock()
	if !now || r.cfg.quiet {
		return
	}
	for _, note := range r.cfg.notes {
		r.send(ctx, vertex, note, client.WarnOpts{Level: 1})
	}
}

func (r *reporter) firstVertex() digest.Digest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.vertex
}

// startLine is the first line of the ranges, 0 if there is none.
func startLine(ranges []*pb.Range) int {
	if len(ranges) == 0 {
		return 0
	}
	return int(ranges[0].GetStart().GetLine())
}
