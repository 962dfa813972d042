// Package netbom lists what a build fetched: from where, over what, and with
// which digest, as far as BuildKit's provenance and the frontend's report tell.
// What they don't tell is said in words.
//
// Clear text counts, whoever decided for it: a host that the operator keeps, or
// one in a private network, is told with the reason, and is not clean. Only what
// stays on the building machine itself is.
package netbom

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

// SchemaVersion is the document's.
const SchemaVersion = 1

// Command is what the document calls itself.
const Command = "netbom"

// Over says how something travelled.
type Over string

// What something travelled over. Each but the last three is no clear text.
const (
	// TLS is an address over TLS: https, hkps.
	TLS Over = "tls"
	// MirrorTLS is the same from the operator's mirror.
	MirrorTLS Over = "mirror-tls"
	// SSH is an address over SSH.
	SSH Over = "ssh"
	// Registry is an image: the daemon decides how it talks to a registry, and
	// holds what it gets to the digest.
	Registry Over = "registry"
	// Guard is what apt fetched in a guarded RUN: over TLS, or from the
	// operator's mirror, but for the hosts that the operator keeps.
	Guard Over = "apt-guard"
	// Local never left the machine.
	Local Over = "local"
	// Clear is clear text.
	Clear Over = "clear-text"
	// Unknown is not recorded.
	Unknown Over = "unknown"
)

// All are the ways, in the order in which they are shown: what needs a look
// comes first.
func All() []Over {
	return []Over{Clear, Unknown, Guard, MirrorTLS, TLS, SSH, Registry, Local}
}

// Words are what people are shown of it.
func (o Over) Words() string {
	switch o {
	case TLS:
		return "TLS"
	case MirrorTLS:
		return "TLS, mirror"
	case SSH:
		return "SSH"
	case Guard:
		return "apt guard"
	case Clear:
		return "clear text"
	case Local:
		return "this machine"
	}
	return string(o)
}

// Layer says what brought a fetch where it went.
type Layer string

// The layers; "" is none: it was fetched as written.
const (
	Words   Layer = "words"   // the frontend edited the command
	Sources Layer = "source"  // the frontend moved a source of the build itself
	Apt     Layer = "apt"     // the guard in a RUN
	Proxy   Layer = "network" // BuildKit's proxy network
)

// Kinds of fetches that provenance has no name for.
const (
	// KindWord is an address in a command.
	KindWord = "command"
	// KindPackages is all that apt fetched in a RUN.
	KindPackages = "apt-packages"
	// KindRequest is a request that the proxy network could not record.
	KindRequest = "request"
)

// Document is the net bill of materials of a build.
type Document struct {
	SchemaVersion int      `json:"schema_version"`
	Command       string   `json:"command"`
	Artifact      Artifact `json:"artifact"`
	// ClearText is true if a fetch is Clear.
	ClearText bool `json:"clear_text"`
	// Totals count the fetches by how they travelled.
	Totals map[Over]int `json:"totals"`
	// Report is what the frontend's says of its configuration, nil without one.
	Report *Report `json:"report"`
	Images []Image `json:"images"`
}

// Artifact is what was read.
type Artifact struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Digest string `json:"digest,omitempty"`
}

// Report is what the frontend says of itself.
type Report struct {
	Frontend string `json:"frontend"`
	Hosts    string `json:"hosts"`
	Mode     string `json:"mode"`
	Apt      string `json:"apt"`
}

// Image is the image of one platform.
type Image struct {
	Platform string `json:"platform,omitempty"`
	Digest   string `json:"digest,omitempty"`
	// Bound is true if digests lead from the artifact to the image and to its
	// provenance; else Unbound says why not.
	Bound   bool   `json:"bound"`
	Unbound string `json:"unbound,omitempty"`
	// Provenance is "max", "min" or "none".
	Provenance string `json:"provenance"`
	// Frontend made the build's definition; nil without provenance.
	Frontend *Frontend `json:"frontend"`
	// ProxyNetwork is true if RUNs were in BuildKit's proxy network.
	ProxyNetwork bool `json:"proxy_network"`
	// Steps are those that fetched, or may have, in the file's order.
	Steps []Step `json:"steps"`
	// Offline is how many RUNs had no network, Silent how many had one and run
	// only programs that are known to fetch nothing.
	Offline int `json:"offline_runs"`
	Silent  int `json:"silent_runs"`
	// Unknown is what can't be known of the build as a whole, in sentences.
	Unknown []string `json:"unknown"`
}

// Frontend is what made the definition.
type Frontend struct {
	Name   string `json:"name"`
	Image  string `json:"image,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// Step is an instruction of a Dockerfile, or something that no line says.
type Step struct {
	// Stage is the name of the stage, or its number from 0.
	Stage string `json:"stage,omitempty"`
	// Text is the instruction on one line, cut where it is long.
	Text string `json:"text"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Network is that of a RUN: "sandbox", "host", "proxy"; "" for the rest.
	Network string `json:"network,omitempty"`
	// Guarded is true if apt was guarded in it.
	Guarded bool    `json:"guarded"`
	Fetches []Fetch `json:"fetches"`
	// Unknown is what can't be known of it, in sentences.
	Unknown []string `json:"unknown"`
}

