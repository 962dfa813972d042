package frontend

import (
	"bytes"
	"slices"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// rule is one of rewrite.Rules as BuildKit's linter knows rules.
type rule = linter.LinterRule[func() string]

// ruleNamed returns the rule of a finding.
func ruleNamed(name string) *rule {
	r := &rule{Name: name, URL: rewrite.Rule{Name: name}.Page()}
	all := rewrite.Rules()
	if i := slices.IndexFunc(all, func(r rewrite.Rule) bool { return r.Name == name }); i >= 0 {
		r.Description = all[i].Description
	}
	return r
}

// checks are the options that hold for BuildKit's rules in one file: those of
// BUILDKIT_DOCKERFILE_CHECK, or else of the file's "# check=" line.
type checks struct {
	options *linter.Config
	file    *parser.Result // nil if BuildKit refuses the file
}

func newChecks(operator *linter.Config, src []byte) checks {
	c := checks{options: operator}
	if c.options == nil {
		value, _, _, _ := parser.ParseDirective("check", src)
		var err error
		if c.options, err = linter.ParseLintOptions(value); err != nil {
			c.options = &linter.Config{} // BuildKit has refused the file
		}
	}
	if file, err := parser.Parse(bytes.NewReader(src)); err == nil {
		c.file = file
	}
	return c
}

// at returns BuildKit's linter for the instruction at a line, with the options
// of the comment above it. A skipped rule is not run.
func (c checks) at(line int) *linter.Linter {
	return linter.New(c.options).WithMergedConfigFromComments(c.commentsAbove(line))
}

// commentsAbove returns the comment lines above the instruction at line.
func (c checks) commentsAbove(line int) []string {
	if c.file == nil {
		return nil
	}
	for _, node := range c.file.AST.Children {
		if node.StartLine <= line && line <= node.EndLine {
			return node.PrevComment
		}
	}
	return nil
}
