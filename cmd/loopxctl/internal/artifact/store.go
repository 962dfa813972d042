package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	digest "github.com/opencontainers/go-digest"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

// Bounds of what is read, in bytes and entries.
const (
	maxManifest     = 4 << 20 // as registries and containerd have it
	maxConfig       = 8 << 20
	maxManifests    = 512
	maxAttestations = 32
)

// store has blobs: a layout's, or a registry's.
type store interface {
	// open returns a blob's bytes; they need not be verified. An unknown blob
	// is fs.ErrNotExist.
	open(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error)
}

// blob reads a blob, and verifies its size and digest.
func blob(ctx context.Context, s store, d v1.Descriptor, most int64) ([]byte, error) {
	want := digest.Digest(d.Digest.String())
	if err := want.Validate(); err != nil {
		return nil, fmt.Errorf("%q is no digest: %w", want, err)
	}
	if d.Size < 0 || d.Size > most {
		return nil, fmt.Errorf("%s has %d bytes, and %d are the most that is read", want, d.Size, most)
	}
	r, err := s.open(ctx, d)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &otherContent{fmt.Sprintf("%s is missing", want)}
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, d.Size+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", want, err)
	case int64(len(data)) != d.Size:
		return nil, &otherContent{fmt.Sprintf("%s does not have the %d bytes that it is said to have", want, d.Size)}
	case want.Algorithm().FromBytes(data) != want:
		return nil, &otherContent{fmt.Sprintf("%s has another content than its digest says", want)}
	}
	return data, nil
}

// otherContent is an error about a blob that is not what names it.
type otherContent struct{ why string }

func (o *otherContent) Error() string { return o.why }

// unsound returns f, as an [*Unsound] if it is about a blob that is not what names
// it.
func unsound(f *fault.Error, err error) error {
	if _, ok := errors.AsType[*otherContent](err); ok {
		return &Unsound{f}
	}
	return f
}

// parse reads a manifest of one of a few media types.
func parse(ctx context.Context, s store, d v1.Descriptor, into any) error {
	data, err := blob(ctx, s, d, maxManifest)
	if err != nil {
		return err
	}
	if err := oneMeaning(data, d.MediaType); err != nil {
		return &otherContent{fmt.Sprintf("%s %v", d.Digest, err)}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", d.Digest, err)
	}
	return nil
}

