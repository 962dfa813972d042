package builder

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/dfgitutil"
	"github.com/moby/buildkit/session/upload/uploadprovider"
	"github.com/moby/buildkit/util/archiveutil"
	"github.com/tonistiigi/fsutil"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Names of the frontend's two inputs, and of its file.
const (
	contextInput      = "context"
	dockerfileInput   = "dockerfile"
	defaultDockerfile = "Dockerfile"
)

// inputs finds the build context and the Dockerfile.
func (p *plan) inputs() error {
	where, file := p.options.Context, p.options.File
	switch {
	case where == input.Stdin && file == input.Stdin:
		return errors.New("standard input can't be both the build context and the Dockerfile")
	case where == input.Stdin:
		return p.fromStdin()
	case isRemote(where):
		p.opt.FrontendAttrs[contextInput] = where
		return p.remoteDockerfile()
	}
	if err := p.mount(contextInput, where); err != nil {
		return err
	}
	p.opt.SharedKey = baseName(where)
	switch file {
	case input.Stdin:
		return p.readDockerfile(p.streams.In)
	case "":
		return p.dockerfile(filepath.Join(where, defaultDockerfile))
	}
	return p.dockerfile(file)
}

// isRemote reports whether a context is an address, which the daemon fetches.
func isRemote(where string) bool {
	if strings.HasPrefix(where, "http://") || strings.HasPrefix(where, "https://") {
		return true
	}
	if _, err := os.Stat(where); err == nil {
		return false
	}
	_, ok, err := dfgitutil.ParseGitRef(where)
	return ok && err == nil
}

// remoteDockerfile is a path in the remote context, or standard input, or an
// absolute path on this machine.
func (p *plan) remoteDockerfile() error {
	switch file := p.options.File; {
	case file == input.Stdin:
		return p.readDockerfile(p.streams.In)
	case filepath.IsAbs(file):
		return p.dockerfile(file)
	case file != "":
		p.opt.FrontendAttrs["filename"] = file
	}
	return nil
}

// fromStdin takes standard input for the build context if it is an archive, else
// for a Dockerfile that needs no context.
func (p *plan) fromStdin() error {
	in := bufio.NewReaderSize(p.streams.In, archiveHead)
	head, err := in.Peek(archiveHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return fault.Of(input.Shown, "cannot be read", err)
	}
	if archiveutil.IsArchive(head) {
		up := uploadprovider.New()
		p.opt.FrontendAttrs[contextInput] = up.Add(io.NopCloser(in))
		p.opt.Session = append(p.opt.Session, up)
		if p.options.File != "" {
			p.opt.FrontendAttrs["filename"] = filepath.ToSlash(p.options.File)
		}
		return nil
	}
	if p.options.File != "" {
		return errors.New("standard input is no archive, so it is the Dockerfile, and --file names another one")
	}
	empty, err := p.folder("context")
	if err != nil {
		return err
	}
	if err := p.mount(contextInput, empty); err != nil {
		return err
	}
	delete(p.folders, contextInput)
	return p.readDockerfile(in)
}

// archiveHead is how much of a file tells whether it is an archive: two blocks
// of a tar file.
const archiveHead = 1024

// readDockerfile takes the Dockerfile from a stream.
func (p *plan) readDockerfile(r io.Reader) error {
	src, err := input.Read(r, input.Stdin)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return &fault.Error{File: input.Shown, Message: "is empty", Todo: "Pipe a Dockerfile or a tar archive into the command."}
	}
	dir, err := p.folder("dockerfile")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, defaultDockerfile), src, 0o600); err != nil {
		return err
	}
	p.opt.FrontendAttrs["dockerfilekey"] = dockerfileInput
	p.opt.FrontendAttrs["filename"] = defaultDockerfile
	if err := p.mount(dockerfileInput, dir); err != nil {
		return err
	}
	delete(p.folders, dockerfileInput)
	return nil
}

// dockerfile takes the Dockerfile from disk. Its folder is the input, for the
// .dockerignore beside it.
func (p *plan) dockerfile(name string) error {
	if lower := strings.TrimSuffix(name, defaultDockerfile) + strings.ToLower(defaultDockerfile); p.options.File == "" && !exists(name) && exists(lower) {
		name = lower
	}
	if _, err := input.Read(nil, name); err != nil {
		return err
	}
	if isRemote(p.options.Context) {
		p.opt.FrontendAttrs["dockerfilekey"] = dockerfileInput
	}
	p.opt.FrontendAttrs["filename"] = filepath.Base(name)
	return p.mount(dockerfileInput, filepath.Dir(name))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// mount makes a folder an input.
func (p *plan) mount(name, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &fault.Error{File: route.Redact(dir), Message: "there is no such folder", Todo: "Name the folder with the build context, an address, or - for standard input."}
	case err != nil:
		return fault.Of(dir, "cannot be read", err)
	case !info.IsDir():
		return &fault.Error{File: dir, Message: "is not a folder", Todo: "Name the folder with the build context; a Dockerfile is named with --file."}
	}
	tree, err := fsutil.NewFS(dir)
	if err != nil {
		return fault.Of(dir, "cannot be read", err)
	}
	p.opt.LocalMounts[name], p.folders[name] = tree, dir
	return nil
}

// baseName is the name of a folder. It tells the daemon which earlier copy of an
// input a new one is most like.
func baseName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}
