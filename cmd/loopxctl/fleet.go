package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/progress"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/walk"
)

// fleet says which files are meant where folders are named, and how the run
// over them is shown.
type fleet struct {
	recursive        bool
	include, exclude []string
	noIgnore         bool
	progress         *oneOf
	ignored          int // files that .gitignore files left out
}

// declare declares the flags of a command that takes files, and folders with -r.
func (f *fleet) declare(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.recursive, "recursive", "r", false, "take all Dockerfiles below the folders that are named, or below this one")
	f.declareWalk(cmd)
	f.declareProgress(cmd)
}

// declareProgress declares --progress.
func (f *fleet) declareProgress(cmd *cobra.Command) {
	f.progress = addOneOf(cmd, "progress", "of a run over folders, on standard error: auto is a bar on a terminal, plain a line for each tenth of the files", progress.Auto, progress.Plain, progress.None)
}

// declareWalk declares the flags that say what is taken of a folder.
func (f *fleet) declareWalk(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.include, "include", nil, "`PATTERN` of files in folders to take, as in a .gitignore file, in place of the names of Dockerfiles; repeatable")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "`PATTERN` of files and folders to leave out, as in a .gitignore file; repeatable")
	flags.BoolVar(&f.noIgnore, "no-ignore", false, "also take what .gitignore files leave out")
	for _, name := range []string{"include", "exclude"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
}

// files are those that the command line names. without is a folder that is not
// looked into; "" for none.
func (f *fleet) files(p *program, args []string, without string) ([]*report.File, error) {
	if f.recursive {
		return f.below(p, args, without)
	}
	if f.include != nil || f.exclude != nil || f.noIgnore {
		return nil, errors.New("--include, --exclude and --no-ignore say what is taken of folders: add -r")
	}
	names, err := inputs(args)
	if err != nil {
		return nil, err
	}
	files := make([]*report.File, len(names))
	for i, name := range names {
		files[i] = &report.File{Name: name, Problem: folderNamed(name)}
	}
	return files, nil
}

// folderNamed is what is wrong with a name that is a folder's.
func folderNamed(name string) *fault.Error {
	if name == input.Stdin || !isFolder(name) {
		return nil
	}
	e := &fault.Error{File: name, Message: "is a directory", Todo: "Take all Dockerfiles below it: -r"}
	if inside := filepath.Join(name, defaultFile); isRegular(inside) {
		e.Todo = "Name the file, " + inside + ", or take all Dockerfiles below the folder: -r"
	}
	return e
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// below are the Dockerfiles below the folders that are named, and this folder's
// if none is; a name that is a file's is that file.
func (f *fleet) below(p *program, args []string, without string) ([]*report.File, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	if _, err := inputs(args); err != nil {
		return nil, err
	}
	found, err := walk.Find(args, walk.Options{Include: f.include, Exclude: f.exclude, NoIgnore: f.noIgnore, Without: without})
	if err != nil {
		return nil, err
	}
	for _, text := range found.Notes {
		p.note("loopxctl: note: %s", text)
	}
	if len(found.Files) == 0 {
		return nil, noDockerfile(args, found.Ignored)
	}
	f.ignored = found.Ignored
	files := make([]*report.File, len(found.Files))
	for i, file := range found.Files {
		files[i] = &report.File{Name: file.Name, Below: file.Path, Problem: file.Problem}
	}
	return files, nil
}

// noDockerfile is the failure to find one: a run over nothing must not pass for
// one that found nothing wrong.
func noDockerfile(folders []string, ignored int) error {
	e := &fault.Error{
		File: strings.Join(folders, ", "), Message: "there is no Dockerfile below it",
		Todo: "Name their pattern, if they are called otherwise: --include '*.df'",
	}
	if ignored > 0 {
		e.Todo = fmt.Sprintf("%s left out by .gitignore files; --no-ignore takes them", count(ignored, "file was", "files were"))
	}
	return e
}

// namesOf are the names of files.
func namesOf(files []*report.File) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return names
}

// hasStdin reports whether one of the files is standard input.
func hasStdin(files []*report.File) bool {
	return slices.ContainsFunc(files, func(f *report.File) bool { return f.Name == input.Stdin })
}
