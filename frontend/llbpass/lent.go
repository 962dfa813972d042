package llbpass

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/solver/pb"
)

// lent reports whether an exec op has what serves apt already: by the text, as
// loopxctl rewrite writes it, or by another run of the pass. It stays as it is
// then. That it is not what the op would be given is a finding: a warning, since
// the text may be of another release, and a blocker if the configuration is locked.
//
// A mount in our place alone is none: apt has no use for it without the variable.
func (r *run) lent(v *vertex, e *pb.ExecOp, apt rewrite.AptUse) (bool, error) {
	m := mountAt(e, mount.Dir)
	if m == nil || !m.Readonly || !aptSelector(v.op, m.Selector) {
		return false, nil
	}
	cmd := input(e.Meta, r.graph.script(v.op, e).text())
	rest, line, byText := rewrite.TakeLine(cmd)
	if !byText && !slices.Contains(e.Meta.Env, aptConfig+"="+mount.AptConfig) {
		return false, nil
	}
	if byText {
		apt = rewrite.Apt(rest, r.Analyse(rest, r.Table))
		if !line.Conf && !slices.Contains(apt.Drops, aptConfig) {
			apt.Drops, apt.Lost = append(apt.Drops, aptConfig), apt.Certain
		}
	}
	if why := uncovered(e, apt); why != "" {
		r.unguarded(v, apt.Reason, apt.Lost, why, rewrite.RunApart)
	}
	if name, own := r.ownImage(v.op, m); !own {
		r.otherwise(v, apt.Reason, "by "+name+", which is not the frontend's own image; name that one with loopxctl rewrite --frontend-image")
	}
	same, err := r.sameTable(v.op, e, line.Table)
	if err == nil && !same {
		r.otherwise(v, apt.Reason, "with mirrors and host rules other than those of this build; write the text anew with those, or take out what it lends")
	}
	return true, err
}

// otherwise reports an op that is lent other than it would be given. how is two
// clauses: what differs, and what would help.
func (r *run) otherwise(v *vertex, reason, how string) {
	f := Finding{Rule: aptMayBeUnguarded, Severity: rewrite.Warning}
	if r.Locked {
		f.Rule, f.Severity = aptUnguarded, rewrite.Blocker
	}
	if reason == "" {
		reason = "it may run apt"
	}
	f.Message = fmt.Sprintf("%s, which the text has served %s", reason, how)
	r.report(v, strings.TrimPrefix(reason, "runs "), f)
}

// mountAt is the mount at a path, nil if there is none.
func mountAt(e *pb.ExecOp, target string) *pb.Mount {
	i := slices.IndexFunc(e.Mounts, func(m *pb.Mount) bool { return path.Clean(m.Dest) == target })
	if i < 0 {
		return nil
	}
	return e.Mounts[i]
}

// aptSelector reports whether a folder of the frontend's image is that for apt in
// RUNs of the op's platform.
func aptSelector(op *pb.Op, selector string) bool {
	folder, ok := mount.AptFor(op.GetPlatform())
	return selector == mount.RunLink || ok && selector == folder.Selector
}

// uncovered says why apt does without the variable, and no file stands in for it;
// "" if it doesn't, or one does.
func uncovered(e *pb.ExecOp, apt rewrite.AptUse) string {
	_, why := apt.Cover(func(target string) string {
		if m := mountAt(e, target); m == nil || !strings.HasPrefix(m.Selector, mount.ImageDir+"/") {
			return "nothing is mounted at " + target
		}
		return ""
	})
	return why
}

// ownImage reports whether a mount is of the frontend's own image, by its digest.
// name is what it is of.
func (r *run) ownImage(op *pb.Op, m *pb.Mount) (name string, own bool) {
	from := r.inputVertex(op, m)
	if from == nil || from.op.GetSource() == nil {
		return "another step", false
	}
	name = strings.TrimPrefix(from.op.GetSource().Identifier, "docker-image://")
	_, want, pinned := strings.Cut(name, "@")
	if r.Mount == nil || !pinned {
		return oneLine(name), false
	}
	def, err := r.Mount(r.ctx, "")
	if err != nil {
		return oneLine(name), false
	}
	for _, raw := range def.GetDef() {
		v, err := newVertex(raw)
		if err != nil {
			continue
		}
		if _, have, ok := strings.Cut(v.op.GetSource().GetIdentifier(), "@"); ok && have == want {
			return oneLine(name), true
		}
	}
	return oneLine(name), false
}

// inputVertex is what a mount is of, nil for an empty folder.
func (r *run) inputVertex(op *pb.Op, m *pb.Mount) *vertex {
	if m.Input < 0 || int(m.Input) >= len(op.Inputs) {
		return nil
	}
	return r.graph.recorded[op.Inputs[m.Input].Digest]
}

// sameTable reports whether an op is lent the operator's table: table is that of
// the text, "" for none.
func (r *run) sameTable(op *pb.Op, e *pb.ExecOp, table string) (bool, error) {
	m := mountAt(e, mount.OperatorDir)
	if m == nil || m.MountType == pb.MountType_TMPFS {
		return table == rewrite.LentTable(r.Operator), nil
	}
	if r.Operator == nil && !r.Bundle.Operator() {
		return false, nil
	}
	want, err := operatorVertex(r.ctx, r.Operator, r.Bundle)
	from := r.inputVertex(op, m)
	return err == nil && from != nil && from.digest == want.digest, err
}
