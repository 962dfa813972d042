package pep508

import "strings"

// maxQuoted is how much of a wrong word a message shows, in bytes.
const maxQuoted = 40

func clip(word string) string {
	if len(word) > maxQuoted {
		return word[:maxQuoted] + "…"
	}
	return word
}

// operandError says what is wrong with a word that is no variable.
func (p *parser) operandError(start int, word string) error {
	lower, isVariable := variable(strings.ToLower(word))
	switch {
	case word == "":
		return p.failf(start, "a marker's variable or a text in quotes is missing here: found %s", p.found())
	case isVariable:
		return p.failf(start, "marker variables are lower case: write %s", lower)
	case isDigit(word[0]):
		return p.failf(start, "a version in a marker stands in quotes: write \"%s\"", clip(word))
	case word == "not":
		return p.failf(start, `a marker has no "not" before a comparison: turn the operator round`)
	case word == "and" || word == "or" || word == "in":
		return p.failf(start, "before %q a comparison is missing: write it, or take %q away", word, word)
	}
	return p.failf(start, "there is no marker variable %q: python_version, python_full_version, os_name, sys_platform, platform_machine, "+
		"platform_system, platform_release, platform_version, platform_python_implementation, implementation_name, "+
		"implementation_version and extra are; a text stands in quotes", clip(word))
}

// operatorError says what is wrong where an operator must be.
func (p *parser) operatorError(start int, op string) error {
	switch op {
	case "":
		return p.failf(start, "a marker is a comparison, and the operator is missing here (<, <=, ==, !=, >=, >, ~=, ===, in, not in): found %s", p.found())
	case "=":
		return p.failf(start, `"=" is no operator: write "=="`)
	case "=>":
		return p.failf(start, `"=>" is no operator: write ">="`)
	case "=<":
		return p.failf(start, `"=<" is no operator: write "<="`)
	case "<>":
		return p.failf(start, `"<>" is no operator: write "!="`)
	}
	return p.failf(start, "%q is no operator: <, <=, ==, !=, >=, >, ~=, ===, in and not in are", clip(op))
}

// joinError says what is wrong after a comparison or a group.
func (p *parser) joinError() error {
	start := p.pos
	word := p.run(isWordByte)
	p.pos = start
	switch lower := strings.ToLower(word); {
	case p.peek() == ')':
		return p.failf(start, "this ) has no matching (: take it away")
	case p.peek() == ',' || p.peek() == '&' || p.peek() == '|' || p.peek() == ';':
		return p.failf(start, `comparisons are joined with "and" or "or": found %s`, p.found())
	case word != lower && (lower == "and" || lower == "or"):
		return p.failf(start, "%q is lower case in a marker: write %q", word, lower)
	}
	return p.failf(start, `after a comparison comes "and", "or", a closing parenthesis, or the end: found %s`, p.found())
}
