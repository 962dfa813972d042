package frontend

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/lint"
)

// lintRules are the rules of rewrite.Rules that the lint answer shows. The
// others are advice, or about editing the text: a build edits LLB, and has moved
// what they tell of. Of CredentialInVariable BuildKit's own rule
// SecretsUsedInArgOrEnv tells.
func lintRules() []string {
	return []string{
		"ClearTextRefused", "VerificationOff", "SignatureOff", "CredentialInFile",
		"NotEdited", "AddWithoutChecksum", "CurlPipeShell", "ValidityOff", "KeyAutoImport", "UnquotedRequirement", "MisplacedDirective",
		"RuntimeClearText",
	}
}

// addLint adds our findings to the stock answer of the lint subrequest. An
// answer to which nothing is added is returned as it came.
func addLint(res *client.Result, cfg config, plan func([]byte, rewrite.Config) (*rewrite.Plan, error)) (*client.Result, error) {
	var results lint.LintResults
	if err := json.Unmarshal(res.Metadata["result.json"], &results); err != nil {
		return nil, fmt.Errorf("failed to read the lint answer: %w", err)
	}
	if cfg.quiet || len(results.Sources) == 0 {
		return res, nil
	}
	src := results.Sources[0].Data
	p, err := plan(src, rewrite.Config{Route: cfg.route, BuildArgs: cfg.buildArgs})
	if err != nil {
		if results.Error != nil { // BuildKit's parser said so in the answer
			return res, nil
		}
		return nil, err
	}
	before := len(results.Warnings)
	options := newChecks(cfg.lint, src)
	for _, f := range p.Findings {
		if slices.Contains(lintRules(), f.Rule) {
			addFinding(&results, options, f)
		}
	}
	if len(results.Warnings) == before {
		return res, nil
	}
	return results.ToResult(nil)
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
	linter := options.at(f.Range.Start.Line)
	linter.Warn = warn
	linter.Run(r, location, f.Message)
	if err := linter.Error(); err != nil && results.Error == nil {
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
