package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/bootstrap"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
)

// builds builds the text and prints the result. --output is written when all is
// well.
func (c *bootstrapCommand) builds(ctx context.Context, b *bootstrap.Build) (int, error) {
	dir, err := os.MkdirTemp("", "loopxctl-bootstrap-")
	if err != nil {
		return exitFailed, fault.Of("", "there is no temporary folder", err)
	}
	defer os.RemoveAll(dir)
	b.Ready = func(text []byte) error { return os.WriteFile(filepath.Join(dir, defaultFile), text, 0o600) }
	// The builder wants a Dockerfile to be there before its frontend reads it.
	if err := b.Ready(nil); err != nil {
		return exitFailed, fault.Of("", "the temporary folder cannot be written", err)
	}
	iid := filepath.Join(dir, "iid")
	o := c.options
	o.Context, o.File, o.IIDFile, o.Around = dir, "", iid, b.Around
	o.Progress, o.Version, o.Env = display.Mode(c.progress.value), version(), c.env
	if c.target != "" {
		o.Tags = []string{c.target}
	}
	if c.platform != "" {
		o.Platforms = []string{c.platform}
	}
	return c.solve(ctx, o, b, iid)
}

// solve runs the build and says how it ended.
func (c *bootstrapCommand) solve(ctx context.Context, o builder.Options, b *bootstrap.Build, iid string) (int, error) {
	err := c.runBuild(ctx, o)
	if failed, ok := errors.AsType[*builder.Failed](err); ok {
		return exitBlocked, c.print(bootstrap.NewResult(b, failed.Err))
	}
	if err != nil {
		return exitUsage, err
	}
	result := bootstrap.NewResult(b, nil)
	result.TargetImage = c.target
	if id, err := os.ReadFile(iid); err == nil {
		result.ImageID = strings.TrimSpace(string(id))
	}
	if c.output != "" {
		if err := replace.File(c.output, b.Secured); err != nil {
			return exitFailed, err
		}
		result.Output = c.output
	}
	return exitClean, c.print(result)
}
