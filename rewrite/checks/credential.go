package checks

import (
	"fmt"
	"regexp"
	"strings"
)

const credentialWhy = "Everybody who has the file or the image has the secret: it stays in the history, the layers and the build cache, also if a later step deletes it. " +
	"Give it to the build with RUN --mount=type=secret, or to the container when it starts, and make the one that was here invalid."

var credentialInFile = Rule{
	Name: "CredentialInFile", Severity: blocker, Class: securityPrivacy,
	Description: "A credential stands in the text of the Dockerfile.",
	Why:         credentialWhy,
	Bad:         "FROM debian:bookworm-slim\nRUN NPM_TOKEN=q7Rw2mZx9Kd41LpN npm ci\n",
	Good:        "FROM debian:bookworm-slim\nRUN --mount=type=secret,id=token NPM_TOKEN=$(cat /run/secrets/token) npm ci\n",

	text:     credentialText,
	variable: credentialOf(false),
}

var credentialInVariable = Rule{
	Name: "CredentialInVariable", Severity: blocker, Class: securityPrivacy,
	Description: "An ENV, or the default of an ARG, that is named as a secret holds one.",
	Why:         credentialWhy,
	Bad:         "FROM debian:bookworm-slim\nENV API_TOKEN=q7Rw2mZx9Kd41LpN\n",
	Good:        "FROM debian:bookworm-slim\nENV API_TOKEN_FILE=/run/secrets/token\nENV SESSION_KEY=change-me\n",

	variable: credentialOf(true),
}

func credentialMessage(what string) string {
	return fmt.Sprintf("%s stands in the text; make it invalid, and give the build another one with RUN --mount=type=secret", what)
}

// dockerSaysSo and dockerAllows are the names of variables that BuildKit's own
// rule SecretsUsedInArgOrEnv is about, whatever their value.
// Source: getSecretsRegex in BuildKit's dockerfile2llb/validations.go.
var (
	dockerSaysSo = regexp.MustCompile(`(?i)(?:_|^)(?:apikey|auth|credential|credentials|key|password|pword|passwd|secret|token)(?:_|$)`)
	dockerAllows = regexp.MustCompile(`(?i)(?:_|^)(?:public|file|version)(?:_|$)`)
)

// credentialOf looks at the values of ENV and ARG whose names BuildKit warns of
// itself, or at all others: so no place is told of twice where both are shown.
func credentialOf(docker bool) func(Variable) []Finding {
	return func(v Variable) []Finding {
		if docker != (dockerSaysSo.MatchString(v.Name) && !dockerAllows.MatchString(v.Name)) {
			return nil
		}
		value := strings.Trim(v.Value.String(), `"'`)
		what := ""
		inTokens(value, func(_, _ int, kind string) { what = kind })
		inAddresses(value, func(_, _ int, kind string) { what = kind })
		if what == "" && secretName(v.Name, value) {
			what = "the value of " + v.Name
		}
		if what == "" {
			return nil
		}
		return []Finding{found(v.Value, credentialMessage(what))}
	}
}

var (
	secretNames = regexp.MustCompile(`(?i)(?:password|passwd|passphrase|secret|token|api_?key|access_?key|private_?key|encryption_?key|auth_?key|secret_?key)$`)
	// secretWords are in every text that secretNames match.
	secretWords = regexp.MustCompile(`(?i)(?:pass(?:word|wd|phrase)|secret|token|key)["']?=`)
	// noSecret are names of what is about a secret and none itself.
	noSecret  = regexp.MustCompile(`(?i)public|gpg|signing|fingerprint|keyring|_id$|csrf|tokenizer|max_|min_|length|ttl|expir|allow|enable|disable|use_|url|path|file|dir`)
	passwords = regexp.MustCompile(`(?i)(?:password|passwd|passphrase)$`)
)

