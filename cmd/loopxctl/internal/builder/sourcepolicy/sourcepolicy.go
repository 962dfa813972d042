// Package sourcepolicy says what package route decides in the terms of BuildKit:
// as a source policy, which a client sends with a build and which BuildKit's
// proxy network asks about every request of every RUN.
//
// How the daemon reads one: of the rules whose selector matches, the first
// CONVERT that changes the address ends the round, and the new address is asked
// about again; if none does, the last ALLOW or DENY decides. Source:
// evaluatePolicy in sourcepolicy/engine.go of BuildKit v0.34.2.
//
// Its limits are BuildKit's. CONVERT works for GET alone: other methods for an
// address that would be converted are refused (403). A policy names no second
// mirror: of a list the first is used. An address that holds a user or a password
// is refused, since the daemon hides them from the policy.
package sourcepolicy

import (
	"regexp"
	"slices"
	"strings"

	spb "github.com/moby/buildkit/sourcepolicy/pb"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// refused is where refused addresses are sent, so that a later rule can deny
// them: a rule that converts would else come first. RFC 2606 sets the name aside.
const refused = "https://refused-by-loopx.invalid/"

// Parts of the expressions.
const (
	label = `[^./:@?\[\]]+`                // of a host name
	rest  = `((?:[/?].*)?)$`               // everything behind the host
	port  = `(?::[0-9]*)?`                 // any, or none
	usual = `(?::80)?`                     // that of http, or none
	top   = `[^0-9./:@?\[\]][^./:@?\[\]]*` // a last label that is none of an IPv4 address
)

// New returns the policy of a table that was made of cfg.
func New(table *route.Table, cfg route.Config) *spb.Policy {
	p := policy{table: table}
	for _, rule := range byPrecision(cfg.Hosts) {
		p.hostRule(rule)
	}
	for _, s := range sites() {
		p.site(s)
	}
	for _, row := range route.Local() {
		if row.Name != "" {
			p.keep(`(?:` + label + `\.)*` + regexp.QuoteMeta(row.Name) + `\.?`)
		}
	}
	p.convert(`^http://((?:`+label+`\.)+`+top+`)`+usual+rest, "https://${1}${2}")
	p.add(spb.PolicyAction_DENY, `^http://`, "")
	p.add(spb.PolicyAction_DENY, `^`+regexp.QuoteMeta(refused), "")
	p.add(spb.PolicyAction_ALLOW, `^http://`+label+port+rest, "")
	for _, row := range route.Local() {
		if row.Name == "" {
			p.add(spb.PolicyAction_ALLOW, `^http://`+network(row.Net)+port+rest, "")
		}
	}
	p.rules = append(p.rules, p.allowed...)
	return &spb.Policy{Version: 1, Rules: p.rules}
}

// policy is one that is being made.
type policy struct {
	table   *route.Table
	rules   []*spb.Rule
	allowed []*spb.Rule // come last: what is kept
}

func (p *policy) add(action spb.PolicyAction, selector, to string) {
	p.rules = append(p.rules, rule(action, selector, to))
}

func (p *policy) convert(selector, to string) { p.add(spb.PolicyAction_CONVERT, selector, to) }

func rule(action spb.PolicyAction, selector, to string) *spb.Rule {
	r := &spb.Rule{Action: action, Selector: &spb.Selector{Identifier: selector, MatchType: spb.MatchType_REGEX}}
	if to != "" {
		r.Updates = &spb.Update{Identifier: to}
	}
	return r
}

// keep lets a host that later rules would convert be fetched in clear text. The
// address gets an empty port, which means the same (RFC 3986 section 3.2.3) and
// which nothing else here matches.
func (p *policy) keep(host string) {
	p.convert(`^http://((?i:`+host+`))`+usual+rest, "http://${1}:${2}")
	p.allowed = append(p.allowed, rule(spb.PolicyAction_ALLOW, `^http://(?i:`+host+`)`+port+rest, ""))
}

// refuse sends what matches to where it is denied.
func (p *policy) refuse(selector string) {
	p.convert(`^(`+strings.TrimPrefix(selector, "^"), refused+"${1}")
}

// byPrecision orders rules as the table asks them: a host before what it is
// below, the longest suffix first, one port before any.
func byPrecision(rules []route.HostRule) []route.HostRule {
	rank := func(r route.HostRule) int {
		host, suffix := strings.CutPrefix(r.Host, "*.")
		n := 2 * strings.Count(host, ".")
		if !suffix {
			n += 1 << 20
		}
		if hasPort(host) {
			n++
		}
		return n
	}
	sorted := slices.Clone(rules)
	slices.SortStableFunc(sorted, func(a, b route.HostRule) int { return rank(b) - rank(a) })
	return sorted
}

func hasPort(host string) bool {
	i := strings.LastIndexByte(host, ':')
	return i > strings.LastIndexByte(host, ']')
}
