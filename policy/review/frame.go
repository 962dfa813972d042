package review

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Frame is what was compared, and by what: a verdict holds for just this.
type Frame struct {
	// Repository is an identifier as package ack makes it; "" if it is not known.
	Repository string
	// Base is as it was asked for, Target is the branch whose policy holds.
	Base, Target, Head gitread.Rev
	// MergeBase is what the head is compared with.
	MergeBase gitread.Commit
	// Policy is the digest of the files that decide, see [PolicyDigest].
	Policy string
	Tool   report.Tool
}

// PolicyFile is one of the files that decide about a change.
type PolicyFile struct {
	Name string
	Data []byte // nil if there is none
}

// PolicyDigest names the files that decide about a change: "sha256:" and 64
// hexadecimal digits, over each name and each content behind its length.
func PolicyDigest(files ...PolicyFile) string {
	h := sha256.New()
	for _, f := range files {
		for _, part := range [][]byte{[]byte(f.Name), f.Data} {
			var size [8]byte
			binary.BigEndian.PutUint64(size[:], uint64(len(part)))
			h.Write(size[:])
			h.Write(part)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Review is a result with its frame, as it is told.
type Review struct {
	Frame
	*Result
	// Rules describe the rules of the findings.
	Rules []report.Rule
	// Public withholds findings about security and privacy. Those with the tag
	// [policy.SensitiveTag] are withheld in any case.
	Public bool
	// Pointer is the sentence that says where they are told.
	Pointer string
	// Whole tells everything: it is not for the public.
	Whole bool
	// withheld are the files of findings that are withheld.
	withheld map[string]bool
}

// Of returns a review that is ready to be told.
func Of(f Frame, r *Result) *Review {
	v := &Review{Frame: f, Result: r, withheld: map[string]bool{}}
	for _, list := range [][]Finding{r.New, r.Unchanged, r.Fixed, r.About} {
		for _, f := range list {
			if f.Sensitive() && f.Location != nil {
				v.withheld[policy.CleanFile(f.Location.File)] = true
			}
		}
	}
	return v
}

// News is the report of what the verdict is about, as it may be told.
func (v *Review) News() report.Report {
	var list []Finding
	for f := range v.Result.News() {
		list = append(list, f)
	}
	return v.report(list)
}

// report is the report of findings, as they may be told.
func (v *Review) report(list []Finding) report.Report {
	r := report.Report{Command: "review", Tool: v.Tool, Rules: v.Rules, Sources: map[string]string{}, Audit: v.Audit}
	for _, f := range list {
		r.Findings = append(r.Findings, f.Shadowed)
	}
	for name, text := range v.Sources {
		if v.Whole || !v.withheld[policy.CleanFile(name)] {
			r.Sources[name] = text
		}
	}
	switch {
	case v.Whole:
		return r
	case v.Public:
		r = report.Public(r, v.Pointer)
	default:
		r = report.Untagged(r, v.Pointer)
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Location != nil && v.withheld[policy.CleanFile(f.Location.File)] {
			f.Finding = v.muted(f.Finding)
		}
	}
	return r
}

// muted is a finding in a file with what is private, which its words may quote: it
// is told by its place and by what its rule is about.
func (v *Review) muted(f policy.Finding) policy.Finding {
	f.Message = "something is found here"
	if i := slices.IndexFunc(v.Rules, func(r report.Rule) bool { return r.Name == f.Rule }); i >= 0 && f.Tool.Name == policy.ToolName {
		f.Message = strings.TrimSuffix(v.Rules[i].Description, ".")
	}
	f.Message += " (no more is told, as something in this file is private)"
	f.Evidence, f.Fix, f.ToolFingerprints, f.Claims = "", nil, nil, slices.Clone(f.Claims)
	for i := range f.Claims {
		f.Claims[i].Reason = ""
	}
	return f
}

// Counts are how many findings there are.
type Counts struct {
	New       int `json:"new"`
	Reopened  int `json:"reopened"`
	Fixed     int `json:"fixed"`
	Unchanged int `json:"unchanged"` // reopened ones included
	// Edited are those of the unchanged that block, in instructions that are edited.
	Edited int `json:"edited"`
	About  int `json:"about"`
	// Blockers, Warnings and Advisories are what is open of new, reopened and about.
	Blockers   int `json:"blockers"`
	Warnings   int `json:"warnings"`
	Advisories int `json:"advisories"`
	// Sensitive are those of the new, reopened and about that have the tag for what
	// is not public, Unprovable those of builds whose Dockerfile is not known.
	Sensitive  int `json:"sensitive"`
	Unprovable int `json:"unprovable"`
}

// Counts counts.
func (r *Result) Counts() Counts {
	c := Counts{New: len(r.New), Fixed: len(r.Fixed), Unchanged: len(r.Unchanged), About: len(r.About)}
	for _, f := range r.Unchanged {
		if f.Edited && !f.Reopened {
			c.Edited++
		}
	}
	for f := range r.News() {
		if f.Reopened {
			c.Reopened++
		}
		if f.Sensitive() {
			c.Sensitive++
		}
		if f.Rule == ruleUnprovable && f.Tool.Name == policy.ToolName {
			c.Unprovable++
		}
		switch {
		case f.State() != lens.Open:
		case f.Severity == policy.Warning:
			c.Warnings++
		case f.Severity == policy.Advisory:
			c.Advisories++
		default:
			c.Blockers++
		}
	}
	return c
}
