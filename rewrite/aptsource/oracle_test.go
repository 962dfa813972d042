package aptsource

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// read returns the answer that the package expects of apt.
func read(text string, f Format) answer {
	entries, problems := Parse(textmap.Identity(text), f)
	if len(problems) > 0 {
		return answer{complaints: []string{problems[0].Message}}
	}
	var a answer
	first := map[string]string{}
	for _, e := range entries {
		if e.Enabled {
			a.targets = append(a.targets, targets(e, first)...)
		}
	}
	slices.Sort(a.targets)
	a.targets = slices.Compact(a.targets)
	return a
}

// targets returns what apt fetches for e: all entries for one release from the
// URI of the first of them.
func targets(e Entry, first map[string]string) []string {
	arch := strings.NewReplacer("$(ARCH)", "amd64")
	components := e.Components
	if len(components) == 0 {
		components = []string{""}
	}
	var all []string
	for _, typ := range e.Types {
		for _, suite := range e.Suites {
			if e.Format == Deb822 || strings.HasSuffix(suite, "/") {
				suite = arch.Replace(suite)
			}
			uri := arch.Replace(e.Address())
			key := releaseKey(uri, suite)
			if first[key] == "" {
				first[key] = uri
			}
			if suite == "/" {
				suite = ""
			}
			for _, c := range components {
				all = append(all, strings.Join([]string{typ, first[key], suite, c}, "|"))
			}
		}
	}
	return all
}

// compare checks the package's answer against apt's.
func (o *oracle) compare(t *testing.T, name, text string, f Format, apt answer) {
	t.Helper()
	ours := read(text, f)
	if o.skips(text, ours) {
		return
	}
	if o.asWritten {
		for i, target := range apt.targets {
			f := strings.SplitN(target, "|", 3)
			apt.targets[i] = strings.Join([]string{f[0], Entry{Decoded: f[1]}.Address(), f[2]}, "|")
		}
		slices.Sort(apt.targets)
		apt.targets = slices.Compact(apt.targets)
	}
	if diff := cmp.Diff(comparable(apt, ours), comparable(ours, ours)); diff != "" {
		t.Errorf("%s: complaint about %q (-apt +ours):\n%s", name, text, diff)
	}
	if diff := cmp.Diff(apt.targets, ours.targets); diff != "" {
		t.Errorf("%s: targets of %q (-apt +ours):\n%s", name, text, diff)
	}
}

// comparable returns the first complaint, less what the package words in its
// own way. An invalid option does not keep apt from going on: if ours is
// another one, it counts as apt's.
func comparable(a, ours answer) string {
	if len(a.complaints) == 0 {
		return ""
	}
	invalid := func(c string) bool { return strings.HasPrefix(c, "Invalid ") }
	complaint := a.complaints[0]
	if len(ours.complaints) > 0 && !invalid(ours.complaints[0]) {
		if i := slices.IndexFunc(a.complaints, func(c string) bool { return !invalid(c) }); i > 0 {
			complaint = a.complaints[i]
		}
	}
	for _, start := range []string{"Conflicting values set for option ", "Invalid value set for option "} {
		if strings.HasPrefix(complaint, start) {
			return start
		}
	}
	if strings.HasPrefix(complaint, "Type ") {
		_, place, _ := strings.Cut(complaint, " is not known ")
		return "Type is not known " + place
	}
	return complaint
}

// TestAptAgrees asks apt about every row of the tables, and about every golden
// before and after.
func TestAptAgrees(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	for _, c := range []struct {
		rows []row
		f    Format
		name string
	}{{oneLineRows, OneLine, "x.list"}, {deb822Rows, Deb822, "x.sources"}} {
		for _, r := range c.rows {
			apt := o.ask(t, map[string]string{c.name: r.text})[c.name]
			o.compare(t, r.name, r.text, c.f, apt)
		}
	}
	for _, g := range goldens(t) {
		if g.format == MirrorList || isTemplate(g.text) {
			continue // apt reads them when it fetches, or never
		}
		_, _, out := g.plan(t)
		for _, text := range []string{g.text, out, strings.ReplaceAll(out, "\n", "\r\n")} {
			o.compare(t, g.path, text, g.format, o.ask(t, map[string]string{g.name: text})[g.name])
		}
	}
}

var generated = flag.Int("generated", 400, "how many generated files apt is asked about")

// strayReturn is what apt reads in one way or another, depending on whether it
// has to look at a stanza twice.
var strayReturn = regexp.MustCompile("\n\r[^\n]")

// byChance reports whether apt's answer is an accident: it aborts on an empty
// suite or takes the byte before it, and takes all suites for one where the
// URI begins with a colon.
func byChance(text string, f Format) bool {
	entries, _ := Parse(textmap.Identity(text), f)
	return strayReturn.MatchString(text) || slices.ContainsFunc(entries, func(e Entry) bool {
		return strings.HasPrefix(e.Decoded, ":") || slices.Contains(e.Suites, "")
	})
}

// TestAptAgreesOnGenerated asks apt about files put together at random, half
// of them then damaged. Each has a host of its own, so that only a file by
// itself can hold entries that disagree.
func TestAptAgreesOnGenerated(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	asked, accepted := 0, 0
	for _, batch := range batches(*generated) {
		answers := o.ask(t, batch)
		for name, text := range batch {
			asked++
			if len(answers[name].complaints) == 0 {
				accepted++
			}
			o.compare(t, name, text, Detect(name), answers[name])
		}
	}
	t.Logf("%d files, %d of them accepted", asked, accepted)
}

// batches returns generated files by name, 25 at a time. Those which apt will
// complain about without naming them come alone.
func batches(count int) []map[string]string {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []map[string]string
	batch := map[string]string{}
	for n := range count {
		name := fmt.Sprintf("g%04d.%s", n, []string{"list", "sources"}[n%2])
		text := generate(rng, Detect(name), n)
		if n%4 > 1 {
			text = damage(rng, text)
		}
		ours := read(text, Detect(name))
		switch {
		case byChance(text, Detect(name)):
			continue
		case len(ours.complaints) > 0 && strings.Contains(ours.complaints[0], " value set for option "):
			all = append(all, map[string]string{name: text})
			continue
		}
		batch[name] = text
		if len(batch) == 25 {
			all = append(all, batch)
			batch = map[string]string{}
		}
	}
	return append(all, batch)
}
