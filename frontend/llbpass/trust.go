package llbpass

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// fetchers decides which programs of a RUN are told of the bundle; none means
// that the RUN gets no bundle.
//
// A RUN with a fetch that moved gets it, since the image may have no
// certificate authorities: nobody knows when LLB is made. So does, if the
// operator gave a CA, every RUN that names a program which is known to fetch.
// A RUN whose fetches were TLS already, without an operator's CA, doesn't: it
// works today.
func (r *run) fetchers(res words.Result, moved []words.Fetch) []string {
	var tools []string
	for _, f := range moved {
		tools = append(tools, f.Tool)
	}
	if r.Bundle.Operator() {
		for _, c := range res.Commands {
			if cabundle.Fetches(c) {
				tools = append(tools, c)
			}
		}
	}
	return tools
}

// trust mounts the bundle into an exec op that needs it and reports whether
// it did.
func (r *run) trust(v *vertex, e *pb.ExecOp, res words.Result, moved []words.Fetch) (bool, error) {
	tools := r.fetchers(res, moved)
	if len(tools) == 0 || !mountable(v.op, e) {
		return false, nil
	}
	vars := r.Bundle.Variables(tools, func(name string) bool { return hasVariable(e, name) })
	if len(vars) == 0 {
		return false, nil
	}
	input, err := r.bundleInput(v.op)
	if err != nil {
		return false, err
	}
	for _, kv := range vars {
		e.Meta.Env = append(e.Meta.Env, kv.Name+"="+kv.Value)
	}
	addMount(e, &pb.Mount{Input: input, Dest: cabundle.Dir, Output: int64(pb.SkipOutput), Readonly: true})
	v.meta = withCap(v.meta, string(pb.CapExecMountBind))
	return true, nil
}

// mountable reports whether the exec op can have the mount and has a use for
// it. One that has something of its own in the place keeps it; a folder that
// is mounted on /dev is not ours to leave a mount point in, but a tmpfs is.
func mountable(op *pb.Op, e *pb.ExecOp) bool {
	if op.GetPlatform().GetOS() == "windows" || e.Network == pb.NetMode_NONE {
		return false
	}
	return !slices.ContainsFunc(e.Mounts, func(m *pb.Mount) bool {
		dest := path.Clean(m.Dest)
		return dest == cabundle.Dir || strings.HasPrefix(dest, cabundle.Dir+"/") ||
			dest == path.Dir(cabundle.Dir) && m.MountType != pb.MountType_TMPFS
	})
}

// hasVariable reports whether the command's environment has the variable,
// from the image, the Dockerfile or a secret.
func hasVariable(e *pb.ExecOp, name string) bool {
	return slices.ContainsFunc(e.Meta.Env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) ||
		slices.ContainsFunc(e.Secretenv, func(s *pb.SecretEnv) bool { return s.Name == name })
}

// bundleInput returns the index of op's input that holds the bundle, and
// splices the op that makes it into the definition.
func (r *run) bundleInput(op *pb.Op) (int64, error) {
	if r.bundle == nil {
		v, err := bundleVertex(r.ctx, r.Bundle)
		if err != nil {
			return 0, err
		}
		if err := r.graph.record(v, false); err != nil {
			return 0, err
		}
		r.bundle = v
	}
	op.Inputs = append(op.Inputs, &pb.Input{Digest: r.bundle.digest})
	return int64(len(op.Inputs) - 1), nil
}

func bundleVertex(ctx context.Context, b cabundle.Bundle) (*vertex, error) {
	raw, meta, err := b.Op(ctx)
	if err != nil {
		return nil, err
	}
	v, err := newVertex(raw)
	if err != nil {
		return nil, err
	}
	v.meta = meta
	return v, nil
}

// addMount puts m where llb would have put it: mounts are sorted by their
// destination, secrets and agents come last.
func addMount(e *pb.ExecOp, m *pb.Mount) {
	i := slices.IndexFunc(e.Mounts, func(have *pb.Mount) bool {
		return have.Dest > m.Dest || have.MountType == pb.MountType_SECRET || have.MountType == pb.MountType_SSH
	})
	if i < 0 {
		i = len(e.Mounts)
	}
	e.Mounts = slices.Insert(e.Mounts, i, m)
}

func withCap(meta *pb.OpMetadata, capability string) *pb.OpMetadata {
	if meta.GetCaps()[capability] {
		return meta
	}
	meta = meta.CloneVT()
	if meta == nil {
		meta = &pb.OpMetadata{}
	}
	if meta.Caps == nil {
		meta.Caps = map[string]bool{}
	}
	meta.Caps[capability] = true
	return meta
}
