package sarif

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
)

// finish makes findings of the results, now that all rules are known, and a
// validation of how the run went. n is the run's number, from 1.
func (r *run) finish(n int, out *policy.Intake) {
	tool := policy.Tool{Name: shorten(r.driver.name), Version: shorten(r.driver.version)}
	out.Checks = append(out.Checks, r.check(n, tool))
	for i := range r.results {
		out.Findings = append(out.Findings, r.finding(r.results[i], tool))
		r.results[i] = nil // so that it can be freed
	}
}

func (r *run) finding(p *pending, tool policy.Tool) policy.Finding {
	rule := r.find(p)
	f := p.finding
	f.Tool, f.Rule = tool, shorten(cmp.Or(p.id, rule.id))
	f.Message = policy.Line(p.message(rule))
	f.Severity = severity(p.kind, cmp.Or(p.level, rule.level))
	f.Tags = merge(rule.tags, p.tags)
	f.Class = classify(tool.Name, f.Rule, f.Tags, p.security || rule.security)
	if f.Location != nil {
		f.Location.File = r.file(p.place)
	}
	if !rule.secret && !p.secret && !mentionsSecret(p.id) && !isSecretScanner(tool.Name) {
		f.Evidence = strings.TrimSpace(policy.Redact(p.snippet))
	}
	return f
}

// message is what the result says, or its rule.
func (p *pending) message(r rule) string {
	text := p.finding.Message
	if text == "" {
		text = r.messages[p.messageID]
	}
	return cmp.Or(fill(text, p.arguments), r.description, p.id, r.id, "a result without a message")
}

// severity is that of a level (3.27.10: "warning" if neither the result nor
// the rule has one). What a tool asks a person to look at is a warning.
func severity(kind, level string) policy.Severity {
	switch kind {
	case "open", "review":
		return policy.Warning
	case "informational":
		return policy.Advisory
	}
	switch level {
	case "error":
		return policy.Blocker
	case "note", "none":
		return policy.Advisory
	}
	return policy.Warning
}

// check is the validation that the run itself is: it failed if the tool says
// so of its execution, and it was skipped if results were never computed.
func (r *run) check(n int, tool policy.Tool) policy.Check {
	c := policy.Check{
		Name: fmt.Sprintf("run %d of %s", n, tool.Name), Tool: tool,
		Status: policy.Passed, Required: true, Class: policy.SecurityPrivacy,
	}
	if isLinter(tool.Name) {
		c.Class = policy.Validation
	}
	if r.passed > 0 {
		c.Message = fmt.Sprintf("%d results say that something is right", r.passed)
	}
	if !r.computed {
		c.Status, c.Message = policy.Skipped, "the log holds no results of this run: nothing was looked at"
	}
	if problem := r.problem(); problem != "" {
		c.Status, c.Message = policy.Failed, problem
	}
	return c
}

// problem is why the run did not go well, or "".
func (r *run) problem() string {
	said := ""
	for _, i := range r.invocations {
		for _, list := range [][]Notification{i.ToolExecutionNotifications, i.ConfigurationNotifications} {
			for _, n := range list {
				if n.Level == "error" && said == "" {
					said = "the tool reports an error: " + policy.Line(cmp.Or(shorten(n.Message.Text), shorten(n.Message.ID), "without a message"))
				}
			}
		}
	}
	for _, i := range r.invocations {
		if said == "" && i.ExecutionSuccessful != nil && !*i.ExecutionSuccessful {
			return "the tool says that its execution was not successful"
		}
	}
	return said
}

// file is the path of an artifact. A base that is itself relative to another
// one is part of it; where the bases are on the scanning machine is not (3.14.14).
func (r *run) file(a ArtifactLocation) string {
	if a.URI == "" && a.Index != nil && *a.Index >= 0 && *a.Index < len(r.artifacts) {
		a = r.artifacts[*a.Index]
	}
	name := a.URI
	for range 10 { // bases could go in a circle
		base, ok := r.bases[a.URIBaseID]
		if !ok || base.URIBaseID == "" || strings.Contains(base.URI, ":") {
			break
		}
		name, a = base.URI+name, base
	}
	name = strings.TrimPrefix(name, "file://")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return shorten(policy.CleanFile(name))
}
