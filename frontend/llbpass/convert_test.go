package llbpass

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/solver/pb"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	digest "github.com/opencontainers/go-digest"
	"google.golang.org/protobuf/proto"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// base is every image of the tests: a slim Debian with variables and triggers.
type base struct {
	env     []string
	onbuild []string
}

func (b base) ResolveImageConfig(_ context.Context, ref string, opt sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	var img dockerspec.DockerOCIImage
	img.Platform = *opt.ImageOpt.Platform
	img.RootFS.DiffIDs = []digest.Digest{digest.FromString(ref)} // without layers it would be scratch
	img.Config.Env = append([]string{"PATH=/usr/bin:/bin"}, b.env...)
	img.Config.OnBuild = b.onbuild
	dt, err := json.Marshal(img)
	if _, pinned, ok := strings.Cut(ref, "@"); ok {
		return ref, digest.Digest(pinned), dt, err
	}
	return ref, digest.FromBytes(dt), dt, err
}

// convert makes the definition of a Dockerfile as BuildKit's builder does, with
// every capability. An error is BuildKit's.
func convert(ctx context.Context, dockerfile string, b base, args map[string]string) (*pb.Definition, error) {
	src := llb.Scratch()
	caps := pb.Caps.CapSet(pb.Caps.All())
	platform := platforms.MustParse("linux/amd64")
	opt := dockerfile2llb.ConvertOpt{
		MetaResolver:   b,
		LLBCaps:        &caps,
		TargetPlatform: &platform,
		SourceMap:      llb.NewSourceMap(&src, "Dockerfile", "Dockerfile", []byte(dockerfile)),
	}
	opt.BuildArgs = maps.Clone(args)
	res, err := dockerfile2llb.Dockerfile2LLB(ctx, []byte(dockerfile), opt)
	if err != nil {
		return nil, err
	}
	def, err := res.State.Marshal(ctx)
	if err != nil {
		return nil, err
	}
	return def.ToPB(), nil
}

func mustConvert(t testing.TB, dockerfile string) *pb.Definition {
	t.Helper()
	def, err := convert(t.Context(), dockerfile, base{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return def
}

func newPass(t testing.TB, cfg route.Config) *Pass {
	t.Helper()
	table, err := route.NewTable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &Pass{Table: table, Analyse: words.Analyse, Apt: AptOff}
}

// guardPass is newPass for tests of the guard, with all that a daemon can have.
func guardPass(t testing.TB, cfg route.Config) *Pass {
	t.Helper()
	p := newPass(t, cfg)
	p.Apt, p.Mount, p.MountName, p.RecursiveStubs = AptAuto, ownImage, "[internal] loopx-frontend", true
	return p
}

// ownImage is the frontend's image.
func ownImage(ctx context.Context, _ string) (*pb.Definition, error) {
	amd64 := platforms.MustParse("linux/amd64")
	def, err := llb.Image("docker.io/loopx/frontend:1@"+digest.FromString("frontend").String(), llb.Platform(amd64)).Marshal(ctx)
	if err != nil {
		return nil, err
	}
	return def.ToPB(), nil
}

func mustRun(t testing.TB, p *Pass, def *pb.Definition) (*pb.Definition, []Finding) {
	t.Helper()
	before := proto.CloneOf(def)
	out, told, err := p.Run(t.Context(), def)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(before, def) {
		t.Error("the pass changed its input")
	}
	return out, told.Findings
}

// checkLaws holds what must be true of every result of the pass.
func checkLaws(t testing.TB, p *Pass, in *pb.Definition) {
	t.Helper()
	out, _ := mustRun(t, p, in)
	again, _ := mustRun(t, p, out)
	if again != out {
		t.Errorf("the pass run twice differs from once:\n%s", dumpChanged(t, out, again))
	}
	if err := valid(out); err != nil {
		t.Errorf("the pass made an invalid definition: %v", err)
	}
	if _, err := llb.NewDefinitionOp(out); err != nil {
		t.Errorf("llb can't read the definition: %v", err)
	}
	if out != in && proto.Equal(in, out) {
		t.Error("the pass copied a definition in which nothing applies")
	}
}

// valid checks that inputs come first, the result last, and that nothing is
// said about ops that are not there.
func valid(def *pb.Definition) error {
	seen := map[string]bool{}
	for i, raw := range def.Def {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			return err
		}
		for _, in := range op.Inputs {
			if !seen[in.Digest] {
				return fmt.Errorf("op %d has the input %s, which does not precede it", i, in.Digest)
			}
		}
		if (op.Op == nil) != (i == len(def.Def)-1) {
			return fmt.Errorf("op %d of %d is the result", i, len(def.Def))
		}
		dgst := digest.FromBytes(raw).String()
		if seen[dgst] {
			return fmt.Errorf("op %d is there twice", i)
		}
		seen[dgst] = true
		if def.Metadata[dgst] == nil {
			return fmt.Errorf("op %d has no metadata", i)
		}
	}
	for _, dgst := range slices.Concat(slices.Collect(maps.Keys(def.Metadata)), slices.Collect(maps.Keys(def.GetSource().GetLocations()))) {
		if !seen[dgst] {
			return fmt.Errorf("there is metadata or a location for %s, but no op", dgst)
		}
	}
	return nil
}

// dumpChanged prints the ops of def, metadata included, that other lacks.
// Renamed inputs alone are no change.
func dumpChanged(t testing.TB, other, def *pb.Definition) string {
	t.Helper()
	had := map[string]bool{}
	for _, s := range dump(t, other) {
		had[s] = true
	}
	var b strings.Builder
	for _, s := range dump(t, def) {
		if !had[s] {
			b.WriteString(s)
		}
	}
	return b.String()
}

// dump prints each op on lines of its own, without digests.
func dump(t testing.TB, def *pb.Definition) []string {
	t.Helper()
	names := map[string]string{} // of ops, by digest
	var out []string
	for _, raw := range def.Def {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			t.Fatal(err)
		}
		dgst := digest.FromBytes(raw).String()
		name := def.Metadata[dgst].GetDescription()[customName]
		if src := op.GetSource(); src != nil && name == "" {
			name = src.Identifier
		}
		name, _, _ = strings.Cut(name, "@sha256:")
		names[dgst] = stockName(name)
		out = append(out, dumpOp(&op, name, names))
	}
	return out
}

