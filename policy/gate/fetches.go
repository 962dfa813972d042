package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// materials checks that what the daemon fetched by an address came over TLS. It
// asks the materials, and the source steps where they are recorded: one may say
// what the other leaves out.
func (j *judge) materials() Check {
	b := j.platform.Build
	var plain, other, accepted []string
	web := 0
	for _, m := range b.Materials {
		switch by := j.accepted(m.URI + " "); {
		case m.Clear() && by != "":
			accepted = append(accepted, m.URI+by)
		case m.Clear():
			plain = append(plain, fmt.Sprintf("%s (%s)", m.URI, m.Digest))
		case m.Kind == provenance.KindOther:
			other = append(other, m.URI)
		case m.Web() || m.Kind == provenance.KindGit:
			web++
		}
	}
	for _, s := range b.Steps {
		if s.Source != nil && s.Source.Clear() && j.accepted(s.Source.URI+" ") == "" && !slices.ContainsFunc(plain, func(p string) bool { return strings.HasPrefix(p, s.Source.URI+" ") }) {
			plain = append(plain, s.Source.URI)
		}
	}
	switch {
	case len(plain) > 0:
		return failed(ImageMaterials, "Fetch it over TLS: what the network gave in its place is in the image.",
			"%s in clear text", number(len(plain), "material came", "materials came")).with(plain)
	case len(other) > 0:
		return unproved(ImageMaterials, "Leave it out of the build.", "of %s it is not known how it came", number(len(other), "material", "materials")).with(other)
	}
	all := "nothing came by an address"
	if web > 0 {
		all = number(web, "material came over TLS", "materials came over TLS")
	}
	if len(accepted) > 0 {
		return passed(ImageMaterials, "%s, and %d in clear text that a reviewer signed for", all, len(accepted)).with(accepted)
	}
	return passed(ImageMaterials, "%s", all)
}

// accepted says who signed for what the frontend tells with these words in front,
// as a clause; "" if nobody did. The frontend has verified the signature: its
// word counts if it is an allowed one, and attested.
func (j *judge) accepted(words string) string {
	p := j.platform
	if p.Report == nil || p.Beside || j.foreign(p.Build.Frontend) != "" {
		return ""
	}
	for _, f := range p.Report.Findings {
		if j.signedFor(&f) && strings.HasPrefix(f.Message, words) {
			return fmt.Sprintf(", accepted by %s until %s", f.AcknowledgedBy, f.AcknowledgedUntil)
		}
	}
	return ""
}

// signedFor reports whether somebody signed for a finding of the report, and still
// does: its last day is not over. One without a date that can be read has ended.
func (j *judge) signedFor(f *buildreport.Finding) bool {
	until, err := time.Parse(time.DateOnly, f.AcknowledgedUntil)
	return f.AcknowledgedBy != "" && err == nil && j.Now.Before(until.AddDate(0, 0, 1))
}

// bases checks the digest of each image that the build stands on or copies from
// against the configuration and the Dockerfiles of the tree.
func (j *judge) bases() Check {
	const todo = "Pin it in the Dockerfile (FROM IMAGE@sha256:…), or list its digests under release.bases in loopx.yaml."
	var wrong, unpinned, between []string
	good := 0
	for _, m := range j.platform.Build.Materials {
		if m.Kind == provenance.KindBlob || m.Kind == provenance.KindLayout {
			unpinned = append(unpinned, m.URI)
		}
		if m.Kind != provenance.KindImage || j.frontends(m.Digest) {
			continue
		}
		name := imageName(m.Ref)
		allowed := append(slices.Clone(j.Config.Bases[name]), j.Tree.Pins[name]...)
		switch {
		case m.Digest == "" || name == "":
			wrong = append(wrong, m.URI+" has no digest")
		case slices.Contains(allowed, m.Digest):
			good++
		case len(allowed) > 0:
			wrong = append(wrong, fmt.Sprintf("%s is %s, which is none of those that are pinned", m.Ref, m.Digest))
		default:
			line := fmt.Sprintf("%s (%s)", m.Ref, m.Digest)
			unpinned = append(unpinned, line)
			if !j.taken(&m) {
				between = append(between, line)
			}
		}
	}
	switch {
	case len(wrong) > 0:
		return failed(ImageBases, todo, "%s not what is pinned", number(len(wrong), "image is", "images are")).with(slices.Concat(wrong, unpinned))
	case len(between) > 0 && j.Config.AnyBase:
		return unproved(ImageBases, todo, "no step is known to take files of %s, so it may be a frontend that handed on to another",
			number(len(between), "image that is not pinned", "images that are not pinned")).with(between)
	case len(unpinned) > 0 && j.Config.AnyBase:
		return spared(ImageBases, "%s pinned, which the configuration accepts", number(len(unpinned), "image is not", "images are not")).with(unpinned)
	case len(unpinned) > 0:
		return unproved(ImageBases, todo, "%s pinned, so nothing says what it has to be", number(len(unpinned), "image is not", "images are not")).with(unpinned)
	case good == 0:
		return spared(ImageBases, "it stands on no other image")
	}
	return passed(ImageBases, "%s what is pinned", number(good, "image is", "images are"))
}

// taken reports whether a step of the build takes the files of an image. With
// mode=min that is not recorded, and nothing else is known of the steps either.
func (j *judge) taken(m *provenance.Material) bool {
	b := j.platform.Build
	return b.Mode != provenance.Max || slices.ContainsFunc(b.Steps, func(s provenance.Step) bool {
		if s.Source == nil {
			return false
		}
		of, ok := b.Material(s.Source)
		return ok && of.Ref == m.Ref && of.Digest == m.Digest
	})
}

// frontends reports whether a digest is that of a frontend: of an allowed one, or
// of one that the build had, which is another check's to judge.
func (j *judge) frontends(digest string) bool {
	b := j.platform.Build
	if slices.Contains(j.Config.Frontends, digest) || digest != "" && digest == b.Frontend.Digest {
		return true
	}
	for _, in := range b.Inputs {
		if digest != "" && digest == in.Digest {
			return true
		}
	}
	return false
}

// imageName is the full name of an image without tag and digest, "" if the
// reference is none.
func imageName(ref string) string {
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return ""
	}
	return named.Name()
}

// Pins returns the digests that the instructions of a Dockerfile's text pin, by
// the full name of the image: each word IMAGE@sha256:DIGEST.
func Pins(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"'=,", c) }) {
			named, err := reference.ParseNormalizedNamed(word)
			pinned, ok := named.(reference.Digested)
			if err == nil && ok && !slices.Contains(all[named.Name()], pinned.Digest().String()) {
				all[named.Name()] = append(all[named.Name()], pinned.Digest().String())
			}
		}
	}
	return all
}

// MergePins adds what more has to all.
func MergePins(all, more map[string][]string) {
	for name, digests := range more {
		merged := slices.Concat(all[name], digests)
		slices.Sort(merged)
		all[name] = slices.Compact(merged)
	}
}

// keepsClear reports whether a host rule keeps clear text to a host that the
// frontend would not leave in clear text by itself.
func keepsClear(rule route.HostRule) bool {
	if rule.Action != "keep" {
		return false
	}
	table, err := route.NewTable(route.Config{})
	if err != nil {
		return true
	}
	host := rule.Host
	if suffix, ok := strings.CutPrefix(host, "*."); ok {
		host = "any." + suffix // the suffix alone may be a name of a private network: "*.com"
	}
	return table.Route("http://"+host+"/", route.Context{Role: route.Fetch}).Action != route.Keep
}
