package checks

import (
	"regexp"
	"strings"
)

// setting is a way to spell a setting in a file or in the environment.
type setting struct {
	// key is in the text, in lower case, wherever re matches.
	key string
	re  *regexp.Regexp
	// what names the setting, and of which program it is.
	what, tool string
}

// before is what may stand before the name of a setting: no part of a longer
// name, and the escape of a newline in what echo and printf write.
const before = `(?:^|[^-\w.]|\\n|\\t)`

func spelled(key, re, what, tool string) setting {
	return setting{key, regexp.MustCompile(`(?im)` + before + `(` + re + `)`), what, tool}
}

// find returns where the setting is made in s; lower is s in lower case.
func (g setting) find(s, lower string) [][2]int {
	if !strings.Contains(lower, g.key) {
		return nil
	}
	var out [][2]int
	for _, m := range g.re.FindAllStringSubmatchIndex(s, -1) {
		out = append(out, [2]int{m[2], m[3]})
	}
	return out
}

// inScripts reports where the texts of a command make one of the settings.
func inScripts(c *Command, settings []setting, report func(s *script, span [2]int, g setting)) {
	for _, s := range c.scripts {
		for _, g := range settings {
			for _, span := range g.find(s.String(), s.lower) {
				if s.sets(span[0], span[1]) {
					report(s, span, g)
				}
			}
		}
	}
}

// inContent reports where the content of a file makes one of the settings.
func inContent(f File, settings []setting, report func(span [2]int, g setting)) {
	s := f.Content.String()
	lower := strings.ToLower(s)
	for _, g := range settings {
		for _, span := range g.find(s, lower) {
			if !inComment(s, span[0]) {
				report(span, g)
			}
		}
	}
}

// inComment reports whether the line of s[i] is a comment in any of the
// languages of configuration files.
func inComment(s string, i int) bool {
	line := strings.TrimLeft(s[strings.LastIndexByte(s[:i], '\n')+1:i], " \t")
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, ";")
}

// sets reports whether the bytes [i, j) do what they say: they are no comment,
// not printed for people, and not what a program only looks for.
func (s *script) sets(i, j int) bool {
	if !s.parse() {
		return !inComment(s.String(), i)
	}
	for _, d := range s.docs {
		if d.from <= i && j <= d.to {
			return !inComment(s.String(), i) && (d.reader < 0 || s.commands[d.reader].uses(s, i))
		}
	}
	at := -1
	for k, c := range s.commands {
		if c.from <= i && i < c.to && (at < 0 || c.from >= s.commands[at].from) {
			at = k
		}
	}
	return at >= 0 && s.commands[at].uses(s, i)
}

// uses reports whether the command does something with the text at byte i
// other than to show it or to look for it.
func (c *command) uses(s *script, i int) bool {
	run := c.started()
	switch run.name() {
	case "grep", "egrep", "fgrep", "rg", "ag", "test", "[", "find", "case", "expr", "awk":
		return false
	case "echo", "printf", "cat":
		return c.goes
	case "sed", "gsed", "perl":
		for _, a := range run.args {
			if a.from <= i && i < a.to {
				return replaced(s.String()[a.from:a.to], i-a.from)
			}
		}
		return true
	case "git":
		return len(run.args) < 2 || run.args[1].s != "commit"
	}
	return true
}

// replaced reports whether byte i of a sed script is in what it writes: not in
// the left part of s/left/right/, nor in an address before a command.
func replaced(text string, i int) bool {
	start := substitution.FindAllStringIndex(text[:i], -1)
	if start == nil {
		return sedWrites.MatchString(text[:i])
	}
	last := start[len(start)-1]
	delimiter := text[last[1]-1]
	for k := last[1]; k < i; k++ {
		switch text[k] {
		case '\\':
			k++
		case delimiter:
			return true
		}
	}
	return false
}

var (
	// substitution is how the s command of sed begins, at its first delimiter.
	substitution = regexp.MustCompile(`(?:^|['"\s;{}/$\d])s[/|,#@!%:+~]`)
	// sedWrites are the commands a, i and c, whose text goes into the file.
	sedWrites = regexp.MustCompile(`(?:^|['"\s;/$\d])[aic](?:\\|\s)`)
)
