package route

import "strings"

// query is one question on its way through [Table.Route].
type query struct {
	*Table
	address
	role Role
	// rule is the operator's for the host, or nil.
	rule *hostRule
	// entry is the tables' row for the URL, or nil; its target replaces the
	// first cut bytes of rest.
	entry *entry
	cut   int
	// bounded: only the scheme may change, or the host where the tables say
	// so; the operator's other places are out of reach.
	bounded bool
	// vouched: the operator wants TLS here, though not at a place in reach.
	vouched bool
}

// Route says where rawURL may be fetched from. It never fails: text that is no
// URL is kept. The package comment states the order of what decides.
func (t *Table) Route(rawURL string, ctx Context) Decision {
	if ctx.Role >= Proxy {
		return Decision{Rule: "role", Why: roleReason(ctx.Role)}
	}
	a, problem := parseAddress(rawURL, ctx.Role)
	switch {
	case problem != "":
		return Decision{Rule: "malformed", Why: "not a URL that can be read: " + problem}
	case a.kind == foreign:
		return Decision{Rule: "other-scheme", Why: foreignReason(&a)}
	}
	q := query{Table: t, address: a, role: ctx.Role, rule: t.rule(&a)}
	q.look()
	if a.kind == secure {
		return q.secured()
	}
	d := q.clear()
	if d.Action == Upgrade && len(t.rules) > 0 {
		d = t.follow(d, ctx)
	}
	return d
}

// follow asks again for the place of an upgrade: the operator may have a rule
// for it.
func (t *Table) follow(d Decision, ctx Context) Decision {
	next := t.Route(d.To, ctx)
	if next.Action == Keep {
		return d
	}
	next.Archive = d.Archive
	return next
}

// look finds the row of the tables, and what bounds the answer.
func (q *query) look() {
	scheme := q.scheme
	switch q.kind {
	case clearText, secure:
		scheme = "http"
	}
	if q.prefix == "" || q.kind != bare { // a list of mirrors is no archive
		q.entry, q.cut = q.find(q.name, scheme, q.rest)
	}
	if q.archive() == keyservers && q.port == "11371" {
		q.port = "" // a key server's own port, written with http
	}
	if q.port != "" || q.role == Keyserver && q.archive() != keyservers {
		q.entry, q.cut = nil, 0
	}
	tor := strings.Contains(lowerASCII(q.prefix), "tor+")
	q.bounded = q.userinfo != "" || q.role == Word || q.role == PackageConfig || tor
}

// archive is the name of the archive that the URL belongs to, or "".
func (q *query) archive() string {
	if q.entry == nil {
		return ""
	}
	return q.entry.archive
}

// clear decides a URL that is not fetched over TLS as it stands.
func (q *query) clear() Decision {
	if d, decided := q.byRule(); decided {
		return d
	}
	if d, decided := q.byLocality(); decided {
		return d
	}
	if d, decided := q.byVariable(); decided {
		return d
	}
	if d, decided := q.byPort(); decided {
		return d
	}
	if q.kind == clearText || q.kind == bare && q.archive() != "" {
		return q.byTables()
	}
	return q.withoutTwin()
}

// byRule applies the operator's host rule. A rule with a URL on another host is
// out of reach for a bounded query, which then counts as vouched for.
func (q *query) byRule() (Decision, bool) {
	if q.rule == nil {
		return Decision{}, false
	}
	switch r := q.rule; {
	case r.action == "keep":
		return q.keep("host-rule", q.site()+" is kept by the operator's host rule"), true
	case r.action == "refuse":
		return q.refuse("host-rule", q.site()+" is refused by the operator's host rule; ask for another rule, or fetch from another host"), true
	case r.action == "upgrade":
		return q.upgrade(q.overTLS(), "host-rule", q.site()+" is fetched over TLS by the operator's host rule"), true
	case r.to.name == q.name:
		to := strings.Replace(q.keyScheme(r.text), "://", "://"+q.userinfo, 1)
		return q.moved(q.with(to, 0)), true
	case !q.bounded:
		return q.moved(q.with(q.keyScheme(r.text), 0)), true
	}
	q.vouched = true
	if q.userinfo != "" && q.kind == clearText && (q.entry == nil || q.entry.tls != TLSNo) {
		return q.sameHost("", ""), true
	}
	return Decision{}, false
}

