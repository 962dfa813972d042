package aptscript

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// What may stand behind a host.
const (
	httpPort = `(:80)?`
	anyPort  = `(:[0-9]+)?`
	noPort   = `()`
)

// label is a part of a name, and name any name, as regular expressions.
const (
	label = `[^][/[:space:]:@.]+`
	names = `[^][/[:space:]:@]+`
	// public is a name with a domain.
	public = names + `[.]` + label
)

// newRules returns the rules in the order in which they are tried: the operator's
// for hosts, what is on no public network, the tables, and then any public name.
func newRules(cfg route.Config) ([]rule, error) {
	table, err := route.NewTable(cfg)
	if err != nil {
		return nil, err
	}
	rules := hostRules(cfg.Hosts)
	rules = append(rules, localRules()...)
	rules = append(rules, tableRules(table)...)
	rules = slices.Collect(apart(rules))
	return append(rules,
		rule{hosts: []string{`[0-9]+[.][0-9.]+|\[[^]]*\]`}, path: "*", port: anyPort, scheme: "http", to: refuse},
		rule{hosts: []string{public, `[^][/[:space:]@]+@` + public}, path: "*", port: httpPort, scheme: "http", to: done},
	), nil
}

// apart yields the rules, one for both schemes as one for each: port 80 is that of
// http alone.
func apart(rules []rule) iter.Seq[rule] {
	return func(yield func(rule) bool) {
		for _, r := range rules {
			both := r.scheme == "https?"
			if both {
				r.scheme = "http"
			}
			if !yield(r) {
				return
			}
			if r.scheme = "https"; both && r.port == httpPort {
				r.port = noPort
			}
			if both && !yield(r) {
				return
			}
		}
	}
}

// hostRules are the operator's, the most specific first.
func hostRules(list []route.HostRule) []rule {
	list = slices.SortedFunc(slices.Values(list), func(a, b route.HostRule) int {
		return cmp.Or(
			cmp.Compare(strings.Count(a.Host, "*"), strings.Count(b.Host, "*")),
			cmp.Compare(len(b.Host), len(a.Host)), strings.Compare(a.Host, b.Host),
		)
	})
	var rules []rule
	for _, h := range list {
		host, port := h.Host, anyPort
		if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
			host, port = host[:i], "("+host[i:]+")"
		}
		r := rule{hosts: []string{pattern(host)}, path: "*", port: port, scheme: "http"}
		switch h.Action {
		case "keep":
			r.to = keep
		case "refuse":
			r.to = refuse
		case "upgrade":
			r.to, r.port = done, httpPort
			if port != anyPort {
				r.port = port
			} else {
				rules = append(rules, r)
				r.port = anyPort
			}
		default:
			r.to, r.scheme = done+strings.TrimRight(h.Action, "/"), "https?"
		}
		rules = append(rules, r)
	}
	return rules
}

// localRules keep what is on no public network. A range of addresses that is not
// told by few numbers is left out: it is refused then, unless a host rule says
// otherwise.
func localRules() []rule {
	hosts := []string{label}
	for _, row := range route.Local() {
		switch {
		case row.Name != "":
			hosts = append(hosts, literal(row.Name), names+`[.]`+literal(row.Name))
		case row.Net.Addr().Is4():
			hosts = append(hosts, netPatterns(row.Net)...)
		}
	}
	return []rule{{hosts: hosts, path: "*", port: anyPort, scheme: "http", to: keep}}
}

// few is how many numbers stand for a part of an octet.
const few = 16

// netPatterns are regular expressions for the addresses of a range, none if they
// would be many. They have no groups, which a rule counts.
func netPatterns(p netip.Prefix) []string {
	octets, whole, rest := p.Addr().As4(), p.Bits()/8, p.Bits()%8
	var parts []string
	for _, o := range octets[:whole] {
		parts = append(parts, strconv.Itoa(int(o)))
	}
	head := strings.Join(parts, `[.]`)
	switch {
	case whole == 4:
		return []string{head}
	case rest == 0:
		return []string{head + `[.][0-9.]+`}
	case 1<<(8-rest) > few:
		return nil
	}
	var list []string
	for k := range 1 << (8 - rest) {
		list = append(list, strings.TrimPrefix(head+`[.]`+strconv.Itoa(int(octets[whole])+k)+`[.][0-9.]+`, `[.]`))
	}
	return list
}

// row is what the tables say of a host's path.
type row struct {
	host, path string
	scheme     string
	to         string // with its mark
}

// tableRules are the rows of the tables that are not the same host over TLS, whose
// rule comes last. Exact names come before patterns, and long paths before short.
func tableRules(t *route.Table) []rule {
	var rows []row
	for _, a := range route.Archives() {
		if a.Archive != "keyserver" {
			rows = appendRow(rows, t, a.Host, a.Path)
		}
	}
	for _, h := range route.Hosts() {
		if h.Scheme == "http" {
			rows = appendRow(rows, t, h.Host, h.Path)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(strings.Count(a.host, "*"), strings.Count(b.host, "*")),
			cmp.Compare(len(strings.Trim(b.path, "*")), len(strings.Trim(a.path, "*"))),
		)
	})
	var rules []rule
	for _, r := range rows {
		last := len(rules) - 1
		if last >= 0 && rules[last].path == r.path && rules[last].scheme == r.scheme && rules[last].to == r.to {
			rules[last].hosts = append(rules[last].hosts, pattern(r.host))
			continue
		}
		rules = append(rules, rule{[]string{pattern(r.host)}, r.path, httpPort, r.scheme, r.to})
	}
	return rules
}

// appendRow asks the table for the row.
func appendRow(rows []row, t *route.Table, host, path string) []row {
	below := "" // what stands for any path, where the row is for all
	if path == "/*" {
		below = "/any"
	}
	sample := "://" + strings.ReplaceAll(host, "*", "x") + strings.TrimRight(path, "/*") + below
	ask := func(scheme string) route.Decision {
		return t.Route(scheme+sample, route.Context{Role: route.AptSource})
	}
	d := ask("http")
	r := row{host: host, path: path, scheme: "http", to: done + strings.TrimRight(strings.TrimSuffix(d.To, below), "/")}
	switch {
	case d.Action == route.Refuse:
		r.to = refuse
	case d.Action == route.Keep, d.Rule == "host-rule":
		return rows // the operator's rule comes first
	case d.Action == route.Mirror && ask("https").Action == route.Mirror:
		r.scheme = "https?"
	case d.To == "https"+sample && !strings.Contains(host, "*"):
		return rows
	}
	return append(rows, r)
}

// pattern spells a host of the tables as a regular expression.
func pattern(host string) string {
	if rest, ok := strings.CutPrefix(host, "*."); ok {
		return names + `[.]` + pattern(rest)
	}
	parts := strings.Split(host, "*")
	for i, p := range parts {
		parts[i] = literal(p)
	}
	return strings.Join(parts, label)
}
