package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

var (
	proxyUse  = use{role: route.Proxy, reason: "a proxy's address"}
	headerUse = use{role: route.Header, reason: "sent as a header"}
	dataUse   = use{role: route.Header, reason: "sent as data"}
)

// isProxy reports whether a variable, an option or a key of this name holds a
// proxy's address in url. Names such as http_proxy are sure. Of others that
// speak of a proxy (OAUTH2_PROXY, "apt.proxy") some name the address that a
// program of that name is downloaded from: that has a path, which the address
// of a proxy has not. GOPROXY is fetched from, HAProxy is a program.
func isProxy(name, url string) bool {
	name = strings.ToLower(name)
	if !strings.Contains(name, "prox") || strings.HasSuffix(name, "goproxy") || strings.Contains(name, "haproxy") {
		return false
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, name)
	for _, sure := range []string{"httpproxy", "httpsproxy", "ftpproxy", "allproxy", "noproxy", "proxies"} {
		if strings.HasSuffix(name, sure) {
			return true
		}
	}
	return name == "proxy" || pathless(url)
}

// pathless reports whether a URL has no path.
func pathless(url string) bool {
	if i := strings.Index(url, "://"); i >= 0 {
		url = url[i+len("://"):]
	}
	i := strings.IndexAny(url, "/?#")
	return i < 0 || i == len(url)-1
}

// variableUse returns the use of the value of a shell variable that its name
// alone gives away.
func variableUse(name, value string) (use, bool) {
	if isProxy(name, value) {
		return use{role: route.Proxy, reason: "value of " + name}, true
	}
	if tool := variableReader(name); tool != "" {
		return use{role: route.Fetch, reason: name + " is read by " + tool, tool: tool}, true
	}
	return use{}, false
}

// keyBefore is the name that a URL is the value of, given the text before it:
// "https_proxy=", "http.proxy ", `Acquire::http::Proxy "`, `{"proxy": "`,
// "replace('". between is what separates the two.
func keyBefore(before string) (name, between string) {
	key := strings.TrimRight(before, "\"' \t=:(,[]{>")
	if n := len(key); n > 1 && key[n-2] == '(' && strings.IndexByte("rRbBuUfF", key[n-1]) >= 0 {
		key = key[:n-2] // Python's r"…"
	}
	i := len(key)
	for i > 0 && (isSchemeByte(key[i-1]) || key[i-1] == '_' || key[i-1] == ':' || key[i-1] == '/') {
		i--
	}
	if key == before {
		return "", ""
	}
	return key[i:], before[len(key):]
}

// inProxies reports whether the text before a URL opens a map of proxies, as
// Python has them (proxies={"http": "), or an element <proxy>, as Maven does, or
// conda's proxy_servers, whose lines are indented.
func inProxies(before string) bool {
	before = strings.ToLower(before[max(0, len(before)-200):])
	i := strings.LastIndex(before, "prox")
	switch {
	case i < 0:
		return false
	case i > 0 && before[i-1] == '<':
		return !strings.Contains(before[i:], "</proxy")
	}
	if _, below, ok := strings.Cut(strings.ReplaceAll(before, `\n`, "\n"), "proxy_servers:\n"); ok {
		return indented(below)
	}
	return strings.Contains(before[i:], "{") && !strings.ContainsAny(before[i:], "});")
}

// indented reports whether each line of s starts with a blank.
func indented(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		if line == "" || line[0] != ' ' {
			return false
		}
	}
	return true
}
