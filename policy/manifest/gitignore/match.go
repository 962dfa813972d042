package gitignore

import "strings"

// match matches one part of a path with *, ?, [...] and \. As in matchParts,
// only the last star has to be tried again.
func match(pattern, name string) bool {
	p, n := 0, 0
	again, from := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			again, from = p, n
			p++
			continue
		}
		if width, ok := one(pattern[p:], name[n]); ok {
			p, n = p+width, n+1
			continue
		}
		if again < 0 {
			return false
		}
		from++
		p, n = again+1, from
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one matches a byte with the start of pattern, which is no star, and returns
// how many bytes of the pattern that takes.
func one(pattern string, c byte) (width int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		return class(pattern, c)
	case '\\':
		return 2, len(pattern) > 1 && pattern[1] == c
	}
	return 1, pattern[0] == c
}

// class matches a byte with the [...] at the start of pattern. One that nothing
// closes matches nothing.
func class(pattern string, c byte) (width int, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	found := false
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0, false
		}
		if pattern[i] == ']' && !first {
			return i + 1, found != negated
		}
		if name, ok := named(pattern[i:]); ok {
			found = found || inClass(name, c)
			i += len(name) + 4
			continue
		}
		var low, high byte
		low, i = literal(pattern, i)
		high = low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high, i = literal(pattern, i+1)
		}
		found = found || low <= c && c <= high
	}
}

// literal is the character at pattern[i], which a backslash may protect, and
// what comes behind it.
func literal(pattern string, i int) (c byte, next int) {
	if pattern[i] == '\\' && i+1 < len(pattern) {
		i++
	}
	return pattern[i], i + 1
}

// named returns the name in the [:name:] at the start of s.
func named(s string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(s, "[:")
	if !ok {
		return "", false
	}
	name, _, ok = strings.Cut(rest, ":]")
	return name, ok && !strings.Contains(name, "]")
}

// inClass reports whether the POSIX class of this name holds the byte.
func inClass(name string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := '!' <= c && c <= '~'
	switch name {
	case "alpha":
		return lower || upper
	case "lower":
		return lower
	case "upper":
		return upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "xdigit":
		return digit || 'a' <= c|0x20 && c|0x20 <= 'f'
	case "blank":
		return c == ' ' || c == '\t'
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "graph":
		return graph
	case "print":
		return graph || c == ' '
	case "punct":
		return graph && !lower && !upper && !digit
	case "cntrl":
		return c < ' ' || c == 0x7f
	}
	return false
}
