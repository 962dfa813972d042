package floors_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// dice makes random projects.
type dice struct{ *rand.Rand }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

func (d dice) version() string {
	return d.of("0", "0.9", "1", "1.0", "1.2", "1.2.3", "1.5", "1.5.0.1", "2", "2.0rc1", "2.0", "2.0.1", "2.1", "2.1.post1", "2.2.dev3", "3", "3.0.1b2", "10.4", "2026.1", "1!1.0")
}

// specifier is one of PEP 440.
func (d dice) specifier() string {
	var all []string
	for range d.IntN(4) {
		op := d.of(">=", ">", "<", "<=", "!=", "==", "~=", "!=", ">=", ">=")
		v := d.version()
		switch {
		case op == "~=":
			v = d.of("1.2", "2.0", "1.2.3", "2.0.1", "3.0")
		case (op == "==" || op == "!=") && d.IntN(2) == 0:
			v = d.of("1", "1.2", "2.0", "2.1", "3") + ".*"
		}
		all = append(all, op+d.of("", "", " ")+v)
	}
	return strings.Join(all, d.of(",", ",", ", ", " , "))
}

// constraint is one of Poetry.
func (d dice) constraint() string {
	var branches []string
	for range 1 + d.IntN(5)/4 {
		text := d.of("*", "^1.2", "^2.0.1", "^0.9", "~1.2", "~2", "1.5", "==2.0", "1.2.*", "2.*", ">=1.2", ">1,<3", "^1 !=1.5", ">=2.0rc1", "~=1.2", "^2", ">= 1.2, != 2.0")
		branches = append(branches, text)
	}
	return strings.Join(branches, d.of("||", " || "))
}

// files declare foo somewhere.
func (d dice) files() map[string]string {
	spec := d.specifier()
	plain := "foo" + d.of("", "[x]", " ") + spec
	marked := plain + d.of("", "", ` ; python_version >= "3.9"`, ";sys_platform=='win32'")
	single := strings.ReplaceAll(marked, "'", `"`)
	switch d.IntN(11) {
	case 0:
		return map[string]string{"requirements.txt": "bar\n" + marked + d.of("", "  # why", " --config-settings a=b") + "\nbaz>=1\n"}
	case 1:
		return map[string]string{"pyproject.toml": "[build-system]\nrequires = ['" + single + "', \"bar\"] # note\n"}
	case 2:
		return map[string]string{"pyproject.toml": "[project]\ndependencies = [\n  'bar',\n  '" + single + "', # note\n]\n[project.optional-dependencies]\nx = ['foo" + d.specifier() + "']\n"}
	case 3:
		return map[string]string{"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.9'\nfoo = \"" + d.constraint() + "\"\n"}
	case 4:
		return map[string]string{"pyproject.toml": "[tool.poetry.group.dev.dependencies]\nfoo = { version = '" + d.constraint() + "', extras = ['x'] } # note\n"}
	case 5:
		return map[string]string{"Pipfile": "[packages]\nfoo = \"" + d.of(spec, "*") + "\"\n"}
	case 6:
		return map[string]string{"setup.cfg": "[options]\ninstall_requires =\n    bar\n    " + marked + "\n    baz\n"}
	case 7:
		return map[string]string{"Dockerfile": "FROM x\nRUN pip install bar '" + single + "' && true\n"}
	case 8:
		return map[string]string{"Dockerfile": "FROM x\nRUN pip install bar foo" + strings.NewReplacer(" ", "", "<", "==").Replace(d.specifier()) + " && true\n"}
	case 9:
		return map[string]string{"requirements.txt": marked + "\n-c constraints.txt\n", "constraints.txt": "foo" + d.specifier() + "\n"}
	}
	return map[string]string{"pyproject.toml": "[dependency-groups]\na = ['" + single + "']\nb = [{include-group = 'a'}, 'foo" + d.specifier() + "']\n"}
}

// records are advisories about foo.
func (d dice) records() []string {
	var all []string
	for i := range d.IntN(3) {
		var pairs []string
		for range 1 + d.IntN(2) {
			pairs = append(pairs, "introduced", d.version())
			if d.IntN(6) > 0 {
				pairs = append(pairs, d.of("fixed", "fixed", "fixed", "last_affected"), d.version())
			}
		}
		more := ""
		if d.IntN(4) == 0 {
			more = `,"versions":["` + d.version() + `","` + d.version() + `"]`
		}
		all = append(all, record(fmt.Sprintf("PYSEC-2026-%d", i), "", events(pairs...)+more))
	}
	return all
}

func (d dice) policy() string {
	cfg := ""
	if d.IntN(2) == 0 {
		cfg += "floors: {foo: '" + d.version() + "'}\n"
	}
	if d.IntN(4) == 0 {
		cfg += "cap: {next_major: true}\n"
	}
	return cfg
}

