package aptsource

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// checkLaws checks what holds for every text.
func checkLaws(t *testing.T, text string, f Format, table *route.Table) {
	t.Helper()
	entries, problems := Parse(textmap.Identity(text), f)
	checkEntries(t, text, entries)
	routed := Route(entries, table)
	out, ok := textmap.Apply(text, allEdits(routed))
	if !ok {
		t.Fatalf("%s: edits of %q overlap", f, text)
	}
	checkEdits(t, text, out, routed)
	checkReread(t, text, out, f, routed, problems)
	again, _ := Parse(textmap.Identity(out), f)
	if edits := allEdits(Route(again, table)); len(edits) > 0 {
		t.Errorf("%s: %q became %q, which gives edits again: %v", f, text, out, edits)
	}
	checkEncoded(t, text, out, f, table)
}

// checkEntries: URIs stand in order, apart, in bounds, on the line they say.
func checkEntries(t *testing.T, text string, entries []Entry) {
	t.Helper()
	at := 0
	for _, e := range entries {
		start, end, ok := e.URI.Range(0, e.URI.Len())
		if !ok || start < at || end > len(text) || text[start:end] != e.URI.String() {
			t.Fatalf("URI %q at %d-%d of %q, after %d", e.URI.String(), start, end, text, at)
		}
		if line := 1 + strings.Count(text[:start], "\n"); line != e.Line {
			t.Errorf("URI %q on line %d of %q, said to be on %d", e.URI.String(), line, text, e.Line)
		}
		at = end
	}
}

// checkEdits: each edit stays within its URI and on its line, so that the rest
// of the text is as it was.
func checkEdits(t *testing.T, text, out string, routed []Routed) {
	t.Helper()
	for _, r := range routed {
		start, end, _ := r.URI.Range(0, r.URI.Len())
		for _, e := range r.Edits {
			if e.Start < start || e.End > end {
				t.Errorf("edit %v is not within the URI at %d-%d of %q", e, start, end, text)
			}
		}
		moves := r.Decision.Action == route.Upgrade || r.Decision.Action == route.Mirror
		if len(r.Edits) > 0 && (!moves || r.Problem != "") {
			t.Errorf("edits for %+v with problem %q", r.Decision, r.Problem)
		}
	}
	if strings.Count(text, "\n") != strings.Count(out, "\n") || strings.Count(text, "\r") != strings.Count(out, "\r") {
		t.Errorf("newlines of %q changed: %q", text, out)
	}
}

// checkReread: the text that comes out has the same entries, with the routed
// URIs, and no new problems.
func checkReread(t *testing.T, text, out string, f Format, routed []Routed, problems []Problem) {
	t.Helper()
	again, after := Parse(textmap.Identity(out), f)
	if len(again) != len(routed) {
		t.Fatalf("%s: %q has %d entries, %q has %d", f, text, len(routed), out, len(again))
	}
	for i, e := range again {
		want := routed[i].Entry
		if len(routed[i].Edits) > 0 {
			want.Decoded = routed[i].Decision.To
		}
		if e.Address() != want.Address() {
			t.Errorf("%s: %q became %q: apt reads %q, not %q", f, text, out, e.Address(), want.Address())
		}
		if diff := cmp.Diff(want, e, cmpopts.IgnoreFields(Entry{}, "URI", "Decoded")); diff != "" {
			t.Errorf("%s: %q became %q (-want +got):\n%s", f, text, out, diff)
		}
	}
	for _, p := range after {
		if !slices.Contains(problems, p) {
			t.Errorf("%s: %q became %q, which has a new problem: %v", f, text, out, p)
		}
	}
}

// checkEncoded: a text that its source spells in another way gets the same
// edits there.
func checkEncoded(t *testing.T, text, out string, f Format, table *route.Table) {
	t.Helper()
	if strings.Contains(text, `\`) || text == "" {
		return
	}
	source := strings.ReplaceAll(text, "/", `\/`)
	entries, _ := Parse(decodeSlashes(source, `\/`), f)
	edited, ok := textmap.Apply(source, allEdits(Route(entries, table)))
	if !ok {
		t.Fatalf("%s: edits of %q overlap", f, source)
	}
	if got := decodeSlashes(edited, `\/`).String(); got != out {
		t.Errorf("%s: %q became %q, not the encoded form of %q", f, source, edited, out)
	}
}

// tables are configurations that move much of what the tests hold.
func tables(t testing.TB) []*route.Table {
	return []*route.Table{
		newTable(t, route.Config{}),
		newTable(t, route.Config{
			Mirrors: map[string][]string{
				"debian":          {"https://mirror.example/debian", "default"},
				"debian-security": {"https://mirror.example/debian-security/"},
				"ubuntu":          {"https://[2001:db8::1]/ubuntu"},
			},
			Hosts: []route.HostRule{{Host: "h", Action: "https://mirror.example/h"}, {Host: "*.example", Action: "https://m.test/x"}, {Host: "10.0.0.7", Action: "upgrade"}},
		}),
	}
}

func TestLaws(t *testing.T) {
	all := tables(t)
	for _, g := range goldens(t) {
		for _, table := range append(all, g.table) {
			checkLaws(t, g.text, g.format, table)
			checkLaws(t, strings.ReplaceAll(g.text, "\n", "\r\n"), g.format, table)
			checkLaws(t, strings.TrimSuffix(g.text, "\n"), g.format, table)
		}
	}
	for f, rows := range map[Format][]row{OneLine: slices.Concat(oneLineRows, templateRows), Deb822: slices.Concat(deb822Rows, deb822TemplateRows)} {
		for _, r := range rows {
			for _, table := range all {
				checkLaws(t, r.text, f, table)
			}
		}
	}
}

// FuzzAptSource looks for a text of any format that breaks a law.
func FuzzAptSource(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.text, uint8(g.format))
	}
	for _, r := range slices.Concat(oneLineRows, templateRows) {
		f.Add(r.text, uint8(OneLine))
	}
	for _, r := range slices.Concat(deb822Rows, deb822TemplateRows) {
		f.Add(r.text, uint8(Deb822))
	}
	all := tables(f)
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		format %= uint8(MirrorList) + 1
		for _, table := range all {
			checkLaws(t, text, Format(format), table)
		}
		checkLine(t, text)
		Detect(text)
	})
}

// checkLine: a line is read alike by itself and in a file.
func checkLine(t *testing.T, text string) {
	t.Helper()
	e, ok, _ := ParseLine(textmap.Identity(text))
	entries, _ := ParseList(textmap.Identity(text))
	if ok && (len(entries) != 1 || show(entries[0]) != show(e)) {
		t.Errorf("%q is %q as a line, and %d entries as a file", text, show(e), len(entries))
	}
}
