package words

import (
	"path"
	"slices"
	"strings"
)

// Call is one command of a text.
type Call struct {
	// Name is the program's base name, as in [Result.Commands].
	Name string
	// Args is its argv. What is not known of a word stands as ${NAME}.
	Args []string
	// Elsewhere is true if the program is named by a path outside of the
	// folders that PATH usually holds.
	Elsewhere bool
	// Dir is where a cd before it went, "" if that is not known.
	Dir string
	// By is the index in [Result.Calls] of the command that starts this one:
	// the sudo, find or function before it, or the "sh -c" whose text holds
	// it. It is -1 for none.
	By int
	// Function is true if the text declares a function of that name. What is
	// in its body is among the calls.
	Function bool
	// Read is true if the command runs a text that is one of its arguments, as
	// sh -c and eval do. What is in the text is among the calls.
	Read bool
}

// maxCalls is how many calls of one command are listed.
const maxCalls = 1 << 12

// called lists a call and returns its index, or that of the call around it if
// the list is full.
func (a *analyser) called(name string, args []word, dir string) int {
	if a.quiet > 0 {
		return a.by
	}
	if len(a.out.Calls) >= maxCalls {
		a.out.Skipped = true
		return a.by
	}
	c := Call{Name: name, Args: make([]string, len(args)), Dir: dir, By: a.by}
	for i, w := range args {
		c.Args[i] = w.s
	}
	program := strings.ReplaceAll(c.Args[0], `\`, "")
	if strings.Contains(program, "/") {
		c.Elsewhere = !slices.Contains(binDirs, path.Clean(path.Dir(program))+"/")
	}
	_, c.Function = a.funcs[name]
	a.out.Calls = append(a.out.Calls, c)
	return len(a.out.Calls) - 1
}

// text reads an argument that the command runs as a script of the shell called
// name.
func (inv *invocation) text(w word, name string) {
	if i := inv.a().by; i >= 0 {
		inv.a().out.Calls[i].Read = true
	}
	inv.sh.nested(w, name)
}
