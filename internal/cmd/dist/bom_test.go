package main

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

// checkBOM checks what CycloneDX asks of a document: the schema of 1.6 for
// the parts that we write (https://cyclonedx.org/docs/1.6/json/), names that are
// there once, and dependencies on names that are there.
func checkBOM(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	document().check(t, "$", doc)

	var b bom
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	refs := map[string]component{b.Metadata.Component.Ref: b.Metadata.Component}
	for _, c := range b.Components {
		if _, again := refs[c.Ref]; again {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = c
	}
	depends := map[string][]string{}
	for _, d := range b.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if _, ok := refs[ref]; !ok {
				t.Errorf("%s is no component", ref)
			}
		}
		depends[d.Ref] = d.DependsOn
	}
	checkParts(t, refs, depends)
}

// checkParts checks that programs, the image and modules are where they belong.
func checkParts(t *testing.T, refs map[string]component, depends map[string][]string) {
	t.Helper()
	std := "pkg:golang/stdlib@" + runtime.Version()[len("go"):]
	for _, name := range []string{"loopxctl", "loopx-frontend", "loopx-apt"} {
		ref := name + "/linux/" + runtime.GOARCH
		if refs[ref].Type != "application" || len(refs[ref].Hashes) != 1 || !slices.Contains(depends[ref], std) {
			t.Errorf("%s: %+v needs %v", ref, refs[ref], depends[ref])
		}
	}
	const buildkit = "pkg:golang/github.com/moby/buildkit@v"
	if !slices.ContainsFunc(depends["loopxctl/linux/"+runtime.GOARCH], func(ref string) bool { return len(ref) > len(buildkit) && ref[:len(buildkit)] == buildkit }) {
		t.Error("loopxctl does not need BuildKit")
	}
	for ref, c := range refs {
		if c.Type == "container" && (!slices.Contains(depends[ref], "image/loopx/ca/ca.crt") || !slices.Contains(depends["loopx"], ref)) {
			t.Errorf("the image needs %v, the release %v", depends[ref], depends["loopx"])
		}
	}
}

// object is what a JSON object has to look like.
type object struct {
	required []string
	// values are patterns for strings, objects, and pointers to object for lists of
	// objects; nil stands for any value. A key that is not here is wrong.
	values map[string]any
}

// check follows the object down.
func (o object) check(t *testing.T, path string, got map[string]any) {
	t.Helper()
	for _, key := range o.required {
		if _, ok := got[key]; !ok {
			t.Errorf("%s lacks %s", path, key)
		}
	}
	for key, value := range got {
		at := path + "." + key
		want, known := o.values[key]
		if !known {
			t.Errorf("%s is not in the schema", at)
		}
		switch want := want.(type) {
		case string:
			if text, ok := value.(string); !ok || !regexp.MustCompile("^(?:"+want+")$").MatchString(text) {
				t.Errorf("%s: %v, want %s", at, value, want)
			}
		case object:
			want.check(t, at, value.(map[string]any))
		case *object:
			for _, item := range value.([]any) {
				want.check(t, at, item.(map[string]any))
			}
		}
	}
}

// document is the schema.
func document() object {
	part := &object{required: []string{"type", "name"}, values: map[string]any{
		"type": "application|container|file|library", "bom-ref": ".+", "name": ".+", "version": ".+",
		"purl": `pkg:[a-z]+/[^@\s]+@[^@\s]+`,
		"hashes": &object{required: []string{"alg", "content"}, values: map[string]any{
			"alg": "SHA-256", "content": "[a-f0-9]{64}",
		}},
		"licenses": &object{required: []string{"license"}, values: map[string]any{
			"license": object{required: []string{"id"}, values: map[string]any{"id": `Apache-2\.0`}},
		}},
		"properties": &object{required: []string{"name"}, values: map[string]any{"name": "loopx:.+", "value": ".+"}},
	}}
	return object{required: []string{"bomFormat", "specVersion", "components"}, values: map[string]any{
		"$schema": `http://cyclonedx\.org/schema/bom-1\.6\.schema\.json`, "bomFormat": "CycloneDX", "specVersion": `1\.6`,
		"serialNumber": "urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", "version": nil,
		"metadata": object{values: map[string]any{
			"timestamp": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, "component": *part,
		}},
		"components":   part,
		"dependencies": &object{required: []string{"ref"}, values: map[string]any{"ref": ".+", "dependsOn": nil}},
	}}
}

// A replaced module is named as what it is replaced by, and the characters of a
// version that a package URL can't have are escaped.
func TestModules(t *testing.T) {
	r := &release{version: "v1", time: time.Unix(0, 0).UTC()}
	b := r.bom("sha256:"+digestOf(nil), contents{}, []program{{name: "loopxctl", platform: "linux/amd64", info: &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v2.0.0+incompatible", Sum: "h1:x="},
			{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.0.1"}},
		},
	}}})
	var purls []string
	for _, c := range b.Components {
		if c.Type == "library" {
			purls = append(purls, c.PURL)
		}
	}
	want := []string{"pkg:golang/example.org/a@v2.0.0%2Bincompatible", "pkg:golang/example.org/fork@v1.0.1", "pkg:golang/stdlib@1.26.8"}
	if !slices.Equal(purls, want) {
		t.Errorf("%q, want %q", purls, want)
	}
}
