package notice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/notice/inventory"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// isImage reports whether a record's package is a container image. OSV defines no
// ecosystem for them: an operator's own notices write "Docker" or "OCI", or a
// package URL of the type docker or oci.
func isImage(a *osv.Affected) bool {
	name, _, _ := strings.Cut(a.Ecosystem, ":")
	return strings.EqualFold(name, "Docker") || strings.EqualFold(name, "OCI") ||
		strings.HasPrefix(a.PURL, "pkg:docker/") || strings.HasPrefix(a.PURL, "pkg:oci/")
}

// affectedImage is an image that a notice is about.
type affectedImage struct {
	repository    string
	tags, digests []string
	// ranged: it has ranges of versions, and all says that they hold every one.
	// Tags have no order that holds for all images.
	ranged, all bool
	fixed       []string
}

// readImage reads what a record says of an image; false if it names none.
func readImage(a *osv.Affected) (affectedImage, bool) {
	out := affectedImage{}
	name := a.Name
	if u, err := inventory.ParsePURL(a.PURL); err == nil && (u.Type == "docker" || u.Type == "oci") {
		name = u.Image()
		out.version(u.Version)
		out.version(u.Qualifiers["tag"])
	}
	parsed := parseImage(strings.TrimSpace(name))
	out.repository = parsed.repository
	out.version(parsed.tag)
	out.version(parsed.digest)
	for _, v := range a.Versions {
		out.version(v)
	}
	for _, r := range a.Ranges {
		if r.Type == "GIT" {
			continue
		}
		out.ranged = true
		for _, e := range r.Events {
			switch e.Kind {
			case osv.Introduced:
				out.all = out.all || e.Version == "0"
			case osv.Fixed:
				out.fixed = append(out.fixed, e.Version)
			}
		}
		out.all = out.all && len(out.fixed) == 0 && !slices.ContainsFunc(r.Events, func(e osv.Event) bool { return e.Kind == osv.LastAffected })
	}
	out.all = out.all || !out.ranged && len(out.tags)+len(out.digests) == 0
	return out, out.repository != ""
}

// version adds a tag or a digest.
func (i *affectedImage) version(text string) {
	switch {
	case text == "":
	case strings.HasPrefix(text, "sha256:"):
		i.digests = append(i.digests, text)
	default:
		i.tags = append(i.tags, text)
	}
}

// images answers for the images that stages name.
func (c *checker) images(n *gathered) {
	for _, r := range n.records {
		for k := range r.Affected {
			if !isImage(&r.Affected[k]) {
				continue
			}
			about, ok := readImage(&r.Affected[k])
			if !ok {
				continue
			}
			for _, u := range c.project.images {
				if a, ok := about.answer(u); ok {
					n.Answers = append(n.Answers, a)
				}
			}
		}
	}
}

// answer answers for an image that a stage names; false if it is another one.
func (i *affectedImage) answer(u imageUse) (Answer, bool) {
	name := parseImage(u.image)
	if name.repository != i.repository {
		return Answer{}, false
	}
	a := Answer{State: Unaffected, Kind: Image, Place: u.place, Text: u.image, Table: "COPY --from", Package: i.repository, Source: i.repository, Version: name.tag}
	if u.from {
		a.Table = "FROM"
	}
	tag := name.tag
	if tag == "" && name.digest == "" {
		tag = "latest"
	}
	if len(i.fixed) > 0 {
		a.Fixed = i.fixed[len(i.fixed)-1]
	}
	byTag := slices.Contains(i.tags, tag) && tag != ""
	switch {
	case slices.Contains(i.digests, name.digest) && name.digest != "", i.all:
		a.affected(Move, i.move(u.image))
	case name.open:
		a.possible("which image it is depends on a variable whose value is not known: give the ARG a default")
	case byTag && (name.digest == "" || len(i.digests) == 0):
		a.affected(Move, i.move(u.image))
	case name.digest != "" && len(i.digests) > 0:
		a.Message = "its digest is none of those that the notice names"
	case len(i.digests) > 0:
		a.possible("the notice names digests, and the tag may lead to one of them: pin the image by its digest")
	case i.ranged:
		a.possible("the notice names a range of versions, and tags have no order: compare by hand")
	default:
		a.Message = "its tag is none of those that the notice names"
	}
	return a, true
}

// move says what to do about an image that is affected.
func (i *affectedImage) move(image string) string {
	if len(i.fixed) > 0 {
		return fmt.Sprintf("move %s to %s", image, i.fixed[len(i.fixed)-1])
	}
	return fmt.Sprintf("move %s to a build that is not affected: the notice names none", image)
}
