package frontend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/containerd/platforms"
	"github.com/distribution/reference"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/solver/pb"
)

// keySource is the option that names the frontend's image, as it was written
// in the syntax line.
const keySource = "source"

// mountSource finds the image that holds what is mounted into RUNs: the
// frontend's own. It asks once, and only if something is to be mounted.
type mountSource struct {
	gateway *gateway
	given   *llb.State // by who embeds the frontend, nil if not
	root    string     // the root folder of this process

	mu       sync.Mutex
	asked    bool
	def      *pb.Definition
	own      bool // def is the image that this process runs in
	fallback bool // def is the image that the option source names
	checked  map[string]error
	err      error
}

// definition returns the definition of the image, nil if it can't be had here.
// key is the folder in it that is needed, "" for that of the certificates.
//
// A daemon that says which image the frontend runs from is believed. An older
// one only passes on the name that the frontend was called by, which may have
// moved since it was pulled: there the method in the image must be the one that
// this frontend was built with.
func (m *mountSource) definition(ctx context.Context, key string) (*pb.Definition, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.asked {
		m.asked = true
		m.def, m.err = m.find(ctx)
	}
	switch {
	case m.err != nil || m.def == nil || key == "":
		return m.def, m.err
	case m.own:
		return m.def, hasFolder(m.root, key)
	case !m.fallback:
		return m.def, nil
	}
	if err, ok := m.checked[key]; ok {
		return m.def, err
	}
	err := m.check(ctx, key)
	m.checked[key] = err
	return m.def, err
}

func (m *mountSource) find(ctx context.Context) (*pb.Definition, error) {
	st := m.given
	if st == nil {
		var err error
		if st, err = m.gateway.CurrentFrontend(); err != nil {
			return nil, fmt.Errorf("failed to find the frontend's own image: %w", err)
		}
		m.own = st != nil
	}
	if st == nil {
		var err error
		if st, err = m.named(ctx); st == nil || err != nil {
			return nil, err
		}
		m.fallback, m.checked = true, map[string]error{}
	}
	def, err := st.Marshal(ctx)
	if err != nil {
		return nil, err
	}
	return def.ToPB(), nil
}

// hasFolder returns an error if the image whose root folder is root holds no
// method for a platform: an image may have been made for some of them only. A
// process that runs in no such image can't tell.
func hasFolder(root, key string) error {
	dir := filepath.Join(root, mount.AptDir(key))
	if _, err := os.Stat(filepath.Dir(dir)); err != nil {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return errors.New("the frontend's image was made without an apt method for " + strings.ReplaceAll(key, "_", "/"))
	}
	return nil
}

// named returns the image that the option source names, by its digest if the
// daemon knows one; nil if the request names none.
func (m *mountSource) named(ctx context.Context) (*llb.State, error) {
	source := m.gateway.opts.Opts[keySource]
	if source == "" {
		return nil, nil
	}
	ref, err := reference.ParseNormalizedNamed(source)
	if err != nil {
		return nil, fmt.Errorf("failed to find the frontend's own image %q: %w", source, err)
	}
	p := platforms.DefaultSpec() // the frontend's own, in whose image it runs
	name := reference.TagNameOnly(ref).String()
	_, dgst, _, err := m.gateway.ResolveImageConfig(ctx, name, sourceresolver.Opt{
		LogName:  "resolve the frontend's own image " + name,
		ImageOpt: &sourceresolver.ResolveImageOpt{Platform: &p},
	})
	if err != nil {
		return nil, fmt.Errorf("failed to find the frontend's own image %s: %w", name, err)
	}
	if dgst != "" { // Docker Engine 20.10 names none for an image of its own store
		pinned, err := reference.WithDigest(reference.TrimNamed(ref), dgst)
		if err != nil {
			return nil, err
		}
		name = pinned.String()
	}
	st := llb.Image(name, llb.Platform(p))
	return &st, nil
}

// check compares the method in the folder with the lock.
func (m *mountSource) check(ctx context.Context, key string) error {
	want, ok := mount.Locked(key)
	if !ok {
		return fmt.Errorf("this frontend was built without an apt method for %s", key)
	}
	res, err := m.gateway.Client.Solve(ctx, client.SolveRequest{Definition: m.def})
	if err != nil {
		return err
	}
	ref, err := res.SingleRef()
	if err != nil {
		return err
	}
	sum, err := sumFile(ctx, ref, mount.AptDir(key)+"/"+mount.MethodPath, want.MethodSize)
	if err != nil {
		return fmt.Errorf("the image %s is not the one that this frontend runs from, it holds no apt method: %w", m.gateway.opts.Opts[keySource], err)
	}
	if sum != want.MethodSHA256 {
		return errors.New("the image " + m.gateway.opts.Opts[keySource] + " holds another apt method than this frontend was built with (name the frontend by its digest)")
	}
	return nil
}

// chunk is how much of a file is asked for at once: an answer is at most 4 MB
// on older daemons (gRPC's default).
const chunk = 1 << 20

// sumFile returns the SHA-256 of a file of the given size, in hex.
func sumFile(ctx context.Context, ref client.Reference, path string, size int64) (string, error) {
	sum := sha256.New()
	for off := int64(0); off <= size; off += chunk {
		data, err := ref.ReadFile(ctx, client.ReadRequest{
			Filename: path, Range: &client.FileRange{Offset: int(off), Length: chunk},
		})
		if err != nil {
			return "", err
		}
		sum.Write(data)
		if len(data) < chunk {
			break
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
