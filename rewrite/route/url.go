package route

import (
	"net/netip"
	"strings"
)

// kind says what Route can do with a scheme.
type kind uint8

const (
	foreign   kind = iota // no network fetch that Route knows
	clearText             // has a TLS twin at the same host: http, hkp
	secure                // https, hkps
	gitDaemon             // git: https only where the tables say so
	bare                  // no TLS form: ftp, rsync, svn, mirror, …
)

// address is a URL taken apart. Nothing is decoded but name: an address that
// is put together again has the bytes that it was found with.
type address struct {
	raw      string
	prefix   string // "git+", "tor+", as found
	scheme   string // lower case; "" if the text has none (a key server)
	kind     kind
	userinfo string // with its "@", as found
	host     string // as found, brackets included
	name     string // host for matching, see canonicalHost
	ip       netip.Addr
	variable bool   // the host holds a variable
	port     string // as found; "" also if it is the scheme's default
	number   int    // the port in effect; 0 if it is a variable
	rest     string // path, query and fragment, as found
}

// parseAddress takes raw apart. problem is what is wrong with it, without any
// part of raw, or "".
func parseAddress(raw string, role Role) (a address, problem string) {
	a.raw = raw
	if !printable(raw) {
		return a, "it holds a blank or a control character"
	}
	after, ok := a.cutScheme(raw, role)
	if !ok {
		return a, ""
	}
	return a, a.cutAuthority(after, role)
}

// cutScheme sets prefix, scheme and kind, and returns what follows "://". ok
// is false if the text is foreign.
func (a *address) cutScheme(raw string, role Role) (after string, ok bool) {
	i := strings.IndexByte(raw, ':')
	slashes := i > 0 && strings.HasPrefix(raw[i:], "://")
	if role == Keyserver && !slashes && !strings.Contains(raw, "://") {
		if raw == "" || raw[0] == '$' || raw[0] == '`' {
			return "", false // the variable may hold a scheme
		}
		a.kind, a.number = clearText, 11371 // gpg's default is hkp
		return raw, true
	}
	if i <= 0 {
		return "", false
	}
	scheme := raw[:i]
	if plus := strings.LastIndexByte(scheme, '+'); plus >= 0 {
		a.prefix, scheme = raw[:plus+1], scheme[plus+1:]
	}
	scheme = lowerASCII(scheme)
	if scheme == "mirror" { // apt reads mirror: as mirror+http:
		a.prefix, scheme = a.prefix+"mirror+", "http"
	}
	a.scheme = scheme
	a.kind, a.number = schemeKind(scheme, role)
	if !knownPrefix(a.prefix) {
		a.kind = foreign
	}
	if a.kind == clearText && strings.HasSuffix(lowerASCII(a.prefix), "mirror+") {
		a.kind = bare // the list is one fetch, the hosts that it names are others
	}
	switch {
	case a.kind == foreign:
		return "", false
	case slashes:
		return raw[i+3:], true
	case role == AptSource && !strings.HasPrefix(raw[i+1:], "/"):
		return raw[i+1:], true // apt reads http:h/d as http://h/d
	}
	a.kind = foreign
	return "", false
}

// schemeKind returns what a scheme is and its default port.
func schemeKind(scheme string, role Role) (kind, int) {
	switch scheme {
	case "http":
		return clearText, 80
	case "hkp", "x-hkp":
		return clearText, 11371
	case "https", "hkps":
		return secure, 443
	case "git":
		return gitDaemon, 9418
	case "ftp":
		return bare, 21
	case "rsync":
		return bare, 873
	case "svn":
		return bare, 3690
	case "bzr":
		return bare, 4155
	case "tftp":
		return bare, 69
	case "ldap":
		if role == Keyserver {
			return bare, 389
		}
	}
	return foreign, 0
}

// knownPrefix reports whether each "x+" before the scheme names a program that
// fetches the address behind it: a version control system (as pip writes it)
// or an apt method.
func knownPrefix(prefix string) bool {
	for name := range strings.SplitSeq(strings.TrimSuffix(prefix, "+"), "+") {
		switch lowerASCII(name) {
		case "", "git", "hg", "svn", "bzr", "tor", "mirror":
		default:
			return false
		}
	}
	return true
}

