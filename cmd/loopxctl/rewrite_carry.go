package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/containerd/platforms"
	"github.com/distribution/reference"
	"github.com/moby/buildkit/solver/pb"
	"github.com/opencontainers/go-digest"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// The values of rewrite --apt.
const (
	aptMount   = "mount"
	aptPersist = "persist"
	aptRefuse  = "refuse"
	aptIgnore  = "ignore"
)

// carry is what the edited text itself has RUNs given; nil if that is nothing.
func (c *rewriteCommand) carry(cfg route.Config) (*rewrite.Carry, error) {
	if c.apt.value != aptMount && c.apt.value != aptPersist {
		return nil, nil
	}
	return c.program.carry(cfg, c.frontendImage, c.apt.value == aptPersist)
}

// carry is what a text lends RUNs of the frontend's image, or has the image keep.
func (p *program) carry(cfg route.Config, frontendImage string, persist bool) (*rewrite.Carry, error) {
	image, err := p.pinnedImage(frontendImage)
	if err != nil {
		return nil, err
	}
	table, err := mount.Route(cfg)
	if err != nil {
		return nil, err
	}
	out := &rewrite.Carry{Image: image, Route: table, Persist: persist, Variables: bundleVariables, Folder: folderOf}
	for _, list := range cfg.Mirrors {
		out.Secret = out.Secret || len(list) > 0
	}
	return out, nil
}

// pinnedImage is the frontend's image, by a digest, as any builder can pull it;
// "" if none is named and none built in.
func (p *program) pinnedImage(named string) (string, error) {
	from := "--frontend-image"
	if named == "" {
		named, _ = p.env(given.Variable)
		from = given.Variable
	}
	if named == "" {
		named, from = given.Image, "the image that this program was built with"
	}
	if named == "" {
		return "", nil
	}
	ref, err := reference.ParseNormalizedNamed(named)
	if err != nil {
		return "", fmt.Errorf("%s: %q is no reference of an image, such as registry.example.com/loopx-frontend@sha256:…: %w", from, named, err)
	}
	pinned, ok := ref.(reference.Digested)
	if !ok {
		name := reference.FamiliarString(reference.TagNameOnly(ref))
		return "", fmt.Errorf("%s: %s has no digest, and what is behind a tag can change; write %s@sha256:…, with the digest that is told by\n  docker buildx imagetools inspect %s",
			from, named, reference.FamiliarName(ref), name)
	}
	if pinned.Digest().Algorithm() != digest.SHA256 {
		return "", fmt.Errorf("%s: %s is pinned by %s; name its sha256 digest", from, named, pinned.Digest().Algorithm())
	}
	// Not every builder reads a reference with a tag and a digest.
	return reference.TrimNamed(ref).String() + "@" + pinned.Digest().String(), nil
}

// bundleVariables are the variables by which programs find the public roots.
func bundleVariables(tools []string, has func(string) bool) [][2]string {
	var all [][2]string
	for _, v := range (cabundle.Bundle{}).Variables(tools, has) {
		all = append(all, [2]string{v.Name, v.Value})
	}
	return all
}

// folderOf is the folder in the image for RUNs of a platform.
func folderOf(platform string) (string, bool) {
	p, err := platforms.Parse(platform)
	if err != nil {
		return "", false
	}
	folder, ok := mount.AptFor(&pb.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant})
	return folder.Selector, ok
}

// lacking returns what is wrong where the text of a file would have RUNs given
// something, and nobody named the image that holds it.
func lacking(_ int, f *report.File) error {
	if f.Plan == nil {
		return nil
	}
	for _, g := range f.Plan.Guards {
		if g.Lacks {
			return fmt.Errorf("%s:%d: RUN %s: name the frontend's image, which holds what such a RUN is lent: --frontend-image REFERENCE@sha256:… (%s does the same); or accept apt as it is with --apt=ignore",
				plain.Text(f.Name), g.Range.Start.Line, plain.Text(route.RedactText(g.Reason)), given.Variable)
		}
	}
	return nil
}

// lackingAny is lacking for the files of folders, before any is written.
func (c *rewriteCommand) lackingAny(ctx context.Context, files []*report.File, cfg rewrite.Config) error {
	if !c.recursive || cfg.Carry == nil || cfg.Carry.Image != "" {
		return nil
	}
	return inOrder(ctx, len(files), func(i int) error {
		f := &report.File{Name: files[i].Name, Problem: files[i].Problem}
		c.load(f, cfg)
		return lacking(i, f)
	}, nothing)
}

// noteCarried says what a builder needs for what the texts lend to RUNs.
func (c *rewriteCommand) noteCarried(lent int) {
	if lent == 0 {
		return
	}
	what := count(lent, "RUN", "RUNs")
	if c.apt.value == aptPersist {
		c.note("%s: lines were inserted for apt over TLS; the image keeps the certificate authorities, /etc/apt/apt.conf.d/zz-loopx-ca and the sources as they were moved", what)
		return
	}
	c.note("%s: apt and certificate authorities by --mount, which needs docker/dockerfile 1.2 or later with BuildKit, or buildah", what)
}

// noteLenders names the images that texts have apt served from and nobody named as
// the frontend's: what is in one decides what apt fetches.
func (c *rewriteCommand) noteLenders(files []*report.File) {
	named, _ := c.pinnedImage(c.frontendImage)
	runs := map[string]int{}
	for _, f := range files {
		if f.Plan == nil {
			continue
		}
		for _, g := range f.Plan.Guards {
			if g.Lender != "" && g.Lender != named && len(g.Edits) == 0 {
				runs[g.Lender]++
			}
		}
	}
	for _, image := range slices.Sorted(maps.Keys(runs)) {
		c.note("%s: apt is served from %s, as the text says; --frontend-image, or %s, says if that is the frontend's image", count(runs[image], "RUN", "RUNs"), plain.Text(image), given.Variable)
	}
}

// lentWords is what printOutcome says of RUNs that the text lends something to.
func lentWords(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + count(n, "RUN", "RUNs") + " with what TLS needs"
}
