package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// organisationVariable names the organisation's folder where this machine has no
// file in the one that is built in: who may not write there can't get around it.
const organisationVariable = "LOOPX_ORGANISATION"

// noConfig is the FILE of --config for no file of a project.
const noConfig = "none"

// inForce is what is in force for a command.
type inForce struct {
	*settings.Settings
	// organisation and project are the files that were read, nil if there is none.
	organisation, project *config.Config
	// operator is what the operator alone says.
	operator  route.Config
	buildArgs map[string]string
}

// inForce reads the files of the organisation and the project, and puts o over
// them. It tells what deserves a look.
func (p *program) inForce(o *operator) (*inForce, error) {
	p.configNotes = misspelt(slices.Concat(p.environ, o.buildArgs))
	in, notes, err := p.settle(o)
	p.configNotes = append(p.configNotes, notes...)
	for _, n := range p.configNotes {
		p.note("loopxctl: warning: %s: %s", n.Variable, n.Message)
	}
	return in, err
}

func (p *program) settle(o *operator) (*inForce, []route.Note, error) {
	args, err := parseBuildArgs(o.buildArgs, p.env)
	if err != nil {
		return nil, nil, err
	}
	in := &inForce{buildArgs: args}
	layers, notes, err := o.layers(args, p.env)
	if err != nil {
		return nil, nil, err
	}
	in.operator = settings.InForce(layers...).Route
	if in.organisation, err = p.organisationFile(); err != nil {
		return nil, nil, err
	}
	if in.project, err = o.projectFile.read(); err != nil {
		return nil, nil, err
	}
	files := []settings.Layer{settings.Of(settings.Organisation, in.organisation), settings.Of(settings.Project, in.project)}
	in.Settings = settings.InForce(append(files, layers...)...)
	if err := in.Err(); err != nil {
		return nil, nil, err
	}
	if _, err := route.NewTable(in.Route); err != nil {
		return nil, nil, err
	}
	return in, append(notes, in.Notes()...), nil
}

// organisationFile is the configuration of the organisation, nil if there is none.
func (p *program) organisationFile() (*config.Config, error) {
	name := filepath.Join(p.organisationFolder(), config.File)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return readConfig(name, config.ParseOrganisation)
}

// organisationFolder is where the organisation's files are.
func (p *program) organisationFolder() string {
	if named, ok := p.env(organisationVariable); ok && named != "" {
		if _, err := os.Lstat(filepath.Join(config.Dir, config.File)); errors.Is(err, fs.ErrNotExist) {
			return named
		}
	}
	return config.Dir
}

// projectFile is the file of the project that a command is about.
type projectFile struct {
	// named is --config: a file, "none", or "" to look for one.
	named string
	// of are files and folders; within is the root of them, "" if it is not
	// given.
	of     []string
	within string
	// given is a file that was read already, nil if there is none.
	given *config.Config
}

func (f *projectFile) declareConfig(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.named, "config", "", "the project's `FILE` of configuration, or "+noConfig+"; unless given, "+config.File+" in the nearest folder around the files, up to the root of the repository")
	complete(cmd, "config", cobra.FixedCompletions([]string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt))
}

// read reads the file; nil if there is none.
func (f *projectFile) read() (*config.Config, error) {
	name := f.named
	switch {
	case f.given != nil:
		return f.given, nil
	case name == noConfig:
		return nil, nil
	case name == "":
		if name = f.nearest(); name == "" {
			return nil, nil
		}
	}
	return readConfig(name, config.Parse)
}

// nearest is the file in the nearest folder around what the command is about, up
// to the root; "" if there is none. Without a root, and out of a repository, it is
// asked of this folder, or of that one.
func (f *projectFile) nearest() string {
	here := realFolder(".")
	start, top := here, realFolder(f.within)
	if names := namesFor(f.of); len(names) > 0 {
		start = commonFolder(names)
	}
	if f.within == "" {
		if top = repositoryTop(start); top == "" {
			top = here
		}
	}
	if rel, err := filepath.Rel(top, start); err != nil || !filepath.IsLocal(rel) {
		top = start
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, config.File)
		if _, err := os.Lstat(name); err == nil {
			return shorter(name)
		}
		if dir == top || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// namesFor are files and folders as commonFolder takes them.
func namesFor(about []string) []string {
	var names []string
	for _, name := range about {
		if name == input.Stdin {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			name = filepath.Join(name, "x")
		}
		if realFolder(filepath.Dir(name)) != "" {
			names = append(names, name)
		}
	}
	return names
}

// repositoryTop is the nearest folder at or above dir that is a clone of git, ""
// if there is none.
func repositoryTop(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// readConfig reads a file of the configuration. One that is a pipe would keep us
// waiting.
func readConfig(name string, parse func(string, []byte) (*config.Config, error)) (*config.Config, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a plain file")
	}
	var data []byte
	if err == nil {
		data, err = readUpTo(name, config.MaxFile+1)
	}
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	c, err := parse(name, data)
	if err != nil {
		return nil, misread(err)
	}
	return c, nil
}

func readUpTo(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
