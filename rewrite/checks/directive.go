package checks

import (
	"fmt"
	"regexp"
	"strings"
)

var misplacedDirective = Rule{
	Name: "MisplacedDirective", Severity: warning, Class: correctness,
	Description: "A parser directive does not stand at the top of the file, so it is a comment and does nothing.",
	Why: "BuildKit reads directives only before the first comment, empty line and instruction, so another frontend or escape character is used than the line says. " +
		"Move the line to the top.",
	Bad:  "# The image of our service\n# syntax=docker/dockerfile:1\nFROM debian:bookworm-slim\n",
	Good: "# syntax=docker/dockerfile:1\n# The image of our service\nFROM debian:bookworm-slim\n",

	comment: directiveComment,
}

// directive is a parser directive as BuildKit reads it, with a value that one
// can have. "check" is none here: it may stand above an instruction.
// Source: reDirective in BuildKit's frontend/dockerfile/parser/directives.go.
var directive = regexp.MustCompile("(?i)^#\\s*(?:(syntax)\\s*=\\s*[\\w.-]+(?::\\d+)?(?:/[\\w.-]+)+(?::[\\w.-]+)?(?:@sha256:[0-9a-f]+)?|(escape)\\s*=\\s*[\\\\`])\\s*$")

func directiveComment(c Comment) []Finding {
	m := directive.FindStringSubmatch(c.Text.String())
	if m == nil || c.Top {
		return nil
	}
	return []Finding{found(c.Text, fmt.Sprintf("this %s directive does nothing: it has to stand at the top of the file, before any other comment, empty line or instruction",
		strings.ToLower(m[1]+m[2])))}
}
