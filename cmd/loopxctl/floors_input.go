package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
)

// floorsInput are the flags that say what is read, and by which policy it is
// judged.
type floorsInput struct {
	config, database, cache, maxAge              string
	noDatabase, library, runtime, floor, scripts bool
	scopes, values, buildArgs                    []string
	// opener is nil for feed.Open.
	opener opener
}

func (in *floorsInput) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&in.config, "config", "", "policy `FILE`, or "+noConfig+"; unless given, "+config.File+" in the nearest folder around the paths, up to the root")
	flags.StringSliceVar(&in.scopes, "scope", nil, "check these `SCOPES` alone: "+strings.Join(floorScopes(), ", ")+"; with commas, or repeated")
	flags.BoolVar(&in.library, "library", false, "the project is a library: its runtime dependencies are told about and fail nothing")
	flags.BoolVar(&in.runtime, "runtime", false, "check the runtime dependencies, also those of a library")
	flags.BoolVar(&in.floor, "require-floor", false, "every external dependency must have a lower bound")
	flags.BoolVar(&in.scripts, "scripts", false, "read *.py files with inline metadata (PEP 723) too")
	flags.StringArrayVar(&in.values, "env", nil, "`NAME=VALUE` of a ${VARIABLE} in requirements files; the environment is never read; repeatable")
	flags.StringArrayVar(&in.buildArgs, "build-arg", nil, "build argument `NAME[=VALUE]` as for docker build, from the environment without =VALUE; repeatable")
	in.declareDatabase(cmd)
	complete(cmd, "config", cobra.FixedCompletions([]string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt))
	complete(cmd, "scope", cobra.FixedCompletions(floorScopes(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"env", "build-arg", "max-age"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
}

func (in *floorsInput) declareDatabase(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&in.database, "database", "", "advisories in the form of OSV: `SOURCE` is a folder, a zip archive, JSON, JSON lines, -, or the address of an export that \"floors update\" fetched; unless given, "+config.File+" says it, or OSV's export for PyPI is used if it was fetched")
	flags.BoolVar(&in.noDatabase, "no-database", false, "use no advisories: the floors of the policy alone")
	flags.StringVar(&in.maxAge, "max-age", "", "`AGE` that the advisories may have, as 7d or 36h")
	declareCache(cmd, &in.cache)
}

func declareCache(cmd *cobra.Command, cache *string) {
	cmd.Flags().StringVar(cache, "cache", "", "`FOLDER` that \"floors update\" keeps exports in; unless given, loopx/osv in the user's cache folder")
	complete(cmd, "cache", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

// floorsProject is what was read: a project, its policy and the advisories.
type floorsProject struct {
	*floorsRoot
	floors.Input
	found manifest.Discovery
	// options are those of the reading.
	options manifest.Options
}

// read reads all that a check goes by. What is wrong in a file of the project is
// in the reading, and not an error. The project is to be closed.
func (in *floorsInput) read(ctx context.Context, t *tree, args []string) (*floorsProject, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	options, err := in.variables(t.program)
	if err != nil {
		return nil, err
	}
	root, err := t.floorsRoot(ctx, args, in.config == "")
	if err != nil {
		return nil, err
	}
	p := &floorsProject{floorsRoot: root, options: options}
	if err := in.fill(ctx, t.program, p); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// judgedBy reads the policy and the advisories.
func (in *floorsInput) judgedBy(ctx context.Context, program *program, p *floorsProject) (err error) {
	if p.Config, err = in.readPolicy(p.floorsRoot); err != nil {
		return err
	}
	if p.Database, p.Snapshot, err = in.advisories(ctx, program, p); err != nil {
		return err
	}
	if p.config != "" && in.config == "" {
		p.Config.Name = p.config // as the other files are named
	}
	return nil
}

// fill reads policy, advisories and files.
func (in *floorsInput) fill(ctx context.Context, program *program, p *floorsProject) (err error) {
	if err := in.judgedBy(ctx, program, p); err != nil {
		return err
	}
	if p.found, err = p.find(in.scripts); err != nil {
		return err
	}
	for _, name := range p.otherPolicies() {
		program.note("loopxctl: note: %s is not read: its folder is a project of its own, to be checked by itself", printable(name))
	}
	p.Today, p.Instruction = now(), dockerfile.Instructions(p.ReadFile, p.options.BuildArgs)
	p.Reading = p.found.Read(p.FS(), p.options)
	return nil
}

// variables are those of requirements files and of Dockerfiles.
func (in *floorsInput) variables(p *program) (o manifest.Options, err error) {
	o.Env = map[string]string{}
	for _, text := range in.values {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return o, fmt.Errorf("--env: %q is not NAME=VALUE: the environment of this program is never read", name)
		}
		o.Env[name] = value
	}
	o.BuildArgs, err = parseBuildArgs(in.buildArgs, p.env)
	return o, err
}

// readPolicy reads the policy, and puts the flags over it.
func (in *floorsInput) readPolicy(root *floorsRoot) (*config.Config, error) {
	name, text, err := in.policyFile(root)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(name, text)
	if err != nil {
		return nil, misread(err)
	}
	return c, in.override(c)
}

// misread takes the errors of a policy apart.
func misread(err error) error {
	all, ok := errors.AsType[config.Errors](err)
	if !ok {
		return err
	}
	told := make([]error, len(all))
	for i, e := range all {
		told[i] = e
	}
	return errors.Join(told...)
}

// policyFile returns the file of the policy, and what messages call it; "" if
// there is none.
func (in *floorsInput) policyFile(root *floorsRoot) (name string, text []byte, err error) {
	name = in.config
	open := os.Open
	if name == noConfig || name == "" && root.config == "" {
		return "", nil, nil
	}
	if name == "" {
		name = filepath.Join(root.dir, root.config)
		open = func(string) (*os.File, error) { return openPlain(root.Root, root.config) }
	}
	f, err := open(name)
	if err != nil {
		return name, nil, fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	if text, err = io.ReadAll(io.LimitReader(f, config.MaxFile+1)); err != nil {
		return name, nil, fault.Of(name, "cannot be read", err)
	}
	return name, text, nil
}

// openPlain opens a file of the project. One that is a pipe would keep us
// waiting.
func openPlain(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a plain file")
	}
	if err != nil {
		return nil, err
	}
	return root.Open(name)
}

// override puts the flags over the policy.
func (in *floorsInput) override(c *config.Config) error {
	c.Library = c.Library || in.library
	c.RequireFloor = c.RequireFloor || in.floor
	if c.Scopes == nil {
		c.Scopes = map[string]bool{}
	}
	for _, scope := range in.scopes {
		if !slices.Contains(floorScopes(), scope) {
			return fmt.Errorf("--scope: %q is none of: %s", scope, strings.Join(floorScopes(), ", "))
		}
	}
	if len(in.scopes) > 0 {
		for _, scope := range floorScopes() {
			c.Scopes[scope] = slices.Contains(in.scopes, scope)
		}
	}
	if in.runtime {
		c.Scopes[string(manifest.Runtime)] = true
	}
	if in.maxAge == "" {
		return nil
	}
	age, err := config.Parse("", fmt.Appendf(nil, "database: {max_age: %q}", in.maxAge))
	if all, ok := errors.AsType[config.Errors](err); ok {
		return errors.New("--max-age: " + all[0].Message)
	}
	c.Database.MaxAge = age.Database.MaxAge
	return nil
}

// floorScopes are the scopes that a policy knows.
func floorScopes() []string {
	var all []string
	for _, s := range []manifest.Scope{
		manifest.Build, manifest.Runtime, manifest.Optional, manifest.Groups, manifest.Requirements, manifest.Locks, manifest.Dockerfile,
	} {
		all = append(all, string(s))
	}
	return all
}
