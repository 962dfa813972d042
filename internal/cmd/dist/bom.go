package main

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// The parts of CycloneDX 1.6 that a bill of materials of Go programs needs.
// Source: https://cyclonedx.org/docs/1.6/json/.
type (
	bom struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		SerialNumber string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licenses   []license  `json:"licenses,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	license struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// writer collects a bill of materials.
type writer struct {
	release    *release
	components map[string]component
	depends    map[string][]string
}

// bom is the bill of materials of the release: each program with the modules that
// the Go linker noted in it, and the image with its programs and files. Which
// module needs which is not known, so modules have no dependencies entry: to
// CycloneDX that means unknown, while an empty one means none.
func (r *release) bom(digest string, image contents, programs []program) bom {
	w := &writer{r, map[string]component{}, map[string][]string{}}
	top := component{Type: "application", Ref: "loopx", Name: "loopx", Version: r.version, Licenses: own()}
	inImage := w.image(digest, image)
	w.depends[top.Ref] = append(w.depends[top.Ref], inImage)
	for _, p := range programs {
		w.depends[top.Ref] = append(w.depends[top.Ref], w.program(p))
	}
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{r.time.Format(time.RFC3339), top},
	}
	for _, ref := range slices.Sorted(maps.Keys(w.components)) {
		b.Components = append(b.Components, w.components[ref])
	}
	for _, ref := range slices.Sorted(maps.Keys(w.depends)) {
		slices.Sort(w.depends[ref])
		b.Dependencies = append(b.Dependencies, dependency{ref, w.depends[ref]})
	}
	return b
}

// image adds the image and what is in it, and returns its name in the bill.
func (w *writer) image(digest string, image contents) string {
	ref := "pkg:oci/loopx-frontend@" + url.QueryEscape(digest)
	algorithm, sum, _ := strings.Cut(digest, ":")
	w.components[ref] = component{
		Type: "container", Ref: ref, Name: "loopx-frontend", Version: w.release.version, PURL: ref, Licenses: own(),
		Hashes: []hash{{strings.Replace(strings.ToUpper(algorithm), "SHA", "SHA-", 1), sum}},
	}
	w.depends[ref] = []string{}
	for _, p := range image.programs {
		w.depends[ref] = append(w.depends[ref], w.program(p))
	}
	for _, f := range image.files {
		name := "image/" + f.name
		w.components[name] = component{Type: "file", Ref: name, Name: f.name, Hashes: sha256Of(f.data)}
		w.depends[ref] = append(w.depends[ref], name)
	}
	return ref
}

// program adds a program and its modules, and returns its name in the bill.
func (w *writer) program(p program) string {
	ref := p.name + "/" + p.platform
	w.components[ref] = component{
		Type: "application", Ref: ref, Name: p.name, Version: w.release.version, Licenses: own(),
		Hashes:     sha256Of(p.data),
		Properties: []property{{"loopx:platform", p.platform}},
	}
	std := strings.TrimPrefix(p.info.GoVersion, "go")
	w.depends[ref] = []string{w.module("stdlib", std, "")}
	for _, m := range p.modules() {
		w.depends[ref] = append(w.depends[ref], w.module(m.Path, m.Version, m.Sum))
	}
	return ref
}

// module adds a module and returns its name in the bill, its package URL. sum is
// its line in go.sum, a SHA-256 over names and sums of its files: not one of a
// file, so it is no hash to CycloneDX.
func (w *writer) module(path, version, sum string) string {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"loopx:go.sum", sum}}
	}
	w.components[purl] = c
	return purl
}

func sha256Of(data []byte) []hash { return []hash{{"SHA-256", digestOf(data)}} }

// own is this project's licence.
func own() []license {
	l := license{}
	l.License.ID = "Apache-2.0"
	return []license{l}
}

// writeBOM writes the bill with a serial number that is made of its content: a
// UUID of version 5 (RFC 9562, 5.5) in the name space of this project's address.
func writeBOM(path string, b bom) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	h := sha1.New()
	h.Write([]byte("https://github.com/loopx/loopx-frontend\n"))
	h.Write(data)
	id := h.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	b.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	if data, err = json.MarshalIndent(b, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// modulesOf are the modules of all programs, each once, by path.
func modulesOf(programs []program) []*debug.Module {
	all := map[string]*debug.Module{}
	for _, p := range programs {
		for _, m := range p.modules() {
			all[m.Path+"@"+m.Version] = m
		}
	}
	var list []*debug.Module
	for _, key := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[key])
	}
	return list
}
