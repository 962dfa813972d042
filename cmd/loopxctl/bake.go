package main

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/distribution/reference"
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/bakefile"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/plain"
)

const bakeLong = `Bake writes a file for "docker buildx bake" that builds every Dockerfile below
a folder with the frontend, and changes none of them: a target for each, called
after its path; a group for each folder that holds several, called FOLDER-all;
and the group default of all.

FRONTEND and LOOPX_MODE are variables in it, so the environment of bake can name
another frontend, or enforce what was only audited. Paths are relative to this
folder: run bake where loopxctl runs.

A Dockerfile's context is its folder, or with --context root the folder that is
named. --platform builds images of several platforms, and with --matrix one
target for each. In --tag, {name} is the target's name in lower case, and
{platform} its platform with - for /.`

const bakeExample = `  # Build all of a repository, as an audit first
  loopxctl bake --frontend registry.example.com/loopx-frontend:1 --audit -o docker-bake.json
  docker buildx bake
  LOOPX_MODE=enforce docker buildx bake services-all

  # With tags, and a cache in the registry
  loopxctl bake --frontend registry.example.com/loopx-frontend:1 \
      --tag 'registry.example.com/apps/{name}:latest' --cache registry=registry.example.com/cache services

  # A target for each platform, as HCL
  loopxctl bake --frontend registry.example.com/loopx-frontend:1 --format hcl \
      --platform linux/amd64,linux/arm64 --matrix services`

// sharedTarget is inherited by all others.
const sharedTarget = "_loopx"

type bakeCommand struct {
	*program
	fleet
	output, frontend, tag, cache string
	platforms                    []string
	matrix, audit                bool
	format, context              *oneOf

	cacheType, cacheAt string
}

