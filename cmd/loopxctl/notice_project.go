package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/notice"
)

// look reads the notices, and the project with what is known of advisories. The
// project is to be closed.
func (c *noticeCommand) look(ctx context.Context, args []string) (*floorsProject, error) {
	c.prepare(c.program, c.cache)
	if err := c.noticeRecords.read(ctx, args); err != nil {
		return nil, err
	}
	c.opener = c.open
	p, err := c.floorsInput.read(ctx, &c.tree, c.paths)
	if err != nil {
		return nil, err
	}
	if err := c.finish(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Database = c.builder.Database()
	return p, nil
}

// fill adds the project to what is checked.
func (c *noticeCommand) fill(in *notice.Input, p *floorsProject) {
	c.told = len(in.Records)
	in.Floors, in.BuildArgs = p.Input, p.options.BuildArgs
	for _, f := range p.found.Files {
		if f.Kind != manifest.DockerfileKind {
			continue
		}
		if text, err := readProjectFile(p, f.Name); err == nil { // the reading of the project tells what is wrong
			in.Dockerfiles = append(in.Dockerfiles, notice.Dockerfile{Name: f.Name, Text: text})
		}
	}
}

// readProjectFile reads a Dockerfile of the project.
func readProjectFile(p *floorsProject, name string) ([]byte, error) {
	f, err := openPlain(p.Root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() > dockerfile.MaxSize {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, err
	}
	return p.ReadFile(name)
}

// maxEvaluated is the largest file of evaluated notices, in bytes.
const maxEvaluated = 64 << 20

// readEvaluated reads the records evaluated before; none if no file is named, or
// there is none yet.
func (c *noticeCommand) readEvaluated(args []string) (notice.Evaluated, error) {
	if c.evaluated == "" {
		return notice.Evaluated{}, nil
	}
	if slices.ContainsFunc(args, func(name string) bool { return sameFile(name, c.evaluated) }) {
		return nil, errors.New("--evaluated names a file that is read for notices")
	}
	if err := replace.Check(c.evaluated); err != nil {
		return nil, err
	}
	info, err := os.Stat(c.evaluated)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notice.Evaluated{}, nil
	case err != nil:
		return nil, fault.Of(c.evaluated, "cannot be read", err)
	case !info.Mode().IsRegular() || info.Size() > maxEvaluated:
		return nil, &fault.Error{File: c.evaluated, Message: "is no file of evaluated notices"}
	}
	text, err := os.ReadFile(c.evaluated)
	if err != nil {
		return nil, fault.Of(c.evaluated, "cannot be read", err)
	}
	known, err := notice.ParseEvaluated(text)
	if err != nil {
		return nil, &fault.Error{File: c.evaluated, Message: err.Error(), Todo: "Mend it, or take it away: then all notices are told once more."}
	}
	return known, nil
}

// writeEvaluated adds the records of this run. It is called only if all of it was
// read and printed.
func (c *noticeCommand) writeEvaluated(known notice.Evaluated) error {
	if c.evaluated == "" {
		return nil
	}
	known.Add(c.records)
	return replace.File(c.evaluated, known.Text())
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
