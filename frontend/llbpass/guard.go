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

// What would help a RUN without a guard, as a clause.
const (
	newerDaemon = "use a newer BuildKit"
	moveMount   = "take that mount out"
)

// stubStays is why nothing is mounted outside of /dev on some daemons.
const stubStays = "this daemon would leave a mount point in the image"

// guard mounts apt's method and configuration into an exec op that may run apt,
// and reports whether it did.
//
// It takes Certain from apt where apt is named, but runs out of reach.
func (r *run) guard(v *vertex, e *pb.ExecOp, apt *rewrite.AptUse) (bool, error) {
	if r.Apt == AptOff || apt.Reason == "" && r.Apt != AptAll || offline(v.op, e) {
		return false, nil
	}
	if apt.Tampering != "" {
		r.report(v, lastWord(apt.Tampering), Finding{
			Rule: guardTampering, Severity: rewrite.Blocker, Message: rewrite.GuardTamperingMessage(apt.Tampering),
		})
	}
	if lent, err := r.lent(v, e, *apt); lent || err != nil {
		return false, err
	}
	own := hasVariable(e, aptConfig)
	if own && !slices.Contains(apt.Drops, aptConfig) { // of a secret
		apt.Drops, apt.Lost = append(apt.Drops, aptConfig), apt.Certain
	}
	cover, why := apt.Cover(func(target string) string { return r.obstacle(e, target) })
	switch {
	case why != "":
		out := rewrite.RunApart
		if strings.HasSuffix(why, stubStays) {
			out = newerDaemon
		}
		r.unguarded(v, apt.Reason, apt.Lost, why, out)
		if own {
			return false, nil
		}
	case apt.Outside != "":
		r.unguarded(v, apt.Reason, false, apt.Outside, apt.WayOut)
	}
	files, input, err := r.aptFolder(v, e, *apt)
	if err != nil || files == nil {
		return false, err
	}
	r.mountApt(v, e, input, *files, cover)
	if apt.Certain || apt.Opaque || r.Apt == AptAll { // pip and npm have no use for credentials
		mountAuth(v, e)
	}
	apt.Certain = apt.Certain && apt.Tampering == "" && apt.Outside == "" && (why == "" || !apt.Lost)
	return true, r.mountOperator(v, e)
}

// mountApt mounts the folder for apt, and what stands in for the variable.
func (r *run) mountApt(v *vertex, e *pb.ExecOp, input int64, files mount.Apt, cover rewrite.Cover) {
	r.mountFile(v, e, input, files.Selector, mount.Dir)
	switch cover {
	case rewrite.CoverConf:
		r.mountFile(v, e, input, files.Fallback, mount.FallbackTarget)
		e.Meta.RemoveMountStubsRecursive = true
	case rewrite.CoverSudoers:
		r.mountFile(v, e, input, files.Sudoers, mount.SudoersTarget)
		e.Meta.RemoveMountStubsRecursive = true
	}
	if !hasVariable(e, aptConfig) {
		e.Meta.Env = append(e.Meta.Env, aptConfig+"="+mount.AptConfig)
	}
}

// aptConfig is the variable that names apt's configuration.
const aptConfig = "APT_CONFIG"

// aptFolder returns the folder of the op's platform, and the input of op that
// holds it. Without one files is nil, and there is a finding: a blocker if apt is
// named, a warning if the author's own commands hide behind a name. Of a program
// that is only not known never to run apt nothing is said: nearly none does, and
// a build without it must not be full of warnings.
func (r *run) aptFolder(v *vertex, e *pb.ExecOp, apt rewrite.AptUse) (files *mount.Apt, input int64, err error) {
	missing := func(why, out string) {
		if apt.Certain || apt.Opaque {
			r.unguarded(v, apt.Reason, apt.Certain, why, out)
		}
	}
	if m := inTheWay(e); m != nil {
		missing("the RUN mounts something at "+m.Dest, moveMount)
		return nil, 0, nil
	}
	folder, ok := mount.AptFor(v.op.GetPlatform())
	if !ok {
		missing("there is no apt method for "+platformName(v.op.GetPlatform()),
			"build for one of "+strings.Join(mount.Platforms(), ", "))
		return nil, 0, nil
	}
	input, why, err := r.imageInput(v.op, path.Base(folder.Selector))
	if err != nil {
		return nil, 0, err
	}
	if why != "" {
		missing(why, newerDaemon)
		return nil, 0, nil
	}
	return &folder, input, nil
}

// unguarded reports a RUN whose apt is not served over TLS; certain says that it
// runs apt.
func (r *run) unguarded(v *vertex, reason string, certain bool, why, out string) {
	f := Finding{Rule: aptMayBeUnguarded, Severity: rewrite.Warning, Message: rewrite.AptUnguardedMessage(reason, why, out)}
	if certain {
		f.Rule, f.Severity = aptUnguarded, rewrite.Blocker
	}
	if reason != "" { // else it is guarded by LOOPX_APT=all
		r.report(v, strings.TrimPrefix(reason, "runs "), f)
	}
}

// obstacle says why nothing can be mounted at target, outside of /dev.
func (r *run) obstacle(e *pb.ExecOp, target string) string {
	for _, m := range e.Mounts {
		if dest := path.Clean(m.Dest); dest != "/" && (dest == target || strings.HasPrefix(target, dest+"/")) {
			return fmt.Sprintf("the RUN mounts something at %s, where a file would have to be mounted", dest)
		}
	}
	if !r.RecursiveStubs {
		return stubStays
	}
	return ""
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
