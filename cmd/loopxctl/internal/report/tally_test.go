package report

import (
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

func TestTally(t *testing.T) {
	t.Parallel()
	finding := func(rule string, severity rewrite.Severity) rewrite.Finding {
		return rewrite.Finding{Rule: rule, Severity: severity}
	}
	fetch := func(action route.Action, rule string) rewrite.Fetch {
		return rewrite.Fetch{Fetch: words.Fetch{Decision: route.Decision{Action: action, Rule: rule}}}
	}
	signed := []lens.Shadowed{{}, {Acknowledged: &lens.Acknowledgement{}}}
	var tally Tally
	for _, f := range []*File{
		{Problem: &fault.Error{}},
		{Plan: &rewrite.Plan{}, Output: []byte("x")},
		{Plan: &rewrite.Plan{Findings: []rewrite.Finding{finding("W", rewrite.Warning), finding("B", rewrite.Blocker)}}, Findings: signed},
		{Plan: &rewrite.Plan{
			Findings: []rewrite.Finding{finding("B", rewrite.Blocker), finding("B", rewrite.Blocker), finding(notEdited, rewrite.Warning), finding("A", rewrite.Advisory)},
			Fetches:  []rewrite.Fetch{fetch(route.Keep, "k"), fetch(route.Refuse, "r"), fetch(route.Refuse, "r")},
			Guards:   []rewrite.Guard{{Needs: "apt", Certain: true}, {Needs: "apt", Certain: true}},
		}, Policy: Policy{Text: true}},
	} {
		tally.Add(f)
	}
	tally.Ignored = 3
	var b strings.Builder
	if err := tally.RuleTable(&b, false); err != nil {
		t.Fatal(err)
	}
	if err := tally.DecisionTable(&b, false); err != nil {
		t.Fatal(err)
	}
	b.WriteString(tally.Line())
	const want = `RULE       SEVERITY  FINDINGS  ACKNOWLEDGED  FILES
B          blocker          3             1      2
NotEdited  blocker          1             -      1
W          warning          1             -      1
A          advisory         1             -      1
DECISION  BECAUSE OF  ADDRESSES  FILES
refuse    r                   2      1
keep      k                   1      1
4 files: 1 clean, 1 changed, 1 blocked, 1 unreadable; 3 left out by .gitignore
`
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	if tally.AptRuns != 2 || tally.AptFiles != 1 {
		t.Errorf("%+v", tally)
	}
}

func TestHostOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://A.example.com/x":          "a.example.com",
		"http://u:p@a.example.com:8080/x": "a.example.com:8080",
		"ftp://a.example.com":             "a.example.com",
		"http://${HOST}/x":                "${HOST}",
		"http://u:p@${HOST}:80/x?y@z":     "${HOST}:80",
		"http://[2001:db8::1]:8080/x":     "[2001:db8::1]:8080",
		"http://203.0.113.7/x":            "203.0.113.7",
		"http://a.example.com:${PORT}/x":  "a.example.com:${PORT}",
	} {
		if got := hostOf(rewrite.Fetch{Fetch: words.Fetch{URL: address}}); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	for host, want := range map[string]string{"a.example.com": "a.example.com=keep", "a.example.com:80": "a.example.com:80=keep", "${HOST}": "", "a'b": "", "": ""} {
		if got := keepRule(host); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}
