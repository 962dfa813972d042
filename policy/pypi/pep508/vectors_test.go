package pep508

import (
	"flag"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/oracle"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// answers are what Python's packaging said; testdata/README.md describes them.
type answers struct {
	Envs         []map[string]string
	Requirements []requirementAnswer
	Markers      []struct {
		In, Eval, Norm string
		OK             bool
	}
}

type requirementAnswer struct {
	In, Name, Canonical, Eval string
	OK                        bool
	Extras, Spec              []string
	URL, Marker               string
}

func readAnswers(t testing.TB) answers {
	t.Helper()
	var a answers
	if err := oracle.Read("testdata/pep508-vectors.json.gz", &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Envs) == 0 || len(a.Requirements) == 0 || len(a.Markers) == 0 {
		t.Fatal("no vectors")
	}
	return a
}

// evaluate returns the marker's answers as the vectors write them.
func evaluate(m *Marker, envs []map[string]string) string {
	var out []byte
	for _, env := range envs {
		c := byte('0')
		switch holds, err := m.Eval(env); {
		case err != nil:
			c = 'E'
		case holds:
			c = '1'
		}
		out = append(out, c)
	}
	return string(out)
}

func TestRequirementVectors(t *testing.T) {
	t.Parallel()
	a := readAnswers(t)
	for _, want := range a.Requirements {
		r, err := Parse(want.In)
		if (err == nil) != want.OK {
			t.Errorf("Parse(%q): %v, want valid: %t", want.In, err, want.OK)
		}
		if err != nil || !want.OK {
			continue
		}
		got := requirementAnswer{
			In: want.In, OK: true, Name: r.Name, Canonical: pep503.Normalize(r.Name),
			Extras: slices.Sorted(slices.Values(r.Extras)), Spec: []string{}, URL: r.URL, Marker: r.Marker.String(),
		}
		for _, c := range r.Specifiers.Clauses {
			got.Spec = append(got.Spec, c.String())
		}
		slices.Sort(got.Spec)
		if r.Marker != nil {
			got.Eval = evaluate(r.Marker, a.Envs)
		}
		got.Extras = append([]string{}, got.Extras...)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("Parse(%q), want -, got +:\n%s", want.In, d)
		}
		checkRoundTrip(t, r)
	}
}

func TestMarkerVectors(t *testing.T) {
	t.Parallel()
	a := readAnswers(t)
	for _, want := range a.Markers {
		m, err := ParseMarker(want.In)
		if (err == nil) != want.OK {
			t.Errorf("ParseMarker(%q): %v, want valid: %t", want.In, err, want.OK)
		}
		if err != nil || !want.OK {
			continue
		}
		if got := m.String(); got != want.Norm {
			t.Errorf("ParseMarker(%q) = %q, want %q", want.In, got, want.Norm)
		}
		if got := evaluate(m, a.Envs); got != want.Eval {
			t.Errorf("%q evaluates to %s, want %s", want.In, got, want.Eval)
		}
	}
}

// checkRoundTrip holds that what is printed reads as the same, and prints as
// it did.
func checkRoundTrip(t *testing.T, r Requirement) {
	t.Helper()
	text := r.String()
	again, err := Parse(text)
	if err != nil {
		t.Errorf("Parse(%q), printed from a requirement: %v", text, err)
		return
	}
	if got := again.String(); got != text {
		t.Errorf("%q prints as %q when it is read again", text, got)
	}
	if pep503.Normalize(again.Name) != pep503.Normalize(r.Name) || again.URL != r.URL ||
		!again.Specifiers.Set().Equal(r.Specifiers.Set()) {
		t.Errorf("%q is not the requirement it was printed from", text)
	}
}