// moved is the answer of a host rule with a URL.
func (q *query) moved(to string) Decision {
	d := q.upgrade(to, "host-rule", q.site()+" is fetched from "+q.rule.text+" by the operator's host rule")
	if !q.bounded {
		d.Action = Mirror
	}
	return d
}

// byLocality keeps what no public network carries. Credentials for a name on
// the operator's own network are worth TLS all the same.
func (q *query) byLocality() (Decision, bool) {
	rule, what := q.locality()
	switch {
	case rule == "":
		return Decision{}, false
	case q.userinfo != "" && q.port == "" && q.kind == clearText && (rule == "single-label" || rule == "internal-name"):
		return q.upgrade(q.overTLS(), "credentials", "its credentials are for "+q.site()+": only the scheme changes"), true
	}
	unless := ": kept, unless a host rule says otherwise"
	if q.vouched {
		unless = ": kept, as the place that the operator's host rule names is out of reach for this text"
	}
	return q.keep(rule, q.site()+" is "+what+unless), true
}

// locality names the rule that makes a host no public one, and completes
// "HOST is …"; both are empty for a public host.
func (q *query) locality() (rule, what string) {
	var row *LocalRow
	switch {
	case q.ip.IsValid():
		row = q.localNet(q.ip)
	case strings.ContainsAny(q.name, "+*"):
		return "wildcard", "a pattern"
	default:
		row = q.localName(q.name)
	}
	switch {
	case row != nil:
		return row.Rule, row.What + " (" + row.Source + ")"
	case !q.ip.IsValid() && !q.variable && !strings.Contains(q.name, "."):
		return "single-label", "a name without a domain"
	}
	return "", ""
}

// byVariable decides a host that holds a variable. Where the variable is a
// whole label of an alias in the archive table ("${CC}.archive.ubuntu.com"),
// its value does not matter.
func (q *query) byVariable() (Decision, bool) {
	if !q.variable || q.archive() != "" || q.kind != clearText {
		return Decision{}, false
	}
	switch {
	case q.port != "" && q.vouched:
		return Decision{}, false
	case q.port != "":
		return q.keep("variable-host", "the host is a variable and port "+q.portText()+" is not known to speak TLS"), true
	case q.role != Fetch && q.role != AptSource && q.role != Keyserver:
		return q.keep("variable-host", "the host is a variable: what it names is not known"), true
	}
	return q.upgrade(q.overTLS(), "variable-host", "the host is a variable: only the scheme changes"), true
}

// byPort refuses a port of its own and a public address: no one says that TLS
// is spoken there, and no certificate names it.
func (q *query) byPort() (Decision, bool) {
	switch {
	case q.port == "" && !q.ip.IsValid():
		return Decision{}, false
	case q.vouched && q.kind == clearText:
		return q.upgrade(q.overTLS(), "host-rule", q.site()+" is moved by the operator's host rule, out of reach for this text: only the scheme changes"), true
	case q.ip.IsValid():
		return q.refuse("public-ip", q.site()+" is a public address, which certificates seldom name; "+q.hostRuleWays()), true
	}
	what := " is not known to speak TLS; "
	if q.number == 443 {
		what = " is the one of https, but the address says " + q.scheme + "; "
	}
	return q.refuse("explicit-port", "port "+q.portText()+" of "+q.hostText()+what+q.hostRuleWays()), true
}

// byTables decides by the archive and host tables, an archive's mirrors first;
// a public host that is in neither is upgraded.
func (q *query) byTables() Decision {
	e := q.entry
	if list := q.mirrorList(); list != nil {
		return q.mirror(list)
	}
	switch {
	case e == nil:
		return q.sameHost("unknown-host", q.site()+" is not in the tables: a public host is fetched over TLS")
	case q.userinfo != "" && e.tls != TLSNo && q.kind == clearText:
		return q.sameHost(e.rule(), "")
	case e.tls == TLSNo && (e.target == "" || q.userinfo != ""):
		return q.refuse(e.rule(), q.site()+" has no TLS that can be checked "+e.claim+"; "+q.noTLSWays())
	case q.userinfo != "":
		return q.withoutTwin()
	case q.role == PackageConfig && e.tls != TLSNo && q.kind == clearText:
		return q.sameHost(e.rule(), "only the scheme changes in text that stays in the image")
	case e.same && q.kind == clearText && e.tls == TLSUnknown && e.archive == "":
		return q.sameHost("unknown-host", "a public host is fetched over TLS, though it is not known whether "+q.site()+" serves it "+e.claim)
	case e.same && q.kind == clearText:
		return q.upgrade(q.overTLS(), e.rule(), q.site()+" serves this over TLS "+e.claim)
	}
	return q.upgrade(q.with(q.keyScheme(e.target), q.cut), e.rule(), "in place of "+q.site()+", "+e.target+" serves this over TLS "+e.claim)
}

