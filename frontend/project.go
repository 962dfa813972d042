package frontend

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/frontend/gateway/client"
	gwpb "github.com/moby/buildkit/frontend/gateway/pb"
	"github.com/moby/buildkit/solver/pb"
	"google.golang.org/protobuf/proto"
)

// project reads the configuration at the root of the build context beside what
// the builder reads there, so that nobody waits for it.
type project struct {
	done chan struct{}
	file *config.Config
	err  error
}

// readAside begins to read. It has a gateway of its own, which decides by what
// the organisation and the operator say: the project has no say in where its own
// context is fetched from.
func readAside(ctx context.Context, g *gateway) *project {
	p := &project{done: make(chan struct{})}
	g.reporter.cfg.quiet = true // the builder fetches the same, and tells it
	go func() {
		defer close(p.done)
		p.file, p.err = projectFile(ctx, besides{g})
	}()
	return p
}

// projectFile reads loopx.yaml at the root of the build context, which
// .dockerignore does not hide; nil if there is none. A context that can't be read
// has none: the build may do without it, and fails if it doesn't.
func projectFile(ctx context.Context, c besides) (*config.Config, error) {
	ref, err := contextFile(ctx, c, config.File)
	if err != nil {
		return nil, ctx.Err()
	}
	data, err := reading(ctx, ref)(config.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &config.Error{File: config.File, Message: err.Error()}
	}
	return config.Parse(config.File, data)
}

// contextFile returns the build context, of which a local one holds one file, if
// that is there.
func contextFile(ctx context.Context, c besides, name string) (client.Reference, error) {
	st, err := contextState(ctx, c, name)
	if err != nil {
		return nil, err
	}
	return solveState(ctx, c, st)
}

// contextState is the build context: what dockerui takes for it, but for a local
// one, of which it would read .dockerignore first.
func contextState(ctx context.Context, c besides, name string) (llb.State, error) {
	opts := c.BuildOpts().Opts
	remote, err := elsewhere(ctx, c)
	if err != nil {
		return llb.State{}, err
	}
	if !remote {
		session := c.BuildOpts().SessionID
		if id := opts["local-sessionid:"+dockerui.DefaultLocalNameContext]; id != "" {
			session = id
		}
		return llb.Local(dockerui.DefaultLocalNameContext,
			llb.SessionID(session), llb.FollowPaths([]string{name}), llb.SharedKeyHint(dockerui.DefaultLocalNameContext+"-"+name),
			llb.WithCustomName("[internal] load "+name), llb.Differ(llb.DiffNone, false)), nil
	}
	bc, err := dockerui.NewClient(c)
	if err != nil {
		return llb.State{}, err
	}
	st, err := bc.MainContext(ctx)
	if err != nil {
		return llb.State{}, err
	}
	return *st, nil
}

// elsewhere reports whether the build context is not a folder of the client: a
// repository, an address, or the result of another build.
func elsewhere(ctx context.Context, c besides) (bool, error) {
	opts := c.BuildOpts()
	if remote, err := remoteContext(opts.Opts); remote != nil || err != nil {
		return true, err
	}
	if opts.Caps.Supports(gwpb.CapFrontendInputs) != nil {
		return false, nil
	}
	inputs, err := c.Inputs(ctx)
	_, input := inputs[dockerui.DefaultLocalNameContext]
	return input, err
}

// remoteContext is the repository, or the address, that the build context is; nil
// if it is neither.
func remoteContext(opts map[string]string) (*llb.State, error) {
	key := cmp.Or(opts["contextkey"], dockerui.DefaultLocalNameContext)
	if st, git, err := dockerui.DetectGitContext(opts[key], nil); git {
		return st, err
	}
	st, _, _ := dockerui.DetectHTTPContext(opts[key])
	return st, nil
}

// contextIdentifier is the identifier of the source that the build context is, ""
// if it is none.
func contextIdentifier(ctx context.Context, opts map[string]string) string {
	st, err := remoteContext(opts)
	if st == nil || err != nil {
		return ""
	}
	def, err := st.Marshal(ctx)
	if err != nil {
		return ""
	}
	for _, raw := range def.Def {
		var op pb.Op
		if proto.Unmarshal(raw, &op) == nil && op.GetSource() != nil {
			return op.GetSource().Identifier
		}
	}
	return ""
}

// settle makes what is in force final, once: with the project's file, if that is
// read. It is called before anything of the build is fetched.
func (g *gateway) settle(ctx context.Context) error {
	g.settling.Do(func() {
		if g.project != nil {
			g.unsettled = g.join(ctx)
		}
		g.reporter.settled(ctx)
	})
	return g.unsettled
}

// join waits for the project's file, and puts it in force.
func (g *gateway) join(ctx context.Context) error {
	<-g.project.done
	if g.project.err != nil || g.project.file == nil {
		return g.project.err
	}
	cfg, err := g.reporter.cfg.settle(g.project.file)
	if err != nil {
		return err
	}
	g.pass.Context, g.pass.ContextTable = contextIdentifier(ctx, g.opts.Opts), g.pass.Table
	g.reporter.cfg = cfg
	return cfg.follow(&g.pass)
}

// fromClient reports whether a definition is of the client's folders alone: in it
// nothing is fetched.
func fromClient(def *pb.Definition) bool {
	for _, raw := range def.GetDef() {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			return false
		}
		source := op.GetSource()
		if op.Op != nil && (source == nil || !strings.HasPrefix(source.Identifier, "local://")) {
			return false
		}
	}
	return true
}
