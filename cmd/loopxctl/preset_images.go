package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/preset"
	findings "github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/scan"
)

// verify makes the outcome of the check of images: what the release gate says of
// them, but for which commit they are built of.
func (c *presetRun) verify(ctx context.Context, s *scanned, p *preset.Preset) (scan.Outcome, error) {
	o := scan.Outcome{Check: preset.Image}
	g := &gateCommand{program: c.program, scanFlags: c.scanFlags}
	in := gate.Input{Tool: thisTool().Tool, Now: s.Now, Config: s.Config.Release}
	in.Config.Frontends = slices.Concat(in.Config.Frontends, builtIn())
	in.Tree.Pins = s.pinnedBases(s.Dockerfiles)
	for _, name := range p.Images {
		g.images = []string{c.imageName(s, name)}
		images, err := g.readImages(ctx, s)
		if e, ok := errors.AsType[*fault.Error](err); ok {
			o.Problems = append(o.Problems, findings.Problem{File: name, Message: e.Message})
			continue
		}
		if err != nil {
			return o, err
		}
		o.Files = append(o.Files, name)
		in.Images = append(in.Images, images...)
	}
	for _, check := range gate.Judge(in).Checks {
		if check.Subject != "" && check.Name != gate.ImageCommit && check.Status.Stops() {
			f := imageFinding(&check)
			o.Findings, o.Subjects = append(o.Findings, f), append(o.Subjects, ack.NewSubject(f.Finding, ""))
		}
	}
	return o, nil
}

// imageName is an image as loopx.yaml names it: a path is one from the root.
func (c *presetRun) imageName(s *scanned, name string) string {
	if _, err := s.project.Stat(name); err == nil {
		return filepath.Join(s.project.dir, filepath.FromSlash(name))
	}
	return name
}

// imageFinding is what stops an image, as a finding. Nobody signs for it here: the
// section "release" of loopx.yaml says what is accepted.
func imageFinding(c *gate.Check) lens.Shadowed {
	text := c.Subject + ": " + c.Reason
	if c.Todo != "" {
		text += "; " + c.Todo
	}
	return lens.Apply(policy.Finding{
		Rule: c.Name, Class: policy.SecurityPrivacy, Severity: policy.Blocker, Message: policy.Line(text), Tool: thisTool().Tool,
	})
}