// stockName is a vertex's name without what the pass appends to it.
func stockName(name string) string {
	for _, s := range []string{" (1 fetch", " (2 fetches", " (apt over TLS"} {
		name, _, _ = strings.Cut(name, s)
	}
	return name
}

func dumpOp(op *pb.Op, name string, names map[string]string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", name)
	switch o := op.Op.(type) {
	case *pb.Op_Source:
		line("  source %s", o.Source.Identifier)
		for _, k := range slices.Sorted(maps.Keys(o.Source.Attrs)) {
			line("    %s=%s", k, o.Source.Attrs[k])
		}
	case *pb.Op_File:
		for _, a := range o.File.Actions {
			switch f := a.Action.(type) {
			case *pb.FileAction_Mkfile:
				data := string(f.Mkfile.Data)
				if f.Mkfile.Path == "/"+cabundle.FileName {
					data = "…"
				}
				line("  mkfile %s %o %q", f.Mkfile.Path, f.Mkfile.Mode, data)
			case *pb.FileAction_Copy:
				line("  copy %s to %s", f.Copy.Src, f.Copy.Dest)
			default:
				line("  %T", f)
			}
		}
	case *pb.Op_Exec:
		for _, a := range o.Exec.Meta.Args {
			line("  arg %q", a)
		}
		for _, kv := range o.Exec.Meta.Env {
			line("  env %q", kv)
		}
		for _, m := range o.Exec.Mounts {
			from := "scratch"
			if m.Input >= 0 {
				from = names[op.Inputs[m.Input].Digest]
			}
			more := ""
			if m.Selector != "" {
				more = " at " + m.Selector
			}
			if s := m.SecretOpt; s != nil {
				more = fmt.Sprintf(" secret %s mode %o optional=%v", s.ID, s.Mode, s.Optional)
			}
			line("  mount %s %s readonly=%v output=%d from %q%s", m.Dest, m.MountType, m.Readonly, m.Output, from, more)
		}
	}
	return b.String()
}
