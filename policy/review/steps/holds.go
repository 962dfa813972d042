package steps

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite"
)

// Holds reports whether a text is a Dockerfile to BuildKit: its first instruction
// is FROM or ARG, and the others are known. A text that it does not understand is
// one if it names another frontend, which might.
func Holds(data []byte) bool {
	if begins(data) {
		if _, err := rewrite.New(data, rewrite.Config{}); err == nil {
			return true
		}
	}
	other, _, _, ok := parser.DetectSyntax(data)
	return ok && image.MatchString(other)
}

// image is the name of a frontend, with the repository that it is in: other languages
// have comments about their syntax too.
var image = regexp.MustCompile(`^[\w.-]+(?::\d+)?/[\w./-]+(?:[:@][\w.:-]+)?$`)

// begins reports whether the first instruction of a text is FROM or ARG.
func begins(data []byte) bool {
	r, err := parser.Parse(bytes.NewReader(data))
	if err != nil || len(r.AST.Children) == 0 {
		return false
	}
	first := r.AST.Children[0].Value
	return strings.EqualFold(first, "FROM") || strings.EqualFold(first, "ARG")
}
