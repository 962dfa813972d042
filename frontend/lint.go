package frontend

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/solver/pb"
)

// lintRules are the rules of rewrite.Rules that the lint answer shows: what a
// build tells, and what the text shows of it. The others are advice, or about
// editing the text: a build edits LLB, and has moved what they tell of.
func lintRules(apt llbpass.AptMode) []string {
	rules := append(textRules(), "ClearTextRefused", "NotEdited", "AddWithoutChecksum")
	if apt != llbpass.AptOff {
		rules = append(rules, "GuardTampering", "AptUnguarded", "AptMayBeUnguarded")
	}
	return rules
}

// addLint adds our findings to the stock answer of the lint subrequest, but for
// blockers that a reviewer signed for. An answer to which nothing is added is
// returned as it came.
func addLint(ctx context.Context, g *gateway, res *client.Result, plan func([]byte, rewrite.Config) (*rewrite.Plan, error)) (*client.Result, error) {
	var results lint.LintResults
	if err := json.Unmarshal(res.Metadata["result.json"], &results); err != nil {
		return nil, fmt.Errorf("failed to read the lint answer: %w", err)
	}
	cfg := g.reporter.cfg
	if cfg.quiet || len(results.Sources) == 0 {
		return res, nil
	}
	info := results.Sources[0]
	p, err := plan(info.Data, rewrite.Config{Route: cfg.route, BuildArgs: cfg.buildArgs})
	if err != nil {
		if results.Error != nil { // BuildKit's parser said so in the answer
			return res, nil
		}
		return nil, err
	}
	text := newReviewed(info, p, g.opts.Opts)
	if slices.ContainsFunc(text.plan.Findings, func(f rewrite.Finding) bool { return f.Severity == rewrite.Blocker }) {
		if err := text.verify(ctx, g); err != nil {
			return nil, err
		}
	}
	before := len(results.Warnings)
	stock := slices.Clone(results.Warnings)
	options := newChecks(cfg.lint, info.Data)
	for i, f := range p.Findings {
		if slices.Contains(lintRules(cfg.apt), f.Rule) && text.findings[i].Acknowledged == nil && !told(stock, f) {
			addFinding(&results, options, f)
		}
	}
	if len(results.Warnings) == before {
		return res, nil
	}
	return results.ToResult(nil)
}

// told reports whether BuildKit has said the same: its SecretsUsedInArgOrEnv
// goes by the name of a variable, CredentialInVariable by the value.
func told(stock []lint.Warning, f rewrite.Finding) bool {
	return f.Rule == "CredentialInVariable" && slices.ContainsFunc(stock, func(w lint.Warning) bool {
		return w.RuleName == linter.RuleSecretsUsedInArgOrEnv.Name && slices.ContainsFunc(w.Location.GetRanges(), func(r *pb.Range) bool {
			return int(r.GetStart().GetLine()) <= f.Range.Start.Line && f.Range.Start.Line <= int(r.GetEnd().GetLine())
		})
	})
}

// addFinding adds one warning unless the file or the operator skips its rule.
// A blocker can't be skipped.
func addFinding(results *lint.LintResults, options checks, f rewrite.Finding) {
	r := ruleNamed(f.Rule)
	warn := func(name, description, url, msg string, location []parser.Range) {
		results.AddWarning(name, description, url, msg, 0, location)
	}
	location := []parser.Range{lineRange(f.Range)}
	if f.Severity == rewrite.Blocker {
		r.Run(warn, location, f.Message)
		return
	}
	at := options.at(f.Range.Start.Line)
	at.Warn = warn
	at.Run(r, location, f.Message)
	if err := at.Error(); err != nil && results.Error == nil {
		results.Error = &lint.BuildError{Message: err.Error()}
	}
}

// lineRange turns a half-open range with columns from 1 into BuildKit's, whose
// last line belongs to the range and whose characters count from 0.
func lineRange(r rewrite.Range) parser.Range {
	end := parser.Position{Line: r.End.Line, Character: r.End.Column - 1}
	if end.Character == 0 && end.Line > r.Start.Line {
		end.Line--
	}
	return parser.Range{
		Start: parser.Position{Line: r.Start.Line, Character: r.Start.Column - 1},
		End:   end,
	}
}
