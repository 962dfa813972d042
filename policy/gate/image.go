package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

// Image is an image that is to be released.
type Image struct {
	// Ref is how it was named, Digest that of what the name stands for: an index,
	// or the manifest of one platform.
	Ref, Digest string
	// Broken says what in it is not what it is said to be; "" if nothing is.
	Broken string
	// Signature is what became of the signatures of Digest.
	Signature Signature
	Platforms []Platform
}

// Platform is the image of one platform, with what was attested of it.
type Platform struct {
	// Name is in containerd's notation, "" if it is not known; Digest is that of
	// the manifest.
	Name, Digest string
	// Attestation is the digest of what holds the provenance, "" if there is
	// none.
	Attestation string
	// Build is the provenance, nil if there is none or it can't be read. Unbound
	// says why not, or why what is there is not about this image; "" if it is.
	Build   *provenance.Build
	Unbound string
	// Report is what the frontend reported, nil if there is none or it can't be
	// read; WhyNoReport says why. Beside says that it comes from a file, and not
	// from an attestation of the image.
	Report      *buildreport.Report
	WhyNoReport string
	Beside      bool
}

// Signature is what became of the signatures of an image.
type Signature struct {
	// Asked is true if signers were named.
	Asked bool
	// By is who signed, "" if nobody who is trusted did; Why says why not.
	By, Why string
}

// image makes the checks of an image: one for the whole, and the others for
// each platform.
func (in *Input) image(img *Image) []Check {
	checks := []Check{in.signature(img)}
	checks[0].Subject = img.Ref
	if img.Broken != "" || len(img.Platforms) == 0 {
		return append(checks, whole(img))
	}
	for i := range img.Platforms {
		p := &img.Platforms[i]
		subject := img.Ref
		if p.Name != "" {
			subject += " (" + p.Name + ")"
		}
		j := &judge{Input: in, platform: p}
		for _, c := range j.checks() {
			c.Subject = subject
			checks = append(checks, c)
		}
	}
	slices.SortStableFunc(checks, func(a, b Check) int {
		return strings.Compare(a.Subject, b.Subject)
	})
	return checks
}

// whole is the one check of an image that is not what it is said to be.
func whole(img *Image) Check {
	c := failed(ImageProvenance, "Build and push the image again.", "it has no image of a platform")
	if img.Broken != "" {
		c = failed(ImageProvenance, again, "%s", img.Broken)
	}
	c.Subject = img.Ref
	return c
}

func (in *Input) signature(img *Image) Check {
	const todo = "Sign the image's digest (docs/release-gate.md says how), and name the signers with --attest-signers."
	s := img.Signature
	switch {
	case s.By != "":
		return passed(ImageSignature, "%s is signed by %s", img.Digest, s.By)
	case s.Asked || in.Config.RequireSigned:
		why := s.Why
		if why == "" {
			why = "no signature is given"
		}
		return failed(ImageSignature, todo, "no trusted signature of %s: %s", img.Digest, why)
	}
	return spared(ImageSignature, "unsigned: what is attested is the word of whoever may push the image")
}

// judge makes the checks of one platform.
type judge struct {
	*Input
	platform *Platform
}

func (j *judge) checks() []Check {
	first := j.provenance()
	if first.Status != Pass {
		return []Check{first}
	}
	return []Check{
		first, j.report(), j.commit(), j.frontend(), j.settings(), j.materials(), j.bases(), j.network(),
	}
}

// again is what to do about an image that is not what it is said to be.
const again = "Build and push the image again, and find out who changed it."

// atMax says how provenance that has everything is asked for.
const atMax = "Build it with --provenance=mode=max."

func (j *judge) provenance() Check {
	p := j.platform
	b := p.Build
	switch {
	case b == nil:
		return unproved(ImageProvenance, atMax, "%s", p.Unbound)
	case p.Unbound != "":
		return failed(ImageProvenance, again, "%s", p.Unbound)
	}
	var about []string
	for _, s := range b.Subjects {
		about = append(about, s.Digest)
	}
	switch other := slices.IndexFunc(about, func(d string) bool { return d != p.Digest }); {
	case len(about) == 0:
		return unproved(ImageProvenance, "Build it with a name (--tag, or name= of --output): BuildKit writes no subject without one.",
			"the provenance does not say which image it is about")
	case other >= 0:
		return failed(ImageProvenance, again, "the provenance is about another image: %s, not %s", about[other], p.Digest)
	}
	return passed(ImageProvenance, "SLSA %s, mode=%s, about %s", b.Version, b.Mode, p.Digest)
}

func (j *judge) report() Check {
	const todo = "Build it with --build-arg LOOPX_REPORT=attest, or give the file of --metadata-file with --metadata."
	p := j.platform
	r := p.Report
	if r == nil {
		return unproved(ImageReport, todo, "%s", p.WhyNoReport)
	}
	var left []string
	for _, f := range r.Findings {
		if f.Severity != "blocker" || j.signedFor(&f) {
			continue
		}
		line := fmt.Sprintf("%s:%d: %s [%s]", f.File, f.Line, f.Message, f.Rule)
		if f.AcknowledgedBy != "" {
			line += fmt.Sprintf(" (%s signed for it until %s)", f.AcknowledgedBy, f.AcknowledgedUntil)
		}
		left = append(left, line)
	}
	where := "attested"
	if p.Beside {
		where = "from the file of --metadata"
	}
	if len(left) > 0 {
		return failed(ImageReport, "Mend the Dockerfile, or have a reviewer sign for what is left, and build again.",
			"the frontend reports %s", number(len(left), "open blocker", "open blockers")).with(left)
	}
	return passed(ImageReport, "by the frontend %s, hosts as of %s, %s", plain.Text(r.Frontend), plain.Text(r.Hosts), where)
}

// commit compares the revision that the client named with that of the tree.
func (j *judge) commit() Check {
	revision, dirty := strings.CutSuffix(j.platform.Build.Revision, "-dirty")
	switch {
	case revision == "" && j.Config.AnyCommit:
		return spared(ImageCommit, "the provenance names no commit, which the configuration accepts")
	case revision == "":
		return unproved(ImageCommit, "Build from a git checkout with a client that says which (docker buildx and loopxctl build do), with mode=max.",
			"the provenance names no commit")
	case j.Tree.Commit == "":
		return unproved(ImageCommit, "Run the gate in a git repository.", "which commit is released is not known")
	case revision != j.Tree.Commit:
		return failed(ImageCommit, "Build the image of the commit that is released.", "the image is built of %s, and %s is released", short(revision), short(j.Tree.Commit))
	case dirty:
		return failed(ImageCommit, "Build the image of a clean checkout.", "the image is built of %s with changes that are not committed", short(revision))
	}
	return passed(ImageCommit, "the client says: %s", short(revision))
}
