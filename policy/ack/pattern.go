package ack

import "strings"

// matchList reports whether a comma-separated list of patterns has one for s,
// and none with a "!" for it; see ssh_config(5), "PATTERNS".
func matchList(list, s string) bool {
	found := false
	for pattern := range strings.SplitSeq(list, ",") {
		not, negated := strings.CutPrefix(pattern, "!")
		switch {
		case negated && match(not, s):
			return false
		case !negated && match(pattern, s):
			found = true
		}
	}
	return found
}

// match reports whether s matches a pattern: "*" stands for any text, "?" for
// one byte. It takes time in proportion to the product of the lengths at most.
func match(pattern, s string) bool {
	star, from := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
