package llbpass

import (
	"context"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
	"github.com/moby/buildkit/util/apicaps"
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

// trust gives an exec op that needs it the bundle, and reports whether it did.
// A guarded one has it already, and needs the variables only.
func (r *run) trust(v *vertex, e *pb.ExecOp, res words.Result, moved []words.Fetch, guarded bool) (bool, error) {
	tools := r.fetchers(res, moved)
	if len(tools) == 0 || !guarded && (offline(v.op, e) || inTheWay(e) != nil) {
		return false, nil
	}
	vars := r.Bundle.Variables(tools, func(name string) bool { return hasVariable(e, name) })
	if len(vars) == 0 {
		return false, nil
	}
	if !guarded {
		if err := r.mountBundle(v, e); err != nil {
			return false, err
		}
	}
	for _, kv := range vars {
		e.Meta.Env = append(e.Meta.Env, kv.Name+"="+kv.Value)
	}
	return true, nil
}

// mountBundle mounts the bundle: from the frontend's image, or from an op of
// its own if the operator added to it or the image can't be had.
func (r *run) mountBundle(v *vertex, e *pb.ExecOp) error {
	if !r.Bundle.Operator() {
		input, why, err := r.imageInput(v.op, "")
		if err != nil {
			return err
		}
		if why == "" {
			r.mountFile(v, e, input, mount.CASelector, mount.Dir)
			return nil
		}
	}
	input, err := r.bundleInput(v.op)
	if err != nil {
		return err
	}
	r.mountFile(v, e, input, "", r.Bundle.Dir())
	return nil
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
	return inputOf(op, &pb.Input{Digest: r.bundle.digest}), nil
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
// destination, then come secrets, then agents.
func addMount(e *pb.ExecOp, m *pb.Mount) {
	i := slices.IndexFunc(e.Mounts, func(have *pb.Mount) bool {
		if c := kindOrder(have) - kindOrder(m); c != 0 {
			return c > 0
		}
		return kindOrder(m) == 0 && have.Dest > m.Dest
	})
	if i < 0 {
		i = len(e.Mounts)
	}
	e.Mounts = slices.Insert(e.Mounts, i, m)
}

func kindOrder(m *pb.Mount) int {
	switch m.MountType {
	case pb.MountType_SECRET:
		return 1
	case pb.MountType_SSH:
		return 2
	}
	return 0
}

// withCap returns the metadata with a capability that the daemon must have.
func withCap(meta *pb.OpMetadata, capability apicaps.CapID) *pb.OpMetadata {
	if meta.GetCaps()[string(capability)] {
		return meta
	}
	meta = meta.CloneVT()
	if meta == nil {
		meta = &pb.OpMetadata{}
	}
	if meta.Caps == nil {
		meta.Caps = map[string]bool{}
	}
	meta.Caps[string(capability)] = true
	return meta
}
