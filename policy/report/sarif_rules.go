package report

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/sarif"
)

var placeholder = regexp.MustCompile(`\{(\d+)\}`)

// scores are GitHub's "security-severity" of severities: from 7.0 on it is
// high, from 4.0 on medium, below that low.
var scores = map[policy.Severity]json.RawMessage{
	policy.Blocker: json.RawMessage(`"8.0"`), policy.Warning: json.RawMessage(`"5.0"`), policy.Advisory: json.RawMessage(`"2.0"`),
}

// rule returns the index of a rule, and adds it if it is new. Its level is the
// worst of its findings, and its tags are theirs as far as there is room.
func (s *scribe) rule(id, name string, class policy.Class, severity policy.Severity, tags []string) int {
	if s.known == nil {
		s.known = s.report.rules()
	}
	i, ok := s.index[id]
	if !ok {
		i = len(s.rules)
		s.index[id] = i
		s.rules = append(s.rules, newRule(id, s.known[name]))
	}
	rule := &s.rules[i]
	severity = worst(severity, severityOf(rule))
	rule.Configuration.Level = sarifLevels[severity]
	p := rule.Properties
	if class == policy.SecurityPrivacy {
		p.Tags = add(p.Tags, "security")
		p.SecuritySeverity = scores[severity]
	}
	p.Tags = add(p.Tags, string(class))
	for _, tag := range tags {
		p.Tags = add(p.Tags, tag)
	}
	return i
}

func newRule(id string, known Rule) sarif.Rule {
	description := known.Description
	if description == "" {
		description = id
	}
	text := message(description)
	text.Text = cut(text.Text, maxDescription)
	help := text
	if known.Help != "" {
		help.Text += " " + known.Help
	}
	return sarif.Rule{
		ID: id, ShortDescription: &text, FullDescription: &text, Help: &help, HelpURI: known.Help,
		Configuration: &sarif.Configuration{}, Properties: &sarif.Properties{},
	}
}

// severityOf is the severity of a rule's level; the mildest for a new rule.
func severityOf(rule *sarif.Rule) policy.Severity {
	for severity, level := range sarifLevels {
		if rule.Configuration.Level == level {
			return severity
		}
	}
	return policy.Advisory
}

// add adds a tag that is not there, while there is room.
func add(tags sarif.Words, tag string) sarif.Words {
	tag = plain.Text(tag)
	if tag == "" || len(tags) == maxTags || slices.Contains(tags, tag) {
		return tags
	}
	return append(tags, tag)
}
