// Package runline reads what the RUN instructions of a Dockerfile ask Python's
// installers for: each command's words as the shell splits them, with their
// places in the file.
//
// Nothing is run. A variable has the value that the Dockerfile's own ARG and
// ENV, or a plain assignment in the RUN, gives it; the environment of this
// process is never read. What is not known stands as ${NAME} in a word.
package runline

import (
	"path"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Word is one word of a command, quotes removed and variables replaced.
type Word struct {
	// Text is the word as the program gets it. Bytes that come from a variable
	// are mapped to where its value stands.
	Text textmap.Text
	// Start and End are the word's bytes in the file, quotes included; equal if
	// the text of the command doesn't stand there.
	Start, End int
	// Quote is the quote that encloses the whole word, 0 if there is none.
	Quote byte
	// Vars are the variables whose values are in Text.
	Vars []Var
	// Unknown are the parts whose values the text doesn't tell, as they are
	// written: a variable's name, or "$(…)".
	Unknown []string
	// Nested is true if the command stands in a text that is itself a word of
	// another command, so that quotes may need an escape.
	Nested bool
	// Lost is the text right behind the word that was meant for a version and
	// that the shell takes for a redirection; empty if there is none.
	Lost textmap.Text
}

// String is the word as the program gets it.
func (w Word) String() string { return w.Text.String() }

// Var is a variable with a known value.
type Var struct {
	Name string
	// Given is true if --build-arg can replace the value.
	Given bool
}

// Call is one command of a RUN.
type Call struct {
	Words []Word
	// Dir is the working directory, as [rewrite.Command] has it.
	Dir string
	// Settings are the variables of pip and uv that the command sees, by name.
	Settings map[string]Word
}

// name is the base name of word i, "" if there is no such word.
func (c Call) name(i int) string {
	if i >= len(c.Words) {
		return ""
	}
	return strings.TrimSuffix(path.Base(c.Words[i].String()), ".exe")
}

// Result is the commands of one RUN.
type Result struct {
	Calls []Call
	// Unread says why a part of the text was not read, "" if all was.
	Unread string
}

// Bounds on one RUN.
const (
	maxCalls  = 1 << 12
	maxDepth  = 8       // texts inside of texts
	maxRounds = 1 << 10 // of loops, all together
	maxWord   = 1 << 16 // bytes of a word with the values of its variables
	maxSpent  = 8 << 20 // bytes of the values of all variables
)

// Read returns the commands of a RUN in the order of the text.
func Read(c rewrite.Command) Result {
	r := reader{vars: map[string][]value{}, dir: c.Dir}
	for _, v := range c.Env {
		r.vars[v.Name] = []value{{Text: v.Value, Vars: []Var{{Name: v.Name, Given: c.Given[v.Name]}}}}
	}
	switch {
	case c.Script.Len() > 0:
		r.script(c)
	case c.Shell:
		r.shell(c)
	default:
		r.exec(c.Args)
	}
	return r.out
}

// value is one value that a variable may have.
type value struct {
	Text    textmap.Text
	Vars    []Var
	Unknown []string
}

// reader collects the commands of one RUN.
type reader struct {
	out    Result
	vars   map[string][]value
	dir    string
	branch int // how many branches lie around the statement
	depth  int
	rounds int
	spent  int
}

func (r *reader) unread(why string) {
	if r.out.Unread == "" {
		r.out.Unread = why
	}
}

// shell reads the shell form: the last argument is the text.
func (r *reader) shell(c rewrite.Command) {
	last := len(c.Args) - 1
	name := strings.TrimSuffix(path.Base(c.Args[0].String()), ".exe")
	if !isShell(name) {
		r.unread("it is a command of " + name + ", which is not read")
		return
	}
	r.text(c.Args[last])
}

// script reads a heredoc that names its own interpreter.
func (r *reader) script(c rewrite.Command) {
	line, _, _ := strings.Cut(c.Script.String(), "\n")
	for f := range strings.FieldsSeq(strings.TrimPrefix(line, "#!")) {
		name := path.Base(f)
		if isShell(name) {
			r.text(c.Script)
			return
		}
		if name != "env" && !strings.HasPrefix(f, "-") {
			break
		}
	}
	r.unread("it is a script of another program than a shell, which is not read")
}

// exec reads the exec form, in which nothing is expanded.
func (r *reader) exec(args []textmap.Text) {
	words := make([]Word, len(args))
	for i, a := range args {
		words[i] = Word{Text: a, Quote: '"'}
		words[i].Start, words[i].End, _ = a.Range(0, a.Len())
	}
	r.call(words, nil)
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash":
		return true
	}
	return false
}

// call lists a command, and reads the text that it gives to a shell.
func (r *reader) call(words []Word, assigned map[string]value) {
	for i := range words {
		words[i].Nested = r.depth > 1
	}
	if len(r.out.Calls) >= maxCalls {
		r.unread("it has too many commands")
		return
	}
	c := Call{Words: words, Dir: r.dir, Settings: map[string]Word{}}
	for name, values := range r.vars {
		if len(values) > 0 && setting(name) {
			c.Settings[name] = values[len(values)-1].word()
		}
	}
	for name, v := range assigned {
		if setting(name) {
			c.Settings[name] = v.word()
		}
	}
	if c.name(0) == "cd" && len(words) == 2 {
		r.cd(words[1])
	}
	r.out.Calls = append(r.out.Calls, c)
	if text, ok := c.nested(); ok {
		r.text(text)
	}
}

func (v value) word() Word { return Word{Text: v.Text, Vars: v.Vars, Unknown: v.Unknown} }

// setting reports whether pip or uv reads the variable as one of its options.
func setting(name string) bool {
	return strings.HasPrefix(name, "PIP_") || strings.HasPrefix(name, "UV_")
}

// cd moves the working directory.
func (r *reader) cd(to Word) {
	switch s := to.String(); {
	case len(to.Unknown) > 0 || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "~"):
		r.dir = ""
	case strings.HasPrefix(s, "/"):
		r.dir = path.Clean(s)
	case r.dir != "":
		r.dir = path.Join(r.dir, s)
	}
}

// nested returns the script of "sh -c", behind whatever starts the shell.
func (c Call) nested() (textmap.Text, bool) {
	for i := range c.Words {
		if !isShell(c.name(i)) {
			continue
		}
		command := false
		for _, w := range c.Words[i+1:] {
			s := w.String()
			option := strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+")
			if command && !option {
				return w.Text, true
			}
			if option && !strings.HasPrefix(s, "--") {
				command = command || strings.Contains(s, "c")
			} else if !option && s != "pipefail" && s != "errexit" {
				break
			}
		}
	}
	return textmap.Text{}, false
}

// Fields splits a value at its blanks, as pip and uv split the values of their
// variables.
func (w Word) Fields() []Word {
	var out []Word
	s := w.String()
	for at := 0; at < len(s); {
		n := strings.IndexAny(s[at:], " \t\n")
		if n < 0 {
			n = len(s) - at
		}
		if n > 0 {
			out = append(out, w.part(at, at+n))
		}
		at += n + 1
	}
	return out
}
