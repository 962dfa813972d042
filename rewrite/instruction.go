package rewrite

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/words"
)

// scope is an instruction with the variables that it sees.
type scope struct {
	in  *instruction
	env []words.Var
}

// instructionVersion is the first line of an instruction's text. It changes
// with the form, so that no text means two things.
const instructionVersion = "loopx instruction 1\n"

// reference is what may read a variable: $NAME, ${NAME…}, %NAME% and $env:NAME
// of Windows shells. It over-approximates: quotes and escapes are not looked at.
var reference = regexp.MustCompile(`\$(?i:env:)?\{?(?i:env:)?[!#]?([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%`)

// Instruction returns the text of the instruction that f is in, after ARG and
// ENV: the bytes that a reviewer signs for. "" if f is in none, as a comment is.
//
// The text is a first line with the version of this form; BuildKit's logical
// line, without blanks at its ends; each heredoc's content; and "NAME=value" for
// each variable that one of them names and whose value the file or the operator
// gives, in the order of the names. Each part is followed by a line with its
// length in bytes, so that no two instructions have one text.
//
// A value that comes from elsewhere (the base image, the platform) is not in it.
func (p *Plan) Instruction(f Finding) string {
	i, found := slices.BinarySearchFunc(p.scopes, f.Range.Start.Line, func(s scope, line int) int {
		switch {
		case s.in.node.EndLine < line:
			return -1
		case s.in.node.StartLine > line:
			return 1
		}
		return 0
	})
	if !found {
		return ""
	}
	return p.scopes[i].text()
}

func (s scope) text() string {
	parts := []string{strings.TrimSpace(s.in.node.Original)}
	for _, doc := range s.in.node.Heredocs {
		parts = append(parts, doc.Content)
	}
	parts = append(parts, s.values(parts)...)
	var b strings.Builder
	b.WriteString(instructionVersion)
	for _, part := range parts {
		b.WriteString(part)
		b.WriteString("\n#")
		b.WriteString(strconv.Itoa(len(part)))
		b.WriteByte('\n')
	}
	return b.String()
}

// values are the variables that the texts name, as "NAME=value".
func (s scope) values(texts []string) []string {
	named := map[string]bool{}
	for _, text := range texts {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			named[m[1]], named[m[2]] = true, true
		}
	}
	var values []string
	for _, v := range s.env {
		if named[v.Name] {
			values = append(values, v.Name+"="+v.Value.String())
		}
	}
	slices.Sort(values)
	return values
}