// Where says in words where a step is and what network it had; "" if that is
// not known.
func (s Step) Where() string {
	var parts []string
	switch {
	case s.File != "" && s.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", s.File, s.Line))
	case s.File != "":
		parts = append(parts, s.File)
	}
	if s.Stage != "" {
		parts = append(parts, "stage "+s.Stage)
	}
	if s.Network != "" {
		parts = append(parts, "network "+s.Network)
	}
	if s.Guarded {
		parts = append(parts, "apt guarded")
	}
	return strings.Join(parts, ", ")
}

// Fetch is one thing that was fetched.
type Fetch struct {
	// Kind is that of the material, or one of the kinds above.
	Kind string `json:"kind"`
	// Asked is the address as written, From where it was fetched, Host the host
	// in that. "" is not known, or none. Of an image they are its name and tag,
	// and the registry.
	Asked string `json:"asked,omitempty"`
	From  string `json:"from,omitempty"`
	Host  string `json:"host,omitempty"`
	Over  Over   `json:"over"`
	// Digest is what was recorded of its content.
	Digest string `json:"digest,omitempty"`
	Layer  Layer  `json:"layer,omitempty"`
	// Note is a sentence about it.
	Note string `json:"note,omitempty"`
}

// Input is what a document is made of.
type Input struct {
	Artifact Artifact
	Images   []InputImage
	Report   *buildreport.Report
}

// InputImage is the image of one platform. Unbound is "" if its provenance is
// known to be about it.
type InputImage struct {
	Platform, Digest, Unbound string
	Build                     *provenance.Build
}

// New makes the document. The same input makes the same document.
func New(in Input) *Document {
	d := &Document{SchemaVersion: SchemaVersion, Command: Command, Artifact: in.Artifact, Totals: map[Over]int{}, Images: []Image{}}
	if r := in.Report; r != nil {
		d.Report = &Report{Frontend: r.Frontend, Hosts: r.Hosts, Mode: r.Mode, Apt: r.Apt}
	}
	for _, img := range in.Images {
		out := newImage(img, in.Report)
		for _, s := range out.Steps {
			for _, f := range s.Fetches {
				d.Totals[f.Over]++
			}
		}
		d.Images = append(d.Images, out)
	}
	d.ClearText = d.Totals[Clear] > 0
	return d
}

// HasUnknown reports whether it is not known of a fetch what it travelled over,
// or of a build what it fetched.
func (d *Document) HasUnknown() bool {
	return d.Totals[Unknown] > 0 || slices.ContainsFunc(d.Images, func(img Image) bool {
		return img.Provenance != string(provenance.Max) || slices.ContainsFunc(img.Steps, func(s Step) bool { return len(s.Unknown) > 0 })
	})
}

// newImage lists what the build of one image fetched.
func newImage(in InputImage, report *buildreport.Report) Image {
	img := Image{
		Platform: in.Platform, Digest: in.Digest, Bound: in.Unbound == "", Unbound: in.Unbound,
		Provenance: "none", Steps: []Step{}, Unknown: []string{},
	}
	b := in.Build
	if b == nil {
		img.Bound = false
		img.Unknown = append(img.Unknown, "There is no provenance: only what the frontend moved is known. Build with --provenance=mode=max.")
		img.Steps = moved(report, img.Platform, nil)
		return img
	}
	img.Provenance, img.ProxyNetwork = string(b.Mode), b.Proxy != nil
	img.Frontend = &Frontend{b.Frontend.Name, b.Frontend.Ref, b.Frontend.Digest}
	l := newLister(b, report)
	if b.Mode == provenance.Max {
		l.steps()
	}
	l.rest(img.Platform)
	img.Steps, img.Offline, img.Silent = l.done(), l.offline, l.silent
	img.Unknown = append(img.Unknown, l.unknown()...)
	return img
}

// Hosts returns the hosts that an image's build fetched from, sorted by name,
// with how: the way that needs most of a look.
func (img *Image) Hosts() []Host {
	byName := map[string]*Host{}
	for i, s := range img.Steps {
		for _, f := range s.Fetches {
			if f.Host == "" {
				continue
			}
			h := byName[f.Host]
			if h == nil {
				h = &Host{Name: f.Host, Over: f.Over}
				byName[f.Host] = h
			}
			if worse(f.Over, h.Over) {
				h.Over = f.Over
			}
			h.Fetches++
			h.add(i, f.Over)
		}
	}
	return sortedHosts(byName)
}

// worse reports whether a needs more of a look than b.
func worse(a, b Over) bool { return slices.Index(All(), a) < slices.Index(All(), b) }
