package pep735

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// answer is what Python's packaging said; testdata/README.md describes it.
type answer struct {
	Groups json.RawMessage
	Want   []string
	OK     bool
	Out    []string
	Error  string
}

func readAnswers(t testing.TB) []answer {
	t.Helper()
	var all struct{ Cases []answer }
	if err := oracle.Read("testdata/pep735-vectors.json.gz", &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) == 0 {
		t.Fatal("no vectors")
	}
	return all.Cases
}

// groupsOf reads a JSON object as a table, in its order. Positions count keys
// and entries.
func groupsOf(t testing.TB, object []byte) []Group {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	var groups []Group
	at := 0
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		g := Group{Name: name.(string), At: at}
		at++
		entries, isList := value.([]any)
		g.NotList = !isList
		for _, e := range entries {
			g.Entries = append(g.Entries, entryOf(e, at))
			at++
		}
		groups = append(groups, g)
	}
	return groups
}

func entryOf(value any, at int) Entry {
	switch v := value.(type) {
	case string:
		return Entry{Kind: Requirement, Text: v, At: at}
	case map[string]any:
		include, ok := v["include-group"]
		if !ok || len(v) != 1 {
			return Entry{Kind: OtherTable, At: at}
		}
		if name, ok := include.(string); ok {
			return Entry{Kind: Include, Text: name, At: at}
		}
	}
	return Entry{Kind: OtherType, At: at}
}

// problemOf is the name in this package for what packaging raises.
func problemOf(t testing.TB, exception string) Problem {
	t.Helper()
	switch exception {
	case "CyclicDependencyGroup":
		return Cycle
	case "LookupError":
		return NotFound
	case "DuplicateGroupNames":
		return DuplicateName
	case "InvalidDependencyGroupObject":
		return BadTable
	case "TypeError":
		return BadType
	case "InvalidRequirement":
		return BadRequirement
	}
	t.Fatalf("what is %s?", exception)
	return TooMany
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, want := range readAnswers(t) {
		got, err := New(groupsOf(t, want.Groups)).Expand(want.Want...)
		if want.OK {
			var out []string
			for _, r := range got {
				out = append(out, r.Requirement.String())
			}
			if d := cmp.Diff(want.Out, append([]string{}, out...)); d != "" || err != nil {
				t.Errorf("%s of %s: %v, want -, got +:\n%s", want.Want, want.Groups, err, d)
			}
			continue
		}
		var problem *Error
		if !errors.As(err, &problem) || problem.Problem != problemOf(t, want.Error) {
			t.Errorf("%s of %s: %v, want %s", want.Want, want.Groups, err, want.Error)
		}
	}
}
