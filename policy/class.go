package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Classes returns every class, in the order of the documentation.
func Classes() []Class {
	return []Class{
		Correctness, SecurityPrivacy, APIContract, Validation, Complexity,
		Efficiency, ErrorSupervision, Documentation, ReleaseCompatibility,
	}
}

// Severities returns every severity, worst first.
func Severities() []Severity { return []Severity{Blocker, Warning, Advisory} }

// ParseClass returns the class that s spells. The error lists all of them.
func ParseClass(s string) (Class, error) { return parse("class", s, Classes()) }

// ParseSeverity returns the severity that s spells. The error lists all of
// them.
func ParseSeverity(s string) (Severity, error) { return parse("severity", s, Severities()) }

func parse[W ~string](what, s string, words []W) (W, error) {
	if word := W(s); slices.Contains(words, word) {
		return word, nil
	}
	names := make([]string, len(words))
	for i, word := range words {
		names[i] = string(word)
	}
	return "", fmt.Errorf("%q is no %s; write one of: %s", cut(s, 60), what, strings.Join(names, ", "))
}

// cut shortens s to about n bytes, at a character's start.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return strings.Clone(s[:n]) + "…"
}
