package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// refine looks at the text around a URL: a comment, a proxy's key or a header's
// name before it, a deb line, a function that matches, a name space or a schema.
func refine(s string, sp span, u use) use {
	if u.build && ofRepository(s[:sp.from]) {
		return use{role: route.PackageConfig, reason: "repository " + u.reason}
	}
	if u.role >= route.Proxy {
		return u
	}
	before := s[:sp.from]
	url := s[sp.from:sp.to]
	line := before[lineStart(before):]
	key, between := keyBefore(line)
	switch {
	case strings.HasPrefix(strings.TrimLeft(line, " \t"), "#"):
		return use{role: route.Print, reason: "in a comment"}
	case isProxy(key, url) || inProxies(before):
		return proxyUse
	case strings.HasPrefix(strings.TrimLeft(line, " \t"), "o conf "):
		return cpanUse(line)
	case len(line) >= len(bundleKey) && strings.EqualFold(line[len(line)-len(bundleKey):], bundleKey):
		return matchUse("key of bundle's configuration")
	case headerNames[strings.ToLower(key)] && strings.Contains(between, ":"):
		return headerUse
	case u.role == route.Fetch || u.role == route.Keyserver:
		return u
	case u.role == route.Word && debLine(line):
		return use{role: route.AptSource, reason: "in a deb line", tool: "apt"}
	case u.role == route.Word && matches(key, between):
		return matchUse("argument of a function that matches")
	case u.role != route.AptSource && identifier(line, url):
		return use{role: route.Identifier, reason: "names something, is not fetched"}
	}
	return u
}

// bundleKey stands before an address that bundle takes from a mirror.
const bundleKey = "BUNDLE_MIRROR__"

// cpanUse is the use of a URL in a line of cpan's shell that writes its
// configuration, as "o conf urllist push URL" does.
func cpanUse(line string) use {
	for f := range strings.FieldsSeq(line) {
		if f == "pop" || f == "shift" || f == "splice" {
			return matchUse("key of cpan's configuration")
		}
	}
	return use{role: route.PackageConfig, reason: "configuration of cpan", tool: "cpan"}
}

// lineStart is where the last line of s starts. A newline may be spelled \n, as
// printf and most languages do.
func lineStart(s string) int {
	at := strings.LastIndexByte(s, '\n') + 1
	if i := strings.LastIndex(s, `\n`); i >= at {
		at = i + 2
	}
	return at
}

var headerNames = setOf("referer user-agent origin")

// matches reports whether key is a function whose first argument is only
// matched, as in replace('http://… or re.sub("http://…, or the name of an
// argument that is: sub(pattern = "http://….
func matches(key, between string) bool {
	key = strings.ToLower(key)
	if key == "pattern" {
		return strings.Contains(between, "=")
	}
	if i := strings.LastIndexAny(key, ".:"); i >= 0 {
		key = key[i+1:]
	}
	return strings.Contains(between, "(") && matchFunctions[key]
}

var matchFunctions = setOf(`replace replaceall gsub sub subn str_replace preg_replace startswith hasprefix match indexof includes contains
	removeprefix grepl regexpr gregexpr str_detect str_replace str_replace_all`)

// debLine reports whether the text before a URL is the start of a one-line
// apt source: "deb" or "deb-src", and options in brackets.
func debLine(before string) bool {
	before = strings.TrimLeft(before, " \t'\"")
	rest, ok := strings.CutPrefix(before, "deb")
	if !ok {
		return false
	}
	rest = strings.TrimPrefix(rest, "-src")
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]")
}

// identifierKeys stand before a URL that names something; identifierHosts are
// homes of such names: the W3C's, OASIS', Maven's, Java's, licences'.
var (
	identifierKeys = []string{
		"xmlns", "schemalocation", "<!doctype", " system ", " public ", "@prefix", "@context", "@base", "prefix ", "$schema",
		"targetnamespace", "<!entity", "rdf:",
	}
	identifierHosts = []string{
		"www.w3.org/", "w3.org/", "maven.apache.org/pom", "maven.apache.org/xsd", "maven.apache.org/settings",
		"schemas.xmlsoap.org/", "schemas.microsoft.com/", "schemas.android.com/", "purl.org/", "xmlns.com/",
		"www.apache.org/licenses", "apache.org/licenses", "www.gnu.org/licenses", "opensource.org/licenses",
		"creativecommons.org/", "json-schema.org/", "schema.org", "java.sun.com/", "xmlns.jcp.org/",
		"www.springframework.org/schema", "www.opengis.net/", "docs.oasis-open.org/", "www.freedesktop.org/standards",
		"hibernate.org/dtd", "www.hibernate.org/dtd", "logging.apache.org/", "jakarta.apache.org/log4j", "tempuri.org",
	}
)

func identifier(before, url string) bool {
	before = strings.ToLower(before)
	for _, k := range identifierKeys {
		if i := strings.LastIndex(before, k); i >= 0 && !strings.ContainsAny(before[i:], ">;") {
			return true
		}
	}
	_, rest, _ := strings.Cut(strings.ToLower(url), "://")
	for _, h := range identifierHosts {
		if strings.HasPrefix(rest, h) {
			return true
		}
	}
	return false
}
