package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/artifact"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/gate"
)

// maxSignature is the size of the largest signature that is read, in bytes.
const maxSignature = 64 << 10

// readImages reads the images, and what was signed and reported of them.
func (c *gateCommand) readImages(ctx context.Context, s *scanned) ([]gate.Image, error) {
	signatures, err := c.readSignatures(ctx, s)
	if err != nil {
		return nil, err
	}
	reports, err := c.readReports(ctx)
	if err != nil {
		return nil, err
	}
	var all []gate.Image
	for _, name := range c.images {
		img, err := c.readImage(ctx, name)
		if err != nil {
			return nil, err
		}
		img.Signature = signatures.of(img.Digest, s.Now)
		reports.addTo(img)
		all = append(all, *img)
	}
	return all, reports.unused(all)
}

// readImage reads one image. One that is not what its digests say is judged, and
// no error.
func (c *gateCommand) readImage(ctx context.Context, name string) (*gate.Image, error) {
	a, err := artifact.Read(ctx, c.stdin, name)
	if unsound, ok := errors.AsType[*artifact.Unsound](err); ok {
		return &gate.Image{Ref: name, Broken: unsound.Fault.Message}, nil
	}
	if err != nil {
		return nil, err
	}
	if a.Kind == artifact.Metadata {
		return nil, &fault.Error{File: name, Message: "is a metadata file, and holds no image", Todo: "Name the image with --image, and this file with --metadata."}
	}
	img := &gate.Image{Ref: a.Name, Digest: a.Digest}
	for _, one := range a.Images {
		p := gate.Platform{
			Name: one.Platform, Digest: one.Digest, Build: one.Build, Unbound: one.Unbound, Report: one.Report, WhyNoReport: "the frontend's report is not attested",
		}
		for _, at := range one.Attestations {
			p.Attestation = cmp.Or(p.Attestation, at.Manifest)
		}
		img.Platforms = append(img.Platforms, p)
	}
	return img, nil
}

// besideReports are the reports of metadata files, by the digest of the image.
type besideReports struct {
	files map[string]string
	byID  map[string]*artifact.Artifact
}

func (c *gateCommand) readReports(ctx context.Context) (*besideReports, error) {
	r := &besideReports{map[string]string{}, map[string]*artifact.Artifact{}}
	for _, name := range c.metadata {
		a, err := artifact.Read(ctx, c.stdin, name)
		switch {
		case err != nil:
			return nil, err
		case a.Kind != artifact.Metadata || a.Digest == "" || a.Report == nil:
			return nil, &fault.Error{
				File: name, Message: "holds no report of the frontend about an image with a digest",
				Todo: "Name the file that docker buildx build --metadata-file wrote for a build that exports the image.",
			}
		}
		r.files[a.Digest], r.byID[a.Digest] = name, a
	}
	return r, nil
}

// addTo gives the report to the platforms of the image that have none.
func (r *besideReports) addTo(img *gate.Image) {
	a := r.byID[img.Digest]
	if a == nil {
		return
	}
	for i := range img.Platforms {
		if p := &img.Platforms[i]; p.Report == nil {
			p.Report, p.Beside = a.Report, true
		}
	}
}

// unused is an error about a file that is about none of the images.
func (r *besideReports) unused(images []gate.Image) error {
	known := map[string]bool{}
	for _, img := range images {
		known[img.Digest] = true
	}
	for id, name := range r.files {
		if !known[id] {
			return &fault.Error{File: name, Message: "is about " + id + ", which is none of the images", Todo: "Name the metadata file of the image's own build."}
		}
	}
	return nil
}

// attested are the signatures of images.
type attested struct {
	trust *ack.Trust // nil if no signers are named
	texts []string
}

// readSignatures reads the signatures and whose count. Who signs for a release is
// not chosen by the tree that is released.
func (c *gateCommand) readSignatures(ctx context.Context, s *scanned) (*attested, error) {
	if c.signers == "" {
		return &attested{}, nil
	}
	from := &outside{program: c.program, root: s.project.dir}
	data, err := from.read(ctx, "--attest-signers", c.signers)
	if errors.Is(err, fs.ErrNotExist) {
		err = &fault.Error{File: c.signers, Message: "there is no such file"}
	}
	if err != nil {
		return nil, err
	}
	signers, err := ack.ParseSigners(data, time.Local)
	if err != nil {
		return nil, misconfigured(c.signers, err)
	}
	a := &attested{trust: &ack.Trust{Source: c.signers, Signers: signers, Revoked: s.Trust.Revoked}}
	for _, name := range c.signatures {
		text, err := readSignature(name)
		if err != nil {
			return nil, err
		}
		a.texts = append(a.texts, string(text))
	}
	return a, nil
}

// of judges the signatures of a digest: one that counts is enough.
func (a *attested) of(digest string, now time.Time) gate.Signature {
	if a.trust == nil || digest == "" {
		return gate.Signature{Asked: a.trust != nil}
	}
	s := gate.Signature{Asked: true}
	for _, text := range a.texts {
		by, err := a.trust.Attests(digest, text, now)
		if err == nil {
			return gate.Signature{Asked: true, By: by}
		}
		s.Why = err.Error()
	}
	return s
}

// readSignature reads a plain file that is not too large.
func readSignature(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fault.Of(name, "cannot be read", err)
	case !info.Mode().IsRegular() || info.Size() > maxSignature:
		return nil, &fault.Error{File: name, Message: "is no signature", Todo: "Name the file that ssh-keygen -Y sign wrote."}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	return data, nil
}
