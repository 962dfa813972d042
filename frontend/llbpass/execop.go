package llbpass

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// exec moves the fetches of a command, and gives it the guard for apt and the
// bundle if it needs them.
func (r *run) exec(v *vertex, e *pb.ExecOp) (bool, error) {
	if e.Meta == nil {
		return false, nil
	}
	script := r.graph.script(v.op, e)
	cmd := input(e.Meta, script.text())
	res := r.Analyse(cmd, r.Table)
	wanted := r.wanted(v, res.Fetches)
	if r.ProxyNetwork {
		return false, nil
	}
	moved, err := r.apply(v, e.Meta, script, wanted)
	if err != nil {
		return false, err
	}
	var apt rewrite.AptUse
	if r.Apt != AptOff {
		apt = rewrite.Apt(cmd, res)
	}
	guarded, err := r.guard(v, e, &apt)
	if err != nil {
		return false, err
	}
	mounted, err := r.trust(v, e, res, moved, guarded)
	if err != nil {
		return false, err
	}
	name, reason := v.meta.GetDescription()[customName], ""
	if guarded {
		reason = cmp.Or(apt.Reason, "LOOPX_APT=all")
	}
	r.step(v, name, reason, moves(moved))
	v.meta = describe(v.meta, summary(actions(moved), guarded && apt.Certain))
	return len(moved) > 0 || guarded || mounted, nil
}

// input is the command as the analyser reads it.
func input(meta *pb.Meta, script string) words.Input {
	in := words.Input{Script: textmap.Identity(script)}
	for _, a := range meta.Args {
		in.Args = append(in.Args, textmap.Identity(a))
	}
	for _, kv := range meta.Env {
		name, value, _ := strings.Cut(kv, "=")
		in.Env = append(in.Env, words.Var{Name: name, Value: textmap.Identity(value)})
	}
	return in
}

// wanted returns the fetches to be edited, and reports those that can't be.
//
// The text of an apt source stays as written: it is a file of the image, which
// keeps the author's words. What apt fetches by it is not moved here.
func (r *run) wanted(v *vertex, fetches []words.Fetch) []words.Fetch {
	var out []words.Fetch
	for _, f := range fetches {
		switch {
		case f.Role == route.AptSource:
		case f.Decision.Action == route.Refuse:
			r.report(v, f.URL, refused(f.URL, f.Decision, f.Decision.Why))
		case f.Decision.Action == route.Keep:
		case len(f.Edits) > 0:
			out = append(out, f)
		case f.Unedited != "":
			r.unmoved(v, f, f.Unedited)
		}
	}
	return out
}

// place is a text that edits are made in.
type place struct {
	arg  int
	name string // of the variable, for words.VarArg
}

// apply makes the edits, all of a place or none, and returns the fetches that
// moved.
func (r *run) apply(v *vertex, meta *pb.Meta, s *script, fetches []words.Fetch) ([]words.Fetch, error) {
	byPlace := map[place][]textmap.Edit{}
	for _, f := range fetches {
		at := place{f.Arg, f.Var}
		byPlace[at] = append(byPlace[at], f.Edits...)
	}
	done := map[place]bool{}
	for at, edits := range byPlace {
		ok, err := r.replace(v, meta, s, at, edits)
		if err != nil {
			return nil, err
		}
		done[at] = ok
	}
	var moved []words.Fetch
	for _, f := range fetches {
		if done[place{f.Arg, f.Var}] {
			moved = append(moved, f)
			continue
		}
		r.unmoved(v, f, "its text can't be edited in place")
	}
	return moved, nil
}

// replace edits one place; ok is false, and nothing changed, if the edits
// don't fit it.
func (r *run) replace(v *vertex, meta *pb.Meta, s *script, at place, edits []textmap.Edit) (ok bool, err error) {
	switch at.arg {
	case words.ScriptArg:
		return r.replaceScript(v, s, edits)
	case words.VarArg:
		prefix := at.name + "="
		i := slices.IndexFunc(meta.Env, func(kv string) bool { return strings.HasPrefix(kv, prefix) })
		if i < 0 {
			return false, nil
		}
		value, ok := textmap.Apply(meta.Env[i][len(prefix):], edits)
		if ok {
			meta.Env[i] = prefix + value
		}
		return ok, nil
	}
	if at.arg >= len(meta.Args) {
		return false, nil
	}
	text, ok := textmap.Apply(meta.Args[at.arg], edits)
	if ok {
		meta.Args[at.arg] = text
	}
	return ok, nil
}
