package rewrite

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Paths of what a RUN is lent. They are those of the frontend's package mount,
// whose tests compare.
const (
	// LentDir is where the folder of the frontend's image is mounted, read-only.
	LentDir = "/dev/.loopx"
	// LentConf is apt's configuration in it.
	LentConf = LentDir + "/apt/apt.conf"
	// LentOperator is where the operator's own part is, LentRoute its table.
	LentOperator = LentDir + "/operator"
	LentRoute    = LentOperator + "/route.json"
	// LentAuth is the secret of the id LentAuthID: credentials for mirrors.
	LentAuth   = "/dev/.loopx-auth.conf"
	LentAuthID = "loopx-auth"
	// ImageRun is the folder in the image for RUNs of the platform that is built
	// for, ImageCA the one with certificate authorities only.
	ImageRun = "/loopx/run"
	ImageCA  = "/loopx/ca"
)

// Carry says what the edited text itself lends to RUNs, for a builder that does
// not run the frontend: each RUN that runs apt, or fetches over TLS what it
// fetched in clear text, gets the mount that the frontend would give it.
type Carry struct {
	// Image is the frontend's image, by its digest. If it is "", what the text
	// mounts already stays, and other RUNs are left as they are.
	Image string
	// Route is the operator's route.Config as JSON, in one line; nil for the
	// built-in one. A table that the text has already stays where it is nil.
	Route []byte
	// Secret says that a mirror of the operator's may need credentials.
	Secret bool
	// Variables returns the variables by which programs find the certificate
	// authorities, as NAME and value. has reports whether one is set already.
	Variables func(tools []string, has func(name string) bool) [][2]string
	// Folder returns the folder in the image for RUNs of a platform, in
	// containerd's notation; ok is false if there is none.
	Folder func(platform string) (folder string, ok bool)
	// Persist makes the image keep what apt needs, in place of mounts.
	Persist bool
}

// lend decides what a RUN is lent by the text, and makes the edits for it.
func (p *planner) lend(st *stage, in *instruction, lent *lent, res words.Result, apt AptUse, g *Guard) {
	g.Carried = lent.serves(apt) || st.persisted && g.Needs != "ca"
	if g.Carried && lent.mounted {
		g.Lender = lent.image
	}
	c := p.cfg.Carry
	if c == nil || g.Carried && c.Persist {
		return
	}
	want := wanted{apt: apt.Named || apt.Opaque}
	if want.apt && c.Persist {
		p.persist(st, in, g)
	}
	if c.Persist {
		return
	}
	want.apt = want.apt && !st.persisted
	if moved := p.movedTools(res); len(moved) > 0 {
		want.variables = c.Variables(moved, func(name string) bool { return known(lent.cmd.Env, name) })
	}
	if want.variables = lent.variables(want.variables); !want.apt && len(want.variables) == 0 {
		return
	}
	if !lent.mounted && c.Image == "" {
		g.Lacks = want.apt && !g.Shown
		return
	}
	edits, why := p.lending(st, in, lent, apt, want)
	if why != "" {
		g.Unfit = why
		return
	}
	g.Carried, g.Edits = want.apt || st.persisted, edits
}

// wanted is what a RUN needs.
type wanted struct {
	apt       bool
	variables [][2]string // NAME and value, with the quotes of the shell
}

// movedTools are the programs whose fetches moved.
func (p *planner) movedTools(res words.Result) []string {
	var tools []string
	for _, f := range res.Fetches {
		if needsCA(f) {
			tools = append(tools, f.Tool)
		}
	}
	return tools
}

func known(env []words.Var, name string) bool {
	return slices.ContainsFunc(env, func(v words.Var) bool { return v.Name == name })
}

// lending returns the edits that lend want to a RUN, or why there are none.
func (p *planner) lending(st *stage, in *instruction, l *lent, apt AptUse, want wanted) ([]Edit, string) {
	if p.oldSyntax != "" {
		return nil, p.oldSyntax
	}
	if why := l.obstacle(); why != "" {
		return nil, why
	}
	if why := l.unshelled(); why != "" {
		return nil, why
	}
	mounts, line := p.words(st, l, apt, want)
	if why := l.nonRoot(st, line); why != "" {
		return nil, why
	}
	edits, ok := l.edits(p.file.src.text, mounts, line)
	if !ok {
		return nil, "its text can't be edited in place: put the command into a RUN of its own, on one line"
	}
	return edits, ""
}

// lendAll adds the edits of guards to those of the findings, as far as they are
// valid together: a guard's are taken whole or not at all.
func lendAll(src string, edits []Edit, guards []Guard) []Edit {
	for i := range guards {
		g := &guards[i]
		if len(g.Edits) == 0 || strings.Contains(g.Edits[0].New, "\n") { // lines are inserted by themselves
			continue
		}
		all := slices.Concat(edits, g.Edits)
		if !valid(src, all) {
			g.Edits, g.Carried = nil, false
			g.Unfit = "its text needs another edit in the same place: put the command into a RUN of its own"
			continue
		}
		edits = all
	}
	slices.SortFunc(edits, compareEdits)
	return edits
}
