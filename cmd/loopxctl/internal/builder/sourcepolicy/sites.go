package sourcepolicy

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// place is a host and path of the embedded tables.
type place struct{ host, path string }

// sites are the places of the tables, the most precise first: an exact host
// before a pattern, a longer path before a shorter one.
func sites() []place {
	var all []place
	for _, row := range route.Archives() {
		all = append(all, place{row.Host, row.Path})
	}
	for _, row := range route.Hosts() {
		if row.Scheme == "http" {
			all = append(all, place{row.Host, row.Path})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(
			strings.Count(a.host, "*")-strings.Count(b.host, "*"),
			len(b.host)-len(a.host),
			len(folder(b.path))-len(folder(a.path)),
			len(a.path)-len(b.path), // "/" before "/*"
		)
	})
	return all
}

// folder is the path that a row's own stands for.
func folder(path string) string { return strings.TrimSuffix(strings.TrimSuffix(path, "*"), "/") }

// site adds what the table decides about a place of the embedded tables. The
// table is asked about an address at that place, so that mirrors and host rules
// have been asked too.
func (p *policy) site(s place) {
	sample, below := "http://"+strings.ReplaceAll(s.host, "*", "x")+folder(s.path), "/x"
	if s.path == "/" {
		below = "/dists"
	}
	d := p.table.Route(sample+below, route.Context{Role: route.Fetch})
	host := hostExpression(s.host)
	switch d.Action {
	case route.Keep:
		p.keep(host)
	case route.Refuse:
		p.refuse(`^http://` + host + usual + pathExpression(s.path) + `)$`)
	default:
		target, ok := strings.CutSuffix(d.To, below)
		selector := `://` + host + usual + strings.Replace(pathExpression(s.path), "(?:", "(", 1) + `$`
		if !ok || target == "https://"+strings.TrimPrefix(sample, "http://") {
			p.convert(`^http://(`+host+`)`+usual+`(`+pathExpression(s.path)+`)$`, "https://${1}${2}")
			return
		}
		if d.Action == route.Mirror {
			p.elsewhere(selector, target, "${1}")
			return
		}
		p.convert(`^http`+selector, target+"${1}")
	}
}

// hostExpression matches the hosts of a row: "*.suffix" is one or more labels,
// a "*" inside a name is one.
func hostExpression(host string) string {
	prefix := ""
	if rest, ok := strings.CutPrefix(host, "*."); ok {
		prefix, host = `(?:`+label+`\.)+`, rest
	}
	return prefix + `(?i:` + strings.ReplaceAll(regexp.QuoteMeta(host), `\*`, `[^./:@?\[\]]*`) + `)\.?`
}

// pathExpression matches the paths of a row, see route.ArchiveRow.
func pathExpression(path string) string {
	switch path {
	case "/*":
		return `(?:(?:[/?].*)?)`
	case "/":
		return `(?:/?|/(?:dists|pool)(?:/.*)?)`
	}
	return regexp.QuoteMeta(path) + `(?:(?:[/?].*)?)`
}
