package route

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// index is the embedded tables, ready for look-up. It is never changed once
// it is built.
type index struct {
	archives []ArchiveRow
	hosts    []HostRow
	local    []LocalRow
	names    []string // of archives
	date     string

	sites    []*site
	exact    map[string]*site   // by host
	patterns map[string][]*site // by the last two labels; the most specific first
	domains  map[string]*LocalRow
	nets     []*LocalRow
}

// site is all rows of one host or host pattern.
type site struct {
	pattern string
	entries []*entry // longest path first
}

// entry is a row of either table.
type entry struct {
	archive string // "" for a row of the host table
	scheme  string // "http" for an archive
	path    string
	tls     TLS
	target  string // "" if there is none
	same    bool   // the target is the named host and path
	claim   string // "(source; date)", for messages
}

// rule is the name of the table that the entry is from.
func (e *entry) rule() string {
	if e.archive != "" {
		return "archive"
	}
	return "host-table"
}

// addArchive adds one row of the archive table.
func (x *index) addArchive(r ArchiveRow) {
	x.archives = append(x.archives, r)
	if !slices.Contains(x.names, r.Archive) {
		x.names = append(x.names, r.Archive)
	}
	x.add(r.Host, &entry{
		archive: r.Archive, scheme: "http", path: r.Path, tls: r.TLS,
		target: r.Target, claim: claim(r.Source, r.Date),
	})
	x.date = max(x.date, r.Date)
}

// addHost adds one row of the host table.
func (x *index) addHost(r HostRow) {
	x.hosts = append(x.hosts, r)
	e := &entry{scheme: r.Scheme, path: r.Path, tls: r.TLS, target: r.Target, claim: claim(r.Source, r.Date)}
	if e.target == "" && e.tls != TLSNo {
		e.target = "https://" + r.Host + strings.TrimSuffix(r.Path, "/*")
	}
	x.add(r.Host, e)
	x.date = max(x.date, r.Date)
}

// claim is a row's source and date as messages show them.
func claim(source, date string) string { return "(" + source + "; " + date + ")" }

// add files an entry under its host.
func (x *index) add(host string, e *entry) {
	e.same = e.path != "/" && e.target == "https://"+host+strings.TrimSuffix(e.path, "/*")
	for _, s := range x.sites {
		if s.pattern == host {
			s.entries = append(s.entries, e)
			return
		}
	}
	s := &site{pattern: host, entries: []*entry{e}}
	x.sites = append(x.sites, s)
	if strings.Contains(host, "*") {
		key := lastLabels(host)
		x.patterns[key] = append(x.patterns[key], s)
	} else {
		x.exact[host] = s
	}
}

// addLocal adds one row of the table of local names and addresses.
func (x *index) addLocal(kind, value string, r LocalRow) {
	if kind == "net" {
		r.Net = netip.MustParsePrefix(value)
		x.nets = append(x.nets, &r)
	} else {
		r.Name = value
		x.domains[value] = &r
	}
	x.local = append(x.local, r)
}

// sort puts the longest path first within each host, and the pattern with the
// longest text first.
func (x *index) sort() {
	for _, s := range x.sites {
		slices.SortStableFunc(s.entries, func(a, b *entry) int {
			return cmp.Compare(len(strings.TrimSuffix(b.path, "*")), len(strings.TrimSuffix(a.path, "*")))
		})
	}
	for _, sites := range x.patterns {
		slices.SortStableFunc(sites, func(a, b *site) int { return cmp.Compare(len(b.pattern), len(a.pattern)) })
	}
}

// find returns the entry for a host's canonical name, a scheme and the rest of
// the URL, and how many bytes of the rest its target replaces. Archives are
// found for http and ftp alike. e is nil if there is none.
func (x *index) find(name, scheme, rest string) (e *entry, n int) {
	s := x.site(name)
	if s == nil {
		return nil, 0
	}
	for _, e := range s.entries {
		ftp := scheme == "ftp" && e.archive != "" && e.archive != keyservers
		if e.scheme != scheme && !ftp {
			continue
		}
		if n, ok := e.matches(rest); ok {
			return e, n
		}
	}
	return nil, 0
}

// site returns the rows of a host, or nil.
func (x *index) site(name string) *site {
	if s := x.exact[name]; s != nil {
		return s
	}
	for _, s := range x.patterns[lastLabels(name)] {
		if matchHost(s.pattern, name) {
			return s
		}
	}
	return nil
}

// matches reports whether the URL's rest lies in the entry's path, and how many
// bytes of it the entry's target replaces.
func (e *entry) matches(rest string) (n int, ok bool) {
	switch {
	case e.path == "/*":
		return 0, true
	case climbs(rest):
		return 0, false
	case e.path != "/":
		return matchPrefix(rest, e.path)
	}
	root := strings.TrimLeft(rest, "/")
	if root == "" || root[0] == '?' || root[0] == '#' {
		return 0, true
	}
	_, dists := matchPrefix(rest, "/dists")
	_, pool := matchPrefix(rest, "/pool")
	return 0, dists || pool
}

// matchHost reports whether name is one of the pattern's: "*." at its start
// stands for one or more labels, any other "*" for a part of one label.
func matchHost(pattern, name string) bool {
	if strings.HasPrefix(pattern, "*.") {
		return len(name) >= len(pattern) && strings.HasSuffix(name, pattern[1:])
	}
	for {
		p, patternRest, more := strings.Cut(pattern, ".")
		l, nameRest, moreName := strings.Cut(name, ".")
		before, after, star := strings.Cut(p, "*")
		if !star && p != l || more != moreName {
			return false
		}
		if star && (len(l) <= len(before)+len(after) || !strings.HasPrefix(l, before) || !strings.HasSuffix(l, after)) {
			return false
		}
		if !more {
			return true
		}
		pattern, name = patternRest, nameRest
	}
}

// lastLabels returns the last two labels of a name, or all of a shorter one.
func lastLabels(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name
	}
	return name[strings.LastIndexByte(name[:i], '.')+1:]
}

// localName returns the row of the domain that a name lies in, or nil.
func (x *index) localName(name string) *LocalRow {
	for {
		if r := x.domains[name]; r != nil {
			return r
		}
		i := strings.IndexByte(name, '.')
		if i < 0 {
			return nil
		}
		name = name[i+1:]
	}
}

// localNet returns the row of the range that an address lies in, or nil.
func (x *index) localNet(ip netip.Addr) *LocalRow {
	for _, r := range x.nets {
		if r.Net.Contains(ip) {
			return r
		}
	}
	return nil
}
