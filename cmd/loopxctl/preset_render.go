package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/preset/render"
)

const presetRenderLong = `Render prints what runs a preset by its cadence: a workflow of GitHub Actions, a
pipeline of GitLab, lines of a crontab, or units of systemd. The files look when
the cadence says so, and in between for what was missed; "preset due" decides, so
that a period is run once.

Nothing in them is unpinned. For pipelines, --archive and --sha256 name a release of
loopxctl, and for GitLab --image an image by its digest. For cron and systemd the
program is this one, unless --program names another, and its checksum is looked at
before each run.`

const presetRenderExample = `  loopxctl preset render security --for github-actions --output .github/workflows \
    --archive https://artifacts.example.com/loopx/v1.2.3/loopxctl_v1.2.3_linux_amd64.tar.gz \
    --sha256 0000000000000000000000000000000000000000000000000000000000000000

  # On this machine
  loopxctl preset render security --for cron
  loopxctl preset render security --for systemd --output /etc/systemd/system`

type presetRender struct {
	presetInput
	in             render.Input
	target, output string
	format         *oneOf
}

func newPresetRender(p *program) *cobra.Command {
	c := &presetRender{presetInput: newPresetInput(p)}
	cmd := &cobra.Command{
		Use:               "render ID",
		Short:             "Print what runs a preset by its cadence: a pipeline, a timer, a crontab",
		Long:              presetRenderLong,
		Example:           presetRenderExample,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePresets,
	}
	target := addOneOf(cmd, "for", "what runs it", texts(render.Targets())...)
	flags := cmd.Flags()
	flags.StringVar(&c.in.Archive, "archive", "", "for pipelines: https `URL` of the archive of a release of loopxctl for Linux")
	flags.StringVar(&c.in.SHA256, "sha256", "", "`CHECKSUM` of the archive, or of --program; unless given, that of the program as it is")
	flags.StringVar(&c.in.Image, "image", "", "for GitLab: `IMAGE` of the job with its digest, which has curl, tar and a sh")
	flags.StringVar(&c.in.Program, "program", "", "for cron and systemd: `FILE` of the installed loopxctl; unless given, this one")
	flags.StringVarP(&c.output, "output", "o", "", "write the files into this `FOLDER` instead of printing them")
	for _, name := range []string{"archive", "sha256", "image"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
	complete(cmd, "output", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	c.format = addFormat(cmd, "preset")
	c.declare(cmd)
	declareState(cmd, &c.state)
	cmd.RunE = p.does(func(cmd *cobra.Command, args []string) (int, error) {
		if c.target = target.value; !cmd.Flags().Changed("for") {
			return 0, errors.New("for what? --for " + strings.Join(texts(render.Targets()), ", or --for "))
		}
		return c.run(cmd, args[0])
	})
	return cmd
}

func (c *presetRender) run(cmd *cobra.Command, id string) (int, error) {
	cfg, root, err := c.policy(cmd.Context())
	if err != nil {
		return 0, err
	}
	if c.in.Preset, err = findPreset(cfg.AllPresets(), id); err != nil {
		return 0, err
	}
	if c.in.Preset.Disabled {
		return 0, fmt.Errorf("the preset %s is turned off in loopx.yaml (enabled: false)", id)
	}
	target := render.Target(c.target)
	if err := c.fill(cmd.Context(), target, cfg, root); err != nil {
		return 0, err
	}
	files, err := render.Render(target, c.in)
	if err != nil {
		return 0, c.asked(target, err)
	}
	if c.output != "" {
		return exitClean, c.write(files)
	}
	return exitClean, c.print(files)
}

// fill adds what is not a flag to the input.
func (c *presetRender) fill(ctx context.Context, target render.Target, cfg *config.Config, root string) error {
	if err := c.located(ctx, target, root); err != nil {
		return err
	}
	source := cfg.Database.Source
	c.in.Fetch = source == "" || strings.Contains(source, "://")
	if c.in.Fetch {
		c.in.Advisories = source
	}
	if !target.OnMachine() {
		return c.misplaced("--program", c.in.Program, "--state", c.state)
	}
	if err := c.misplaced("--archive", c.in.Archive, "--image", c.in.Image); err != nil {
		return err
	}
	c.in.Folder = realFolder(root)
	if c.state != "" {
		state, err := filepath.Abs(c.state)
		if err != nil {
			return fault.Of(c.state, "cannot be found", err)
		}
		c.in.State = state
	}
	return c.installed()
}

// located says how the program that is run finds the folder and the policy: a
// pipeline runs it at the top of the repository, a machine in the folder.
func (c *presetRender) located(ctx context.Context, target render.Target, root string) (err error) {
	below := c.below(ctx, root)
	switch {
	case below != "" && target.OnMachine():
		c.in.Root = "."
	case below != "":
		c.in.Root = below
	}
	if c.config == "" {
		return nil
	}
	name, err := filepath.Abs(c.config)
	if err != nil {
		return fault.Of(c.config, "cannot be found", err)
	}
	if !target.OnMachine() {
		top := strings.TrimSuffix(realFolder(root), filepath.FromSlash("/"+below))
		name, err = filepath.Rel(top, filepath.Join(realFolder(filepath.Dir(name)), filepath.Base(name)))
		if err != nil || !filepath.IsLocal(name) {
			return fmt.Errorf("--config %s: the file is not in the repository, so that no pipeline has it", c.config)
		}
	}
	c.in.Config = filepath.ToSlash(name)
	return nil
}

// misplaced refuses flags that say nothing about the target.
func (c *presetRender) misplaced(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			return fmt.Errorf("%s does not go with --for %s", pairs[i], c.target)
		}
	}
	return nil
}

