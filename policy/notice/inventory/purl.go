package inventory

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
)

// PURL is a package URL (https://github.com/package-url/purl-spec), its parts
// without escapes.
type PURL struct {
	Type, Namespace, Name, Version string
	Qualifiers                     map[string]string
}

// ParsePURL reads a package URL. The part behind "#" is left out.
func ParsePURL(text string) (PURL, error) {
	bad := fmt.Errorf("%.80q is no package URL", text)
	rest, ok := strings.CutPrefix(text, "pkg:")
	if !ok {
		return PURL{}, bad
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	var u PURL
	u.Type, rest, ok = strings.Cut(strings.TrimLeft(rest, "/"), "/")
	if !ok {
		return PURL{}, bad
	}
	if i := strings.LastIndexByte(rest, '@'); i > 0 {
		rest, u.Version = rest[:i], rest[i+1:]
	}
	u.Type = strings.ToLower(u.Type)
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		rest, u.Namespace = rest[i+1:], strings.Trim(rest[:i], "/")
	}
	u.Name = rest
	for _, part := range []*string{&u.Namespace, &u.Name, &u.Version} {
		plain, err := url.PathUnescape(*part)
		if err != nil {
			return PURL{}, bad
		}
		*part = plain
	}
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil || u.Name == "" {
		return PURL{}, bad
	}
	u.Qualifiers = map[string]string{}
	for name := range values {
		u.Qualifiers[strings.ToLower(name)] = values.Get(name)
	}
	return u, nil
}

// pack is the package that it names. Syft says by "distro" which release it is
// of, and by "upstream" which source package it is built from.
func (u PURL) pack() Package {
	p := Package{Kind: u.Type, Name: u.Name, Version: u.Version, Arch: u.Qualifiers["arch"]}
	if u.Type != "deb" {
		return p
	}
	p.Source, p.SourceVersion, _ = strings.Cut(u.Qualifiers["upstream"], "@")
	if p.Source == "" {
		p.Source = p.Name // it is left out where the names are one
	}
	p.OS.System = strings.ToLower(u.Namespace)
	system, version, ok := strings.Cut(u.Qualifiers["distro"], "-")
	if !ok {
		if o, known := distro.Suite(u.Qualifiers["distro"]); known {
			p.OS = o
		}
		return p
	}
	if o, err := distro.Parse(system + ":" + version); err == nil {
		p.OS = o
	}
	return p
}

// Image is the reference of the container image that a URL of the type docker or
// oci names, without tag and digest.
func (u PURL) Image() string {
	name := u.Name
	if u.Namespace != "" {
		name = u.Namespace + "/" + name
	}
	registry := strings.TrimPrefix(u.Qualifiers["repository_url"], "https://")
	if registry == "" {
		return name
	}
	registry = strings.TrimSuffix(registry, "/")
	if u.Type == "oci" && strings.HasSuffix(registry, "/"+u.Name) {
		return registry
	}
	return registry + "/" + name
}