// TestFixLaws holds for random projects that a fix, once it is written, makes
// the requirement pass, that it admits nothing that was not admitted before,
// that no line more than the one in question changes, and that a second fix
// changes nothing.
func TestFixLaws(t *testing.T) {
	t.Parallel()
	fixed, syntaxes := 0, map[manifest.Syntax]int{}
	for seed := range uint64(4000) {
		d := dice{rand.New(rand.NewPCG(seed, 1))}
		files, cfg, records := d.files(), d.policy(), d.records()
		in := input(t, files, cfg, records...)
		in.Holes = seed%3 == 0
		before := floors.Check(in)
		edits := before.Edits()
		if len(edits) == 0 {
			continue
		}
		texts := map[string][]byte{}
		for name := range edits {
			text, ok := floors.Apply([]byte(files[name]), edits[name])
			if !ok || strings.Count(string(text), "\n") != strings.Count(files[name], "\n") {
				t.Fatalf("seed %d: %v of %q", seed, edits[name], files[name])
			}
			texts[name] = text
		}
		again := in
		again.Reading = readTree(overlaid(files, texts))
		after := floors.Check(again)
		n := compareFixed(t, seed, before, after)
		fixed += n
		for _, v := range before.Verdicts {
			if v.Fix != nil && len(v.Fix.Edits) > 0 {
				syntaxes[v.Requirement.Syntax]++
			}
		}
		if rest := after.Edits(); len(rest) > 0 || t.Failed() {
			t.Fatalf("seed %d: a second fix changes %v\npolicy %s\nrecords %v\nbefore %v\n%s\nafter %s\n%s", seed, rest, cfg, records, files, brief(before), texts, brief(after))
		}
	}
	if fixed < 500 || syntaxes[manifest.PoetryConstraint] < 50 || syntaxes[manifest.Specifiers] < 300 {
		t.Errorf("only %d fixes, %v", fixed, syntaxes)
	}
}

func overlaid(files map[string]string, texts map[string][]byte) fstest.MapFS {
	all := map[string]string{}
	maps.Copy(all, files)
	for name, text := range texts {
		all[name] = string(text)
	}
	return tree(all)
}

// compareFixed compares the requirements before and after, which stand in the
// same order, and returns how many were mended.
func compareFixed(t *testing.T, seed uint64, before, after *floors.Report) (n int) {
	t.Helper()
	old, mended := requirements(before), requirements(after)
	if len(old) != len(mended) || len(after.Problems()) > 0 {
		t.Errorf("seed %d: %d requirements before, %d after, %v", seed, len(old), len(mended), after.Problems())
		return 0
	}
	for i, v := range old {
		if v.Fix == nil || len(v.Fix.Edits) == 0 {
			continue
		}
		n++
		q, m := v.Requirement, mended[i].Requirement
		if q.Name != m.Name || !slices.Equal(q.Extras, m.Extras) || q.Marker.String() != m.Marker.String() {
			t.Errorf("seed %d: %q became %q", seed, q.Text, m.Text)
		}
		if mended[i].Answer != floors.Pass {
			t.Errorf("seed %d: %q became %q, and is %s", seed, q.Text, m.Text, mended[i].Answer)
		}
		if !admitted(m).Subset(admitted(q)) || !m.EffectiveIn(pep440.All()).Subset(q.EffectiveIn(pep440.All())) {
			t.Errorf("seed %d: %q admits more than %q", seed, m.Text, q.Text)
		}
	}
	return n
}

// requirements are the verdicts about requirements, by place.
func requirements(r *floors.Report) []floors.Verdict {
	var all []floors.Verdict
	for _, v := range r.Verdicts {
		if v.Requirement != nil {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b floors.Verdict) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Span.Start.Line != b.Span.Start.Line {
			return a.Span.Start.Line - b.Span.Start.Line
		}
		if a.Span.Start.Column != b.Span.Start.Column {
			return a.Span.Start.Column - b.Span.Start.Column
		}
		return strings.Compare(a.Table, b.Table)
	})
	return all
}

func admitted(q *manifest.Requirement) pep440.Set { return osv.AnyOf(q.Admits).Set() }

