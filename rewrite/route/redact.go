package route

import "strings"

// hidden stands for the userinfo of a URL.
const hidden = "***@"

// Redact returns a URL with its userinfo replaced by "***@", also if the URL is
// malformed: blanks may stand in it, and "user:password@host" without a scheme
// counts as one. Redact of its own result changes nothing.
func Redact(rawURL string) string {
	if !strings.Contains(rawURL, "@") {
		return rawURL
	}
	if authorityStart(rawURL, 0) >= 0 {
		return redact(rawURL, "")
	}
	if at := userinfoEnd(rawURL, ""); strings.Contains(rawURL[:at], ":") {
		return hidden + rawURL[at:]
	}
	return rawURL
}

// RedactText returns s with the userinfo of every URL in it replaced by "***@".
// It finds URLs by "://", by the forms that JSON ("\/") and apt ("%3a//") give
// it, and by "//" at the start. Where it is unclear if an "@" ends a userinfo,
// it hides rather more than less; it never looks past a blank.
func RedactText(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return redact(s, " \t\r\n\v\f")
}

// redact hides the userinfo of every URL in s; the bytes of ends end a URL.
func redact(s, ends string) string {
	var b strings.Builder
	done := 0
	for done < len(s) {
		start := authorityStart(s, done)
		if start < 0 {
			break
		}
		b.WriteString(s[done:start])
		if at := userinfoEnd(s[start:], ends); at > 0 {
			b.WriteString(hidden)
			start += at
		}
		done = start
	}
	return b.String() + s[done:]
}

// authorityStart returns where the next authority in s begins, from the given
// place on, or -1.
func authorityStart(s string, from int) int {
	for i := from; i < len(s); i++ {
		if s[i] != '/' && s[i] != '\\' {
			continue
		}
		end := slashes(s, i)
		if end < 0 {
			continue
		}
		if before := strings.ToLower(s[max(0, i-3):i]); i == 0 || strings.HasSuffix(before, ":") || before == "%3a" {
			return end
		}
	}
	return -1
}

// slashes returns the end of the two slashes at s[i], each of which may stand
// behind a backslash, or -1.
func slashes(s string, i int) int {
	for range 2 {
		if i < len(s) && s[i] == '\\' {
			i++
		}
		if i >= len(s) || s[i] != '/' {
			return -1
		}
		i++
	}
	return i
}

// userinfoEnd returns the length of the userinfo, with its "@", at the start
// of an authority, or 0. A password with a bare "/", "?" or "#" in it shows by
// a port that is no number; then the last "@" before one of ends counts.
func userinfoEnd(s, ends string) int {
	if i := strings.IndexAny(s, ends); i >= 0 {
		s = s[:i]
	}
	authority := authorityOf(s)
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return at + 1
	}
	_, port, ok := strings.Cut(authority, ":")
	if !ok || strings.HasPrefix(authority, "[") || strings.HasPrefix(port, "$") || strings.Trim(port, portEnd) == "" {
		return 0
	}
	return strings.LastIndexByte(s, '@') + 1
}

// portEnd is what a port is made of, and what may stand right behind a URL.
const portEnd = "0123456789\\\"'`,;)}]>"

// authorityOf returns s up to the first "/", "?" or "#" that does not stand in
// braces, as it may in ${NAME#prefix}.
func authorityOf(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
		case '/', '?', '#':
			if depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}
