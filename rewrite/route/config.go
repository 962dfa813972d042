package route

import (
	"fmt"
	"slices"
	"strings"
)

// Default is the word that stands, in a list of mirrors, for the official TLS
// base of whatever the URL names.
const Default = "default"

// keyservers is the archive whose mirrors are OpenPGP key servers.
const keyservers = "keyserver"

// ConfigError is a bad value in the operator's configuration.
type ConfigError struct {
	// Variable is the environment variable, field or flag at fault.
	Variable string
	// Value is what was given, without userinfo.
	Value string
	// Problem completes "VALUE …": "is not an https URL".
	Problem string
	// Hint says what to write instead.
	Hint string
}

// Error is one line: the variable, its value, what is wrong, what to write.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s: %s %s; %s", e.Variable, quoteShort(e.Value), e.Problem, e.Hint)
}

// quoteShort quotes s, at most its first 120 bytes.
func quoteShort(s string) string {
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// redactWords is Redact of each word of a list.
func redactWords(s string) string {
	words := splitList(s)
	for i := range words {
		words[i] = Redact(words[i])
	}
	return strings.Join(words, " ")
}

// named returns err for another variable: parsers do not know who asks.
func named(err error, variable string) error {
	if e, ok := err.(*ConfigError); ok {
		renamed := *e
		renamed.Variable = variable
		return &renamed
	}
	return err
}

// ParseMode reads "enforce" or "audit"; the empty string is [Enforce]. Any
// other value is a *ConfigError.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return Enforce, nil
	case Enforce, Audit:
		return m, nil
	}
	return "", &ConfigError{"mode", redactWords(s), "is no mode", "write enforce or audit"}
}

// ParseMirror reads the mirrors of an archive: one URL, or several in the order
// to try them, separated by blanks or commas; the word "default" stands for the
// official base. The result is in normal form: slashes at the end removed,
// host in lower case.
//
// A mirror is an https URL (for the archive keyserver also hkps, or a bare host
// name) without user, query and fragment, made of letters, digits and
// "._~:/%@+-" only, with an IPv6 address in brackets. Such a URL means itself
// inside a shell word, in sed's replacement and in JSON, and it ends up in all
// three. Everything else is a *ConfigError, an unknown archive too.
func ParseMirror(archive, value string) ([]string, error) {
	variable := "mirror of " + quoteShort(archive)
	if !slices.Contains(embedded().names, archive) {
		return nil, unknownArchive(variable, value)
	}
	words := splitList(value)
	if len(words) == 0 {
		return nil, &ConfigError{variable, value, "names no mirror", "write " + mirrorExample(archive) + ", or leave it out"}
	}
	mirrors, err := checkMirrors(archive, words)
	return mirrors, named(err, variable)
}

// unknownArchive is the error for a mirror of an archive that the table lacks.
func unknownArchive(variable, value string) error {
	return &ConfigError{
		variable, redactWords(value), "is for an archive that is not in the table",
		"use one of " + strings.Join(embedded().names, ", "),
	}
}

// checkMirrors checks and normalises each mirror of an archive.
func checkMirrors(archive string, mirrors []string) ([]string, error) {
	checked := make([]string, 0, len(mirrors))
	for _, m := range mirrors {
		base, err := checkMirror(archive, m)
		if err != nil {
			return nil, err
		}
		if slices.Contains(checked, base) {
			return nil, &ConfigError{"mirror", Redact(m), "is listed twice", "write each mirror once, in the order to try them"}
		}
		checked = append(checked, base)
	}
	return checked, nil
}

// checkMirror checks and normalises one mirror of an archive.
func checkMirror(archive, mirror string) (string, error) {
	switch {
	case mirror == Default && mainRow(archive).Target == "":
		return "", &ConfigError{
			"mirror", mirror, "stands for an official TLS base, and " + archive + " has none",
			"write the https URL of a mirror",
		}
	case mirror == Default:
		return mirror, nil
	case archive == keyservers:
		if !strings.Contains(mirror, "://") {
			mirror = "hkps://" + mirror
		}
		return checkBase(mirror, "hkps", mirrorExample(archive))
	}
	return checkBase(mirror, "https", mirrorExample(archive))
}

// checkBase checks a URL that others are put below and returns it in normal
// form. scheme is allowed beside https.
func checkBase(base, scheme, example string) (string, error) {
	bad := func(problem, hint string) (string, error) {
		return "", &ConfigError{"URL", Redact(base), problem, hint}
	}
	a, problem := parseAddress(base, Fetch)
	switch {
	case strings.Contains(base, "://") && a.userinfo != "":
		return bad("holds a user or a password", "write the URL without them and give them in the loopx-auth secret (auth.conf format)")
	case a.scheme != scheme && a.scheme != "https" || a.prefix != "" || a.kind != secure:
		return bad("is not an "+scheme+" URL", "write "+example)
	case strings.ContainsAny(base, "?#"):
		return bad("holds a query or a fragment", "write a base URL such as "+example)
	}
	if i := strings.IndexFunc(base, unsafeRune); i >= 0 {
		return bad("holds a character that a shell, sed or JSON would read as its own", `use only letters, digits and "._~:/%@+-"`)
	}
	switch {
	case problem != "" || a.variable || strings.ContainsAny(a.name, "+*"):
		return bad("has no plain host name or address", "write "+example)
	case climbs(a.rest) || badEscape(a.rest):
		return bad(`has a ".." or a broken percent sign in its path`, "write the path as it is")
	}
	host := lowerASCII(a.host)
	if a.port != "" {
		host += ":" + a.port
	}
	return a.scheme + "://" + host + strings.TrimRight(a.rest, "/"), nil
}

// unsafeRune reports whether r may not stand in a mirror's URL, see ParseMirror.
func unsafeRune(r rune) bool {
	return r >= 0x80 || !nameByte(byte(r)) && !strings.ContainsRune("._~:/%@+-[]", r)
}

// badEscape reports whether s has a "%" that is not followed by two
// hexadecimal digits.
func badEscape(s string) bool {
	for i := range len(s) {
		if s[i] == '%' && (i+2 >= len(s) || !hexDigit(s[i+1]) || !hexDigit(s[i+2])) {
			return true
		}
	}
	return false
}

// hexDigit reports whether c is one, in either case.
func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// mainRow returns the first row of an archive, which holds its main name.
func mainRow(archive string) ArchiveRow {
	rows := embedded().archives
	return rows[slices.IndexFunc(rows, func(r ArchiveRow) bool { return r.Archive == archive })]
}

// mirrorExample returns a mirror to show in messages about an archive.
func mirrorExample(archive string) string {
	if archive == keyservers {
		return "hkps://keys.example"
	}
	return "https://mirror.example" + strings.TrimSuffix(mainRow(archive).Path, "/*")
}
