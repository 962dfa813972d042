package main

import (
	"context"
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

// plan reads and plans each file; what goes wrong with one is told in its
// place and does not stop the others. The error is that ctx has ended.
func (p *program) plan(ctx context.Context, command string, names []string, cfg rewrite.Config, policy report.Policy) (*report.Report, error) {
	r := &report.Report{Command: command, Notes: p.configNotes}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, &fault.Error{Message: "stopped: " + err.Error()}
		}
		r.Files = append(r.Files, p.planFile(name, cfg, policy))
	}
	return r, nil
}

func (p *program) planFile(name string, cfg rewrite.Config, policy report.Policy) *report.File {
	f := &report.File{Name: name, Policy: policy}
	if name == input.Stdin {
		f.Name = input.Shown
	}
	src, err := input.Read(p.stdin, name)
	if err != nil {
		f.Problem, _ = errors.AsType[*fault.Error](err)
		return f
	}
	plan, err := rewrite.New(src, cfg)
	if err != nil {
		f.Problem = unparsable(f.Name, err)
		return f
	}
	f.Source, f.Output, f.Plan = src, plan.Bytes(), plan
	return f
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
