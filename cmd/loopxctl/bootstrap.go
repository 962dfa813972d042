package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/bootstrap"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
)

const bootstrapLong = `Bootstrap derives the image that runs a benchmark from the image of a task: a
Dockerfile with one stage from the task's image, in which apt installs what the
runner needs. apt fetches over TLS, with limits in time, without recommended
packages, removes nothing of the task's image, and leaves no lists behind.

Without --execute it prints the text, or writes it to --output, for builders that
don't run the frontend: apt has what it needs by mounts from the frontend's image,
as "loopxctl rewrite" writes them. Which user the image runs as stands in the image's
configuration only: --user names it. Where it is not known the text names none, and
the RUN of an image that isn't root's fails.

With --execute the image is built, by the same daemons as "loopxctl build", its
user is read there, and the required commands are looked for in it, as its user.
Where one is missing nothing is exported, and --output is not written. The result
goes to standard output, as JSON if --format text does not say otherwise.

Exit codes: 1 if the build fails or a command is missing; 3 if there is no
daemon, or a file can't be written.`

const bootstrapExample = `  # A Dockerfile for any builder, from an image that runs as the user "bench"
  loopxctl bootstrap --source-image registry.example.com/tasks/fix-git:1 --user bench \
    --frontend-image "registry.example.com/loopx-frontend@sha256:$DIGEST" --output Dockerfile.secure

  # Build it, look for the commands, and push it
  loopxctl bootstrap --source-image registry.example.com/tasks/fix-git:1 --execute \
    --target-image registry.example.com/runners/fix-git:1 --push

  # Other packages, from the company's mirrors
  loopxctl bootstrap --source-image debian:bookworm-slim --apt-package tmux --apt-package ripgrep \
    --required-command tmux --required-command rg --apt-mirror https://mirror.example/debian \
    --security-mirror https://mirror.example/debian-security --execute --target-image runner:1 --load`

type bootstrapCommand struct {
	*program
	operator
	spec             bootstrap.Spec
	output           string
	execute          bool
	target, platform string
	options          builder.Options
	progress, format *oneOf
}

func newBootstrap(p *program) *cobra.Command {
	c := &bootstrapCommand{program: p}
	cmd := &cobra.Command{
		Use:               "bootstrap --source-image IMAGE",
		Short:             "Derive the image that runs a benchmark from the image of a task",
		Long:              bootstrapLong,
		Example:           bootstrapExample,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.declareText(cmd)
	c.declareBuild(cmd)
	c.operator.declare(cmd)
	c.format = addOneOf(cmd, "format", "of the result: JSON (\"loopxctl schema\" describes it), or text for people", "json", "text")
	return cmd
}

func (c *bootstrapCommand) run(cmd *cobra.Command, _ []string) (int, error) {
	if err := c.check(cmd); err != nil {
		return exitUsage, err
	}
	c.spec.UserKnown = cmd.Flags().Changed("user")
	spec, err := bootstrap.New(c.spec)
	if err != nil {
		return exitUsage, err
	}
	c.named = noConfig // a task's image is no project
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return exitUsage, err
	}
	b := &bootstrap.Build{Spec: spec}
	if !c.execute || c.output != "" {
		if b.Secure, err = c.secures(cfg); err != nil {
			return exitUsage, err
		}
	}
	if c.output != "" && c.output != input.Stdin {
		if err := replace.Check(c.output); err != nil {
			return exitFailed, err
		}
	}
	if c.execute {
		c.options.Route, c.options.InForce, c.options.BuildArgs = cfg.Route, cfg.Route, cfg.BuildArgs
		c.options.Organisation = os.DirFS(c.organisationFolder())
		return c.builds(cmd.Context(), b)
	}
	return c.writes(cmd, b)
}

// check returns what is wrong with the command line as a whole.
func (c *bootstrapCommand) check(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if !c.execute {
		for _, name := range buildFlags() {
			if flags.Changed(name) {
				return fmt.Errorf("--%s is about a build: add --execute, or leave it out", name)
			}
		}
		return nil
	}
	switch {
	case strings.Contains(c.platform, ","):
		return errors.New("--platform takes one platform: run the command for each")
	case c.output == input.Stdin:
		return errors.New("--output - and --execute exclude each other: the result of the build goes to standard output")
	case c.target == "" && (c.options.Push || c.options.Load):
		return errors.New("--target-image is missing: the image that is pushed or loaded needs a name")
	}
	return nil
}

// secures returns what makes the text one for builders without the frontend: apt
// has what it needs by the RUN's own mounts.
func (c *bootstrapCommand) secures(cfg rewrite.Config) (func([]byte) ([]byte, error), error) {
	var err error
	if cfg.Carry, err = c.program.carry(cfg.Route, c.options.FrontendImage, false); err != nil {
		return nil, err
	}
	if cfg.Carry.Image == "" {
		return nil, errors.New("the text lends apt what it needs from the frontend's image: name it with --frontend-image REFERENCE@sha256:… (" + given.Variable + " does the same)")
	}
	return func(text []byte) ([]byte, error) {
		plan, err := rewrite.New(text, cfg)
		if err != nil {
			return nil, err
		}
		for _, g := range plan.Guards {
			if !g.Carried {
				return nil, fmt.Errorf("line %d of the text can't be lent what it needs: %s", g.Range.Start.Line, g.Unfit)
			}
		}
		return plan.Bytes(), nil
	}, nil
}

// writes prints or writes the text.
func (c *bootstrapCommand) writes(cmd *cobra.Command, b *bootstrap.Build) (int, error) {
	if !b.Spec.UserKnown {
		c.note("loopxctl: warning: the user of %s is not known, so the text names none: if it isn't root, the build fails; name it with --user, or read it with --execute", b.Spec.Source)
	}
	var err error
	if b.Secured, err = b.Secure(b.Spec.Dockerfile()); err != nil {
		return exitFailed, err
	}
	result := bootstrap.NewResult(b, nil)
	if c.output != "" && c.output != input.Stdin {
		if err := replace.File(c.output, b.Secured); err != nil {
			return exitFailed, err
		}
		result.Output = c.output
		return exitClean, c.print(result)
	}
	if cmd.Flags().Changed("format") {
		return exitClean, c.print(result)
	}
	_, err = c.out.Write(b.Secured)
	return exitClean, err
}

func (c *bootstrapCommand) print(r *bootstrap.Result) error {
	if c.format.value == "json" {
		return plain.Encode(&c.out, r)
	}
	return r.Text(&c.out)
}
