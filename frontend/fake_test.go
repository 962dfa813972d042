package frontend

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/containerd/platforms"
	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/gateway/client"
	gwpb "github.com/moby/buildkit/frontend/gateway/pb"
	"github.com/moby/buildkit/solver/pb"
	apicapspb "github.com/moby/buildkit/util/apicaps/pb"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	digest "github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
	fstypes "github.com/tonistiigi/fsutil/types"
	"google.golang.org/protobuf/proto"
)

// fakeGateway stands in for the daemon: it hands out the files of local
// sources and remembers what it was asked to solve.
type fakeGateway struct {
	client.Client // panics for what is not implemented

	opts    map[string]string
	locals  map[string]map[string]string // local name to files
	inputs  map[string]llb.State
	onbuild []string
	old     bool              // without CurrentFrontend and warnings
	every   map[string]string // files of every image
	remote  map[string]string // files of every git and http source

	mu       sync.Mutex
	solved   []*pb.Definition
	shown    []string // lines of ours in the progress output
	resolved []string // identifiers of ResolveSourceMetadata
	warnings []fakeWarning
}

type fakeWarning struct {
	vertex digest.Digest
	msg    string
	opts   client.WarnOpts
}

func newFake(dockerfile string, opts map[string]string) *fakeGateway {
	all := map[string]string{}
	maps.Copy(all, opts)
	return &fakeGateway{opts: all, locals: map[string]map[string]string{"dockerfile": {"Dockerfile": dockerfile}}}
}

func (g *fakeGateway) BuildOpts() client.BuildOpts {
	caps := gwpb.Caps.All()
	if g.old {
		caps = slices.DeleteFunc(caps, func(c *apicapspb.APICap) bool { return c.ID == string(gwpb.CapGatewayWarnings) })
	}
	return client.BuildOpts{
		Opts: g.opts, SessionID: "session",
		Workers: []client.WorkerInfo{{Platforms: []ocispecs.Platform{platforms.MustParse("linux/amd64")}}},
		Caps:    gwpb.Caps.CapSet(caps), LLBCaps: pb.Caps.CapSet(pb.Caps.All()),
	}
}

func (g *fakeGateway) Inputs(context.Context) (map[string]llb.State, error) { return g.inputs, nil }

// CurrentFrontend is the image that the frontend runs from, unless the daemon is
// an old one.
func (g *fakeGateway) CurrentFrontend() (*llb.State, error) {
	if g.old {
		return nil, nil
	}
	st := llb.Image("docker.io/loopx/frontend:1@"+digest.FromString("frontend").String(), llb.Platform(platforms.MustParse("linux/amd64")))
	return &st, nil
}

func (g *fakeGateway) Warn(_ context.Context, vertex digest.Digest, msg string, opts client.WarnOpts) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.warnings = append(g.warnings, fakeWarning{vertex, msg, opts})
	return nil
}

func (g *fakeGateway) ResolveImageConfig(_ context.Context, ref string, opt sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	img := dockerspec.DockerOCIImage{}
	img.Platform = *opt.ImageOpt.Platform
	img.RootFS.DiffIDs = []digest.Digest{digest.FromString(ref)}
	img.Config.OnBuild = g.onbuild
	dt, err := json.Marshal(img)
	return ref, digest.FromBytes(dt), dt, err
}

func (g *fakeGateway) ResolveSourceMetadata(_ context.Context, op *pb.SourceOp, _ sourceresolver.Opt) (*sourceresolver.MetaResponse, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resolved = append(g.resolved, op.Identifier)
	return &sourceresolver.MetaResponse{Op: op}, nil
}

func (g *fakeGateway) Solve(_ context.Context, req client.SolveRequest) (*client.Result, error) {
	if req.Definition == nil {
		return nil, fmt.Errorf("asked to run frontend %s", req.Frontend)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if line := shownBy(req.Definition); line != "" {
		g.shown = append(g.shown, line)
		return client.NewResult(), nil
	}
	if !readsConfiguration(req.Definition) {
		g.solved = append(g.solved, req.Definition)
	}
	files := map[string]string{}
	for _, raw := range req.Definition.Def {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			return nil, err
		}
		if name, ok := strings.CutPrefix(op.GetSource().GetIdentifier(), "local://"); ok {
			maps.Copy(files, g.locals[name])
		}
		switch kind, _, _ := strings.Cut(op.GetSource().GetIdentifier(), "://"); kind {
		case "docker-image":
			maps.Copy(files, g.every)
		case "git", "https":
			maps.Copy(files, g.remote)
		}
	}
	res := client.NewResult()
	res.SetRef(fakeRef(files))
	return res, nil
}

