package policy

import "strings"

// shape is what a provider's tokens look like.
type shape struct {
	prefix string
	// size is the least number of token bytes behind the prefix.
	size int
}

// shapes are public token formats: each provider documents its prefix so that
// scanners find it. The sizes are lower than the real ones, so that a token
// that was cut off is hidden too.
var shapes = [...]shape{
	{"AKIA", 12},
	{"ASIA", 12},
	{"ABIA", 12},
	{"ACCA", 12}, // AWS access key ids
	{"AIza", 20},
	{"ya29.", 16},
	{"GOCSPX-", 16}, // Google
	{"ghp_", 16},
	{"gho_", 16},
	{"ghu_", 16},
	{"ghs_", 16},
	{"ghr_", 16},
	{"github_pat_", 16}, // GitHub
	{"glpat-", 12},
	{"gldt-", 12},
	{"glrt-", 12},
	{"glptt-", 12}, // GitLab
	{"xoxa-", 8},
	{"xoxb-", 8},
	{"xoxe-", 8},
	{"xoxp-", 8},
	{"xoxr-", 8},
	{"xoxs-", 8},
	{"xapp-", 8}, // Slack
	{"sk_live_", 8},
	{"sk_test_", 8},
	{"rk_live_", 8},
	{"rk_test_", 8},
	{"whsec_", 8}, // Stripe
	{"sk-", 20},
	{"hf_", 16}, // OpenAI, Anthropic; Hugging Face
	{"npm_", 16},
	{"pypi-", 16},
	{"rubygems_", 16},
	{"dckr_pat_", 12},
	{"dckr_oat_", 12}, // package registries
	{"SG.", 16},
	{"dop_v1_", 16},
	{"shpat_", 16},
	{"hvs.", 16},
	{"dp.pt.", 16},
	{"AGE-SECRET-KEY-", 16},
	{"eyJ", 24}, // JSON Web Tokens: base64 of '{"'
}

// redactTokens hides tokens of well-known shapes. The prefix stays, so that
// one sees what kind of token it was.
func redactTokens(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		if !isTokenByte(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && isTokenByte(s[end]) {
			end++
		}
		if n := tokenPrefix(s[i:end]); n > 0 {
			b.WriteString(s[done : i+n])
			b.WriteString(mask)
			done = end
		}
		i = end
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// tokenPrefix returns how much of a word is shown: up to the end of the prefix
// of the first token in it; 0 if there is none.
func tokenPrefix(word string) int {
	if len(word) < 11 {
		return 0
	}
	for i := range len(word) - 10 {
		if i > 0 && isAlphanumeric(word[i-1]) {
			continue
		}
		for _, t := range shapes {
			if strings.HasPrefix(word[i:], t.prefix) && len(word)-i-len(t.prefix) >= t.size {
				return i + len(t.prefix)
			}
		}
	}
	return 0
}

func isAlphanumeric(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isTokenByte(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '+' || c == '='
}
