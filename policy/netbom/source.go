package netbom

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// redirects is what the address of a source does not tell: BuildKit's HTTP
// source takes what a server sends it to.
const redirects = "the address is the one that was asked: BuildKit follows redirects, to clear text too, and without a checksum nothing holds the content"

// source lists what the daemon fetched for a source op.
func (l *lister) source(op *provenance.Step) {
	s := op.Source
	if s.Scheme == "local" {
		return
	}
	f := Fetch{Asked: s.URI, From: s.URI, Kind: string(provenance.KindOther)}
	m, recorded := l.build.Material(s)
	if recorded {
		l.shown[s.Recorded] = true
		f.Digest = m.Digest
	}
	switch ref := s.Ref(); {
	case ref != "":
		l.image(&f, s, ref)
	default:
		l.address(&f, op, m, recorded)
	}
	step := l.step(op)
	switch {
	case s.Frontend:
		step = l.frontendStep()
	case step == nil:
		step = l.add(elsewhere(ofOthers), Step{Text: "a source that no line names"})
	}
	l.put(step, f)
}

// image fills the fetch of an image.
func (l *lister) image(f *Fetch, s *provenance.Source, ref string) {
	name, pinned, _ := strings.Cut(ref, "@")
	f.Kind, f.Asked, f.From, f.Over = string(provenance.KindImage), name, name, Registry
	if f.Digest == "" {
		f.Digest = pinned
	}
	f.Host = provenance.RegistryOf(ref)
	if s.Scheme != "docker-image" {
		f.Kind, f.Over, f.Host = string(provenance.KindLayout), Local, ""
		f.Note = "an image of the client's own"
	}
}

// address fills the fetch of a file or a repository.
func (l *lister) address(f *Fetch, op *provenance.Step, m provenance.Material, recorded bool) {
	s := op.Source
	f.Kind, f.Host = string(provenance.KindHTTP), hostOf(s.URI)
	if recorded {
		f.Kind = string(m.Kind)
	} else {
		f.Note = "the daemon recorded no such material: a source policy may have sent it elsewhere"
	}
	f.Over = overOf(s.Scheme)
	if f.Over == Clear && f.Note == "" {
		f.Note = why(l.table.Route(s.URI, route.Context{Role: route.Fetch}))
	}
	consumer := op
	if op.FileIndex < 0 {
		if user, ok := l.users[op.ID]; ok {
			consumer = &l.build.Steps[user]
		}
	}
	file, in := l.instruction(consumer)
	l.moved(f, file, in, Sources)
	if s.Scheme == "https" && s.Checksum == "" && f.Kind != string(provenance.KindGit) && f.Note == "" {
		f.Note = redirects
	}
}

// moved says where a fetch was written to go, if it went elsewhere.
func (l *lister) moved(f *Fetch, file *file, in instruction, layer Layer) {
	a, ok := file.asked(in, f.From)
	if !ok {
		a, ok = l.reported(f.From, func(name string, line int) bool {
			return name == file.name && in.line <= line && line <= in.end
		})
	}
	if !ok {
		return
	}
	f.Asked, f.Layer = a.url, layer
	if a.mirror && f.Over == TLS {
		f.Over = MirrorTLS
	}
}

// reported is what the report says was written for an address, in a place that
// here is true of.
func (l *lister) reported(from string, here func(file string, line int) bool) (address, bool) {
	for _, r := range l.reports[from] {
		if here(r.file, r.line) {
			return r.address, true
		}
	}
	return address{}, false
}

// frontendStep is the step of the frontend's own image.
func (l *lister) frontendStep() *Step { return l.at(elsewhere(ofFrontend), Step{Text: "the frontend"}) }

// rest lists the materials that no step has.
func (l *lister) rest(platform string) {
	b := l.build
	captured := map[string]bool{}
	for _, m := range b.Captured() {
		captured[m.URI] = true
	}
	for i, m := range b.Materials {
		if l.shown[i] {
			continue
		}
		f := Fetch{Kind: string(m.Kind), From: m.URI, Host: m.Host, Digest: m.Digest, Over: overOf(m.Scheme)}
		switch {
		case m.Ref != "":
			f.Asked, f.From, f.Over = m.Ref, m.Ref, Registry
			if m.Kind == provenance.KindLayout {
				f.Over, f.Host = Local, ""
			}
			if b.Frontend.Ref != "" && m.Digest == b.Frontend.Digest && m.Digest != "" {
				l.put(l.frontendStep(), f)
				continue
			}
		case captured[m.URI]:
			f.Layer = Proxy
			l.put(l.proxied(), f)
			continue
		}
		if a, ok := l.reported(f.From, func(string, int) bool { return true }); ok {
			f.Asked, f.Layer = a.url, Sources
		}
		l.put(l.at(elsewhere(ofMaterials), Step{Text: "materials that no step of the definition names"}), f)
	}
	if b.Mode != provenance.Max {
		for _, s := range moved(l.report, platform, b) {
			l.add(elsewhere(ofReport), s)
		}
	}
	l.incomplete()
}

// hostOf is the host of an address, with its port; "" if there is none.
func hostOf(uri string) string {
	_, rest, ok := strings.Cut(uri, "://")
	if !ok { // git@host:path
		_, rest, ok = strings.Cut(uri, "@")
		if !ok {
			return ""
		}
		host, _, _ := strings.Cut(rest, ":")
		return strings.ToLower(host)
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return strings.ToLower(rest)
}

// overOf says what an address of a scheme travels over.
func overOf(scheme string) Over {
	switch {
	case scheme == "https", scheme == "hkps", scheme == "git+https", scheme == "ftps":
		return TLS
	case scheme == "ssh", scheme == "git+ssh", scheme == "sftp":
		return SSH
	case provenance.ClearText(scheme):
		return Clear
	}
	return Unknown
}
