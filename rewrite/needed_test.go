package rewrite

import (
	"strings"
	"testing"
)

func TestNeeded(t *testing.T) {
	const file = `ARG BASE=one
FROM x AS one
FROM x AS two
ONBUILD COPY --from=five /a /b
FROM ${BASE} AS three
RUN --mount=from=four true
FROM x AS four
FROM x AS five
FROM Two AS six
COPY --from=0 /a /b
`
	for _, test := range []struct {
		target, want string // the lines that take part
	}{
		{"one", "12"},
		{"three", "1256"},
		{"", "1234" + "89A"}, // six: two, and one by its index; five comes after two
		{"SIX", "1234" + "89A"},
		{"4", "18"},
		{"nothing", "123456789A"},
	} {
		plan, err := New([]byte(file), Config{})
		if err != nil {
			t.Fatal(err)
		}
		needed := plan.Needed(test.target)
		var got strings.Builder
		for line := 1; line <= strings.Count(file, "\n"); line++ {
			if needed(line) {
				got.WriteByte("0123456789ABC"[line])
			}
		}
		if got.String() != test.want {
			t.Errorf("target %q: lines %s take part, want %s", test.target, &got, test.want)
		}
	}
}

// TestNeededUnknown: where a name is not known before the build, all may be
// needed.
func TestNeededUnknown(t *testing.T) {
	plan, err := New([]byte("ARG BASE\nFROM x AS one\nFROM $BASE\n"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Needed("")(2) {
		t.Error("a stage that may be needed is left out")
	}
	plan, err = New([]byte("ARG BASE\nFROM x AS one\nFROM $BASE\n"), Config{BuildArgs: map[string]string{"BASE": "y"}})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Needed("")(2) {
		t.Error("a stage that nothing is made from takes part")
	}
}

// TestNeededBuilt: what is known to be built takes part, with what it is made
// from.
func TestNeededBuilt(t *testing.T) {
	plan, err := New([]byte("FROM x AS one\nFROM one AS two\nRUN true\nFROM x AS three\nFROM y\n"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	needed := plan.Needed("", 3, 99)
	for line, want := range []bool{1: true, 2: true, 3: true, 4: false, 5: true} {
		if line > 0 && needed(line) != want {
			t.Errorf("line %d: %v, want %v", line, !want, want)
		}
	}
}
