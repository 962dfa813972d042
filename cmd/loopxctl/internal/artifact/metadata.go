package artifact

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

// maxMetadata is the largest metadata file, in bytes: several platforms'
// provenance and one report.
const maxMetadata = 64 << 20

// Keys of a metadata file. Behind the provenance's stands "/PLATFORM" if there
// are several platforms (docker/buildx: build/provenance.go).
const (
	provenanceKey  = "buildx.build.provenance"
	imageDigestKey = "containerimage.digest"
)

// notBound is why provenance of a metadata file is about no image.
const notBound = "a metadata file holds no image, and anybody can write one"

func readMetadata(name string, r io.Reader) (*Artifact, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxMetadata+1))
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	if len(data) > maxMetadata {
		return nil, &fault.Error{File: name, Message: fmt.Sprintf("is larger than %d MiB", maxMetadata>>20), Todo: todo}
	}
	doc, err := document(name, data)
	if err != nil {
		return nil, err
	}
	images, err := buildsOf(name, doc)
	if err != nil {
		return nil, err
	}
	var report *buildreport.Report
	if text, ok := doc[buildreport.Key]; ok {
		if report, err = buildreport.Parse(unquoted(text)); err != nil {
			return nil, &fault.Error{File: name, Message: err.Error()}
		}
	}
	var digest string
	if text, ok := doc[imageDigestKey]; ok {
		_ = json.Unmarshal(text, &digest) // of another type it is none
	}
	return finish(Metadata, name, digest, images, report), nil
}

// document returns the keys of a metadata file. What bake writes has them one
// level down, for each target.
func document(name string, data []byte) (map[string]json.RawMessage, error) {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, &fault.Error{File: name, Message: "is no metadata file: " + err.Error(), Todo: todo}
	}
	if ours(doc) {
		return doc, nil
	}
	var targets []string
	var only map[string]json.RawMessage
	for _, target := range slices.Sorted(maps.Keys(doc)) {
		var inner map[string]json.RawMessage
		if json.Unmarshal(doc[target], &inner) == nil && ours(inner) {
			targets = append(targets, target)
			only = inner
		}
	}
	switch len(targets) {
	case 1:
		return only, nil
	case 0:
		return nil, &fault.Error{File: name, Message: "holds neither provenance nor the frontend's report", Todo: todo}
	}
	return nil, &fault.Error{
		File: name, Message: "is of several builds: " + strings.Join(targets, ", "),
		Todo: "Take one of them out of it: jq '.\"" + targets[0] + "\"' " + name,
	}
}

// ours reports whether a document has anything that is read here.
func ours(doc map[string]json.RawMessage) bool {
	for key := range doc {
		if key == buildreport.Key || key == imageDigestKey || key == provenanceKey || strings.HasPrefix(key, provenanceKey+"/") {
			return true
		}
	}
	return false
}

// buildsOf reads the provenance of each platform.
func buildsOf(name string, doc map[string]json.RawMessage) ([]Image, error) {
	var images []Image
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		platform, ok := strings.CutPrefix(key, provenanceKey)
		if !ok {
			continue
		}
		build, err := provenance.Parse(unquoted(doc[key]))
		if err != nil {
			return nil, &fault.Error{File: name, Message: key + ": " + err.Error()}
		}
		img := Image{Platform: strings.TrimPrefix(platform, "/"), Build: build, Unbound: notBound}
		if img.Platform == "" {
			img.Platform = build.Platform
		}
		images = append(images, img)
	}
	if images == nil {
		images = []Image{{Unbound: notBound}}
	}
	return images, nil
}

// unquoted is a JSON value, or the text of one that is a string: what a client
// writes that does not look into the daemon's answer.
func unquoted(text json.RawMessage) []byte {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return []byte(s)
	}
	return text
}
