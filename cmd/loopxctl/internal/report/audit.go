package report

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Audit is what builds of the files would change, and what would stop them.
type Audit struct {
	Notes []route.Note
	Files []AuditFile
	// Ignored are the files that .gitignore files left out.
	Ignored int
	// Rules are the counts of rules, worst first.
	Rules []RuleCount
	// Hosts are those that fetches are refused of, the most frequent first.
	Hosts []RefusedHost
	// Waivers is the file that the draft was written to; "" for none.
	Waivers string
}

// AuditFile is what a build of one file would do.
type AuditFile struct {
	*File
	// Verdict is "error", "blocked", "changed" if a fetch would move to TLS, or
	// "clean".
	Verdict string
	// Moved are the addresses that would move to TLS.
	Moved int
	// Apt are the RUN instructions that run apt, MayApt those that may; both would
	// have it served over TLS.
	Apt, MayApt int
	// Blockers are those that nobody acknowledged; Acknowledged is the number of the
	// others.
	Blockers     []lens.Shadowed
	Acknowledged int
}

// RefusedHost is a host that fetches are refused of.
type RefusedHost struct {
	// Host is as the address has it, with its port if that is not the scheme's.
	Host string
	// Rule is the host rule that would leave it in clear text; "" where no rule
	// can, since the host's name is not known.
	Rule           string
	Why            string
	Fetches, Files int
}

// NewAudit sums up the files of a report, which are judged.
func NewAudit(r *Report, t *Tally) *Audit {
	a := &Audit{Notes: r.Notes, Ignored: t.Ignored, Rules: t.Rules()}
	for _, f := range r.Files {
		a.Files = append(a.Files, newAuditFile(f))
	}
	a.Hosts = refusedHosts(r.Files)
	return a
}

func newAuditFile(f *File) AuditFile {
	a := AuditFile{File: f, Verdict: f.Verdict(), Moved: f.Moved()}
	if f.Plan == nil {
		return a
	}
	for _, g := range f.Plan.Guards {
		switch {
		case g.Needs == "ca":
		case g.Certain:
			a.Apt++
		default:
			a.MayApt++
		}
	}
	for _, finding := range f.Findings {
		switch {
		case finding.Severity != policy.Blocker:
		case finding.Blocks():
			a.Blockers = append(a.Blockers, finding)
		default:
			a.Acknowledged++
		}
	}
	if a.Verdict == "clean" && a.Moved+a.Apt > 0 {
		a.Verdict = "changed"
	}
	return a
}

func refusedHosts(files []*File) []RefusedHost {
	hosts := map[string]*RefusedHost{}
	for _, f := range files {
		if f.Plan == nil {
			continue
		}
		seen := map[string]bool{}
		for _, fetch := range f.Plan.Fetches {
			if fetch.Decision.Action != route.Refuse {
				continue
			}
			name := hostOf(fetch)
			host := entryOf(&hosts, name, RefusedHost{Host: name, Rule: keepRule(name), Why: fetch.Decision.Why})
			host.Fetches++
			if !seen[name] {
				host.Files++
			}
			seen[name] = true
		}
	}
	all := make([]RefusedHost, 0, len(hosts))
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		all = append(all, *hosts[name])
	}
	slices.SortStableFunc(all, func(a, b RefusedHost) int { return cmp.Compare(b.Fetches, a.Fetches) })
	return all
}

// hostOf is the host of an address, without userinfo, and with a port that the
// address names.
func hostOf(fetch rewrite.Fetch) string {
	if u, err := url.Parse(fetch.URL); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	_, rest, _ := strings.Cut(fetch.URL, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// keepRule is the rule that leaves a host's fetches in clear text.
func keepRule(host string) string {
	rule := host + "=keep"
	if _, err := route.ParseHostRule(rule); err != nil || strings.ContainsAny(host, ",'\"") {
		return ""
	}
	return rule
}

// HostRules is the value of LOOPX_HOSTS that would leave all refused hosts in
// clear text; "" if there are none.
func (a *Audit) HostRules() string {
	var rules []string
	for _, h := range a.Hosts {
		if h.Rule != "" {
			rules = append(rules, h.Rule)
		}
	}
	slices.Sort(rules)
	return strings.Join(rules, ",")
}

// auditTotals sum up the files.
type auditTotals struct {
	clean, changed, blocked, failed int
	moved, apt, mayApt, aptFiles    int
	blockers, acknowledged          int
}

func (a *Audit) totals() (t auditTotals) {
	for _, f := range a.Files {
		switch f.Verdict {
		case "error":
			t.failed++
		case "blocked":
			t.blocked++
		case "changed":
			t.changed++
		default:
			t.clean++
		}
		t.moved += f.Moved
		t.apt += f.Apt
		t.mayApt += f.MayApt
		if f.Apt > 0 {
			t.aptFiles++
		}
		t.blockers += len(f.Blockers)
		t.acknowledged += f.Acknowledged
	}
	return t
}
