package llbpass

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
	"google.golang.org/protobuf/proto"
)

// TestTargetsAgree holds that explain and the frontend mean the same files.
func TestTargetsAgree(t *testing.T) {
	if rewrite.AptConfFile != mount.FallbackTarget || rewrite.SudoersFile != mount.SudoersTarget {
		t.Errorf("%s and %s are not %s and %s", rewrite.AptConfFile, rewrite.SudoersFile, mount.FallbackTarget, mount.SudoersTarget)
	}
	lent := []string{
		rewrite.LentDir, rewrite.LentConf, rewrite.LentOperator, rewrite.LentRoute,
		rewrite.LentAuth, rewrite.LentAuthID, rewrite.ImageRun, rewrite.ImageCA,
	}
	want := []string{
		mount.Dir, mount.AptConfig, mount.OperatorDir, mount.RouteFile,
		mount.AuthFile, mount.AuthSecret, mount.RunLink, mount.CASelector,
	}
	if diff := cmp.Diff(want, lent); diff != "" {
		t.Errorf("what a text lends (-frontend +text):\n%s", diff)
	}
}

// checkOthersStay checks that every op without a mount or an edit of ours is
// the stock one, but for the names of its inputs.
func checkOthersStay(t *testing.T, p *Pass, in *pb.Definition) {
	t.Helper()
	out, _ := mustRun(t, p, in)
	stock := map[string]bool{}
	for _, op := range ops(t, in) {
		stock[string(withoutInputs(t, op))] = true
	}
	image, err := ownImage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops(t, image) {
		stock[string(withoutInputs(t, op))] = true
	}
	for _, op := range ops(t, out) {
		if !stock[string(withoutInputs(t, op))] && !changedByUs(op) {
			t.Errorf("an op that needs nothing differs:\n%v", op)
		}
	}
}

func changedByUs(op *pb.Op) bool {
	if op.GetFile() != nil || op.GetSource() != nil { // scripts, the operator's part, addresses
		return true
	}
	text := op.GetExec().String()
	return strings.Contains(text, mount.Dir) || strings.Contains(text, "https://") || strings.Contains(text, "hkps")
}

func ops(t *testing.T, def *pb.Definition) []*pb.Op {
	t.Helper()
	var all []*pb.Op
	for _, raw := range def.Def {
		op := &pb.Op{}
		if err := proto.Unmarshal(raw, op); err != nil {
			t.Fatal(err)
		}
		all = append(all, op)
	}
	return all
}

