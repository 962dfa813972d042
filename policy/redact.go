package policy

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// mask stands for a secret.
const mask = "***"

// Redact returns text without what may be a secret: the userinfo of URLs
// (see [route.RedactText]), tokens of well-known shapes, private keys, and the
// value behind a name that says that it is one ("password=", "api_key: ",
// "Authorization: Bearer "). It hides rather more than less. Redact of its own
// result changes nothing.
func Redact(text string) string {
	return redactTokens(redactNamed(redactKeys(route.RedactText(text))))
}

// redactKeys hides PEM private keys, up to the end of the text if the footer
// is missing (RFC 7468, section 2).
func redactKeys(s string) string {
	const header, footer = "-----BEGIN ", "-----END "
	for from := 0; ; {
		i := strings.Index(s[from:], header)
		if i < 0 {
			return s
		}
		start := from + i + len(header)
		label, rest, ok := strings.Cut(s[start:], "-----")
		if !ok || !strings.HasSuffix(label, "PRIVATE KEY") && !strings.HasSuffix(label, "PRIVATE KEY BLOCK") {
			from = start
			continue
		}
		body := start + len(label) + len("-----")
		end := len(s)
		if j := strings.Index(rest, footer); j >= 0 {
			end = body + j
		}
		s = s[:body] + mask + s[end:]
		from = body + len(mask)
	}
}

// secretNames are what the name of a secret ends with, in lower case and
// without "-" and "_".
var secretNames = [...]string{
	"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "accesskey", "accountkey",
	"secretkey", "privatekey", "authkey", "credential", "credentials", "authorization", "auth", "sharedaccesssignature",
}

// redactNamed hides the values of names that are those of secrets.
func redactNamed(s string) string {
	if !strings.ContainsAny(s, "=:") {
		return s
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '=' && s[i] != ':' || i < done || !isSecretName(nameBefore(s, i)) {
			continue
		}
		if start, end := valueAfter(s, i+1); end > start {
			b.WriteString(s[done:start])
			b.WriteString(mask)
			done = end
		}
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// nameBefore returns the name that ends in front of s[i]; a quotation mark may
// close it, as in JSON.
func nameBefore(s string, i int) string {
	end := i
	for end > 0 && strings.IndexByte("\"'\\ ", s[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && isNameByte(s[start-1]) {
		start--
	}
	return s[start:end]
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func isSecretName(name string) bool {
	if len(name) < 3 || len(name) > maxName {
		return false
	}
	var folded [maxName]byte
	n := 0
	for i := range len(name) {
		if c := name[i]; c != '_' && c != '-' {
			folded[n] = c | 0x20 // digits have the bit already
			n++
		}
	}
	for _, ending := range secretNames {
		if k := n - len(ending); k >= 0 && string(folded[k:n]) == ending {
			return true
		}
	}
	return false
}

// maxName is the longest name that is looked at, in bytes.
const maxName = 80

// valueAfter returns where the value behind an "=" or ":" is: in quotation
// marks, or up to the next blank or separator.
func valueAfter(s string, i int) (start, end int) {
	start = i
	for start < len(s) && (s[start] == ' ' || s[start] == '\t') {
		start++
	}
	for _, scheme := range []string{"Bearer ", "bearer ", "Basic ", "basic ", "token "} {
		if strings.HasPrefix(s[start:], scheme) {
			start += len(scheme)
		}
	}
	ends := " \t\r\n\v\f,;&\"'`"
	if q := openQuote(s[start:]); q != "" {
		start += len(q)
		ends = q
	}
	end = len(s)
	if j := indexEnd(s[start:], ends); j >= 0 {
		end = start + j
	}
	return start, end
}

// openQuote returns the quotation mark that s begins with, with its backslash
// where it stands in a string itself, or "".
func openQuote(s string) string {
	for _, q := range []string{`\"`, `"`, `'`} {
		if strings.HasPrefix(s, q) {
			return q
		}
	}
	return ""
}

// indexEnd finds the end of a value: the quotation mark that opened it, or one
// of several bytes.
func indexEnd(s, ends string) int {
	if len(ends) <= 2 {
		return strings.Index(s, ends)
	}
	return strings.IndexAny(s, ends)
}
