package distro

import (
	"strings"
	"unicode"
)

// OfImage returns the release that an image's reference names, as far as it names
// one: "debian:12-slim", "python:3.12-slim-bookworm",
// "nvidia/cuda:12.4.1-base-ubuntu22.04", "gcr.io/distroless/base-debian12".
// Version is "" where a tag moves from release to release ("debian:stable"). A
// reference that names none, or two, gives the zero value.
func OfImage(ref string) OS {
	name, _, _ := strings.Cut(ref, "@")
	repository, tag := name, ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		repository, tag = name[:i], name[i+1:]
	}
	if strings.Contains(repository, "${") {
		repository = ""
	}
	base := strings.ToLower(repository[strings.LastIndexByte(repository, '/')+1:])
	var f finder
	f.words(strings.ToLower(tag))
	if base == Debian || base == Ubuntu {
		number, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if o, ok := numbered(base, number); ok {
			f.add(o)
		}
		f.system(base)
	} else {
		f.words(base)
	}
	return f.answer()
}

// finder collects the releases that the words of a reference name.
type finder struct {
	found OS
	two   bool
	named string // a system without a release
}

func (f *finder) add(o OS) {
	f.two = f.two || f.found.Known() && f.found != o
	f.found = o
}

func (f *finder) system(name string) {
	f.two = f.two || f.named != "" && f.named != name
	f.named = name
}

func (f *finder) answer() OS {
	switch {
	case f.two, f.found.Known() && f.named != "" && f.found.System != f.named:
		return OS{}
	case f.found.Known():
		return f.found
	}
	return OS{System: f.named}
}

// words looks at the parts between dashes: code names, "ubuntu22.04", "debian12",
// and "debian-12".
func (f *finder) words(text string) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '_' })
	for i, part := range parts {
		if o, ok := named(part); ok {
			f.add(o)
			continue
		}
		system := strings.TrimRightFunc(part, func(r rune) bool { return unicode.IsDigit(r) || r == '.' })
		if system != Debian && system != Ubuntu {
			continue
		}
		number := part[len(system):]
		if number == "" && i+1 < len(parts) {
			number = parts[i+1]
		}
		if o, ok := numbered(system, number); ok {
			f.add(o)
		} else {
			f.system(system)
		}
	}
}