func newBake(p *program) *cobra.Command {
	c := &bakeCommand{program: p, fleet: fleet{recursive: true}}
	cmd := &cobra.Command{
		Use:     "bake [FOLDER]",
		Short:   "Write a bake file that builds all Dockerfiles below a folder with the frontend",
		Long:    bakeLong,
		Example: bakeExample,
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: p.does(c.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&c.frontend, "frontend", "", "`IMAGE` of the frontend")
	flags.BoolVar(&c.audit, "audit", false, "warn of what blocks: LOOPX_MODE is audit, unless the environment of bake says otherwise")
	flags.StringVar(&c.tag, "tag", "", "`TEMPLATE` of the images' tags, such as registry.example.com/{name}:1")
	flags.StringSliceVar(&c.platforms, "platform", nil, "`PLATFORM[,PLATFORM]...` to build for")
	flags.BoolVar(&c.matrix, "matrix", false, "a target for each platform")
	flags.StringVar(&c.cache, "cache", "none", "where each target's build cache is kept: `registry=IMAGE|local=FOLDER|none`")
	flags.StringVarP(&c.output, "output", "o", "", "write to `FILE`, whole or not at all; - is standard output")
	c.format = addOneOf(cmd, "format", "of the bake file", "json", "hcl")
	c.context = addOneOf(cmd, "context", "build context of each Dockerfile: its folder, or the folder that is named", "folder", "root")
	c.declareWalk(cmd)
	if err := cmd.MarkFlagRequired("frontend"); err != nil {
		panic(err) // the flag is not declared: a mistake in this program
	}
	for _, name := range []string{"frontend", "tag", "platform", "cache"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
	return cmd
}

func (c *bakeCommand) run(cmd *cobra.Command, args []string) (int, error) {
	if err := c.check(cmd); err != nil {
		return 0, err
	}
	root := "."
	if len(args) == 1 {
		root = args[0]
	}
	if root == input.Stdin || !isFolder(root) {
		return 0, &fault.Error{File: root, Message: "is no folder", Todo: "Name the folder that the Dockerfiles are below."}
	}
	files, err := c.files(c.program, []string{root}, "")
	if err != nil {
		return 0, err
	}
	r := &report.Report{Files: files}
	file, err := c.bake(root, r)
	if err != nil {
		return 0, err
	}
	c.problems(r)
	return failedOr(exitClean, r), c.write(file)
}

// check returns what is wrong with the command line.
func (c *bakeCommand) check(cmd *cobra.Command) error {
	if _, err := reference.ParseNormalizedNamed(c.frontend); err != nil {
		return fmt.Errorf("--frontend %q is no image: %w", c.frontend, err)
	}
	switch {
	case c.matrix && len(c.platforms) == 0:
		return errors.New("--matrix makes a target for each platform: name them with --platform")
	case c.matrix && c.tag != "" && !strings.Contains(c.tag, "{platform}"):
		return errors.New("with --matrix, the targets of all platforms would have one tag: put {platform} into --tag")
	case !c.matrix && strings.Contains(c.tag, "{platform}"):
		return errors.New("{platform} in --tag is for --matrix: an image of several platforms has one tag")
	}
	for _, p := range c.platforms {
		if p == "" || strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789/_.-") != "" {
			return fmt.Errorf("--platform %q is none: write it as linux/amd64", p)
		}
	}
	if err := c.checkCache(); err != nil {
		return err
	}
	return c.checkOutput(cmd)
}

// checkCache reads --cache.
func (c *bakeCommand) checkCache() error {
	var ok bool
	c.cacheType, c.cacheAt, ok = strings.Cut(c.cache, "=")
	switch {
	case c.cacheType == "none" && !ok:
		return nil
	case c.cacheType == "local" && c.cacheAt != "" && !strings.ContainsAny(c.cacheAt, ",\"\n"):
		return nil
	case c.cacheType == "registry":
		ref, err := reference.ParseNormalizedNamed(c.cacheAt)
		if err != nil || !reference.IsNameOnly(ref) {
			return fmt.Errorf("--cache registry=%s: name an image without a tag; each target has its own", c.cacheAt)
		}
		return nil
	}
	return fmt.Errorf("--cache %q is not one of: registry=IMAGE, local=FOLDER, none", c.cache)
}

// checkOutput makes the format that of the output's name: bake goes by it.
func (c *bakeCommand) checkOutput(cmd *cobra.Command) error {
	if c.output == "" || c.output == input.Stdin {
		return nil
	}
	switch extension := strings.TrimPrefix(filepath.Ext(c.output), "."); {
	case extension != "hcl" && extension != "json":
		return fmt.Errorf("--output %s: bake reads a file by its name: end it in .json or .hcl", c.output)
	case !cmd.Flags().Changed("format"):
		c.format.value = extension
	case c.format.value != extension:
		return fmt.Errorf("--output %s is not a name for --format %s: bake reads a file by its name", c.output, c.format.value)
	}
	return replace.Check(c.output)
}

// bake makes the bake file of the files; what can't be in it is their problem.
func (c *bakeCommand) bake(root string, r *report.Report) (*bakefile.File, error) {
	mode := "enforce"
	if c.audit {
		mode = "audit"
	}
	file := &bakefile.File{
		Variables: []bakefile.Variable{
			{Name: "FRONTEND", Default: c.frontend, About: "The image of the frontend, for every target."},
			{Name: "LOOPX_MODE", Default: mode, About: "enforce, or audit: warn of what would stop a build."},
		},
		Targets: []bakefile.Target{{
			Name:      sharedTarget,
			Args:      []bakefile.Arg{{Name: "BUILDKIT_SYNTAX", Value: "${FRONTEND}"}, {Name: "LOOPX_MODE", Value: "${LOOPX_MODE}"}},
			Platforms: c.sharedPlatforms(),
		}},
	}
	var names bakefile.Names
	names.Take(sharedTarget)
	groups := newGroups(&names, r.Files)
	for _, f := range r.Files {
		if f.Problem == nil && plain.Text(f.Name) != f.Name {
			f.Problem = &fault.Error{File: f.Name, Message: "has a name that is left out of bake files", Todo: "Rename it, without control characters."}
		}
		if f.Problem != nil {
			continue
		}
		target, err := c.target(root, f, names.Take(bakefile.Of(f.Below)))
		if err != nil {
			return nil, err
		}
		file.Targets = append(file.Targets, target)
		groups.add(f.Below, target.Name)
	}
	file.Groups = groups.list
	return file, nil
}

func (c *bakeCommand) sharedPlatforms() []bakefile.Template {
	if c.matrix {
		return nil
	}
	return literals(c.platforms)
}

func literals(list []string) []bakefile.Template {
	var all []bakefile.Template
	for _, text := range list {
		all = append(all, bakefile.Literal(text))
	}
	return all
}

// platformInName is the platform of a target of a matrix, as a part of a name.
const platformInName = `${replace(platform, "/", "-")}`

func (c *bakeCommand) target(root string, f *report.File, name string) (bakefile.Target, error) {
	dir, base := path.Split(f.Below)
	t := bakefile.Target{
		Name: name, Inherits: []string{sharedTarget},
		Context: folderContext(filepath.Join(root, filepath.FromSlash(dir))), Dockerfile: bakefile.Literal(base),
	}
	if c.context.value == "root" {
		t.Context, t.Dockerfile = folderContext(root), bakefile.Literal(f.Below)
	}
	id := bakefile.Literal(name)
	if c.matrix {
		id += "-" + platformInName
		t.Matrix, t.MatrixName, t.Platforms = literals(c.platforms), id, []bakefile.Template{"${platform}"}
	}
	switch c.cacheType {
	case "registry":
		at := "type=registry,ref=" + bakefile.Literal(c.cacheAt) + ":" + id
		t.CacheFrom, t.CacheTo = []bakefile.Template{at}, []bakefile.Template{at + ",mode=max"}
	case "local":
		at := bakefile.Literal(filepath.ToSlash(c.cacheAt)) + "/" + id
		t.CacheFrom, t.CacheTo = []bakefile.Template{"type=local,src=" + at}, []bakefile.Template{"type=local,dest=" + at + ",mode=max"}
	}
	var err error
	t.Tags, err = c.tags(name)
	return t, err
}

// folderContext is a folder as bake takes it for one on this machine, whatever
// its name looks like.
func folderContext(dir string) bakefile.Template {
	dir = filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) && dir != "." && dir != ".." && !strings.HasPrefix(dir, "../") {
		dir = "./" + dir
	}
	return bakefile.Literal(dir)
}

