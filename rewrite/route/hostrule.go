package route

import "strings"

// ParseHostRule reads HOST=ACTION. HOST is a name, "*.suffix" or an address
// (IPv6 in brackets), with ":port" for that port only; ACTION is upgrade, keep,
// refuse or an https URL, which is checked like a mirror (see [ParseMirror]).
// A bad rule is a *ConfigError.
func ParseHostRule(s string) (HostRule, error) {
	host, action, ok := strings.Cut(strings.TrimSpace(s), "=")
	if !ok {
		return HostRule{}, &ConfigError{
			"host rule", redactWords(s), "has no action",
			"write HOST=upgrade, HOST=keep, HOST=refuse or HOST=https://OTHER",
		}
	}
	r := HostRule{Host: host, Action: action}
	c, err := compileRule(r)
	if err != nil {
		return HostRule{}, err
	}
	return HostRule{Host: lowerASCII(host), Action: c.text}, nil
}

// redacted is the rule as messages show it.
func (r HostRule) redacted() string { return Redact(r.Host) + "=" + Redact(r.Action) }

// hostKey is what a host rule is looked up by. Port 0 is any port; suffix
// rules are kept apart from names.
type hostKey struct {
	name   string
	port   int
	suffix bool
}

// hostRule is a compiled HostRule.
type hostRule struct {
	key    hostKey
	action string // "upgrade", "keep", "refuse" or "url"
	text   string // the action as written, a URL in normal form
	to     destination
}

// compileRule checks a host rule.
func compileRule(r HostRule) (hostRule, error) {
	var c hostRule
	bad := func(problem, hint string) (hostRule, error) {
		return hostRule{}, &ConfigError{"host rule", r.redacted(), problem, hint}
	}
	host, suffix := strings.CutPrefix(r.Host, "*.")
	switch {
	case strings.ContainsAny(host, "/@?#"):
		return bad("has more than a host before the equals sign", "write only HOST or HOST:PORT there")
	case strings.Contains(host, "*"):
		return bad("has a star in an odd place", `write "*.suffix" for all names below suffix`)
	}
	var a address
	if problem := a.cutAuthority(host, Fetch); problem != "" || a.variable || strings.Contains(a.name, "+") {
		return bad("does not start with a host name or address", "write HOST=ACTION; an IPv6 address stands in brackets")
	}
	if a.ip.IsValid() && suffix {
		return bad("puts a star before an address", "write the address alone")
	}
	c.key = hostKey{name: a.name, port: a.number, suffix: suffix}
	switch r.Action {
	case "upgrade", "keep", "refuse":
		c.action, c.text = r.Action, r.Action
		return c, nil
	}
	base, err := checkBase(r.Action, "https", "https://mirror.example/path")
	if err != nil {
		e := err.(*ConfigError)
		return bad("has an action that "+e.Problem, "write upgrade, keep, refuse or an https URL such as https://mirror.example/path")
	}
	c.action, c.text, c.to = "url", base, newDestination(base)
	return c, nil
}
