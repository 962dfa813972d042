package sarif

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/loopx/loopx-frontend/policy"
)

// classify returns the class of a result. What says that it is about security
// goes first; then what the tags say; then, for linters, the rule. All else is
// security_privacy: a result that is not understood is not ignored.
func classify(tool, rule string, tags []string, security bool) policy.Class {
	if security || slices.ContainsFunc(words(rule), isSecurityWord) {
		return policy.SecurityPrivacy
	}
	for _, t := range tagClasses {
		if slices.ContainsFunc(tags, func(tag string) bool { return strings.EqualFold(tag, t.tag) }) {
			return t.class
		}
	}
	if strings.EqualFold(tool, "hadolint") {
		return hadolint(rule)
	}
	if isLinter(tool) {
		return policy.Correctness
	}
	return policy.SecurityPrivacy
}

// tagClasses are tags that say which class a result has, the graver first:
// those of CodeQL's and Semgrep's rules, and the names of the classes.
var tagClasses = [...]struct {
	tag   string
	class policy.Class
}{
	{"correctness", policy.Correctness},
	{"reliability", policy.Correctness},
	{"concurrency", policy.Correctness},
	{"error-handling", policy.ErrorSupervision},
	{"error_supervision", policy.ErrorSupervision},
	{"exceptions", policy.ErrorSupervision},
	{"api_contract", policy.APIContract},
	{"api", policy.APIContract},
	{"release_compatibility", policy.ReleaseCompatibility},
	{"compatibility", policy.ReleaseCompatibility},
	{"portability", policy.ReleaseCompatibility},
	{"deprecated", policy.ReleaseCompatibility},
	{"validation", policy.Validation},
	{"testability", policy.Validation},
	{"tests", policy.Validation},
	{"efficiency", policy.Efficiency},
	{"performance", policy.Efficiency},
	{"complexity", policy.Complexity},
	{"maintainability", policy.Complexity},
	{"readability", policy.Complexity},
	{"useless-code", policy.Complexity},
	{"best-practice", policy.Complexity},
	{"style", policy.Complexity},
	{"documentation", policy.Documentation},
	{"comments", policy.Documentation},
}

// hadolint returns the class of a rule of hadolint (its README lists them).
func hadolint(rule string) policy.Class {
	switch rule {
	case "DL3002", "DL3004", "DL3026": // root, sudo, registries that are not allowed
		return policy.SecurityPrivacy
	case "DL4005", "DL4006": // the shell, pipefail
		return policy.ErrorSupervision
	case "DL3006", "DL3007", "DL3008", "DL3013", "DL3016", "DL3018", "DL3028", "DL3033", "DL3037", "DL3041", "DL3062", "DL4000":
		return policy.ReleaseCompatibility // versions that float, MAINTAINER
	case "DL3009", "DL3015", "DL3019", "DL3032", "DL3036", "DL3040", "DL3042", "DL3059", "DL3060":
		return policy.Efficiency // caches and layers
	case "DL3048", "DL3049", "DL3050", "DL3051", "DL3052", "DL3053", "DL3054", "DL3055", "DL3056", "DL3058":
		return policy.Documentation // labels
	case "DL1001", "DL3001", "DL3014", "DL3034", "DL3038":
		return policy.Complexity
	}
	return policy.Correctness
}

// linters are tools whose results are not about security unless they say so.
var linters = [...]string{
	"hadolint", "shellcheck", "eslint", "tslint", "stylelint", "htmlhint", "golangci-lint", "staticcheck", "revive", "govet",
	"pylint", "flake8", "ruff", "mypy", "pyright", "rubocop", "clippy", "ktlint", "detekt", "checkstyle", "pmd",
	"cppcheck", "clang-tidy", "actionlint", "yamllint", "markdownlint", "phpstan", "psalm", "swiftlint", "biome",
	"dockerfilelint", "prettier", "buf", "sqlfluff", "tflint",
}

func isLinter(tool string) bool {
	return slices.ContainsFunc(linters[:], func(name string) bool { return strings.EqualFold(name, tool) })
}

// traits are what the property bag of a rule or a result says about it.
type traits struct {
	tags []string
	// security is true where GitHub's security-severity, a CWE or a tag says
	// that it is about security.
	security bool
	// secret is true if it may be about a secret, so that a snippet may be one
	// in a shape that nobody knows.
	secret bool
}

func inspect(p *Properties) traits {
	if p == nil {
		return traits{}
	}
	var t traits
	for _, tag := range p.Tags[:min(len(p.Tags), maxTags)] {
		t.tags = append(t.tags, shorten(tag))
		t.secret = t.secret || mentionsSecret(tag)
	}
	if said(p.Sensitive) || slices.ContainsFunc(p.Tags, policy.IsSensitive) && !slices.ContainsFunc(t.tags, policy.IsSensitive) {
		t.tags = append(t.tags, policy.SensitiveTag)
	}
	t.security = given(p.SecuritySeverity) || given(p.CWE) || slices.ContainsFunc(p.Tags, isSecurityTag)
	return t
}

// maxTags is how many tags are kept of one owner.
const maxTags = 50

// said reports whether a property is there and does not say no.
func said(raw []byte) bool {
	switch strings.ToLower(strings.Trim(string(raw), `" `)) {
	case "", "null", "false", "no", "0", "[]", "{}":
		return false
	}
	return true
}

func given(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }

// cwe is an entry of the Common Weakness Enumeration, as tools spell it:
// "external/cwe/cwe-079", "CWE-79: …", "cwe:79".
var cwe = regexp.MustCompile(`(?i)\bcwe[-:_ /]*\d`)

func isCWE(s string) bool { return strings.ContainsAny(s, "cC") && cwe.MatchString(s) }

func isSecurityTag(tag string) bool {
	return isCWE(tag) || slices.ContainsFunc(words(tag), isSecurityWord)
}

// securityWords say of a tag or a rule's name that it is about security.
var securityWords = [...]string{
	"security", "vulnerability", "vulnerabilities", "vuln", "secret", "secrets", "credential", "credentials",
	"misconfiguration", "malware", "privacy", "owasp", "cve", "ghsa", "crypto", "cryptography", "gosec", "bandit", "exploit",
}

func isSecurityWord(word string) bool {
	return slices.ContainsFunc(securityWords[:], func(w string) bool { return strings.EqualFold(w, word) })
}

// mentionsSecret reports whether a tag or a rule's name has a word for a secret.
func mentionsSecret(name string) bool {
	return slices.ContainsFunc(words(strings.ToLower(name)), func(word string) bool {
		return slices.ContainsFunc(secretWords[:], func(w string) bool { return strings.HasPrefix(word, w) })
	})
}

// secretWords begin a word for a secret.
var secretWords = [...]string{
	"secret", "credential", "password", "passwd", "token", "key", "apikey", "auth", "jwt", "webhook", "private", "leak",
}

// secretScanners are tools that report nothing but secrets.
var secretScanners = [...]string{
	"gitleaks", "betterleaks", "trufflehog", "detect-secrets", "ggshield", "talisman", "secretlint", "whispers",
	"noseyparker", "nosey parker", "kingfisher",
}

func isSecretScanner(tool string) bool {
	return slices.ContainsFunc(secretScanners[:], func(name string) bool { return strings.EqualFold(name, tool) })
}

// words takes a name apart at what is neither letter nor digit.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// merge returns the tags of a rule and of a result, each once.
func merge(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	all := slices.Clone(a)
	for _, tag := range b {
		if !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}
