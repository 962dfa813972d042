package config

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	digest "github.com/opencontainers/go-digest"
	"go.yaml.in/yaml/v3"
)

// Release says what a release is held to. The zero value is the default.
type Release struct {
	// Tag is a pattern of path.Match that the tag of a release has; "" is any.
	Tag string
	// AcknowledgementDays is how long acknowledgements must last; see
	// [Release.Days].
	AcknowledgementDays int
	// AdvisoryAge is zero if the file does not say it; see [Release.Age].
	AdvisoryAge time.Duration
	// Frontends are the digests ("sha256:…") of frontends that may have built an
	// image.
	Frontends []string
	// Bases are the digests of base images that are accepted, by full name
	// without tag ("docker.io/library/debian").
	Bases map[string][]string
	// RequireSigned fails images that nobody who is trusted has signed;
	// RequireProxyNetwork those with a networked RUN outside of BuildKit's proxy
	// network.
	RequireSigned, RequireProxyNetwork bool
	// AnyBase accepts base images that are not pinned, AnyCommit images whose
	// provenance names no commit, and Untagged a commit without a tag.
	AnyBase, AnyCommit, Untagged bool
}

// DefaultAcknowledgementDays is how many days acknowledgements must last unless
// the file says otherwise: two weeks, in which a release is taken back or
// followed by another.
const DefaultAcknowledgementDays = 14

// Days is how many days acknowledgements must last.
func (r *Release) Days() int {
	if r.AcknowledgementDays == 0 {
		return DefaultAcknowledgementDays
	}
	return r.AcknowledgementDays
}

// Age is how old the advisories may be.
func (r *Release) Age() time.Duration {
	if r.AdvisoryAge == 0 {
		return DefaultMaxAge
	}
	return r.AdvisoryAge
}

func (r *reader) release(c *Config, n *yaml.Node) {
	readers := map[string]func(*yaml.Node){
		"tag":                   func(n *yaml.Node) { c.Release.Tag = r.tagPattern(n) },
		"acknowledgements_last": func(n *yaml.Node) { c.Release.AcknowledgementDays = int((r.age(n) + day - 1) / day) },
		"advisory_age":          func(n *yaml.Node) { c.Release.AdvisoryAge = r.age(n) },
		"frontends":             func(n *yaml.Node) { c.Release.Frontends = r.digests(n, "frontends") },
		"bases":                 func(n *yaml.Node) { r.bases(c, n) },
		"require_signed":        func(n *yaml.Node) { c.Release.RequireSigned = r.bool(n) },
		"require_proxy_network": func(n *yaml.Node) { c.Release.RequireProxyNetwork = r.bool(n) },
		"require_pinned_bases":  func(n *yaml.Node) { c.Release.AnyBase = !r.bool(n) },
		"require_commit":        func(n *yaml.Node) { c.Release.AnyCommit = !r.bool(n) },
		"require_tag":           func(n *yaml.Node) { c.Release.Untagged = !r.bool(n) },
	}
	r.mapping(n, "release", slices.Sorted(maps.Keys(readers)), readers)
}

func (r *reader) tagPattern(n *yaml.Node) string {
	text := r.text(n)
	if _, err := path.Match(text, ""); err != nil {
		r.fail(n, "%s is no pattern of tags: write one such as v*, with what path.Match knows", quoted(text))
		return ""
	}
	return text
}

// digests are one or more, as a text or a list.
func (r *reader) digests(n *yaml.Node, what string) []string {
	if n.Kind == yaml.ScalarNode {
		return r.digest(n)
	}
	var all []string
	r.list(n, what, func(item *yaml.Node) { all = append(all, r.digest(item)...) })
	return all
}

// digest is one, or none with an error.
func (r *reader) digest(n *yaml.Node) []string {
	text := r.text(n)
	if text == "" {
		return nil
	}
	if d := digest.Digest(text); d.Validate() != nil || d.Algorithm() != digest.SHA256 {
		r.fail(n, "%s is no digest of an image: write sha256: and 64 hexadecimal digits", quoted(text))
		return nil
	}
	return []string{text}
}

// bases reads images and their digests.
func (r *reader) bases(c *Config, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "bases is no mapping: write lines of the form debian: sha256:…")
		return
	}
	c.Release.Bases = map[string][]string{}
	r.pairs(n, func(key, value *yaml.Node) {
		named, err := reference.ParseNormalizedNamed(key.Value)
		if err != nil || !reference.IsNameOnly(named) || strings.TrimSpace(key.Value) == "" {
			r.fail(key, "%s is no name of an image: write it without tag and digest, such as debian or registry.example.com/team/base", quoted(key.Value))
			return
		}
		c.Release.Bases[named.Name()] = append(c.Release.Bases[named.Name()], r.digests(value, "the digests of a base")...)
	})
}