// oneMeaning returns an error for a manifest that others may read as something
// else than its descriptor's media type says, and so run another image than the
// one that is looked at here
// (https://github.com/opencontainers/image-spec/security/advisories/GHSA-77vh-xpmg-72qh).
func oneMeaning(data []byte, media types.MediaType) error {
	var doc struct {
		MediaType types.MediaType `json:"mediaType"`
		Manifests json.RawMessage `json:"manifests"`
		Config    json.RawMessage `json:"config"`
		Layers    json.RawMessage `json:"layers"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("is no manifest: %w", err)
	}
	switch {
	case doc.MediaType != "" && doc.MediaType != media:
		return fmt.Errorf("says that it is %q, and what names it says %q", doc.MediaType, media)
	case doc.Manifests != nil && (doc.Config != nil || doc.Layers != nil):
		return errors.New("can be read as an index and as an image")
	}
	return nil
}

// imagesOf reads the images below a top manifest.
func imagesOf(ctx context.Context, s store, top v1.Descriptor) ([]Image, error) {
	if !top.MediaType.IsIndex() {
		img, err := imageOf(ctx, s, top)
		if err != nil {
			return nil, err
		}
		img.Unbound = "the image has no attestations"
		return []Image{img}, nil
	}
	var index v1.IndexManifest
	if err := parse(ctx, s, top, &index); err != nil {
		return nil, err
	}
	if len(index.Manifests) > maxManifests {
		return nil, fmt.Errorf("%s names %d manifests, and %d are the most that is read", top.Digest, len(index.Manifests), maxManifests)
	}
	var images []Image
	for _, d := range index.Manifests {
		if isAttestation(d) {
			continue
		}
		if !d.MediaType.IsImage() {
			images = append(images, unlooked(d))
			continue
		}
		img, err := imageOf(ctx, s, d)
		if err != nil {
			return nil, err
		}
		if err := img.attest(ctx, s, index.Manifests); err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	if len(images) == 0 {
		return nil, fmt.Errorf("%s names no image", top.Digest)
	}
	return images, nil
}

// unlooked is an entry of an index that is no image's manifest, such as a further
// index. Who pulls may be given what is below it, so it is not left out.
func unlooked(d v1.Descriptor) Image {
	img := Image{Digest: d.Digest.String(), Unbound: fmt.Sprintf("it is no manifest of an image, but of type %q, and not looked into", d.MediaType)}
	if d.Platform != nil {
		img.Platform = d.Platform.String()
	}
	return img
}

// imageOf reads the manifest and the configuration of an image.
func imageOf(ctx context.Context, s store, d v1.Descriptor) (Image, error) {
	var m v1.Manifest
	if err := parse(ctx, s, d, &m); err != nil {
		return Image{}, err
	}
	img := Image{Digest: d.Digest.String()}
	data, err := blob(ctx, s, m.Config, maxConfig)
	if err != nil {
		return Image{}, err
	}
	var config v1.ConfigFile
	if err := json.Unmarshal(data, &config); err != nil {
		return Image{}, fmt.Errorf("%s: %w", m.Config.Digest, err)
	}
	img.Config = &config
	switch {
	case d.Platform != nil:
		img.Platform = d.Platform.String()
	case config.Platform() != nil:
		img.Platform = config.Platform().String()
	}
	return img, nil
}

// How BuildKit marks an attestation manifest in an index
// (https://github.com/moby/buildkit/blob/master/docs/attestations/attestation-storage.md).
const (
	referenceType   = "vnd.docker.reference.type"
	referenceDigest = "vnd.docker.reference.digest"
	attestationType = "attestation-manifest"
	predicateKey    = "in-toto.io/predicate-type"
	unknown         = "unknown"

	inToto types.MediaType = "application/vnd.in-toto+json"
)

// isAttestation reports whether an entry of an index is one that nobody who pulls
// takes for an image: those choose by the platform, and read no annotations. One
// without a platform may have that of its configuration.
func isAttestation(d v1.Descriptor) bool {
	return d.Annotations[referenceType] == attestationType && d.MediaType.IsImage() &&
		d.Platform != nil && d.Platform.OS == unknown && d.Platform.Architecture == unknown
}

// attest reads the attestations of an index that name img.
func (img *Image) attest(ctx context.Context, s store, manifests []v1.Descriptor) error {
	img.Unbound = "the image has no provenance"
	var found []string
	for _, d := range manifests {
		if !isAttestation(d) || d.Annotations[referenceDigest] != img.Digest {
			continue
		}
		var m v1.Manifest
		if err := parse(ctx, s, d, &m); err != nil {
			return err
		}
		if len(m.Layers)+len(img.Attestations) > maxAttestations {
			return fmt.Errorf("%s has more than %d attestations", img.Digest, maxAttestations)
		}
		elsewhere := ""
		if m.Subject != nil && m.Subject.Digest.String() != img.Digest {
			elsewhere = "its attestation manifest is of " + m.Subject.Digest.String()
		}
		for _, layer := range m.Layers {
			a := Attestation{PredicateType: layer.Annotations[predicateKey], Digest: layer.Digest.String(), Manifest: d.Digest.String()}
			if layer.MediaType == inToto {
				if err := img.read(ctx, s, layer, &a, elsewhere); err != nil {
					return err
				}
			}
			if a.Statement != nil && provenance.IsProvenance(a.PredicateType) {
				found = append(found, a.Digest)
			}
			img.Attestations = append(img.Attestations, a)
		}
	}
	if len(found) > 1 {
		img.Build, img.Unbound = nil, "it has several provenance statements: "+strings.Join(found, ", ")
	}
	return nil
}

// read reads one statement, if it is of a type that is of use here. elsewhere
// says why it is not about the image, "" if nothing speaks against it.
func (img *Image) read(ctx context.Context, s store, layer v1.Descriptor, a *Attestation, elsewhere string) error {
	provenances, report := provenance.IsProvenance(a.PredicateType), a.PredicateType == buildreport.Predicate
	if !provenances && !report {
		return nil
	}
	data, err := blob(ctx, s, layer, provenance.MaxSize)
	if err != nil {
		return err
	}
	a.Statement = data
	statement, err := provenance.ReadStatement(data)
	if err == nil && statement.PredicateType != a.PredicateType {
		err = fmt.Errorf("it is of type %q, and its manifest says %q", statement.PredicateType, a.PredicateType)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.Digest, err)
	}
	for _, subject := range statement.Subjects {
		if subject.Digest != img.Digest && elsewhere == "" {
			elsewhere = "it is of " + subject.Digest
		}
	}
	switch {
	case provenances:
		img.Unbound = elsewhere
		img.Build, err = provenance.Parse(data)
	case elsewhere == "" && img.Report != nil:
		err = errors.New("the image has several reports of the frontend")
	case elsewhere == "":
		img.Report, err = buildreport.Parse(statement.Predicate)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.Digest, err)
	}
	return nil
}
