// Command loopxctl shows, as text, what the LoopX Dockerfile frontend decides
// about the fetches of a Dockerfile, and writes a Dockerfile whose fetches
// travel over TLS for builders that know no "# syntax=" line.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Exit codes of every command, the same in every format.
const (
	exitClean   = 0 // nothing to report
	exitBlocked = 1 // something is refused, or --check found a change
	exitUsage   = 2 // the command line or the configuration is wrong
	exitFailed  = 3 // an input could not be read, or an output not written
)

func main() {
	os.Exit(run(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args[1:], os.Environ()))
}

// run is the whole program: three streams, the arguments without the program's
// name and the environment as "NAME=value" go in, an exit code comes out.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args, environ []string) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, environ: environ, env: lookup(environ)}
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(&p.out)
	root.SetErr(&p.notes)
	called, err := root.ExecuteContextC(ctx)
	if err != nil {
		p.code = p.fail(fileForCommand(err, called, args), called.CommandPath())
	}
	if _, err := stdout.Write(p.out.Bytes()); err != nil {
		p.code = p.fail(fault.Of("", "cannot write to standard output", err), "")
	}
	_, _ = stderr.Write(p.notes.Bytes()) // there is nowhere left to complain to
	return p.code
}

// program is one run: its streams, its environment, and the answer so far.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string // "NAME=value"
	env            func(name string) (value string, ok bool)
	configNotes    []route.Note // about the configuration
	out            bytes.Buffer // goes to stdout when all is decided
	notes          bytes.Buffer // goes to stderr after that
	code           int
}

// fail tells err and returns its exit code.
func (p *program) fail(err error, command string) int {
	for _, e := range split(err) {
		p.say("loopxctl: " + e.Error())
	}
	failure, ok := errors.AsType[*fault.Error](err)
	if !ok {
		fmt.Fprintf(&p.notes, "See '%s --help'.\n", command)
		return exitUsage
	}
	p.say(failure.Todo)
	return exitFailed
}

// split takes joined errors apart.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// say prints the lines of a message that are not empty.
func (p *program) say(text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			fmt.Fprintln(&p.notes, plain.Line(route.RedactText(line)))
		}
	}
}

// note tells a person something that is no error.
func (p *program) note(format string, args ...any) {
	fmt.Fprintln(&p.notes, plain.Text(fmt.Sprintf(format, args...)))
}

// configure is what is in force for a command, and tells what in it deserves a
// look.
func (p *program) configure(o *operator) (rewrite.Config, error) {
	in, err := p.inForce(o)
	if err != nil {
		return rewrite.Config{}, err
	}
	return rewrite.Config{Route: in.Route, BuildArgs: in.buildArgs}, nil
}

// misspelt are the variables of the environment, and the build arguments, that
// look like ours.
func misspelt(environ []string) []route.Note {
	var notes []route.Note
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if meant, ok := route.UnknownVariable(name); ok {
			notes = append(notes, route.Note{Variable: name, Message: "is not read; did you mean " + meant + "?"})
		}
	}
	return notes
}

// count is "no addresses", "1 address", "2 addresses".
func count(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// lookup reads an environment as os.LookupEnv does.
func lookup(environ []string) func(string) (string, bool) {
	vars := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			vars[name] = value
		}
	}
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}
