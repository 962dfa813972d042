package checks

import (
	"math"
	"regexp"
	"strings"
)

// token is a kind of credential that shows by its shape.
type token struct {
	key  string // a part that every one has
	re   *regexp.Regexp
	what string
}

// tokens are the shapes that their issuers document. Sources:
// docs.aws.amazon.com IAM "unique identifiers"; github.blog "Behind GitHub's new
// authentication token formats"; docs.gitlab.com "token overview"; api.slack.com
// "token types"; docs.stripe.com/keys; cloud.google.com/docs/authentication/api-keys;
// docs.npmjs.com "about access tokens"; pypi.org/help#apitoken;
// docs.docker.com "access tokens"; huggingface.co/docs/hub/security-tokens;
// docs.digitalocean.com "personal access token"; twilio.com/docs/sendgrid;
// RFC 7468 (private keys).
var tokens = []token{
	{"AKIA", regexp.MustCompile(`\bAKIA[A-Z2-7]{16}\b`), "an AWS access key"},
	{"ASIA", regexp.MustCompile(`\bASIA[A-Z2-7]{16}\b`), "an AWS access key"},
	{"gh", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36,255}\b`), "a GitHub token"},
	{"github_pat_", regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b`), "a GitHub token"},
	{"glpat-", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`), "a GitLab token"},
	{"xox", regexp.MustCompile(`\bxox[abeoprs]-[0-9]{8,}-[A-Za-z0-9-]{12,}`), "a Slack token"},
	{"hooks.slack.com", regexp.MustCompile(`hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}`), "a Slack webhook"},
	{"k_live_", regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{20,}\b`), "a Stripe key"},
	{"AIza", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`), "a Google API key"},
	{"npm_", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`), "an npm token"},
	{"pypi-AgE", regexp.MustCompile(`\bpypi-AgE[A-Za-z0-9_-]{50,}`), "a PyPI token"},
	{"dckr_pat_", regexp.MustCompile(`\bdckr_pat_[A-Za-z0-9_-]{27}`), "a Docker Hub token"},
	{"hf_", regexp.MustCompile(`\bhf_[A-Za-z]{34}\b`), "a Hugging Face token"},
	{"dop_v1_", regexp.MustCompile(`\bdop_v1_[a-f0-9]{64}\b`), "a DigitalOcean token"},
	{"GOCSPX-", regexp.MustCompile(`\bGOCSPX-[A-Za-z0-9_-]{28}`), "a Google client secret"},
	{"SG.", regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`), "a SendGrid key"},
	{"PRIVATE KEY", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\s\\n"']{1,6}[A-Za-z0-9+/]{40}`), "a private key"},
}

// placeholders are words in values that stand for a secret that comes later, or
// for none.
var placeholders = regexp.MustCompile(`(?i)example|change|replace|placeholder|dummy|fake|insert|put[-_ ]?your|your|todo|xxx|\*\*|secret|password|passwd|` +
	`\bnone\b|\bnull\b|undefined|default|sample|test|temp|build|local|demo|redacted|hidden|foobar|<|>|\.\.\.|\{\{|%[({]|\$|unset|mock|1234`)

// secretive reports whether a value is what a machine makes for a secret: long,
// of several kinds of characters, and without order.
func secretive(v string) bool {
	return len(v) >= 16 && !placeholders.MatchString(v) && strings.ContainsAny(v, "0123456789") &&
		strings.IndexFunc(v, isLetter) >= 0 && (!strings.ContainsAny(v, " \t/\\:;,()[]") || base64.MatchString(v)) && entropy(v) >= 3.2
}

// base64 is that with a slash in it that is no path's.
var base64 = regexp.MustCompile(`^[A-Za-z0-9+][A-Za-z0-9+/]{30,}={0,2}$`)

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

// entropy is Shannon's, in bits for each byte of s.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// inTokens returns where s has tokens, and what they are.
func inTokens(s string, report func(from, to int, what string)) {
	for _, t := range tokens {
		if !strings.Contains(s, t.key) {
			continue
		}
		for _, m := range t.re.FindAllStringIndex(s, -1) {
			if v := s[m[0]:m[1]]; strings.Contains(v, "EXAMPLE") || strings.Contains(strings.ToLower(v), "xxxx") || entropy(v) < 2.8 {
				continue
			}
			report(m[0], m[1], t.what)
		}
	}
}
