package floors

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors/cvss"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// bad reports whether an advisory is as severe as the policy's minimum. One
// whose severity is not known counts, and so does every attack.
func (c *checker) bad(a osv.Advisory) bool {
	least := slices.Index(config.Severities(), c.config.MinimumSeverity)
	if least <= 0 || a.Malicious {
		return true
	}
	s, known := severity(a)
	return !known || slices.Index(config.Severities(), s) >= least
}

// severity is the highest that a score or the database's own word says; known is
// false if nothing does that can be read: a score of CVSS 4 can't.
func severity(a osv.Advisory) (s config.Severity, known bool) {
	most := -1
	for _, score := range a.Severity {
		n, ok := cvss.Score(score.Score)
		if !ok {
			return "", false
		}
		most = max(most, slices.Index(config.Severities(), rated(n)))
	}
	for _, source := range a.Sources {
		if source.Rating == "" {
			continue
		}
		n := slices.Index(config.Severities(), word(source.Rating))
		if n < 0 {
			return "", false
		}
		most = max(most, n)
	}
	if most < 0 {
		return "", false
	}
	return config.Severities()[most], true
}

// rated is the word for a base score. Source: CVSS 3.1, section 5, "Qualitative
// Severity Rating Scale"; what it calls none is low here.
func rated(score float64) config.Severity {
	switch {
	case score >= 9:
		return config.Critical
	case score >= 7:
		return config.High
	case score >= 4:
		return config.Medium
	}
	return config.Low
}

// word is a database's word, of which GitHub has one of its own.
func word(rating string) config.Severity {
	rating = strings.ToLower(rating)
	if rating == "moderate" {
		return config.Medium
	}
	return config.Severity(rating)
}