// secretName reports whether a name says that its value is a secret, and the
// value looks like one. A password is made by a person and may be short.
func secretName(name, value string) bool {
	if !secretNames.MatchString(name) || noSecret.MatchString(name) {
		return false
	}
	if secretive(value) {
		return true
	}
	return passwords.MatchString(name) && len(value) >= 8 && !placeholders.MatchString(value) &&
		strings.ContainsAny(value, "0123456789") && strings.IndexFunc(value, isLetter) >= 0 &&
		!strings.ContainsAny(value, " \t/\\:;,()[]") && entropy(value) >= 2.5
}

var (
	// userinfo is a password in the authority of an address.
	userinfo = regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://([^\s/?#@:"'<>|]*):([^\s/?#@"'<>|]+)@([^\s/?#"'<>|]+)`)
	// settings of files that hold credentials. Sources: npmrc(5) _authToken;
	// curl(1) netrc; the Authorization header, RFC 9110.
	secretSettings = []struct {
		key  string
		re   *regexp.Regexp
		what string
	}{
		{"_auth", regexp.MustCompile(`_(?:authToken|auth|password)\s*=\s*["']?([A-Za-z0-9+/=_.-]{16,})`), "npm's _authToken"},
		{"machine", regexp.MustCompile(`\bmachine\s+\S+\s+login\s+\S+\s+password\s+["']?([^\s"'\\]{6,})`), "a password of netrc"},
		{"uthorization", regexp.MustCompile(`(?i)\bauthorization:\s*(?:bearer|token|basic)\s+([A-Za-z0-9+/=_.-]{16,})`), "an Authorization header"},
		{"=", regexp.MustCompile(`(?:^|[\s;&"'])([A-Za-z_][A-Za-z0-9_]*)=["']?([^\s"';&|]{8,})`), ""},
	}
)

// credentialText looks at the text of an instruction for what shows by itself.
func credentialText(t Text) []Finding {
	if t.Instruction == "ENV" || t.Instruction == "ARG" {
		return nil
	}
	s := t.String()
	var out places
	report := func(from, to int, what string) { out.add(t.Slice(from, to), credentialMessage(what)) }
	inTokens(s, report)
	inAddresses(s, report)
	if t.Instruction == "LABEL" {
		return out.findings
	}
	for _, g := range secretSettings {
		if !strings.Contains(s, g.key) || g.what == "" && !secretWords.MatchString(s) {
			continue
		}
		for _, m := range g.re.FindAllStringSubmatchIndex(s, -1) {
			from, to := m[len(m)-2], m[len(m)-1]
			switch {
			case inComment(s, m[0]):
			case g.what == "" && secretName(s[m[2]:m[3]], s[from:to]):
				report(from, to, "the value of "+s[m[2]:m[3]])
			case g.what != "" && !placeholders.MatchString(s[from:to]) && entropy(s[from:to]) >= 2.5:
				report(from, to, g.what)
			}
		}
	}
	return out.findings
}

// inAddresses reports the addresses in s that have a password.
func inAddresses(s string, report func(from, to int, what string)) {
	if !strings.Contains(s, "@") {
		return
	}
	for _, m := range userinfo.FindAllStringSubmatchIndex(s, -1) {
		if credentialOfURL(s[m[2]:m[3]], s[m[4]:m[5]], s[m[6]:m[7]]) {
			report(m[0], m[1], "the password of an address")
		}
	}
}

// credentialOfURL reports whether the password of an address is one: written
// out, no word of a sample, and not for a service on the machine itself or in
// the same network of containers.
func credentialOfURL(user, password, host string) bool {
	if placeholders.MatchString(password) || placeholders.MatchString(host) || strings.EqualFold(user, password) || len(password) < 6 {
		return false
	}
	name, _, _ := strings.Cut(host, ":")
	return strings.Contains(name, ".") && !loopback(host) && !strings.EqualFold(password, "postgres") &&
		(strings.IndexFunc(password, isLetter) >= 0) && entropy(password) >= 2
}
