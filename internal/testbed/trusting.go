package testbed

import (
	"context"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/internal/image"
)

// TrustingImage is FrontendImage with DefaultCA among the certificate authorities
// that RUNs are given, as an organisation's own image would have its. It returns
// the reference by digest, for a text that mounts or copies from it.
func TrustingImage(t TB) string {
	t.Helper()
	return must[string](t, "build the frontend image that trusts the test's CA")(shared.trusting.do(func() (string, error) {
		ca, err := shared.defaultCA()
		if err != nil {
			return "", err
		}
		folders, err := shared.mountFolders(t.Context(), targetKey(nil))
		if err != nil {
			return "", err
		}
		ref, err := shared.pushFrontend(t.Context(), "loopx-trusting:1", image.Labels("testbed", "unknown"), trusting(folders, ca), func(root string) image.Program {
			return image.Frontend(root, "testbed", "unknown")
		})
		if err != nil {
			return "", err
		}
		return pinned(t.Context(), ref)
	}))
}

// trusting are the folders with ca in each bundle.
func trusting(folders []image.Folder, ca *CA) []image.Folder {
	out := slices.Clone(folders)
	for i := range out {
		out[i].Files = slices.Clone(out[i].Files)
		for k, f := range out[i].Files {
			if f.Path == cabundle.FileName {
				out[i].Files[k].Data = slices.Concat(f.Data, ca.PEM)
			}
		}
	}
	return out
}

// pinned returns a reference in the registry by its digest.
func pinned(ctx context.Context, ref string) (string, error) {
	tag, err := name.NewTag(ref)
	if err != nil {
		return "", err
	}
	desc, err := remote.Head(tag, remote.WithContext(ctx))
	if err != nil {
		return "", err
	}
	return tag.Digest(desc.Digest.String()).String(), nil
}
