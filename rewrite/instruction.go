package rewrite

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// scope is an instruction with the variables that it sees.
type scope struct {
	in  *instruction
	env []words.Var
}

// instructionVersion is the first line of an instruction's text. It changes
// with the form, so that no text means two things.
const instructionVersion = "loopx instruction 1\n"

// word is what may be the name of a variable. Each is taken for one, be it that
// it is behind $, in %NAME%, or what printenv or a script is asked for.
var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// Instruction returns the text of the instruction that f is in, after ARG and
// ENV: the bytes that a reviewer signs for. "" if f is in none, as a comment is.
//
// The text is a first line with the version of this form; BuildKit's logical
// line, without blanks at its ends; each heredoc's content; and "NAME=value" for
// each variable whose name is a word of one of them and whose value the file or
// the operator gives, in the order of the names. ONBUILD sees the values that
// its stage ends with. Where f is in a value that ARG or ENV gives, the same
// follows of each instruction after it that names the value, directly or not:
// what becomes of it is signed for too, unless f is about a secret, which is bad
// wherever it stands. Each part is followed by a line with its length in bytes,
// so that no two instructions have one text.
//
// A value that comes from elsewhere (the base image, the platform) is not in it.
func (p *Plan) Instruction(f Finding) string {
	i := p.at(f.Range.Start.Line)
	if i < 0 {
		return ""
	}
	parts := p.scopes[i].parts()
	if !strings.HasPrefix(f.Rule, "Credential") {
		for _, s := range p.users(i) {
			parts = append(parts, s.parts()...)
		}
	}
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

// Reaches reports whether f may be a finding of the step at a line: it is in the
// instruction there, or in one that has no step of its own, such as ARG, ENV and
// ONBUILD.
func (p *Plan) Reaches(f Finding, line int) bool {
	i := p.at(f.Range.Start.Line)
	if i < 0 {
		return true
	}
	in := p.scopes[i].in
	return !in.is(command.Run) && !in.is(command.Add) && !in.is(command.Copy) || i == p.at(line)
}

// at returns the index of the instruction that has a line, -1 if none has.
func (p *Plan) at(line int) int {
	i, found := slices.BinarySearchFunc(p.scopes, line, func(s scope, line int) int {
		switch {
		case s.in.node.EndLine < line:
			return -1
		case s.in.node.StartLine > line:
			return 1
		}
		return 0
	})
	if !found {
		return -1
	}
	return i
}

// users are the instructions after instruction i that name a variable which it
// sets, or one that is made of such a variable.
func (p *Plan) users(i int) []scope {
	given := p.scopes[i].sets(p.escape)
	seen := map[string]bool{}
	found := map[int]bool{}
	for n := 0; n < len(given); n++ {
		if seen[given[n]] {
			continue
		}
		seen[given[n]] = true
		for _, j := range p.naming()[given[n]] {
			if j > i && !found[j] {
				found[j] = true
				given = append(given, p.scopes[j].sets(p.escape)...)
			}
		}
	}
	var all []scope
	for _, j := range slices.Sorted(maps.Keys(found)) {
		all = append(all, p.scopes[j])
	}
	return all
}

// naming returns the instructions by the words that they name.
func naming(scopes []scope) map[string][]int {
	all := map[string][]int{}
	for i, s := range scopes {
		for name := range s.named() {
			all[name] = append(all[name], i)
		}
	}
	return all
}

// sets are the names of the variables that ARG or ENV sets, in lower case. One
// that is not known is left out.
func (s scope) sets(escape byte) []string {
	cmd := s.in.cmd
	if t := triggered(s.in); t != nil {
		cmd = t.cmd
	}
	var names []string
	switch c := cmd.(type) {
	case *instructions.ArgCommand:
		for _, kv := range c.Args {
			names = append(names, strings.ToLower(kv.Key))
		}
	case *instructions.EnvCommand:
		x := expansion{env: &environ{s.env}, escape: escape}
		for _, kv := range c.Env {
			if name, ok := x.expand(textmap.Synthetic(kv.Key)); ok {
				names = append(names, strings.ToLower(name.String()))
			}
		}
	}
	return names
}

// texts are the instruction's own parts.
func (s scope) texts() []string {
	parts := []string{strings.TrimSpace(s.in.node.Original)}
	for _, doc := range s.in.node.Heredocs {
		parts = append(parts, doc.Content)
	}
	return parts
}

// named are the words of the texts, in lower case: Windows finds a variable by
// any case.
func (s scope) named() map[string]bool {
	all := map[string]bool{}
	for _, text := range s.texts() {
		for _, name := range word.FindAllString(text, -1) {
			all[strings.ToLower(name)] = true
		}
	}
	return all
}

// parts are the texts, and the variables that they name as "NAME=value".
func (s scope) parts() []string {
	named := s.named()
	var values []string
	for _, v := range s.env {
		if named[strings.ToLower(v.Name)] {
			values = append(values, v.Name+"="+v.Value.String())
		}
	}
	slices.Sort(values)
	return append(s.texts(), values...)
}
