package llbpass

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/solver/pb"
)

// offline reports whether an exec op has no use for what is mounted: it has no
// network, or is not Linux.
func offline(op *pb.Op, e *pb.ExecOp) bool {
	return op.GetPlatform().GetOS() == "windows" || e.Network == pb.NetMode_NONE
}

// inTheWay returns the mount of the author's that takes the place of ours: what
// is mounted there stays, and a folder that is mounted on /dev is not ours to
// leave a mount point in. A tmpfs is.
func inTheWay(e *pb.ExecOp) *pb.Mount {
	i := slices.IndexFunc(e.Mounts, func(m *pb.Mount) bool {
		dest := path.Clean(m.Dest)
		return dest == mount.Dir || strings.HasPrefix(dest, mount.Dir+"/") || dest == mount.AuthFile ||
			dest == path.Dir(mount.Dir) && m.MountType != pb.MountType_TMPFS
	})
	if i < 0 {
		return nil
	}
	return e.Mounts[i]
}

// mountFile mounts a file or folder of an input, read-only.
func (r *run) mountFile(v *vertex, e *pb.ExecOp, input int64, selector, dest string) {
	addMount(e, &pb.Mount{Input: input, Selector: selector, Dest: dest, Output: int64(pb.SkipOutput), Readonly: true})
	v.meta = withCap(v.meta, pb.CapExecMountBind)
	if selector != "" {
		v.meta = withCap(v.meta, pb.CapExecMountSelector)
	}
}

// mountAuth mounts the credentials for mirrors if the client has any. The mode
// is that of apt's own auth.conf: the method reads it before it gives up root.
func mountAuth(v *vertex, e *pb.ExecOp) {
	addMount(e, &pb.Mount{
		Input: int64(pb.Empty), Dest: mount.AuthFile, MountType: pb.MountType_SECRET,
		SecretOpt: &pb.SecretOpt{ID: mount.AuthSecret, Mode: 0o400, Optional: true},
	})
	v.meta = withCap(v.meta, pb.CapExecMountSecret)
}

// mountOperator mounts what the operator configured, if that is anything.
func (r *run) mountOperator(v *vertex, e *pb.ExecOp) error {
	if r.Operator == nil && !r.Bundle.Operator() {
		return nil
	}
	if r.operator == nil {
		op, err := operatorVertex(r.ctx, r.Operator, r.Bundle)
		if err != nil {
			return err
		}
		if err := r.graph.record(op, false); err != nil {
			return err
		}
		r.operator = op
	}
	r.mountFile(v, e, inputOf(v.op, &pb.Input{Digest: r.operator.digest}), "", mount.OperatorDir)
	return nil
}

// operatorName is how the progress output calls the op of operatorVertex.
const operatorName = "[internal] loopx: the operator's mirrors and certificates"

// operatorVertex is a file op with the route and, if the operator added to the
// certificates, the bundle. Equal configurations are equal ops.
func operatorVertex(ctx context.Context, routes []byte, b cabundle.Bundle) (*vertex, error) {
	var files *llb.FileAction
	add := func(name string, data []byte) {
		epoch := llb.WithCreatedTime(time.Unix(0, 0).UTC())
		if files == nil {
			files = llb.Mkfile("/"+name, 0o444, data, epoch)
			return
		}
		files = files.Mkfile("/"+name, 0o444, data, epoch)
	}
	if routes != nil {
		add(mount.RouteName, routes)
	}
	if b.Operator() {
		add(cabundle.FileName, b.PEM())
		add(cabundle.WgetRC, b.WgetRCContent())
	}
	def, err := llb.Scratch().File(files, llb.WithCustomName(operatorName)).Marshal(ctx)
	if err != nil {
		return nil, fmt.Errorf("the operator's part of the guard: %w", err)
	}
	v, err := newVertex(def.Def[0])
	if err != nil {
		return nil, err
	}
	v.meta = def.ToPB().Metadata[v.digest]
	return v, nil
}

// imageInput returns the index of op's input that is the frontend's own image,
// and splices its ops into the definition. why says why it can't be had. key is
// that of the folder in it, see Pass.Mount.
func (r *run) imageInput(op *pb.Op, key string) (input int64, why string, err error) {
	if r.Mount == nil {
		return 0, noImage, nil
	}
	def, err := r.Mount(r.ctx, key)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return 0, "", err
	case err != nil:
		return 0, oneLine(err.Error()), nil
	case len(def.GetDef()) == 0:
		return 0, noImage, nil
	}
	head, err := r.splice(def)
	if err != nil {
		return 0, "", err
	}
	return inputOf(op, head), "", nil
}

const noImage = "this daemon does not say which image the frontend runs from"

// splice records the ops of the frontend's image, each once, and returns what
// its last one names.
func (r *run) splice(def *pb.Definition) (*pb.Input, error) {
	var head *pb.Input
	for i, raw := range def.Def {
		v, err := newVertex(raw)
		if err != nil {
			return nil, err
		}
		if i == len(def.Def)-1 {
			if v.op.Op != nil || len(v.op.Inputs) != 1 {
				return nil, fmt.Errorf("the definition of the frontend's image names no result")
			}
			head = v.op.Inputs[0]
			break
		}
		v.meta = def.Metadata[v.digest]
		if v.op.GetSource() != nil && r.MountName != "" {
			v.meta = named(v.meta, r.MountName)
		}
		if err := r.graph.record(v, false); err != nil {
			return nil, err
		}
	}
	if r.graph.recorded[head.Digest] == nil {
		return nil, fmt.Errorf("the definition of the frontend's image lacks its result")
	}
	return head, nil
}

// inputOf returns the index of in among the inputs of op, where llb has each
// once, and adds it if it is not there.
func inputOf(op *pb.Op, in *pb.Input) int64 {
	if i := slices.IndexFunc(op.Inputs, in.EqualVT); i >= 0 {
		return int64(i)
	}
	op.Inputs = append(op.Inputs, in.CloneVT())
	return int64(len(op.Inputs) - 1)
}

// oneLine makes text from elsewhere fit for a message.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, route.RedactText(s))
}
