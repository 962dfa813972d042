// Package artifact reads what a build left behind: a metadata file of docker
// buildx, loopxctl build or buildctl, an OCI layout (a folder, or a tar of
// "type=oci"), or an image in a registry.
//
// Of an image it reads manifests, configurations and attestations, never a
// layer. Every blob is bounded, and its digest is the one that names it.
package artifact

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

// Kind says what sort of thing was read.
type Kind string

// The kinds of artifacts.
const (
	Metadata Kind = "metadata" // a file of --metadata-file
	Layout   Kind = "layout"   // an OCI layout, folder or tar
	Registry Kind = "registry" // an image in a registry
)

// Artifact is what a build left behind.
type Artifact struct {
	// Name is as the person wrote it, without userinfo.
	Name string
	Kind Kind
	// Digest is what names it: the digest of the image's index or manifest; ""
	// if a metadata file names none.
	Digest string
	// Images are those of an index, in its order, or the only one. A metadata
	// file has one for each provenance in it, or one without any.
	Images []Image
	// Report is the frontend's: of a metadata file, or that of the images if they
	// agree; nil if there is none.
	Report *buildreport.Report
}

// Image is the image of one platform.
type Image struct {
	// Platform is "linux/arm64/v8"; "" if it is not known.
	Platform string
	// Digest is that of the image's manifest, "" in a metadata file.
	Digest string
	// Config is the image's configuration, nil in a metadata file.
	Config *v1.ConfigFile
	// Attestations are those in the index that name this image.
	Attestations []Attestation
	// Build is what the provenance says; nil if there is none, or several.
	Build *provenance.Build
	// Unbound says why Build is not known to be about this image, as a clause;
	// "" if it is: then a chain of digests leads from the artifact's to both,
	// the attestation manifest names the image, and so does the statement, if
	// it names anything.
	//
	// It does not say who wrote the provenance: nothing here is signed.
	Unbound string
	// Report is the frontend's, as an attestation that is bound to the image in
	// the same way; nil if there is none (see buildreport.Predicate).
	Report *buildreport.Report
}

// Attestation is one in-toto statement about an image.
type Attestation struct {
	// PredicateType is that of the statement.
	PredicateType string
	// Digest is that of the blob, Manifest that of what names it.
	Digest, Manifest string
	// Statement is the text, nil if it is of a type that is not read here.
	Statement []byte
}

// Unsound is an error about an artifact that is not what its digests say.
type Unsound struct{ Fault *fault.Error }

// Error is that of the fault.
func (u *Unsound) Error() string { return u.Fault.Error() }

// Unwrap returns the fault.
func (u *Unsound) Unwrap() error { return u.Fault }

// Read reads what name means: "-" is a metadata file on standard input; a file
// or a folder that is there is read as such; anything else is an image in a
// registry, as is what stands behind "docker://". The registry is asked over
// TLS, with the credentials of docker login, and in clear text only on this
// machine itself.
//
// The error is a [*fault.Error] for what can't be read, in an [*Unsound] if a
// blob is missing, or another one than its digest says.
func Read(ctx context.Context, stdin io.Reader, name string) (*Artifact, error) {
	if ref, ok := strings.CutPrefix(name, "docker://"); ok {
		return readRegistry(ctx, name, ref)
	}
	if name == input.Stdin {
		return readMetadata(input.Shown, stdin)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return readFolder(name)
	case err == nil && !info.Mode().IsRegular():
		return nil, &fault.Error{File: name, Message: "is no file and no folder"}
	case err == nil:
		return readFile(name)
	case looksLikeFile(name):
		return nil, fault.Of(name, "cannot be read", err)
	}
	return readRegistry(ctx, name, name)
}

// looksLikeFile reports whether a name that is not there was meant for a file.
func looksLikeFile(name string) bool {
	switch filepath.Ext(name) {
	case ".json", ".tar", ".oci":
		return true
	}
	return strings.HasPrefix(name, ".") || filepath.IsAbs(name)
}

// readFile reads a metadata file or a tar, whichever it is.
func readFile(name string) (*Artifact, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	var head [512]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && n == 0 {
		return nil, &fault.Error{File: name, Message: "is empty", Todo: todo}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	switch text := strings.TrimSpace(string(head[:n])); {
	case strings.HasPrefix(text, "{"):
		return readMetadata(name, f)
	case strings.HasPrefix(string(head[:n]), "\x1f\x8b"), strings.HasPrefix(string(head[:n]), "\x28\xb5\x2f\xfd"):
		return nil, &fault.Error{File: name, Message: "is compressed", Todo: "Unpack it first: gunzip, or zstd -d."}
	}
	return readTar(name, f)
}

// todo says what can be named.
const todo = "Name a metadata file of docker buildx build --metadata-file, an OCI layout (folder or tar), or an image."

// finish makes the artifact of a top manifest's digest and the images below.
func finish(kind Kind, name, digest string, images []Image, report *buildreport.Report) *Artifact {
	for i, img := range images {
		switch {
		case kind == Metadata:
		case i == 0:
			report = img.Report
		case !reflect.DeepEqual(report, img.Report):
			report = nil
		}
	}
	return &Artifact{Name: policy.Redact(name), Kind: kind, Digest: digest, Images: images, Report: report}
}

// TakeReport gives a the frontend's report of a metadata file. The error is a
// [*fault.Error] if the file has none, is of another image, or a has another
// report already.
func (a *Artifact) TakeReport(metadata *Artifact) error {
	wrong := func(message string) error { return &fault.Error{File: metadata.Name, Message: message} }
	switch {
	case metadata.Kind != Metadata || metadata.Report == nil:
		return wrong("has no report of the frontend")
	case a.Digest != "" && metadata.Digest != "" && a.Digest != metadata.Digest:
		return wrong("is of the image " + metadata.Digest + ", and " + a.Name + " is " + a.Digest)
	case a.Report != nil && !reflect.DeepEqual(a.Report, metadata.Report):
		return wrong("has another report than " + a.Name)
	}
	a.Report = metadata.Report
	return nil
}
