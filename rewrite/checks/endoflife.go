package checks

import (
	_ "embed" // for the table
	"fmt"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

var endOfLifeBase = Rule{
	Name: "EndOfLifeBase", Severity: advisory, Class: releaseCompatibility,
	Description: "The base image is a release that gets no more security fixes.",
	Why: "Holes that are found after a release's end stay open in every image that is built on it. " +
		"Move to a release that is maintained, or to one with a support contract if you have that.",
	Bad:  "FROM debian:buster-slim\nRUN make\n",
	Good: "FROM debian:trixie-slim\nRUN make\n",

	base: endOfLife,
}

//go:embed data/endoflife.tsv
var endOfLifeTable string

// release is one row of the table.
type release struct{ image, tag, ended string }

var endedReleases = sync.OnceValue(func() map[string][]release {
	out := map[string][]release{}
	for line := range strings.Lines(endOfLifeTable) {
		if fields := strings.Split(line, "\t"); len(fields) == 4 && !strings.HasPrefix(line, "#") {
			r := release{fields[0], fields[1], fields[2]}
			out[r.image] = append(out[r.image], r)
		}
	}
	return out
})

// endOfLife looks an image's tag up. An image of another registry or user may
// be a rebuild that has fixes.
func endOfLife(image textmap.Text) []Finding {
	name, _, _ := strings.Cut(image.String(), "@")
	for _, prefix := range []string{"docker.io/", "index.docker.io/", "library/"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name, tag, ok := strings.Cut(name, ":")
	if !ok {
		return nil
	}
	if r, ok := ended(name, tag); ok {
		return []Finding{found(image, fmt.Sprintf("%s %s gets no security fixes since %s; move to a release that is maintained", r.image, r.tag, r.ended))}
	}
	return nil
}

// ended finds the release of an image's tag, or else that of the system which
// the tag names behind the version, as in node:22-buster.
func ended(name, tag string) (release, bool) {
	for _, r := range endedReleases()[name] {
		if isRelease(tag, r.tag) {
			return r, true
		}
	}
	if name != "python" && name != "node" {
		return release{}, false
	}
	for part := range strings.SplitSeq(tag, "-") {
		system, version := "debian", part
		if v, ok := strings.CutPrefix(part, "alpine"); ok {
			system, version = "alpine", v
		}
		for _, r := range endedReleases()[system] {
			if version == r.tag && (system == "alpine" || r.tag[0] > '9') {
				return r, true
			}
		}
	}
	return release{}, false
}

// isRelease reports whether the tag is of the release: its version, or a longer
// one, or with a variant behind it.
func isRelease(tag, version string) bool {
	rest, ok := strings.CutPrefix(tag, version)
	if !ok || rest == "" {
		return ok
	}
	if rest[0] == '.' && version == "2" {
		return false // 2.7 has a row
	}
	return rest[0] == '.' || rest[0] == '-'
}
