package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

// Public returns r for readers who must not learn what is wrong: of sensitive
// findings only how many there are, the family of their rule and pointer, a
// sentence that says where the rest is. Their file and their fix are private
// too. A finding is sensitive if [lens.Apply] looks at it through
// security_release.
//
// Of the other findings, what the tool and the input say beside the finding
// itself is dropped, and so are all lines of the files, since a secret may stand
// next to what a finding is about. The list of files is dropped as well: a file
// that is missing in it, or is called clean, would be told apart.
//
// What blocks in r blocks in the result.
func Public(r Report, pointer string) Report {
	out := withhold(r, pointer, Sensitive)
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Claims, f.ToolFingerprints, f.Evidence = resolving(*f), nil, ""
	}
	out.Files, out.unquoted = nil, true
	return out
}

// Untagged returns r for readers who may learn what is wrong, but of what has
// [policy.SensitiveTag]: of these findings they learn as much as [Public] tells.
// Where there is one, no lines of files are shown, and no evidence of other
// findings in its file. What blocks in r blocks in the result.
func Untagged(r Report, pointer string) Report {
	tagged := func(s lens.Shadowed) bool { return s.Sensitive() }
	if !slices.ContainsFunc(r.Findings, tagged) {
		return r
	}
	files := map[string]bool{}
	for _, s := range r.Findings {
		if s.Sensitive() && s.Location != nil {
			files[shownFile(s.Location.File)] = true
		}
	}
	out := withhold(r, pointer, tagged)
	for i := range out.Findings {
		if f := &out.Findings[i]; f.Location != nil && files[shownFile(f.Location.File)] {
			f.Evidence = ""
		}
	}
	out.Files, out.unquoted = nil, true
	return out
}

// withhold takes findings out, and counts them.
func withhold(r Report, pointer string, private func(lens.Shadowed) bool) Report {
	out := r
	out.Findings, out.Withheld, out.Pointer = nil, slices.Clone(r.Withheld), pointer
	rules := r.rules()
	count := map[Withheld]int{}
	for _, s := range r.Findings {
		s = judged(s)
		if !private(s) {
			out.Findings = append(out.Findings, s)
			continue
		}
		severity := r.severity(s.Severity)
		if s.State() != lens.Open {
			severity = policy.Advisory
		}
		known := rules[s.Rule]
		if r.foreign(s.Finding) {
			known = Rule{}
		}
		held := Withheld{Family: family(known, s.Finding), Severity: severity}
		if s.Sensitive() && known.Family == "" {
			held.Family = "sensitive" // its tool and its rule would tell
		}
		count[held]++
	}
	for held, n := range count {
		held.Count = n
		out.Withheld = append(out.Withheld, held)
	}
	return out
}

// Sensitive reports whether a finding is one that [Public] withholds.
func Sensitive(s lens.Shadowed) bool {
	return s.Lens == lens.SecurityRelease || lens.Apply(s.Finding).Lens == lens.SecurityRelease
}

// resolving leaves of the claims only that there are some which count, so that
// what is resolved stays so.
func resolving(s lens.Shadowed) []policy.Claim {
	if s.State() != lens.Resolved {
		return nil
	}
	return []policy.Claim{{By: "the input", State: "resolved"}}
}

// family is all that is told of a rule in public. Of a rule that is not known
// it is the tool, and what stands in front of the first digit or separator: DL
// of DL3008, CVE of CVE-2024-1.
func family(known Rule, f policy.Finding) string {
	if known.Family != "" {
		return known.Family
	}
	tool, rule := policy.Line(f.Tool.Name), policy.Line(f.Rule)
	i := strings.IndexAny(rule, "0123456789-_./: ")
	if i < 1 {
		return cmp.Or(tool, "other")
	}
	return strings.TrimPrefix(tool+"/"+rule[:i], "/")
}