// installed finds the program and its checksum.
func (c *presetRender) installed() error {
	name := c.in.Program
	if name == "" {
		this, err := os.Executable()
		if err != nil {
			return &fault.Error{Message: "where this program is is not known: " + err.Error(), Todo: "Name it: --program FILE"}
		}
		name = this
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return fault.Of(name, "cannot be found", err)
	}
	c.in.Program = path
	if c.in.SHA256 != "" {
		return nil
	}
	c.in.SHA256, err = checksum(path)
	return err
}

// checksum is the SHA-256 of a plain file, in hexadecimal.
func checksum(name string) (string, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a plain file")
	}
	if err != nil {
		return "", fault.Of(name, "cannot be read", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fault.Of(name, "cannot be read", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// asked adds the flags to what the files lack.
func (c *presetRender) asked(target render.Target, err error) error {
	flags := "--archive URL --sha256 CHECKSUM"
	switch {
	case target == render.GitLab:
		flags += " --image NAME@sha256:DIGEST"
	case target.OnMachine():
		flags = "--program FILE, --root FOLDER, --state FOLDER"
	}
	return fmt.Errorf("%w\nThe flags for %s: %s", err, target, flags)
}

// write writes the files, each whole or not at all.
func (c *presetRender) write(files []render.File) error {
	for _, f := range files {
		if err := replace.Check(filepath.Join(c.output, f.Name)); err != nil {
			return err
		}
	}
	for _, f := range files {
		name := filepath.Join(c.output, f.Name)
		if err := replace.File(name, []byte(f.Text)); err != nil {
			return err
		}
		c.note("%s: written", name)
	}
	return nil
}

// renderDocument is the JSON form of "loopxctl preset render".
type renderDocument struct {
	presetHead
	Preset string         `json:"preset"`
	For    render.Target  `json:"for"`
	Next   *preset.Period `json:"next,omitempty"`
	Files  []renderedFile `json:"files"`
}

type renderedFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (c *presetRender) print(files []render.File) error {
	if c.format.value == "json" {
		doc := renderDocument{
			presetHead: newPresetHead("preset render"), Preset: c.in.Preset.ID, For: render.Target(c.target),
			Next: known(c.in.Preset.Cadence.Next(now())), Files: []renderedFile{},
		}
		for _, f := range files {
			doc.Files = append(doc.Files, renderedFile(f))
		}
		return plain.Encode(&c.out, doc)
	}
	for i, f := range files {
		c.out.WriteString(cmp.Or(strings.Repeat("\n", min(i, 1)), "") + f.Text)
	}
	return nil
}
