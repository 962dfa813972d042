package aptsource

import (
	"fmt"
	"strconv"
	"strings"
)

// address is a URI split as apt splits it (class URI, apt-pkg/contrib/
// strutl.cc), which is more lenient than RFC 3986: "http:host/path" has a host,
// a port may be garbage, and the host may hold anything.
type address struct {
	scheme         string
	user, password string
	host           string
	port           uint32 // 0 if none
	path           string // begins with "/" or is empty
}

// canonical brings u into the form in which apt prints it, without the slash
// that apt adds to its end. A template stays as it is, and so does what is no
// URI.
func canonical(u string) string {
	if isTemplate(u) || !strings.Contains(u, ":") {
		return u
	}
	return splitAddress(u).String()
}

// splitAddress splits u.
func splitAddress(u string) address {
	colon := strings.IndexByte(u, ':')
	if colon < 0 {
		colon = len(u)
	}
	slashes := strings.HasPrefix(u[colon:], "://")
	path := colon
	if slashes && colon+3 < len(u) {
		path += 3
	}
	path = pathStart(u, path)
	a := address{scheme: u[:colon], path: u[path:]}
	host := colon + 1
	if slashes {
		host += 2
	}
	if host < path {
		a.setHost(u[host:path])
	}
	return a
}

// pathStart returns the offset of the first slash from i on that is not in
// brackets.
func pathStart(u string, i int) int {
	bracket := false
	for ; i < len(u) && (u[i] != '/' || bracket); i++ {
		switch u[i] {
		case '[':
			bracket = true
		case ']':
			bracket = false
		}
	}
	return i
}

// setHost splits "user:password@[host]:port". An "@" at the very beginning
// belongs to the host.
func (a *address) setHost(s string) {
	if at := strings.LastIndexByte(s, '@'); at > 0 {
		user, password, _ := strings.Cut(s[1:at], ":")
		a.user = unescape(s[:1] + user)
		a.password = unescape(password)
		s = s[at+1:]
	}
	host, portEnd, ok := stripBrackets(s)
	if !ok {
		return
	}
	a.host = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && i >= portEnd {
		a.port = atoi(host[i+1:])
		a.host = host[:i]
	}
}

// stripBrackets removes "[" and "]" around the host. end is where the last
// bracket closed: a colon before it begins no port. ok is false if a bracket
// is open at the end.
func stripBrackets(s string) (host string, end int, ok bool) {
	if strings.IndexByte(s, '[') < 0 {
		return s, 0, true
	}
	b := make([]byte, 0, len(s))
	open := false
	for i := range len(s) {
		switch {
		case s[i] == '[':
			open = true
		case s[i] == ']' && open:
			open = false
			end = len(b)
		default:
			b = append(b, s[i])
		}
	}
	return string(b), end, !open
}

// atoi is C's atoi, cut to 32 bits.
func atoi(s string) uint32 {
	s = strings.TrimLeft(s, "\t\n\v\f\r ")
	end := 0
	for end < len(s) && ('0' <= s[end] && s[end] <= '9' || end == 0 && strings.IndexByte("+-", s[0]) >= 0) {
		end++
	}
	n, _ := strconv.ParseInt(s[:end], 10, 64) // out of range: the limit, as in C
	return uint32(n)
}

// unescape removes percent escapes.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c, ok := unhex(s[i:]); ok {
			b.WriteByte(c)
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// String joins the parts as apt does.
func (a address) String() string {
	var b strings.Builder
	if a.scheme != "" {
		b.WriteString(a.scheme + ":")
	}
	if a.host != "" {
		if a.scheme != "" {
			b.WriteString("//")
		}
		b.WriteString(a.userinfo())
		if a.scheme != "" && strings.ContainsAny(a.host, "/:") {
			b.WriteString("[" + a.host + "]")
		} else {
			b.WriteString(a.host)
		}
		if a.port != 0 {
			fmt.Fprintf(&b, ":%d", a.port)
		}
	}
	b.WriteString(a.path)
	return b.String()
}

func (a address) userinfo() string {
	switch {
	case a.user == "":
		return ""
	case a.password == "":
		return quoteUser(a.user) + "@"
	}
	return quoteUser(a.user) + ":" + quoteUser(a.password) + "@"
}

// quoteUser escapes what apt escapes in a user's name or password.
func quoteUser(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(":/?#[]@%", c) >= 0 {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
