// Package distro names the releases of Debian and Ubuntu: those that an image's
// reference tells, those of an advisory's ecosystem, those of an os-release file.
// What a text does not tell is not guessed.
package distro

import (
	_ "embed" // for the table
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The systems whose packages are dpkg's.
const (
	Debian = "debian"
	Ubuntu = "ubuntu"
)

// OS is a release of a system. The zero value is one that is not known.
type OS struct {
	// System is "debian", "ubuntu" or another one's ID, as os-release has it.
	System string
	// Version is the number ("12", "24.04"); "" if only the system is known.
	Version string
}

// String is "debian 12", "debian" or "unknown".
func (o OS) String() string {
	if o.System == "" {
		return "unknown"
	}
	return strings.TrimSpace(o.System + " " + o.Version)
}

// Known reports whether system and version are known.
func (o OS) Known() bool { return o.System != "" && o.Version != "" }

// Codename is the name of the release as apt's sources have it; "" if it is not
// in the table.
func (o OS) Codename() string {
	for _, r := range releases() {
		if r.OS == o {
			return r.codename
		}
	}
	return ""
}

// release is one row of the table.
type release struct {
	OS
	codename string
}

//go:embed data/releases.tsv
var table string

var releases = sync.OnceValue(func() []release {
	var all []release
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			all = append(all, release{OS{f[0], f[1]}, f[2]})
		}
	}
	return all
})

// named returns the release with a code name.
func named(codename string) (OS, bool) {
	i := slices.IndexFunc(releases(), func(r release) bool { return r.codename == codename })
	if i < 0 {
		return OS{}, false
	}
	return releases()[i].OS, true
}

// Suite returns the release that a suite of apt's sources belongs to: a code
// name, also with a pocket behind it ("bookworm-security").
func Suite(suite string) (OS, bool) {
	name, _, _ := strings.Cut(suite, "-")
	return named(name)
}

// Older reports whether a was released before b: both of one system.
func Older(a, b OS) bool { return a.System == b.System && order(a) < order(b) }

// order is the place of a release in the table, a large number for one that is
// not in it.
func order(o OS) int {
	i := slices.IndexFunc(releases(), func(r release) bool { return r.OS == o })
	if i < 0 {
		return len(releases())
	}
	return i
}

// Parse reads what a person writes: "debian:12", "debian:bookworm",
// "ubuntu:24.04", "alpine:3.22". Of Debian and Ubuntu the release must be one
// that is known, so that a spelling mistake is no pass.
func Parse(text string) (OS, error) {
	system, version, ok := strings.Cut(strings.ToLower(text), ":")
	if !ok || system == "" || version == "" {
		return OS{}, fmt.Errorf("%q is no system with its release; write it as debian:12", text)
	}
	if system != Debian && system != Ubuntu {
		return OS{system, version}, nil
	}
	if o, ok := named(version); ok && o.System == system {
		return o, nil
	}
	if o, ok := numbered(system, version); ok {
		return o, nil
	}
	return OS{}, fmt.Errorf("%s has no release %q that is known here; known are %s", system, version, strings.Join(known(system), ", "))
}

func known(system string) []string {
	var all []string
	for _, r := range releases() {
		if r.System == system {
			all = append(all, r.Version)
		}
	}
	return all
}

// numbered returns the release with a number, which may have a point release
// behind it ("12.5").
func numbered(system, version string) (OS, bool) {
	if system == Debian {
		version, _, _ = strings.Cut(version, ".")
	}
	o := OS{system, version}
	return o, order(o) < len(releases())
}

// Release reads the text of an os-release file (os-release(5)). ok is false if
// it names no system.
func Release(text string) (o OS, ok bool) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			o.System = strings.ToLower(value)
		case "VERSION_ID":
			o.Version = value
		}
	}
	if n, known := numbered(o.System, o.Version); known {
		o = n
	}
	return o, o.System != ""
}
