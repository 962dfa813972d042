package rewrite

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Where apt's sources stand. Source: apt's Dir::Etc::sourcelist and
// Dir::Etc::sourceparts.
const (
	aptMain  = "/etc/apt/sources.list"
	aptParts = "/etc/apt/sources.list.d"
)

// aptSources tells whether a stage's own text holds all that apt will fetch
// from. It does if the text has replaced sources.list and has removed or
// replaced what base images have in sources.list.d; whatever the text doesn't
// show takes that back. Every doubt counts as not shown.
type aptSources struct {
	main, parts bool
}

func (a *aptSources) shown() bool { return a.main && a.parts }

func (a *aptSources) reset() { *a = aptSources{} }

// wrote is a file whose whole content the text shows.
func (a *aptSources) wrote(name string) {
	switch name {
	case aptMain:
		a.main = true
	case aptParts + "/debian.sources", aptParts + "/ubuntu.sources":
		a.parts = true
	}
}

func (a *aptSources) removed(name string) {
	if name = path.Clean(name); name == aptParts || name == aptParts+"/*" || name == aptParts+"/*.sources" {
		a.parts = true
	}
	a.wrote(name)
}

// copied is a file that the text doesn't show.
func (a *aptSources) copied(dest string) {
	if dest == "" || strings.HasPrefix("/etc/apt", dest) || strings.HasPrefix(dest, "/etc/apt") {
		a.reset()
	}
}

// run follows a RUN. The result says whether the sources were shown when the
// RUN first ran apt, or at its end if it doesn't.
func (a *aptSources) run(cmd words.Input) bool {
	text := shellText(cmd)
	if !a.main && !a.parts && !strings.Contains(text, "/etc/apt") {
		return false
	}
	if text == "" {
		if unseen(path.Base(cmd.Args[0].String())) {
			a.reset()
		}
		return a.shown()
	}
	f, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		a.reset()
		return false
	}
	r := aptReader{aptSources: a}
	r.list(f.Stmts)
	if r.ran {
		return r.first
	}
	return a.shown()
}

// shellText is the text that a POSIX shell reads in cmd, "" if there is none.
func shellText(cmd words.Input) string {
	if cmd.Script.Len() > 0 {
		return cmd.Script.String()
	}
	n := len(cmd.Args)
	if n > 2 && commandFlag(cmd.Args[n-2].String()) && strings.HasSuffix(cmd.Args[0].String(), "sh") {
		return cmd.Args[n-1].String()
	}
	return ""
}

// commandFlag reports whether the flag says that a text follows: -c, -lc, -exc.
func commandFlag(s string) bool { return strings.HasPrefix(s, "-") && strings.HasSuffix(s, "c") }

// unseen reports whether a program may change apt's sources unseen.
func unseen(name string) bool {
	return name == "add-apt-repository" || name == "apt-add-repository" || opaque(name) != ""
}

// aptReader follows the statements of a shell text in their order.
type aptReader struct {
	*aptSources
	ran, first bool // apt ran, and what was shown then
}

// list follows statements that run one after the other. Only the last one's
// failure ends the RUN, so in the others what stands behind "&&" may not run.
func (r *aptReader) list(stmts []*syntax.Stmt) {
	for i, st := range stmts {
		r.stmt(st, i == len(stmts)-1)
	}
}

func (r *aptReader) stmt(st *syntax.Stmt, last bool) {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr, nil:
		r.simple(st, textual(st))
	case *syntax.Block:
		r.list(c.Stmts)
	case *syntax.BinaryCmd:
		switch {
		case c.Op == syntax.AndStmt && last:
			r.stmt(c.X, true)
			r.stmt(c.Y, true)
		case c.Op == syntax.AndStmt || c.Op == syntax.OrStmt:
			r.stmt(c.X, false)
			r.doubt(c.Y)
		case isTee(c.Y):
			r.simple(c.Y, textual(c.X))
		default:
			r.doubt(st)
		}
	default:
		r.doubt(st)
	}
}

// simple follows one command that runs for certain. shown is true if what it
// writes to a file stands in the text.
func (r *aptReader) simple(st *syntax.Stmt, shown bool) {
	args := literals(st)
	if len(args) > 0 && isApt(path.Base(args[0])) {
		r.apt()
	}
	switch {
	case len(args) > 0 && (args[0] == "" || unseen(path.Base(args[0]))):
		r.reset()
	case !mentionsApt(st):
	case len(args) > 0 && args[0] == "rm":
		for _, name := range args[1:] {
			r.removed(name)
		}
	case !shown:
		r.reset()
	default:
		r.writes(st, args)
	}
}

// writes follows the files that shown text goes to.
func (r *aptReader) writes(st *syntax.Stmt, args []string) {
	for _, redir := range st.Redirs {
		if redir.Op == syntax.RdrOut || redir.Op == syntax.RdrClob {
			r.wrote(literal(redir.Word))
		}
	}
	if isTee(st) {
		for _, name := range args[1:] {
			if strings.HasPrefix(name, "-") {
				return // -a appends
			}
			r.wrote(name)
		}
	}
}

func (r *aptReader) apt() {
	if !r.ran {
		r.ran, r.first = true, r.shown()
	}
}

// doubt follows what may or may not run.
func (r *aptReader) doubt(n syntax.Node) {
	hidden := mentionsApt(n)
	syntax.Walk(n, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name := path.Base(literal(call.Args[0]))
		if isApt(name) {
			r.apt()
		}
		hidden = hidden || unseen(name)
		return true
	})
	if hidden {
		r.reset()
	}
}

// textual reports whether a command prints nothing but text of its own.
func textual(st *syntax.Stmt) bool {
	args := literals(st)
	if len(args) == 0 {
		return st.Cmd == nil
	}
	switch args[0] {
	case "echo", "printf", ":", "true":
		return true
	case "cat":
		return len(args) == 1
	}
	return false
}

func isTee(st *syntax.Stmt) bool {
	args := literals(st)
	return len(args) > 0 && args[0] == "tee"
}

// literals returns the words of a simple command without "sudo" before it, ""
// for each that is not plain text.
func literals(st *syntax.Stmt) []string {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	var out []string
	for _, w := range call.Args {
		if s := literal(w); s != "sudo" || len(out) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// literal returns a word's text, without quotes, or "" if it isn't all text.
func literal(w *syntax.Word) string {
	if w == nil || len(w.Parts) != 1 {
		return ""
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value
	case *syntax.SglQuoted:
		return p.Value
	case *syntax.DblQuoted:
		return (&syntax.Word{Parts: p.Parts}).Lit()
	}
	return ""
}

// mentionsApt reports whether a path below /etc/apt stands in n.
func mentionsApt(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			found = found || strings.Contains(n.Value, "/etc/apt")
		case *syntax.SglQuoted:
			found = found || strings.Contains(n.Value, "/etc/apt")
		}
		return !found
	})
	return found
}