// tags are those of a target.
func (c *bakeCommand) tags(name string) ([]bakefile.Template, error) {
	if c.tag == "" {
		return nil, nil
	}
	platforms := c.platforms
	if !c.matrix {
		platforms = []string{""}
	}
	named := strings.ReplaceAll(c.tag, "{name}", strings.ToLower(name))
	for _, platform := range platforms {
		tag := strings.ReplaceAll(named, "{platform}", strings.ReplaceAll(platform, "/", "-"))
		if _, err := reference.ParseNormalizedNamed(tag); err != nil {
			return nil, fmt.Errorf("--tag %s: for the target %s it is %s, which is no image's name: %w", c.tag, name, tag, err)
		}
	}
	return []bakefile.Template{bakefile.Template(strings.ReplaceAll(named, "{platform}", platformInName))}, nil
}

func (c *bakeCommand) write(f *bakefile.File) error {
	var b bytes.Buffer
	encode := f.JSON
	if c.format.value == "hcl" {
		encode = f.HCL
	}
	if err := encode(&b); err != nil {
		return err
	}
	if c.output == "" || c.output == input.Stdin {
		_, err := c.out.Write(b.Bytes())
		return err
	}
	if err := replace.File(c.output, b.Bytes()); err != nil {
		return err
	}
	c.note("%s: written, %s; build them with: docker buildx bake -f %s", c.output, count(len(f.Targets)-1, "target", "targets"), c.output)
	return nil
}