// cutAuthority takes user, host, port and the rest out of what follows "://".
func (a *address) cutAuthority(s string, role Role) (problem string) {
	end := len(s)
	at, colon := -1, -1 // last "@"; the first ":" behind it, brackets left out
	depth := 0
	for i := 0; i < len(s) && end == len(s); {
		switch s[i] {
		case '/', '?', '#':
			end = i
		case '@':
			at, colon, depth = i, -1, 0
		case '[':
			depth++
		case ']':
			depth--
		case ':':
			if depth == 0 && colon < 0 {
				colon = i
			}
		}
		if c := s[i]; c != '$' && c != '`' {
			i++
		} else {
			i = expansionEnd(s, i)
		}
	}
	a.userinfo, a.rest = s[:at+1], s[end:]
	a.host = s[at+1 : end]
	if colon >= 0 {
		a.host = s[at+1 : colon]
		if problem := a.setPort(s[colon+1:end], role); problem != "" {
			return problem
		}
	}
	return a.setName()
}

// setPort notes the port in effect, and keeps its text if it is not the one
// that the scheme implies. Key servers are reached on 80, 443 and 11371 alike.
func (a *address) setPort(text string, role Role) (problem string) {
	if text == "" {
		return ""
	}
	if strings.ContainsAny(text, "$`") {
		a.port, a.number = text, 0
		return ""
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return "its port is not a number"
		}
		if n = n*10 + int(c-'0'); n > 65535 {
			return "its port is above 65535"
		}
	}
	hkp := role == Keyserver || a.scheme == "hkp" || a.scheme == "x-hkp"
	implied := n == a.number || hkp && a.kind == clearText && (n == 80 || n == 443 || n == 11371)
	if a.number = n; !implied {
		a.port = text
	}
	return ""
}

// setName fills name, ip and variable from host.
func (a *address) setName() (problem string) {
	const bad = "its host is not a name or an address"
	if strings.HasPrefix(a.host, "[") {
		inner, ok := strings.CutSuffix(a.host[1:], "]")
		ip, err := netip.ParseAddr(strings.Replace(inner, "%25", "%", 1))
		if !ok || err != nil || !ip.Is6() {
			return bad
		}
		a.ip = ip.WithZone("").Unmap()
		a.name = a.ip.String()
		return ""
	}
	var ok bool
	if a.name, ok = canonicalHost(a.host); !ok {
		return bad
	}
	a.variable = strings.IndexByte(a.name, '$') >= 0
	if last := a.name[strings.LastIndexByte(a.name, '.')+1:]; last[0] >= '0' && last[0] <= '9' {
		if a.ip, ok = parseIPv4(a.name); ok {
			a.name = a.ip.String()
		} else if numeric(last) && !a.variable {
			return bad // no name ends in a number
		}
	}
	return ""
}

// canonicalHost lowers host, decodes the percent-encoding of unreserved
// characters, drops a dot at the end and writes each variable as one "$".
// ok is false if that leaves no host name.
func canonicalHost(host string) (name string, ok bool) {
	name = host
	if !plainHost(host) {
		var b strings.Builder
		for i := 0; i < len(host); {
			c, width := decodeAt(host, i)
			switch end := expansionEnd(host, i); {
			case end > i+1:
				c, width = '$', end-i
			case c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			case c >= 0x80, unreserved(c), c == '+', c == '*':
			default:
				return "", false
			}
			b.WriteByte(c)
			i += width
		}
		name = b.String()
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || name[0] == '.' || name[0] == '-' || name[len(name)-1] == '.' {
		return "", false
	}
	return name, !strings.Contains(name, "..")
}

// plainHost reports whether host is its own canonical form, but for a dot at
// its end.
func plainHost(host string) bool {
	for _, c := range []byte(host) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// with returns the address on base ("https://host/path") instead of scheme,
// user, host, port and the first n bytes of the rest.
func (a *address) with(base string, n int) string { return a.prefix + base + a.rest[n:] }

// overTLS returns the address with the TLS twin of its scheme and nothing else
// changed; a port that the clear-text scheme implies is left out.
func (a *address) overTLS() string {
	port := ""
	if a.port != "" {
		port = ":" + a.port
	}
	return a.prefix + a.tlsScheme() + "://" + a.userinfo + a.host + port + a.rest
}

// tlsScheme is hkps for a key server's own schemes, https otherwise.
func (a *address) tlsScheme() string {
	switch a.scheme {
	case "", "hkp", "x-hkp", "hkps":
		return "hkps"
	}
	return "https"
}

// opaque stands for a variable in messages: its default value may be anything.
const opaque = "${…}"

// site is the host with its port, for messages: no user, no variable's default.
func (a *address) site() string {
	if a.port == "" {
		return a.hostText()
	}
	return a.hostText() + ":" + a.portText()
}

// hostText is the host for messages.
func (a *address) hostText() string {
	if a.variable {
		return strings.ReplaceAll(a.name, "$", opaque)
	}
	return a.host
}

// portText is the port for messages.
func (a *address) portText() string {
	if a.number == 0 {
		return opaque
	}
	return a.port
}
