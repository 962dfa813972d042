package checks

import (
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

var unquotedRequirement = Rule{
	Name: "UnquotedRequirement", Severity: warning, Class: correctness,
	Description: "The shell takes the > or < of a version for a redirection.",
	Why: "The command sees no version, installs whichever is the newest, and its output goes to a file called =1.0. " +
		"Put the requirement into quotes.",
	Bad:   "FROM python:3.13-slim\nRUN pip install requests>=2.31\n",
	Good:  "FROM python:3.13-slim\nRUN pip install 'requests>=2.31' 2>/dev/null\n",
	Fixed: "FROM python:3.13-slim\nRUN pip install \"requests>=2.31\"\n",

	command: requirementCommand,
}

var (
	// requirement is the redirection in NAME>=1.0, NAME[extra]<2 and so on.
	// Source: packaging.python.org, "version specifiers".
	requirement = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?[=~!,]?[<>]=?v?\d[\w.*+,<>=!~-]*$`)
	installers  = switches{programs: "pip pipx uv conda mamba micromamba poetry pdm pipenv gem npm yarn pnpm"}
)

func requirementCommand(c *Command) []Finding {
	var out []Finding
	for _, s := range c.scripts {
		if !strings.ContainsAny(s.lower, "<>") || !s.parse() {
			continue
		}
		for _, cmd := range s.commands {
			out = append(out, s.requirements(cmd)...)
		}
	}
	return out
}

func (s *script) requirements(c command) []Finding {
	run := c.started()
	if len(run.args) < 2 || c.stmt == nil {
		return nil
	}
	if name, _ := python(run.name(), run.words()); !installers.has(name) {
		return nil
	}
	var out []Finding
	end := 0
	for _, r := range c.stmt.Redirs {
		at := int(r.OpPos.Offset())
		if at < end || r.N != nil || r.Op != syntax.RdrOut && r.Op != syntax.RdrIn {
			continue
		}
		var from int
		from, end = s.blankToBlank(at)
		if word := s.String()[from:end]; requirement.MatchString(word) {
			f := found(s.Slice(from, end), fmt.Sprintf("the shell reads the %s of %s as a redirection; put it into quotes", r.Op, word))
			f.Fix = quoted(s.Text, from, end)
			out = append(out, f)
		}
	}
	return out
}

// blankToBlank is the text around byte i that no blank and no end of a command
// interrupts.
func (s *script) blankToBlank(i int) (from, to int) {
	const ends = " \t\n;&|()"
	text := s.String()
	from = strings.LastIndexAny(text[:i], ends) + 1
	to = len(text)
	if n := strings.IndexAny(text[i:], ends); n >= 0 {
		to = i + n
	}
	return from, to
}

// quoted puts double quotes around the bytes [i, j), nil if they don't stand
// in the source as they are.
func quoted(t textmap.Text, i, j int) []textmap.Edit {
	from, to, ok := t.Range(i, j)
	if !ok || to-from != j-i {
		return nil
	}
	return []textmap.Edit{{Start: from, End: from, New: `"`}, {Start: to, End: to, New: `"`}}
}
