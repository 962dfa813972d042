package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/plugins/content/local"
	"github.com/moby/buildkit/client/ociindex"
	"github.com/moby/buildkit/identity"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// Named contexts that the frontend reads.
const (
	caContext     = "loopx-ca"
	policyContext = "loopx-policy"
)

// namedContexts reads --build-context, --ca and --policy.
func (p *plan) namedContexts() error {
	seen := map[string]bool{}
	for _, text := range p.options.Contexts {
		name, place, ok := strings.Cut(text, "=")
		if !ok || name == "" || place == "" {
			return fmt.Errorf("--build-context %q is not NAME=PLACE", text)
		}
		seen[strings.ToLower(name)] = true
		if err := p.namedContext(name, place); err != nil {
			return err
		}
	}
	if p.options.Policy != "" {
		if seen[policyContext] {
			return fmt.Errorf("--policy and --build-context %s=… say the same: give one of them", policyContext)
		}
		if err := p.namedContext(policyContext, p.options.Policy); err != nil {
			return err
		}
	}
	if len(p.options.CA) == 0 {
		return nil
	}
	if seen[caContext] {
		return fmt.Errorf("--ca and --build-context %s=… say the same: give one of them", caContext)
	}
	return p.certificates()
}

// namedContext gives the frontend one more context: an address, an image, a
// target, an OCI layout or a folder.
func (p *plan) namedContext(name, place string) error {
	key := "context:" + name
	switch {
	case strings.HasPrefix(place, "docker-image://"), strings.HasPrefix(place, "target:"), isRemote(place):
		p.opt.FrontendAttrs[key] = place
		return nil
	case strings.HasPrefix(place, ociLayout):
		ref, err := p.layout(strings.TrimPrefix(place, ociLayout))
		p.opt.FrontendAttrs[key] = ref
		return err
	}
	mount := name
	if name == contextInput || name == dockerfileInput {
		mount = "_" + name // these are the main inputs
	}
	if err := p.mount(mount, place); err != nil {
		return err
	}
	p.opt.FrontendAttrs[key] = "local:" + mount
	p.opt.FrontendAttrs["sharedkey:localdir:"+name] = baseName(place)
	return nil
}

const ociLayout = "oci-layout://"

// layout gives the session the content of an OCI layout, DIR[:TAG][@DIGEST], and
// returns how the frontend names it.
func (p *plan) layout(place string) (string, error) {
	dir, digest, pinned := strings.Cut(place, "@")
	tag := "latest"
	if i := strings.LastIndexByte(dir, ':'); i > strings.LastIndexByte(dir, filepath.Separator) {
		dir, tag = dir[:i], dir[i+1:]
	}
	store, found, err := openLayout(dir, tag)
	if err != nil {
		return "", err
	}
	if !pinned {
		digest = found
	}
	name := identity.NewID()
	if p.opt.OCIStores == nil {
		p.opt.OCIStores = map[string]content.Store{}
	}
	p.opt.OCIStores[name] = store
	return ociLayout + name + "@" + digest, nil
}

// openLayout opens an OCI layout and returns the digest of the image with a tag,
// or of its only one.
func openLayout(dir, tag string) (content.Store, string, error) {
	if !exists(filepath.Join(dir, "index.json")) {
		return nil, "", &fault.Error{File: dir, Message: "is no OCI layout: it has no index.json", Todo: "Name the folder of an OCI layout (make image OCI=DIR, crane pull --format=oci)."}
	}
	index := ociindex.NewStoreIndex(dir)
	desc, err := index.Get(tag)
	if err == nil && desc == nil {
		desc, err = index.GetSingle()
	}
	switch {
	case err != nil:
		return nil, "", fault.Of(dir, "its index cannot be read", err)
	case desc == nil:
		return nil, "", &fault.Error{File: dir, Message: "has several images and none is called " + tag, Todo: "Write " + ociLayout + dir + ":TAG."}
	}
	store, err := local.NewStore(dir)
	if err != nil {
		return nil, "", fault.Of(dir, "cannot be read", err)
	}
	return store, desc.Digest.String(), nil
}

// certificates makes the files of --ca one folder: the frontend checks what is in
// it.
func (p *plan) certificates() error {
	dir, err := p.folder("ca")
	if err != nil {
		return err
	}
	for i, name := range p.options.CA {
		data, err := os.ReadFile(name)
		if err != nil {
			return fault.Of(name, "the certificates cannot be read", err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.crt", i)), data, 0o644); err != nil {
			return err
		}
	}
	err = p.namedContext(caContext, dir)
	p.opt.FrontendAttrs["sharedkey:localdir:"+caContext] = caContext
	delete(p.folders, caContext)
	return err
}
