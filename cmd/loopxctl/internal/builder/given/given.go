// Package given finds what RUNs are given, package mount's folders, for a build
// in this process: there is no frontend image around it that holds them.
package given

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/plugins/content/local"
	"github.com/distribution/reference"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/ociindex"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/tonistiigi/fsutil"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/frontend/mount"
)

// Image is the frontend's image for programs that were built with one named:
// -ldflags "-X github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given.Image=REF".
var Image string

// Variable is the environment variable that stands for the flag.
const Variable = "LOOPX_FRONTEND_IMAGE"

// Folder is the folder beside the program, or in ../share, that is looked for.
// `mkimage -mount DIR/loopx-frontend` writes one.
const Folder = "loopx-frontend"

// name is how the session calls the content.
const name = "loopx-given"

// Content is where the folders are. The zero value is nowhere: RUNs get none.
type Content struct {
	image  string // reference
	digest string // of the image in store
	store  content.Store
	tree   fsutil.FS
}

// Find finds the content: what is named (a reference, an OCI layout or a folder),
// else what [Variable] names, else [Folder] beside the program, else [Image].
func Find(named string, env func(string) (string, bool)) (*Content, error) {
	if named == "" {
		named, _ = env(Variable)
	}
	if named != "" {
		return open(named)
	}
	for _, dir := range beside() {
		if isFolder(dir) {
			return open(dir)
		}
	}
	if Image != "" {
		return open(Image)
	}
	return nil, errors.New("this program has nothing to give to RUNs: name the frontend's image with --frontend-image REFERENCE, or a folder that `make image OCI=DIR` wrote in a checkout of its source (" + Variable + " does the same)")
}

// beside are the places for [Folder] that go with this program.
func beside() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	dir := filepath.Dir(program)
	return []string{filepath.Join(dir, Folder), filepath.Join(filepath.Dir(dir), "share", Folder)}
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

func open(place string) (*Content, error) {
	place = strings.TrimPrefix(strings.TrimPrefix(place, "oci-layout://"), "docker-image://")
	switch {
	case isFolder(filepath.Join(place, mount.ImageDir)):
		return openFolder(place)
	case isFile(filepath.Join(place, "oci-layout")):
		return openLayout(place)
	case isFolder(place):
		return nil, &fault.Error{File: place, Message: "holds neither " + strings.TrimPrefix(mount.ImageDir, "/") + " nor an OCI layout", Todo: "Write one with `make image OCI=DIR` in a checkout of the frontend's source."}
	}
	ref, err := reference.ParseNormalizedNamed(place)
	if err != nil {
		return nil, fmt.Errorf("--frontend-image %s is neither a folder nor the reference of an image: %w", place, err)
	}
	return &Content{image: reference.TagNameOnly(ref).String()}, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// openFolder checks the methods against the lock: they are what RUNs execute,
// and another release's would not fit this frontend.
func openFolder(dir string) (*Content, error) {
	for _, platform := range mount.Platforms() {
		key := mount.Key(platform)
		file := filepath.Join(dir, mount.AptDir(key), mount.MethodPath)
		if !isFile(file) {
			continue
		}
		if err := check(file, key); err != nil {
			return nil, err
		}
	}
	tree, err := fsutil.NewFS(dir)
	if err != nil {
		return nil, fault.Of(dir, "cannot be read", err)
	}
	return &Content{tree: tree}, nil
}

func check(file, key string) error {
	want, ok := mount.Locked(key)
	sum, err := sumFile(file)
	switch {
	case err != nil:
		return fault.Of(file, "cannot be read", err)
	case !ok || sum != want.MethodSHA256:
		return &fault.Error{File: file, Message: "is not the apt method that this release of loopxctl was built with", Todo: "Take both from the same release."}
	}
	return nil
}

func openLayout(dir string) (*Content, error) {
	desc, err := ociindex.NewStoreIndex(dir).GetSingle()
	if err == nil && desc == nil {
		err = errors.New("it names more than one image")
	}
	if err != nil {
		return nil, fault.Of(dir, "the OCI layout cannot be read", err)
	}
	store, err := local.NewStore(dir)
	if err != nil {
		return nil, fault.Of(dir, "the OCI layout cannot be read", err)
	}
	return &Content{digest: desc.Digest.String(), store: store}, nil
}

// Stores is the part of the session that has the content, if it is an OCI layout.
func (c *Content) Stores() map[string]content.Store {
	if c.store == nil {
		return nil
	}
	return map[string]content.Store{name: c.store}
}

// Folders is the part of the session that has the content, if it is a folder.
func (c *Content) Folders() map[string]fsutil.FS {
	if c.tree == nil {
		return nil
	}
	return map[string]fsutil.FS{name: c.tree}
}

// State is the content for the frontend; nil for nowhere.
func (c *Content) State(session string) *llb.State {
	title := llb.WithCustomName("[internal] load what RUNs are given")
	var st llb.State
	switch {
	case c.tree != nil:
		st = llb.Local(name, llb.SessionID(session), llb.SharedKeyHint(name), title)
	case c.store != nil:
		st = llb.OCILayout("localhost/"+name+"@"+c.digest, llb.OCIStore(session, name), llb.Platform(platform()), title)
	case c.image != "":
		st = llb.Image(c.image, llb.Platform(platform()), title)
	default:
		return nil
	}
	return &st
}

// platform is that of the image to take: what RUNs are given is the same in all
// of them, and a frontend's image need not be for this machine.
func platform() ocispecs.Platform {
	p := ocispecs.Platform{OS: "linux", Architecture: "amd64"}
	if runtime.GOARCH == "arm64" {
		p.Architecture = runtime.GOARCH
	}
	return p
}

// Close ends what was opened.
func (c *Content) Close() error {
	if closer, ok := c.store.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
