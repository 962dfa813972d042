package frontend

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// rulesURL is the page that describes every rule under an anchor of its name.
const rulesURL = "https://github.com/loopx/loopx-frontend/blob/main/docs/rules.md#"

// rule is one of rewrite.Rules as BuildKit's linter knows rules.
type rule = linter.LinterRule[func() string]

// ruleNamed returns the rule of a finding.
func ruleNamed(name string) *rule {
	r := &rule{Name: name, URL: rulesURL + strings.ToLower(name)}
	all := rewrite.Rules()
	if i := slices.IndexFunc(all, func(r rewrite.Rule) bool { return r.Name == name }); i >= 0 {
		r.Description = all[i].Description
	}
	return r
}

// checksFor returns BuildKit's linter with the options that hold for the
// instruction at a line of a Dockerfile: those of BUILDKIT_DOCKERFILE_CHECK, or
// else of the file's "# check=" line, and those of the comment above the
// instruction. A skipped rule is not run.
func checksFor(operator *linter.Config, src []byte, line int) *linter.Linter {
	cfg := operator
	if cfg == nil {
		value, _, _, _ := parser.ParseDirective("check", src)
		var err error
		if cfg, err = linter.ParseLintOptions(value); err != nil {
			cfg = &linter.Config{} // BuildKit has refused the file
		}
	}
	return linter.New(cfg).WithMergedConfigFromComments(commentsAbove(src, line))
}

// commentsAbove returns the comment lines above the instruction at line.
func commentsAbove(src []byte, line int) []string {
	file, err := parser.Parse(bytes.NewReader(src))
	if err != nil {
		return nil
	}
	for _, node := range file.AST.Children {
		if node.StartLine <= line && line <= node.EndLine {
			return node.PrevComment
		}
	}
	return nil
}
