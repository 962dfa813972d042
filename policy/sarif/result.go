package sarif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
)

// pending is a result whose rule may come later in the text.
type pending struct {
	finding   policy.Finding
	id        string // the rule's
	index     int    // in its component, -1 if not given
	component int    // of the extensions, -1 for the driver
	level     string
	kind      string
	messageID string
	arguments []string
	traits
	place   ArtifactLocation
	snippet string
}

// keep takes from a result what a finding needs.
func keep(raw Result) *pending {
	p := &pending{id: raw.RuleID, index: -1, component: -1, level: raw.Level, kind: raw.Kind}
	if raw.RuleIndex != nil {
		p.index = *raw.RuleIndex
	}
	p.refer(raw.Rule)
	p.finding.Message = shorten(cmp.Or(raw.Message.Text, raw.Message.Markdown))
	if p.finding.Message == "" {
		p.messageID = raw.Message.ID
	}
	p.arguments = raw.Message.Arguments
	p.traits = inspect(raw.Properties)
	p.security = p.security || slices.ContainsFunc(raw.Taxa, isWeakness)
	p.locate(raw.Locations)
	p.finding.Claims = claims(raw)
	p.finding.ToolFingerprints = fingerprints(raw)
	return p
}

// refer takes the rule's place from result.rule, which says more than ruleId
// and ruleIndex.
func (p *pending) refer(ref *RuleReference) {
	if ref == nil {
		return
	}
	p.id = cmp.Or(p.id, ref.ID)
	if ref.Index != nil {
		p.index = *ref.Index
	}
	if ref.Component != nil && ref.Component.Index != nil {
		p.component = *ref.Component.Index
	}
}

// locate takes the first place in a file.
func (p *pending) locate(all []Location) {
	for _, l := range all {
		if l.Physical == nil {
			continue
		}
		p.place = l.Physical.Artifact
		at := &policy.Location{}
		if region := l.Physical.Region; region != nil {
			at.Start = policy.Position{Line: max(0, region.StartLine), Column: max(0, region.StartColumn)}
			at.End = policy.Position{Line: max(0, region.EndLine), Column: max(0, region.EndColumn)}
			if region.Snippet != nil {
				p.snippet = shorten(region.Snippet.Text)
			}
		}
		p.finding.Location = at
		return
	}
}

// claims are what the log says against a result.
func claims(raw Result) []policy.Claim {
	var all []policy.Claim
	for _, s := range raw.Suppressions {
		all = append(all, policy.Claim{
			By:     strings.TrimSpace(shorten(s.Kind) + " suppression"),
			State:  cmp.Or(shorten(s.Status), "accepted"), // 3.35.3: absent means accepted
			Reason: shorten(s.Justification),
		})
	}
	if raw.BaselineState == "absent" {
		all = append(all, policy.Claim{By: "baseline", State: raw.BaselineState})
	}
	return all
}

func fingerprints(raw Result) []policy.ToolFingerprint {
	var all []policy.ToolFingerprint
	for _, from := range []map[string]string{raw.Fingerprints, raw.PartialFingerprints} {
		for name, value := range from {
			if value == "" {
				continue
			}
			all = append(all, policy.ToolFingerprint{Name: shorten(name), Value: shorten(value)})
		}
	}
	slices.SortFunc(all, func(a, b policy.ToolFingerprint) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
	})
	return all
}

// shorten cuts text that is longer than anybody reads, and copies it, so that
// the text it comes from can be freed.
func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.Clone(strings.ToValidUTF8(s[:maxText], "")) + "…"
}

func quote(s string) string { return fmt.Sprintf("%.60q", s) }
