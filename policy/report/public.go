package report

import (
	"cmp"
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
	out := r
	out.Findings, out.Files, out.Withheld, out.Pointer, out.unquoted = nil, nil, nil, pointer, true
	rules := r.rules()
	count := map[Withheld]int{}
	for _, s := range r.Findings {
		s = judged(s)
		if !Sensitive(s) {
			s.Claims, s.ToolFingerprints, s.Evidence = resolving(s), nil, ""
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
		count[Withheld{Family: family(known, s.Finding), Severity: severity}]++
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