func withoutInputs(t *testing.T, op *pb.Op) []byte {
	t.Helper()
	op = proto.CloneOf(op)
	for _, in := range op.Inputs {
		in.Digest = ""
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(op)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestGuardAsLLB compares a guarded exec op with the one that llb makes of the
// same mounts: bytes and capabilities.
func TestGuardAsLLB(t *testing.T) {
	const dockerfile = "FROM debian\nRUN --mount=type=cache,target=/c --mount=type=secret,id=s --mount=type=ssh "
	p := guardPass(t, route.Config{})
	p.Operator = []byte("{}")
	out, _ := mustRun(t, p, mustConvert(t, dockerfile+"sudo apt-get update\n"))
	image := llb.Image("docker.io/loopx/frontend:1@"+digest.FromString("frontend").String(), llb.LinuxAmd64)
	folder, ok := mount.AptFor(&pb.Platform{OS: "linux", Architecture: "amd64"})
	if !ok {
		t.Fatal("there is no method for linux/amd64")
	}
	st := llb.Image("docker.io/library/debian:latest", llb.LinuxAmd64).AddEnv("PATH", "/usr/bin:/bin").
		AddEnv("APT_CONFIG", mount.AptConfig).
		Run(llb.Args([]string{"/bin/sh", "-c", "sudo apt-get update"}),
			llb.AddMount("/c", llb.Scratch(), llb.AsPersistentCacheDir("/c", llb.CacheMountShared)),
			llb.AddSecret("/run/secrets/s", llb.SecretID("s"), llb.SecretFileOpt(0, 0, 0o400), llb.SecretOptional),
			llb.AddSecret(mount.AuthFile, llb.SecretID(mount.AuthSecret), llb.SecretFileOpt(0, 0, 0o400), llb.SecretOptional),
			llb.AddSSHSocket(llb.SSHSocketTarget(""), llb.SSHOptional),
			llb.AddMount(mount.Dir, image, llb.SourcePath(folder.Selector), llb.Readonly),
			llb.AddMount(mount.FallbackTarget, image, llb.SourcePath(folder.Fallback), llb.Readonly),
			llb.AddMount(mount.OperatorDir, llb.Scratch().File(llb.Mkfile("/route.json", 0o444, []byte("{}"))), llb.Readonly),
		).Root()
	def, err := st.Marshal(t.Context(), llb.LinuxAmd64)
	if err != nil {
		t.Fatal(err)
	}
	got, gotCaps := execOf(t, out)
	want, wantCaps := execOf(t, def.ToPB())
	if diff := cmp.Diff(mountsOf(want), mountsOf(got)); diff != "" {
		t.Errorf("mounts (-llb +pass):\n%s", diff)
	}
	for name := range wantCaps {
		if strings.HasPrefix(name, "exec.mount") && !gotCaps[name] {
			t.Errorf("llb asks for %s, the pass doesn't", name)
		}
	}
	for name := range gotCaps {
		if strings.HasPrefix(name, "exec.mount") && !wantCaps[name] {
			t.Errorf("the pass asks for %s, llb doesn't", name)
		}
	}
	if !got.Meta.RemoveMountStubsRecursive {
		t.Error("folders of the mount points would stay")
	}
}

func execOf(t *testing.T, def *pb.Definition) (*pb.ExecOp, map[string]bool) {
	t.Helper()
	for i, op := range ops(t, def) {
		if e := op.GetExec(); e != nil {
			return e, def.Metadata[digest.FromBytes(def.Def[i]).String()].GetCaps()
		}
	}
	t.Fatal("there is no exec op")
	return nil, nil
}

// mountsOf prints the mounts, but for the ids that the Dockerfile frontend and
// llb choose by themselves and the numbers of the inputs, which follow the order
// in which mounts were added.
func mountsOf(e *pb.ExecOp) []string {
	var all []string
	for _, m := range e.Mounts {
		m = proto.CloneOf(m)
		m.CacheOpt, m.SSHOpt = nil, nil
		if m.Input > 0 {
			m.Input = 1
		}
		if m.Dest == "/run/secrets/s" {
			m.SecretOpt = nil
		}
		all = append(all, strings.Join(strings.Fields(m.String()), " "))
	}
	return all
}

// TestGuardAsksOnce holds that the image is asked for no more than it is used,
// and by the key of the folder.
func TestGuardAsksOnce(t *testing.T) {
	p := guardPass(t, route.Config{})
	var keys []string
	p.Mount = func(ctx context.Context, key string) (*pb.Definition, error) {
		keys = append(keys, key)
		return ownImage(ctx, key)
	}
	mustRun(t, p, mustConvert(t, "FROM debian\nRUN cp a b\nRUN apt-get update\nRUN curl -O http://example.org/x\n"))
	if diff := cmp.Diff([]string{"linux_amd64", ""}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// TestGuardIsCanceled holds that a build that ends is no finding.
func TestGuardIsCanceled(t *testing.T) {
	p := guardPass(t, route.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	p.Mount = func(ctx context.Context, _ string) (*pb.Definition, error) {
		cancel()
		return nil, ctx.Err()
	}
	if _, findings, err := p.Run(ctx, mustConvert(t, "FROM debian\nRUN apt-get update\n")); err == nil {
		t.Errorf("no error, and %v", findings)
	}
}

// TestBrokenImage holds that a definition without a result is an error.
func TestBrokenImage(t *testing.T) {
	image, err := ownImage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range map[string]*pb.Definition{
		"no result": {Def: image.Def[:1]},
		"no source": {Def: image.Def[1:]},
		"no op":     {Def: [][]byte{{0xff}}},
	} {
		p := guardPass(t, route.Config{})
		p.Mount = func(context.Context, string) (*pb.Definition, error) { return def, nil }
		if _, _, err := p.Run(t.Context(), mustConvert(t, "FROM debian\nRUN apt-get update\n")); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestGuardOnOwnImage builds from the frontend's image: one source op, one input.
func TestGuardOnOwnImage(t *testing.T) {
	in := mustConvert(t, "FROM docker.io/loopx/frontend:1\nRUN apt-get update\n")
	raw, err := proto.Marshal(&pb.Op{Inputs: []*pb.Input{{Digest: digest.FromBytes(in.Def[0]).String()}}})
	if err != nil {
		t.Fatal(err)
	}
	p := guardPass(t, route.Config{})
	p.Mount = func(context.Context, string) (*pb.Definition, error) {
		return &pb.Definition{Def: [][]byte{in.Def[0], raw}}, nil
	}
	checkLaws(t, p, in)
	out, _ := mustRun(t, p, in)
	if len(out.Def) != len(in.Def) {
		t.Errorf("%d ops became %d", len(in.Def), len(out.Def))
	}
	e, _ := execOf(t, out)
	for _, m := range e.Mounts {
		if m.Input > 0 {
			t.Errorf("the image is another input at %s", m.Dest)
		}
	}
}

// TestProtectedIsNotGuarded is about another build's RUN.
func TestProtectedIsNotGuarded(t *testing.T) {
	in := mustConvert(t, "FROM debian\nRUN apt-get update\n")
	p := guardPass(t, route.Config{})
	p.Protected = func(string) bool { return true }
	if out, findings := mustRun(t, p, in); out != in || len(findings) > 0 {
		t.Errorf("changed:\n%s%s", dumpChanged(t, in, out), printFindings(findings))
	}
}
