package osv

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// rangeCase is a row of the file: a specifier, events, and whether the
// specifier admits an affected version when pre-releases count, and when they
// don't.
type rangeCase struct {
	spec       string
	events     []Event
	any, final bool
}

func (c *rangeCase) UnmarshalJSON(text []byte) error {
	var events []map[string]string
	var effective bool
	if err := json.Unmarshal(text, &[]any{&c.spec, &events, &c.any, &c.final, &effective}); err != nil {
		return err
	}
	for _, e := range events {
		for kind := Introduced; kind <= Limit; kind++ {
			if v, ok := e[kind.String()]; ok {
				c.events = append(c.events, Event{Kind: kind, Version: v})
			}
		}
	}
	return nil
}

func rangeCases(t *testing.T) []rangeCase {
	t.Helper()
	var file struct{ Affected []rangeCase }
	if err := json.Unmarshal(gunzip(t, "testdata/range-cases.json.gz"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Affected) != 1500 {
		t.Errorf("%d cases", len(file.Affected))
	}
	return file.Affected
}

// pairs puts each part of a range, from where it is introduced, into a range of
// its own.
func pairs(events []Event) []Range {
	var ranges []Range
	for i, e := range events {
		if e.Kind == Introduced {
			ranges = append(ranges, Range{Type: "ECOSYSTEM", Events: events[i:min(i+2, len(events))]})
		}
	}
	return ranges
}

// The file reads last_affected in plain order, in which a local version lies
// above it; it is taken out for the comparison. It means each pair of events
// for itself; where one ends and the next begins at one version, a list of all
// is another question (see timeline), and is noted.
func TestRangeCases(t *testing.T) {
	t.Parallel()
	touching := 0
	for _, c := range rangeCases(t) {
		e := evaluate(pairs(c.events), nil, pep440.Parse)
		list := evaluate([]Range{{Type: "ECOSYSTEM", Events: c.events}}, nil, pep440.Parse)
		if e.unprovable != "" || len(e.notes) > 0 || list.unprovable != "" {
			t.Errorf("%v: %q %q %q", c.events, e.unprovable, e.notes, list.unprovable)
		}
		if touches := len(list.notes) > 0; touches {
			touching++
		} else if !list.affected.Equal(e.affected) {
			t.Errorf("%v: %v as a list, %v in pairs", c.events, list.affected, e.affected)
		}
		affected := e.affected
		for _, ev := range c.events {
			if ev.Kind == LastAffected {
				v := version(t, ev.Version)
				affected = affected.Minus(exactly(v).Minus(pep440.Only(v)))
			}
		}
		admitted := specifiers(t, c.spec).Set().Intersect(affected)
		if diff := cmp.Diff([]bool{c.any, c.final}, []bool{!admitted.Empty(), admitted.HasFinal()}); diff != "" {
			t.Errorf("%q in %v (any, final): -want +got\n%s", c.spec, c.events, diff)
		}
	}
	if touching != 8 {
		t.Errorf("%d lists have parts that touch", touching)
	}
}

// The order of the events makes no difference.
func TestEventOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(83, 1))
	for _, c := range rangeCases(t) {
		want := evaluate([]Range{{Type: "SEMVER", Events: c.events}}, nil, pep440.Parse).affected
		rng.Shuffle(len(c.events), func(i, j int) { c.events[i], c.events[j] = c.events[j], c.events[i] })
		got := evaluate([]Range{{Type: "SEMVER", Events: c.events}}, nil, pep440.Parse).affected
		if !got.Equal(want) {
			t.Errorf("%v: %v, sorted %v", c.events, got, want)
		}
	}
}

// schema answers for one version as the pseudocode of the schema's section
// "Evaluation" does.
func schema(t *testing.T, v pep440.Version, sorted []Event) bool {
	vulnerable := false
	for _, e := range sorted {
		if e.Kind == Introduced && e.Version == "0" {
			vulnerable = true
			continue
		}
		switch c := v.Compare(version(t, e.Version)); {
		case e.Kind == Introduced && c >= 0:
			vulnerable = true
		case e.Kind == Fixed && c >= 0, e.Kind == LastAffected && c > 0:
			vulnerable = false
		}
	}
	return vulnerable
}

// A set of versions and the schema's answer for each version agree, on random
// events that overlap, touch and repeat.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	scale := []string{"0.9", "1.0a1", "1.0", "1.0.post1", "1.1.dev0", "1.1", "1.2rc1", "1.2", "2.0", "1!0.1"}
	rng := rand.New(rand.NewPCG(83, 2))
	for range 3000 {
		var list []Event
		for range 1 + rng.IntN(6) {
			list = append(list, Event{Kind: EventKind(rng.IntN(3)), Version: scale[rng.IntN(len(scale))]})
		}
		list = append(list, Event{Kind: Introduced, Version: []string{"0", "1.0"}[rng.IntN(2)]})
		points, why := timeline(list, pep440.Parse)
		if why != "" {
			t.Fatal(why)
		}
		var sorted []Event
		for _, p := range points {
			e := Event{Kind: p.kind, Version: "0"}
			if !p.bottom {
				e.Version = p.version.Original()
			}
			sorted = append(sorted, e)
		}
		got := evaluate([]Range{{Type: "ECOSYSTEM", Events: list}}, nil, pep440.Parse).affected
		for _, text := range append(scale, "0.1", "1.0.1", "3") {
			if v := version(t, text); got.Contains(v) != schema(t, v, sorted) {
				t.Errorf("%v: %s is in %v: %v", sorted, text, got, got.Contains(v))
			}
		}
	}
}
