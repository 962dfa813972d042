package fetch

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// longest is how many bytes of a foreign text a message quotes.
const longest = 160

// plain returns foreign text as a piece of one line for a person: userinfo is
// hidden, and control characters, terminal escapes, Unicode's invisible format
// characters (those for bidirectional text among them) and bytes that are not
// UTF-8 are spelled out. A long text is cut.
func plain(s string) string {
	cut := len(s) > longest
	s = route.RedactText(s[:min(len(s), 4*longest)])
	var b strings.Builder
	for i, r := range s {
		if b.Len() >= longest {
			cut = true
			break
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

// show returns a URL for a message: without userinfo, and without its query,
// which is a token more often than not.
func show(u *url.URL) string {
	bare := *u
	bare.User, bare.RawQuery, bare.Fragment, bare.RawFragment = nil, "", "", ""
	text := bare.String()
	if u.RawQuery != "" {
		text += "?…"
	}
	return plain(text)
}

// site returns a URL's host for a message, with its port if that is not the
// scheme's own.
func site(u *url.URL) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && p != defaultPort(u.Scheme) {
		host += ":" + p
	}
	return plain(host)
}

// defaultPort is the port that a URL without one means.
func defaultPort(scheme string) string {
	switch scheme {
	case "https":
		return "443"
	case "socks5h":
		return "1080"
	}
	return "80"
}

// port is the port of a URL in effect.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPort(u.Scheme)
}
