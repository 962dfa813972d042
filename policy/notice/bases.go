package notice

import (
	"strings"

	"github.com/distribution/reference"
)

// imageName is a reference taken apart.
type imageName struct {
	// repository is normalized ("docker.io/library/debian"); "" if it is not known.
	repository  string
	tag, digest string
	// open: a part of it is a variable without a value.
	open bool
}

// parseImage reads a reference as FROM has it.
func parseImage(text string) imageName {
	out := imageName{open: strings.Contains(text, "${")}
	name, digest, _ := strings.Cut(text, "@")
	out.digest = digest
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, out.tag = name[:i], name[i+1:]
	}
	if named, err := reference.ParseNormalizedNamed(name); err == nil && !strings.Contains(name, "${") {
		out.repository = named.Name()
	}
	return out
}

// baseOf returns what is known of an image: by the reference that fits it best,
// nil if nothing is.
func (in *Input) baseOf(image string) *Base {
	of := parseImage(image)
	var best *Base
	most := -1
	for i := range in.Bases {
		b := &in.Bases[i]
		if score := fits(of, parseImage(b.Image)); b.Image == image || score > most {
			best, most = b, score
			if b.Image == image {
				return b
			}
		}
	}
	return best
}

// fits returns how many parts of a reference say that it is an image, -1 if it is
// another one.
func fits(image, ref imageName) int {
	switch {
	case image.repository == "" || image.repository != ref.repository,
		ref.tag != "" && ref.tag != image.tag, ref.digest != "" && ref.digest != image.digest:
		return -1
	}
	score := 0
	for _, part := range []string{ref.tag, ref.digest} {
		if part != "" {
			score++
		}
	}
	return score
}
