package inventory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is a bill of materials in any form that is read, with what may lie
// around it: the statement of an attestation (in-toto), and what "docker buildx
// imagetools inspect" prints ({"SPDX": …}, by platform if there are several).
type document struct {
	SPDX       string          `json:"spdxVersion"`
	Format     string          `json:"bomFormat"`
	Predicate  json.RawMessage `json:"predicate"`
	Inner      json.RawMessage `json:"SPDX"`
	Packages   []spdxPackage   `json:"packages"`
	Components []component     `json:"components"`
	Artifacts  []component     `json:"artifacts"`
}

// spdxPackage is one of SPDX 2 (https://spdx.github.io/spdx-spec/v2.3/), as
// BuildKit's scanner writes it.
type spdxPackage struct {
	Refs []struct {
		Type    string `json:"referenceType"`
		Locator string `json:"referenceLocator"`
	} `json:"externalRefs"`
}

// component is one of CycloneDX, or an artifact of Syft's own form.
type component struct {
	PURL       string      `json:"purl"`
	Components []component `json:"components"`
}

// maxWrapped is how deep a bill may lie in what is around it.
const maxWrapped = 4

// bill reads a bill of materials.
func bill(text string) (List, error) {
	return unwrap(json.RawMessage(text), 0)
}

func unwrap(raw json.RawMessage, depth int) (List, error) {
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return List{}, unread(raw, err)
	}
	l := List{Installed: true}
	switch {
	case depth == maxWrapped:
	case strings.HasPrefix(d.SPDX, "SPDX-2"):
		l.Form = "SPDX"
		return l, l.spdx(d.Packages)
	case d.Format == "CycloneDX":
		l.Form = "CycloneDX"
		return l, l.components(d.Components)
	case len(d.Artifacts) > 0:
		l.Form = "Syft"
		return l, l.components(d.Artifacts)
	case len(d.Predicate) > 0:
		return unwrap(d.Predicate, depth+1)
	case len(d.Inner) > 0:
		return unwrap(d.Inner, depth+1)
	default:
		return platforms(raw, depth)
	}
	return List{}, &Error{0, "this is no bill of materials that is known: SPDX 2 or CycloneDX as JSON"}
}

// platforms reads the bills of an image for several platforms.
func platforms(raw json.RawMessage, depth int) (List, error) {
	var byName map[string]json.RawMessage
	var all List
	if json.Unmarshal(raw, &byName) == nil {
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			if !strings.Contains(name, "/") {
				continue
			}
			one, err := unwrap(byName[name], depth+1)
			if err != nil {
				return all, err
			}
			one.Packages = append(all.Packages, one.Packages...)
			all = one
		}
	}
	if all.Form == "" {
		return List{}, &Error{0, "this is no bill of materials that is known: SPDX 2 or CycloneDX as JSON"}
	}
	return all, nil
}

// unread is the error about a text that is no JSON, or not of the form.
func unread(raw json.RawMessage, err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Error{1 + strings.Count(string(raw[:min(int(e.Offset), len(raw))]), "\n"), "this is no JSON: " + e.Error()}
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &Error{1 + strings.Count(string(raw[:min(int(e.Offset), len(raw))]), "\n"), fmt.Sprintf("the field %q holds %s, which it must not", e.Field, e.Value)}
	}
	return &Error{0, "this is no JSON: " + err.Error()}
}

func (l *List) spdx(all []spdxPackage) error {
	for _, p := range all {
		for _, ref := range p.Refs {
			if ref.Type != "purl" {
				continue
			}
			if err := l.purl(ref.Locator); err != nil {
				return err
			}
		}
	}
	return nil
}

// components adds them, and those inside of them.
func (l *List) components(all []component) error {
	for _, c := range all {
		if c.PURL != "" {
			if err := l.purl(c.PURL); err != nil {
				return err
			}
		}
		if err := l.components(c.Components); err != nil {
			return err
		}
	}
	return nil
}

// purl adds a package of a kind that notices are held against.
func (l *List) purl(text string) error {
	kind, _, _ := strings.Cut(strings.TrimPrefix(text, "pkg:"), "/")
	if kind != "deb" && kind != "pypi" {
		return nil
	}
	u, err := ParsePURL(text)
	if err != nil {
		return &Error{0, err.Error()}
	}
	l.Packages = append(l.Packages, u.pack())
	return nil
}
