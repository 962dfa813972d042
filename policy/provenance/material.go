package provenance

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/distribution/reference"
	"github.com/moby/buildkit/util/purl"
	digest "github.com/opencontainers/go-digest"

	"github.com/loopx/loopx-frontend/policy"
)

// Kind says what sort of thing a material is.
type Kind string

// The kinds of materials.
const (
	// KindImage is an image from a registry.
	KindImage Kind = "image"
	// KindBlob is a blob of an image from a registry, or a git bundle in one.
	KindBlob Kind = "blob"
	// KindLayout is an image from an OCI layout of the client's: no fetch.
	KindLayout Kind = "oci-layout"
	// KindGit is a commit of a git repository.
	KindGit Kind = "git"
	// KindApt is a file over HTTP at a path of the shape of an apt archive:
	// below "dists", or a package below "pool".
	KindApt Kind = "apt"
	// KindHTTP is any other file over HTTP.
	KindHTTP Kind = "http"
	// KindOther is anything else.
	KindOther Kind = "other"
)

// Material is one thing that the daemon recorded as fetched.
type Material struct {
	// URI is as recorded: a package URL for images, without userinfo.
	URI  string
	Kind Kind
	// Scheme is that of the URI in lower case; "" for an image, which comes
	// from a registry.
	Scheme string
	// Host is where it came from, with the port if there is one; "docker.io"
	// for an image that names no registry. "" if the URI has none.
	Host string
	// Ref and Platform are those of an image: "docker.io/library/debian:12".
	Ref, Platform string
	// Digest is "ALGORITHM:HEX", of the best of several algorithms; "" if none
	// is recorded. That of a git commit is "sha1:…" or "sha256:…".
	Digest string
}

// Web reports whether m came over HTTP, in clear text or not.
func (m Material) Web() bool { return m.Kind == KindHTTP || m.Kind == KindApt }

// Clear reports whether m's URI is one in clear text. An image's is not known: a
// daemon decides how it talks to a registry.
func (m Material) Clear() bool { return ClearText(m.Scheme) }

// ClearText reports whether a scheme has no encryption of its own.
func ClearText(scheme string) bool {
	return slices.Contains([]string{"http", "git", "ftp", "rsync", "svn", "hkp"}, strings.TrimPrefix(scheme, "git+"))
}

// newMaterial reads one entry of the materials.
func newMaterial(uri string, digests map[string]string) Material {
	m := Material{URI: policy.Redact(uri), Digest: bestDigest(digests), Kind: KindOther}
	if strings.HasPrefix(uri, "pkg:") {
		m.image(uri)
		return m
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		if strings.Contains(uri, "@") && strings.Contains(uri, ":") && hasGitDigest(digests) {
			m.Kind, m.Scheme = KindGit, "ssh" // git@host:path
			_, rest, _ := strings.Cut(uri, "@")
			m.Host, _, _ = strings.Cut(rest, ":")
		}
		return m
	}
	m.Scheme, m.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case hasGitDigest(digests) || strings.HasPrefix(m.Scheme, "git") || m.Scheme == "ssh" || strings.HasSuffix(u.Path, ".git"):
		m.Kind = KindGit
	case m.Scheme != "http" && m.Scheme != "https":
	case inArchive(u.Path):
		m.Kind = KindApt
	default:
		m.Kind = KindHTTP
	}
	return m
}

// image reads a package URL, as BuildKit writes it for images.
func (m *Material) image(uri string) {
	rest := strings.TrimPrefix(uri, "pkg:")
	kind, _, _ := strings.Cut(rest, "/")
	_, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil || kind != "docker" && kind != "oci" {
		return
	}
	m.Kind = KindImage
	switch {
	case kind == "oci":
		m.Kind = KindLayout
	case values.Has("ref_type"):
		m.Kind = KindBlob
	}
	m.Platform = values.Get("platform")
	ref, _, err := purl.PURLToRef("pkg:docker/" + strings.TrimPrefix(rest, kind+"/"))
	if err != nil {
		return
	}
	m.Ref = ref
	if m.Kind != KindLayout {
		m.Host = RegistryOf(ref)
	}
}

// RegistryOf returns the registry of an image's reference: "docker.io" if it
// names none, "" if it is no reference.
func RegistryOf(ref string) string {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return ""
	}
	return reference.Domain(named)
}

// inArchive reports whether a path has the shape of one in an apt archive.
func inArchive(path string) bool {
	return strings.Contains(path, "/dists/") ||
		strings.Contains(path, "/pool/") && (strings.HasSuffix(path, ".deb") || strings.HasSuffix(path, ".udeb"))
}

// hasGitDigest reports whether digests are those of a commit: files have
// SHA-256.
func hasGitDigest(digests map[string]string) bool { return len(digests) == 1 && digests["sha1"] != "" }

// bestDigest returns one of several digests, or "" if none is well-formed.
func bestDigest(digests map[string]string) string {
	known := []string{"sha256", "sha512", "sha384", "sha1"}
	names := slices.SortedFunc(maps.Keys(digests), func(a, b string) int {
		return slices.Index(known, a) - slices.Index(known, b)
	})
	for _, name := range names {
		if hex := digests[name]; slices.Contains(known, name) && isHex(hex) {
			return name + ":" + hex
		}
	}
	return ""
}

func isHex(s string) bool {
	return len(s) >= 40 && len(s) <= 128 && strings.Trim(s, "0123456789abcdef") == ""
}

// sameImage reports whether two image references name the same repository and
// tag; a digest in either is left out.
func sameImage(a, b string) bool {
	name, ok := tagged(a)
	other, okB := tagged(b)
	return ok && okB && name == other
}

// record finds the material of each source step: an image by its repository,
// its tag and the digest that pins it, anything else by its address.
func (b *Build) record() {
	places := map[string]int{}
	for i, m := range slices.Backward(b.Materials) { // of several the first one is left
		if name, ok := tagged(m.Ref); ok {
			places[name], places[name+"@"+m.Digest] = i, i
			continue
		}
		if m.Kind == KindGit {
			places[withoutRef(m.URI)] = i
		}
		places[m.URI] = i
	}
	for _, s := range b.Steps {
		if s.Source == nil {
			continue
		}
		if i, ok := places[s.Source.key()]; ok {
			s.Source.Recorded = i
		} else if i, ok := places[withoutRef(s.Source.URI)]; ok && b.Materials[i].Kind == KindGit {
			s.Source.Recorded = i
		}
	}
}

// key is what record finds a source's material by.
func (s *Source) key() string {
	ref := s.Ref()
	name, ok := tagged(ref)
	switch pinned := digestIn(ref); {
	case !ok:
		return s.URI
	case pinned != "":
		return name + "@" + pinned
	}
	return name
}

// tagged is an image's full name with its tag.
func tagged(ref string) (string, bool) {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return "", false
	}
	name := named.Name()
	if t, ok := named.(reference.Tagged); ok {
		return name + ":" + t.Tag(), true
	}
	if _, ok := named.(reference.Digested); ok {
		return name, true
	}
	return name + ":latest", true
}

// digestIn returns the digest that an image reference pins, "" if none.
func digestIn(ref string) string {
	_, after, ok := strings.Cut(ref, "@")
	if !ok || digest.Digest(after).Validate() != nil {
		return ""
	}
	return after
}