// shownBy returns the line that a definition is solved to show, "" if it is
// solved for its result.
func shownBy(def *pb.Definition) string {
	for _, meta := range def.Metadata {
		name := meta.GetDescription()["llb.customname"]
		if strings.HasPrefix(name, "[internal] loopx-frontend ") || strings.HasPrefix(name, "[internal] warning: ") ||
			strings.HasPrefix(name, "[internal] Dockerfile:") {
			return name
		}
	}
	return ""
}

// readsConfiguration reports whether a definition is solved for loopx.yaml, which
// the stock frontend has no use for.
func readsConfiguration(def *pb.Definition) bool {
	for _, meta := range def.Metadata {
		if meta.GetDescription()["llb.customname"] == "[internal] load loopx.yaml" {
			return true
		}
	}
	return false
}

// built returns the definitions that were solved for the image, not for the
// Dockerfile or a named context.
func (g *fakeGateway) built() []*pb.Definition {
	return slices.DeleteFunc(slices.Clone(g.solved), func(def *pb.Definition) bool { return def.GetSource().GetInfos() == nil })
}

// fakeRef is a folder of files.
type fakeRef map[string]string

func (r fakeRef) ToState() (llb.State, error)    { return llb.Scratch(), nil }
func (r fakeRef) Evaluate(context.Context) error { return nil }

func (r fakeRef) ReadFile(_ context.Context, req client.ReadRequest) ([]byte, error) {
	data, ok := r[strings.TrimPrefix(req.Filename, "/")]
	if !ok {
		return nil, fmt.Errorf("%s: %w", req.Filename, fs.ErrNotExist)
	}
	if r := req.Range; r != nil {
		data = data[min(r.Offset, len(data)):]
		data = data[:min(r.Length, len(data))]
	}
	return []byte(data), nil
}

func (r fakeRef) StatFile(_ context.Context, req client.StatRequest) (*fstypes.Stat, error) {
	if _, ok := r[strings.TrimPrefix(req.Path, "/")]; !ok {
		return nil, fs.ErrNotExist
	}
	return &fstypes.Stat{Path: req.Path}, nil
}

func (r fakeRef) ReadDir(_ context.Context, req client.ReadDirRequest) ([]*fstypes.Stat, error) {
	var out []*fstypes.Stat
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if dir, base := path.Split("/" + name); path.Clean(dir) == req.Path && (req.IncludePattern == "" || req.IncludePattern == base) {
			out = append(out, &fstypes.Stat{Path: base})
		}
	}
	return out, nil
}

func mustBuild(t *testing.T, g *fakeGateway) *client.Result {
	t.Helper()
	res, err := Build(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// wrapped is the client that the builder sees in place of c.
func wrapped(t *testing.T, c client.Client) *gateway {
	t.Helper()
	table, err := route.NewTable(route.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return newGateway(c, request{settings: settings.InForce()}, llbpass.Pass{Table: table, Analyse: words.Analyse})
}

// hasMount reports whether the RUN of a command has the operator's bundle.
func hasMount(t *testing.T, def *pb.Definition, command string) bool {
	t.Helper()
	for _, raw := range def.Def {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			t.Fatal(err)
		}
		if e := op.GetExec(); e != nil && e.Meta.Args[len(e.Meta.Args)-1] == command {
			return slices.ContainsFunc(e.Mounts, func(m *pb.Mount) bool { return m.Dest == cabundle.OperatorDir })
		}
	}
	t.Fatalf("there is no RUN %s", command)
	return false
}

// testCA returns a certificate in PEM.
func testCA(t *testing.T) string { return string(testbed.NewCA(t, "corp").PEM) }
