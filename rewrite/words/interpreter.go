package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// interpreters run code given on the command line: the options that it
// follows.
var interpreters = map[string]map[string]bool{
	"python": setOf("-c"), "python2": setOf("-c"), "python3": setOf("-c"), "pypy3": setOf("-c"), "perl": setOf("-e -E"),
	"php": setOf("-r"), "ruby": setOf("-e"), "node": setOf("-e -p --eval"), "nodejs": setOf("-e -p"),
	"R": setOf("-e"), "Rscript": setOf("-e"), "lua": setOf("-e"), "julia": setOf("-e -E"), "r": setOf("-e"),
	"groovy": setOf("-e"), "scala": setOf("-e"), "elixir": setOf("-e"), "erl": setOf("-eval"), "tclsh": setOf("-c"),
}

// interpreter looks at inline code, and at the program that python -m names.
func (inv *invocation) interpreter(codeFlags map[string]bool) {
	if rest, ok := inv.ownFile(codeFlags); ok {
		inv.sh.command(rest, inv.out)
		return
	}
	for i, w := range inv.args {
		switch {
		case inv.name == "perl" && perlFilter(w.s):
			inv.perl()
			return
		case w.s == "-m" && strings.HasPrefix(inv.name, "py") && i+1 < len(inv.args):
			inv.sh.command(inv.args[i+1:], inv.out)
			return
		case i > 0 && codeFlags[inv.args[i-1].s]:
			inv.a().code(w, inv.name)
		default:
			inv.a().urls(w, inv.argUse(i, use{role: route.Word, reason: "argument of " + inv.name, tool: inv.name}))
		}
	}
}

// perlFilter reports whether a cluster of perl's options holds -p or -n, which
// run the code on each line of the input. Behind -M, -I and their like stands a
// value, behind -i a suffix.
func perlFilter(s string) bool {
	if len(s) < 2 || s[0] != '-' || s[1] == '-' {
		return false
	}
	for _, c := range s[1:] {
		switch c {
		case 'p', 'n':
			return true
		case 'M', 'm', 'I', 'F', 'x', 'D', 'C', 'V', 'i', 'e', 'E':
			return false
		}
	}
	return false
}

// perl reads a perl that edits lines as sed does: what s/// puts in has the use
// of the file, anything else is matched.
func (inv *invocation) perl() {
	inPlace := false
	var scripts, files []word
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		switch option := len(w.s) > 1 && w.s[0] == '-'; {
		case option && strings.HasSuffix(w.s, "e") && i+1 < len(inv.args):
			inPlace = inPlace || strings.Contains(w.s, "i")
			i++
			scripts = append(scripts, inv.args[i])
		case option:
			inPlace = inPlace || strings.Contains(w.s, "i")
		default:
			files = append(files, w)
		}
	}
	put := inv.editTarget(inPlace, files)
	for _, w := range scripts {
		inv.a().urls(w, matchUse("pattern of perl"))
		s := sedScript{inv: inv, w: w, put: put}
		s.readPerl()
	}
	for _, w := range files {
		inv.a().urls(w, wordUse("argument of perl"))
	}
}