// FuzzFix holds the same for any requirements file, and for any value of a table
// of Poetry.
func FuzzFix(f *testing.F) {
	for _, text := range []string{
		"foo", "foo>=1,<2 # x", "foo[a] (~=1.0) ; python_version<'3'", "foo==1.*\\\n", "foo >= 1 , != 1.2 , < 2", "^1.2 || ~1", "*", ">=1 <2", "foo===1.0", "--pre\nfoo>=1a1",
		"foo>1.0.post1", "1!1.0", "foo @ https://e.com/foo-1.0.tar.gz", "-c c.txt", "foo<1\r\nfoo", "\ufefffoo",
	} {
		f.Add(text, "1.5")
	}
	f.Add("foo>=1.0", "2.0rc1")
	f.Add("^1.2", ">1.4.post2")
	f.Fuzz(func(t *testing.T, text, floor string) {
		cfg, err := config.Parse("", fmt.Appendf(nil, "floors: {foo: %q}", floor))
		if err != nil || len(text) > 2000 || strings.ContainsAny(text, "\x00") {
			return
		}
		files := map[string]string{
			"requirements.txt": text + "\n",
			"pyproject.toml":   "[tool.poetry.dependencies]\nfoo = '" + strings.NewReplacer("'", "", "\n", "", "\r", "").Replace(text) + "'\n",
		}
		in := floors.Input{Reading: readTree(tree(files)), Config: cfg, Today: today()}
		before := floors.Check(in)
		texts := map[string][]byte{}
		for name, edits := range before.Edits() {
			fixed, ok := floors.Apply([]byte(files[name]), edits)
			if !ok {
				t.Fatalf("%v of %q", edits, files[name])
			}
			texts[name] = fixed
		}
		if len(texts) == 0 {
			return
		}
		in.Reading = readTree(overlaid(files, texts))
		after := floors.Check(in)
		old, mended := requirements(before), requirements(after)
		if len(old) != len(mended) || len(after.Edits()) > 0 {
			t.Fatalf("%q became %q:\n%s\n%s", files, texts, brief(before), brief(after))
		}
		for i, v := range old {
			if v.Fix != nil && len(v.Fix.Edits) > 0 && (mended[i].Answer != floors.Pass || !admitted(mended[i].Requirement).Subset(admitted(v.Requirement))) {
				t.Errorf("%q became %q:\n%s", v.Requirement.Text, mended[i].Requirement.Text, brief(after))
			}
		}
	})
}

// TestPins holds the same for what is pinned, but that it may admit another
// version then.
func TestPins(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, text, want string }{
		{"requirements.txt", "foo==1.0  # why\n", "foo==1.5  # why\n"},
		{"requirements.txt", "foo == 1.0 ; python_version > '3'\n", "foo == 1.5 ; python_version > '3'\n"},
		{"requirements.txt", "foo===1.0\n", "foo===1.5\n"},
		{"requirements.txt", "foo==1.0,!=1.4\n", "foo==1.5\n"},
		{"pyproject.toml", "[tool.poetry.dependencies]\nfoo = \"1.0\"\n", "[tool.poetry.dependencies]\nfoo = \"1.5\"\n"},
		{"pyproject.toml", "[tool.poetry.dependencies]\nfoo = \"==1.0\"\n", "[tool.poetry.dependencies]\nfoo = \"==1.5\"\n"},
		{"pyproject.toml", "[tool.pdm.resolution.overrides]\nfoo = \"1.0\"\n", "[tool.pdm.resolution.overrides]\nfoo = \"1.5\"\n"},
		{"Dockerfile", "FROM x\nRUN pip install foo==1.0\n", "FROM x\nRUN pip install \"foo==1.5\"\n"},
		{"Dockerfile", "FROM x\nRUN uv tool install foo@1.0\n", "FROM x\nRUN uv tool install \"foo@1.5\"\n"},
		{"Dockerfile", "FROM x\nRUN poetry add foo@^1.0\n", "FROM x\nRUN poetry add \"foo@^1.5\"\n"},
	} {
		in := input(t, map[string]string{tc.file: tc.text}, "strict_constraints: true", record("PYSEC-2026-1", "", events("introduced", "0", "fixed", "1.5")))
		in.Pins = true
		r := floors.Check(in)
		text, ok := floors.Apply([]byte(tc.text), r.Edits()[tc.file])
		if !ok || string(text) != tc.want {
			t.Errorf("%q became %q; want %q\n%s", tc.text, text, tc.want, brief(r))
		}
	}
}

// TestOrder holds that a report does not depend on the order of what was read,
// of the records, and of the files.
func TestOrder(t *testing.T) {
	t.Parallel()
	d := dice{rand.New(rand.NewPCG(1, 2))}
	files := map[string]string{}
	for i := range 30 {
		for name, text := range d.files() {
			files[fmt.Sprintf("p%d/%s", i, name)] = text
		}
	}
	records := append(d.records(), record("PYSEC-2026-9", "", events("introduced", "0", "fixed", "1.5")), record("MAL-2026-1", "", `,"versions":["1.2"]`))
	in := input(t, files, "floors: {foo: 1.2}", records...)
	want := floors.Check(in)
	for range 10 {
		shuffled := in
		shuffled.Reading.Requirements = slices.Clone(in.Reading.Requirements)
		d.Shuffle(len(shuffled.Reading.Requirements), func(i, j int) {
			all := shuffled.Reading.Requirements
			all[i], all[j] = all[j], all[i]
		})
		d.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		shuffled.Database = build(t, records...)
		got := floors.Check(shuffled)
		if diff := cmp.Diff(want.Document("", want.Findings()), got.Document("", got.Findings())); diff != "" {
			t.Fatalf("(-first +shuffled):\n%s", diff)
		}
	}
}
