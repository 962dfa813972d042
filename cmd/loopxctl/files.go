package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/rewrite"
)

// defaultFile is read if none is named, as docker build does.
const defaultFile = "Dockerfile"

// inputs are the files that the command line names.
func inputs(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{defaultFile}, nil
	}
	if i := slices.Index(args, input.Stdin); i >= 0 && slices.Contains(args[i+1:], input.Stdin) {
		return nil, errors.New("standard input can be read only once: give one -")
	}
	return args, nil
}

// planFile reads and plans the file of a name; what goes wrong is its Problem.
func (p *program) planFile(name string, cfg rewrite.Config, policy report.Policy) *report.File {
	f := &report.File{Name: name, Policy: policy}
	p.load(f, cfg)
	return f
}

// load reads and plans f, which has a name, unless there is a Problem already.
func (p *program) load(f *report.File, cfg rewrite.Config) {
	if f.Problem != nil {
		return
	}
	name := f.Name
	if name == input.Stdin {
		f.Name = input.Shown
	}
	src, err := input.Read(p.stdin, name)
	if err != nil {
		f.Problem, _ = errors.AsType[*fault.Error](err)
		return
	}
	plan, err := rewrite.New(src, cfg)
	if err != nil {
		f.Problem = unparsable(f.Name, err)
		return
	}
	f.Source, f.Output, f.Plan = src, plan.Bytes(), plan
}

// unparsable is what BuildKit said about a Dockerfile, and on which line.
func unparsable(name string, err error) *fault.Error {
	e := &fault.Error{
		File: name, Message: strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "),
		Todo: "BuildKit cannot read this Dockerfile, so it is left alone.",
	}
	if at, ok := errors.AsType[*rewrite.ParseError](err); ok {
		e.Line = at.Line
	}
	return e
}

// problems tells on stderr which files could not be read or written.
func (p *program) problems(r *report.Report) {
	for _, f := range r.Files {
		if f.Problem != nil {
			p.fail(f.Problem, "")
		}
	}
}

// sameFile reports whether two names lead to one file on disk.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
}

// isOutput reports whether stdout is one of the named files.
func isOutput(stdout io.Writer, names []string) bool {
	f, ok := stdout.(*os.File)
	if !ok {
		return false
	}
	out, err := f.Stat()
	if err != nil || !out.Mode().IsRegular() {
		return false
	}
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && os.SameFile(info, out)
	})
}
