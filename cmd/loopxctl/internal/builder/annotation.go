package builder

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/containerd/platforms"
	"github.com/moby/buildkit/exporter/containerimage/exptypes"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
)

// annotations are the attributes of an image for --annotation, written
// [TYPE[PLATFORM][,TYPE…]:]KEY=VALUE.
func annotations(list []string) (map[string]string, error) {
	target := regexp.MustCompile(`^([a-z-]+)(?:\[([^\]]+)\])?$`)
	attrs := map[string]string{}
	for _, text := range list {
		left, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--annotation %q is not KEY=VALUE", text)
		}
		types, key, ok := strings.Cut(left, ":")
		if !ok {
			attrs[exptypes.AnnotationKey{Key: left}.String()] = value
			continue
		}
		for one := range strings.SplitSeq(types, ",") {
			m := target.FindStringSubmatch(one)
			if m == nil || !annotationType(m[1]) {
				return nil, fmt.Errorf("--annotation: %q is none of manifest, index, manifest-descriptor, index-descriptor, with a [PLATFORM] behind it or not", one)
			}
			k := exptypes.AnnotationKey{Type: m[1], Key: key}
			if m[2] != "" {
				p, err := platforms.Parse(m[2])
				if err != nil {
					return nil, fmt.Errorf("--annotation: %q: %w", m[2], err)
				}
				k.Platform = &ocispecs.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant}
			}
			attrs[k.String()] = value
		}
	}
	return attrs, nil
}

func annotationType(name string) bool {
	switch name {
	case exptypes.AnnotationIndex, exptypes.AnnotationIndexDescriptor, exptypes.AnnotationManifest, exptypes.AnnotationManifestDescriptor:
		return true
	}
	return false
}
