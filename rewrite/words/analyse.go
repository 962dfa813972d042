package words

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Bounds on texts that lead to more texts: strings of commands, bodies of
// functions, files that are written and then read.
const (
	maxDepth = 8   // one inside the other
	maxTexts = 256 // in all
)

// Analyse returns what the command fetches, each decided by t. It never fails:
// text that can't be read as shell is scanned token by token, and the result
// says so.
func Analyse(in Input, t *route.Table) Result {
	a := analyser{table: t, by: -1}
	sh := &shellText{a: &a, env: environment(in.Env), vars: map[string][]*assign{}}
	if in.Script.Len() > 0 {
		sh.script(literalWord(in.Script, source{arg: ScriptArg}))
	} else if len(in.Args) > 0 {
		args := make([]word, len(in.Args))
		for i, t := range in.Args {
			args[i] = literalWord(t, source{arg: i})
		}
		sh.command(args, sink{})
	}
	a.uncalled()
	a.leftovers()
	a.out.Fetches = a.held(strongest(a.out.Fetches))
	a.differing()
	return a.out
}

// analyser collects what one command does.
type analyser struct {
	table   *route.Table
	out     Result
	assigns []*assign
	depth   int
	texts   int
	seen    map[*syntax.Stmt]bool // command substitutions, by first statement
	// functions declared so far: all of them, and the latest of each name
	declared []*function
	funcs    map[string]*function
	files    map[string][]word // texts written to files so far, by path
	holds    []hold
	pieces   []piece // backs the words of one piece
	by       int     // the call that is looked at, -1 if none
	quiet    int     // texts around this one whose commands are not listed
}

func environment(vars []Var) map[string]textmap.Text {
	env := make(map[string]textmap.Text, len(vars))
	for _, v := range vars {
		env[v.Name] = v.Value
	}
	return env
}

// deeper runs f unless the bounds are reached.
func (a *analyser) deeper(f func()) {
	if a.depth >= maxDepth || a.texts >= maxTexts {
		a.out.Skipped = true
		return
	}
	a.texts++
	a.depth++
	f()
	a.depth--
}

// script reads a text that may start with a shebang line, as the program that
// it names, or else as sh does.
func (sh *shellText) script(w word) {
	line, _, _ := strings.Cut(w.s, "\n")
	name := "sh"
	if strings.HasPrefix(line, "#!") {
		name = interpreter(line)
	}
	sh.a.ran(name)
	if isShell(name) {
		sh.nested(w, name)
		return
	}
	sh.a.called(cmp.Or(name, "$"), []word{{s: name}}, "")
	sh.a.code(w, name)
}

// interpreter returns the program's name in a shebang line; for env, the one
// that env starts.
func interpreter(line string) string {
	for f := range strings.FieldsSeq(strings.TrimPrefix(line, "#!")) {
		name := path.Base(f)
		if name != "env" && !strings.HasPrefix(f, "-") {
			return name
		}
	}
	return ""
}

// ran records the name of a program.
func (a *analyser) ran(name string) {
	if name != "" && a.quiet == 0 && !slices.Contains(a.out.Commands, name) {
		a.out.Commands = append(a.out.Commands, name)
	}
}

// leftovers gives a role to the URLs of assignments that no command of the
// text was seen to use: a script, or a program's environment, may.
func (a *analyser) leftovers() {
	for _, as := range a.assigns {
		if !as.used || as.partly {
			a.urls(as.value, use{role: route.Word, reason: "value of " + as.name})
		}
	}
}

// differing says which files of the image an edit makes differ.
func (a *analyser) differing() {
	for i := range a.out.Fetches {
		if f := &a.out.Fetches[i]; f.Role == route.PackageConfig && len(f.Edits) > 0 {
			f.Reason += "; the file in the image differs"
		}
	}
}

// strongest keeps one fetch for each place of the text: the one with the most
// demanding role, and where two of the same role differ in their edits, the
// one that changes the least. The result is in the order of the text.
func strongest(all []Fetch) []Fetch {
	slices.SortStableFunc(all, func(a, b Fetch) int {
		return cmp.Or(
			cmp.Compare(order(a.Arg), order(b.Arg)),
			cmp.Compare(a.Var, b.Var),
			cmp.Compare(a.Start, b.Start),
			cmp.Compare(rank(a.Role), rank(b.Role)),
			cmp.Compare(changed(a), changed(b)),
		)
	})
	same := func(a, b Fetch) bool {
		return a.Arg == b.Arg && a.Var == b.Var && a.Start == b.Start
	}
	return slices.CompactFunc(all, same)
}

func order(arg int) int {
	if arg < 0 {
		return 1000 - arg
	}
	return arg
}

// rank orders the roles that one address can have at once.
func rank(r route.Role) int {
	return slices.Index([]route.Role{
		route.Fetch, route.Keyserver, route.AptSource, route.PackageConfig, route.Proxy, route.Match,
		route.Identifier, route.Word, route.Header, route.ForeignConfig, route.Print, route.Runtime,
	}, r)
}

func changed(f Fetch) int {
	n := 0
	for _, e := range f.Edits {
		n += e.End - e.Start + len(e.New)
	}
	return n
}
