// Package words finds what a command fetches: it reads the argv of an exec
// op, the shell text in it and the variables that it uses, and gives every URL
// a role and a decision. The frontend uses it on exec ops, the rewriter on the
// text of a Dockerfile: both see the same shell text, so both find the same.
package words

import (
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Var is an environment variable as the command will see it.
type Var struct {
	Name  string
	Value textmap.Text
}

// Input is one command.
type Input struct {
	// Args is the argv that is executed: a shell form RUN is the shell's
	// words and then the text, as BuildKit puts it into the exec op. Each
	// has its own source (frontend) or all share the file (rewriter).
	Args []textmap.Text
	// Env is the environment, ENV and ARG values included.
	Env []Var
	// Script, if not empty, is a file with a shebang line that Args[0] names
	// (a heredoc RUN that starts with "#!"). Its edits have Arg == ScriptArg.
	Script textmap.Text
}

// Values of [Fetch.Arg] for a URL that does not stand in Args.
const (
	VarArg    = -1 // in the value of the variable Fetch.Var
	ScriptArg = -2 // in Input.Script
)

// Fetch is one URL found in a command, fetched or not: Role says which.
type Fetch struct {
	// URL is the address as the program will see it; a variable that is not
	// known stands as ${NAME}. It may hold userinfo: print it through
	// route.Redact.
	URL string
	// Role and Reason say what the URL is used for, and how that was seen
	// ("argument of curl", "sed's pattern side", "written to /etc/motd").
	Role   route.Role
	Reason string
	// Tool is the program that uses the URL, "" if unknown.
	Tool string
	// Arg is the index in Input.Args that holds the URL, or VarArg or
	// ScriptArg; Var names the variable for VarArg.
	Arg int
	Var string
	// Start and End are the URL's bytes in the source of Args[Arg], of the
	// variable's value or of Script.
	Start, End int
	// Decision is the route's answer for URL and Role.
	Decision route.Decision
	// Edits change the source so that the decision holds; nil where nothing
	// is to be changed. Ranges are in the same source as Start and End.
	Edits []textmap.Edit
	// Unedited says why there are no Edits although Decision moves the URL,
	// "" otherwise.
	Unedited string
}

// Result is what a command fetches and runs.
type Result struct {
	// Fetches in the order of the text.
	Fetches []Fetch
	// Commands are the base names of the programs that the text names, in
	// order, each once; a name that is not a literal is "$".
	Commands []string
	// Calls are the commands themselves, in the order in which they are read,
	// as often as the text has them.
	Calls []Call
	// Skipped is true if a part of the text was not read: it lies too deep
	// inside of other texts, or there is too much of it.
	Skipped bool
	// Unparsed is the shell parser's complaint when the text could not be
	// read as shell and was scanned token by token instead, "" otherwise.
	Unparsed string
}
