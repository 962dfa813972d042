package route

import "strings"

// String returns "keep", "upgrade", "mirror" or "refuse".
func (a Action) String() string {
	return pick(int(a), "keep", "upgrade", "mirror", "refuse")
}

// String returns the role in lower case, words joined by "-": "apt-source".
func (r Role) String() string {
	return pick(int(r), "fetch", "apt-source", "keyserver", "package-config", "word",
		"proxy", "identifier", "match", "print", "foreign-config", "header", "runtime")
}

// pick returns the i-th name, or "unknown".
func pick(i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}

// roleReason says why a URL that is not fetched by the build is kept.
func roleReason(r Role) string {
	switch r {
	case Proxy:
		return "a proxy's address: its scheme is that of the hop to the proxy"
	case Identifier:
		return "an identifier: it names a thing and is not fetched"
	case Match:
		return "text that is compared: it must still match"
	case Print:
		return "text for people: it is not fetched"
	case ForeignConfig:
		return "configuration of another program: the build does not fetch it"
	case Header:
		return "the value of a header: it is not fetched"
	case Runtime:
		return "used when a container runs, not by the build"
	}
	return "not a fetch of the build"
}

// foreignReason says why text without a known scheme is kept. It repeats
// nothing of the text: "user:secret@host" starts as a scheme does.
func foreignReason(a *address) string {
	if !strings.Contains(a.raw, ":") {
		return "it has no scheme that names a network fetch"
	}
	return "its scheme names no fetch that could be moved to TLS"
}

// schemeReason says why a scheme without a TLS twin is refused.
func (q *query) schemeReason() string {
	switch {
	case q.kind == gitDaemon:
		return q.site() + " is not known to serve git over https"
	case q.kind == bare && q.scheme == "http":
		return "the list of mirrors at " + q.site() + " names other hosts, which are fetched in clear text"
	}
	return q.scheme + " has no TLS form, and no https address is known for what " + q.site() + " serves"
}

// hostRuleWays names the ways out of a refusal that a host rule solves.
func (q *query) hostRuleWays() string {
	upgrade := "=upgrade if it speaks TLS there, "
	if q.kind == bare || q.kind == gitDaemon {
		upgrade = ""
	}
	return "ways out: a host rule (LOOPX_HOSTS=" + q.ruleSite() + upgrade + q.otherHost() +
		"=keep to leave it in clear text), or an https address in its place"
}

// noTLSWays names the ways out for a host that has no TLS.
func (q *query) noTLSWays() string {
	ways := "ways out: "
	if q.archive() != "" && !q.bounded {
		ways += "a mirror (" + MirrorVariable(q.archive()) + "=" + mirrorExample(q.archive()) + "), "
	}
	return ways + "a host rule (LOOPX_HOSTS=" + q.ruleSite() + q.otherHost() +
		"=keep to leave it in clear text), an https address in its place, or TLS from the owner of the host"
}

// otherHost names the host rule that moves a URL to another host, where that
// is allowed.
func (q *query) otherHost() string {
	if q.bounded {
		return ""
	}
	return "=https://OTHER to fetch it elsewhere, "
}

// ruleSite is the host as a host rule names it.
func (q *query) ruleSite() string {
	switch {
	case q.variable:
		return "HOST"
	case q.number == 0:
		return q.host
	}
	return q.site()
}