// sameHost changes the scheme alone, and says so if credentials are the reason.
func (q *query) sameHost(rule, why string) Decision {
	if q.userinfo != "" {
		rule, why = "credentials", "its credentials are for "+q.site()+": only the scheme changes"
	}
	return q.upgrade(q.overTLS(), rule, why)
}

// withoutTwin decides schemes that have no TLS twin: https where the tables
// know one, else refused.
func (q *query) withoutTwin() Decision {
	e := q.entry
	if e == nil || e.archive != "" || q.userinfo != "" && !e.same {
		return q.refuse("no-tls-form", q.schemeReason()+"; "+q.hostRuleWays())
	}
	return q.upgrade(q.prefix+strings.Replace(e.target, "://", "://"+q.userinfo, 1)+q.rest[q.cut:],
		e.rule(), "in place of "+q.scheme+" from "+q.site()+", "+e.target+" serves this over TLS "+e.claim)
}

// mirrorList returns the operator's mirrors that the URL may be fetched from,
// or nil. Every public key server stands for the operator's.
func (q *query) mirrorList() []string {
	switch {
	case q.bounded || q.prefix != "" && q.kind == bare:
		return nil
	case q.role == Keyserver:
		return q.mirrors[keyservers]
	}
	return q.mirrors[q.archive()]
}

// mirror sends the URL to a list of mirrors.
func (q *query) mirror(list []string) Decision {
	all := make([]string, len(list))
	for i, base := range list {
		switch {
		case base != Default:
			all[i] = q.with(q.keyScheme(base), q.cut)
		case q.entry == nil || q.entry.same && q.kind != bare:
			all[i] = q.overTLS()
		default:
			all[i] = q.with(q.keyScheme(q.entry.target), q.cut)
		}
	}
	d := Decision{Action: Mirror, To: all[0], Mirrors: all, Archive: q.archive(), Rule: "operator-mirror"}
	if q.role == Keyserver {
		d.Archive = keyservers
	}
	d.Why = "the operator's mirror serves archive " + d.Archive
	return d
}

// secured decides a URL that is fetched over TLS already. It is kept, unless
// the operator's configuration sends it elsewhere.
func (q *query) secured() Decision {
	d := q.elsewhere()
	switch {
	case d.Action == Keep || len(q.places) == 0 || d.To == q.raw:
	case q.arrived(&q.address):
		return q.keep("operator-mirror", q.site()+" is where the operator's configuration sends fetches")
	}
	return d
}

// elsewhere is what the configuration says about a URL that has TLS.
func (q *query) elsewhere() Decision {
	tls := q.keep("already-tls", "it is fetched over TLS already")
	if q.rule != nil {
		d, _ := q.byRule()
		if d.Action == Upgrade || d.Rule == "" || d.To == q.raw {
			return tls
		}
		return d
	}
	list := q.mirrorList()
	if list == nil || q.port != "" || q.ip.IsValid() || q.variable && q.entry == nil {
		return tls
	}
	if rule, _ := q.locality(); rule != "" {
		return tls
	}
	if d := q.mirror(list); d.To != q.raw || len(list) > 1 {
		return d
	}
	return tls
}

// keyScheme returns base with hkps for a key server's own schemes, and https
// for any other.
func (q *query) keyScheme(base string) string {
	if q.role == Keyserver && strings.HasPrefix(base, "hkps:") {
		return base
	}
	return q.tlsScheme() + base[strings.IndexByte(base, ':'):]
}

// keep leaves the URL as it is.
func (q *query) keep(rule, why string) Decision {
	return Decision{Rule: rule, Why: why, Archive: q.archive()}
}

// upgrade fetches from to instead.
func (q *query) upgrade(to, rule, why string) Decision {
	return Decision{Action: Upgrade, To: to, Mirrors: []string{to}, Archive: q.archive(), Rule: rule, Why: why}
}

// refuse has no TLS form to offer; why names the ways out.
func (q *query) refuse(rule, why string) Decision {
	return Decision{Action: Refuse, Archive: q.archive(), Rule: rule, Why: why}
}
