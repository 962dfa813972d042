package pep440

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
)

var _ = flag.Bool("update", false, "this package has no golden files")

// dice draws versions and specifiers that lie close together, so that bounds
// meet.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 440))} }

func (d dice) pick(choices ...string) string { return choices[d.IntN(len(choices))] }

func (d dice) number() string {
	return d.pick("0", "0", "1", "1", "2", "3", "9", "10", "199", "200", "999", "1000", "2024", strings.Repeat("9", 33), "1"+strings.Repeat("0", 33))
}

func (d dice) release() string {
	epoch := d.pick("", "", "", "", "", "1!", "2!")
	parts := []string{d.number()}
	for d.IntN(3) > 0 {
		parts = append(parts, d.pick("0", "0", "1", d.number()))
	}
	return epoch + strings.Join(parts, ".")
}

// version returns a public version in normal form.
func (d dice) version() string {
	var text strings.Builder
	text.WriteString(d.release())
	for _, part := range []string{d.pick("", "", "", "a", "b", "rc"), d.pick("", "", ".post"), d.pick("", "", ".dev")} {
		if part != "" {
			text.WriteString(part + d.pick("0", "1", "2", "10", "199", "200"))
		}
	}
	return text.String()
}

func (d dice) local() string {
	return d.pick("", "", "", "+a", "+0", "+1", "+a.1", "+1.a", "+a.a", "+ab", "+200", "+0a", "+00a")
}

func (d dice) anyVersion(t testing.TB) Version {
	t.Helper()
	return mustParse(t, d.version()+d.local())
}

// near returns versions of all kinds around v.
func near(t testing.TB, v Version) []Version {
	t.Helper()
	base, parts := v.Base(), v.Base().parts()
	versions := []Version{v, v.Public()}
	for _, release := range []Version{base, base.Bump(parts), base.Bump(1), base.Bump(parts + 1)} {
		for _, end := range []string{
			"", ".dev0", ".dev1", "a0.dev0", "a1", "a1.post0", "a2.dev0", "rc1", "rc1.post1.dev0", "+0", "+a", "+a.b", "+00a",
			".post0.dev0", ".post0", ".post0+a", ".post1.dev0", ".post1", ".post2.dev0", ".0.1", ".0.1.dev0",
		} {
			versions = append(versions, mustParse(t, release.String()+end))
		}
	}
	return versions
}

func (d dice) clause() string {
	op := d.pick("==", "!=", "!=", "<=", ">=", "<", ">", "~=", ">=", "<")
	switch {
	case (op == "==" || op == "!=") && d.IntN(3) == 0:
		return op + d.release() + ".*"
	case op == "==" || op == "!=":
		return op + d.version() + d.local()
	case op == "~=":
		text := d.version()
		if !strings.Contains(text, ".") || mustCount(text) < 2 {
			return ">=" + text
		}
		return op + text
	}
	return op + d.version()
}

func mustCount(text string) int {
	v, err := Parse(text)
	if err != nil {
		return 0
	}
	return v.parts()
}

func (d dice) specifiers() string {
	clauses := []string{d.clause()}
	for d.IntN(3) > 0 {
		clauses = append(clauses, d.clause())
	}
	return strings.Join(clauses, ",")
}

// set returns a set made by operations on sets of specifiers and plain
// stretches.
func (d dice) set(t testing.TB) Set {
	t.Helper()
	switch d.IntN(6) {
	case 0:
		return d.set(t).Union(d.set(t))
	case 1:
		return d.set(t).Complement()
	case 2:
		a, b := d.anyVersion(t), d.anyVersion(t)
		return Stretch(At(a, Edge(d.IntN(4))), At(b, Edge(d.IntN(4))))
	case 3:
		return Only(d.anyVersion(t))
	}
	return mustSpecifiers(t, d.specifiers()).Set()
}

// probes returns versions near every bound of the sets.
func probes(t testing.TB, sets ...Set) []Version {
	t.Helper()
	versions := []Version{mustParse(t, "0.dev0"), mustParse(t, "0"), mustParse(t, "9!9")}
	for _, s := range sets {
		for _, turn := range s.turns {
			versions = append(versions, near(t, turn.Version)...)
		}
	}
	return versions
}
