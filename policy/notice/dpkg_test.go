package notice

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"pault.ag/go/debian/version"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// randomVersion makes a version of pieces that dpkg orders in its own way.
func randomVersion(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	var b strings.Builder
	b.WriteString(pick("", "", "0:", "1:", "2:") + pick("0", "1", "2", "7", "9", "10"))
	for range r.IntN(6) {
		b.WriteString(pick("1", "0", "2", "10", "9", "007", ".", "~", "+", "a", "b", "rc", "deb12u", "dfsg", "git2024", "z", "A"))
	}
	b.WriteString(pick("", "-1", "-1ubuntu2.16", "-0+deb11u1", "-1~bpo12+1", "-2", "-10", "-1+b1"))
	return b.String()
}

// TestOrder asks the real dpkg about thousands of pairs, half of them near each
// other, and that what it refuses is refused.
func TestOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for range 2500 {
		a, b := randomVersion(r), randomVersion(r)
		if r.IntN(2) == 0 {
			b = a + []string{"~", "0", "+b1", "a", "1", ".0", ""}[r.IntN(7)]
		}
		x, err1 := parseVersion(a)
		y, err2 := parseVersion(b)
		if err1 != nil || err2 != nil {
			t.Errorf("%s, %s: %v, %v", a, b, err1, err2)
			continue
		}
		relation := "eq"
		switch c := version.Compare(x, y); {
		case c < 0:
			relation = "lt"
		case c > 0:
			relation = "gt"
		}
		if out, err := exec.Command("dpkg", "--compare-versions", a, relation, b).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("dpkg does not say %s %s %s: %v %s", a, relation, b, err, out)
		}
	}
	for _, text := range []string{"1-", "a:1", ":1", "1:", "1 2", "1_2", "-1:1"} {
		_, err := parseVersion(text)
		out, _ := exec.Command("dpkg", "--compare-versions", "1", "eq", text).CombinedOutput()
		if err == nil || len(out) == 0 {
			t.Errorf("%q: %v, and dpkg says %q", text, err, out)
		}
	}
}

// TestRanges holds how the events of a record make ranges.
func TestRanges(t *testing.T) {
	t.Parallel()
	events := func(all ...string) []osv.Event {
		kinds := map[byte]osv.EventKind{'i': osv.Introduced, 'f': osv.Fixed, 'l': osv.LastAffected}
		var out []osv.Event
		for _, e := range all {
			out = append(out, osv.Event{Kind: kinds[e[0]], Version: e[1:]})
		}
		return out
	}
	for _, tc := range []struct {
		name     string
		a        osv.Affected
		in, out  string
		end      string
		unread   bool
		fixed    string
		noRanged bool
	}{
		{name: "below a fix", a: osv.Affected{Ranges: []osv.Range{{Type: "ECOSYSTEM", Events: events("i0", "f1.2-3")}}}, in: "0~a 1 1.2-2 1.2-3~", out: "1.2-3 1.2-3+b1 1:0", end: "1.2-3"},
		{name: "in any order", a: osv.Affected{Ranges: []osv.Range{{Events: events("f2", "i1", "f4", "i3")}}}, in: "1 1.9 3", out: "0.9 2 2.5 4", end: "4"},
		{name: "no end", a: osv.Affected{Ranges: []osv.Range{{Type: "ECOSYSTEM", Events: events("i1")}}}, in: "1 99:1", out: "0.9", end: ""},
		{name: "the last affected", a: osv.Affected{Ranges: []osv.Range{{Type: "ECOSYSTEM", Events: events("i0", "l2")}}}, in: "2 1", out: "2.0.1", end: ""},
		{name: "never", a: osv.Affected{Ranges: []osv.Range{{Type: "ECOSYSTEM", Events: events("i0", "f0")}}}, out: "0~ 1"},
		{name: "listed", a: osv.Affected{Versions: []string{"1-1", "bad version"}}, in: "1-1", out: "1-2", noRanged: true},
		{name: "nothing", a: osv.Affected{}, out: "1", unread: true},
		{name: "commits", a: osv.Affected{Ranges: []osv.Range{{Type: "GIT", Events: events("i0")}}}, out: "1", unread: true},
		{name: "bad", a: osv.Affected{Ranges: []osv.Range{{Type: "ECOSYSTEM", Events: events("i0", "fno version")}}}, in: "1", end: "", unread: true},
		{name: "a binary of its own", a: osv.Affected{Ranges: []osv.Range{{Type: "ECOSYSTEM", Events: events("i0", "f1")}}}, fixed: "4:2", in: "4:1", out: "4:2", end: "4:2"},
	} {
		v := readVersions(&tc.a, tc.fixed)
		for _, list := range []struct {
			texts string
			want  bool
		}{{tc.in, true}, {tc.out, false}} {
			for text := range strings.FieldsSeq(list.texts) {
				one, err := parseVersion(text)
				if err != nil {
					t.Fatal(err)
				}
				if got := v.has(one); got != list.want {
					t.Errorf("%s: %s is affected: %v", tc.name, text, got)
				}
			}
		}
		if end, ranged := v.end(); end != tc.end || ranged == tc.noRanged && !tc.unread && !v.clean {
			t.Errorf("%s: the end is %q, %v, want %q", tc.name, end, ranged, tc.end)
		}
		if (v.unread != "") != tc.unread {
			t.Errorf("%s: unread: %q", tc.name, v.unread)
		}
	}
}
