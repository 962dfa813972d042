package osv

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// floorCase is a question to the reference implementation, and its answer.
type floorCase struct {
	Package, Spec string
	IDs           []string
	Floor         *floor
	Bands         int
	Safe, Lift    bool
}

// floor is a lower bound, or "none" in the file: no upper end.
type floor struct{ Op, V string }

func (f *floor) UnmarshalJSON(text []byte) error {
	if string(text) == `"none"` {
		*f = floor{Op: "none"}
		return nil
	}
	type plain floor
	return json.Unmarshal(text, (*plain)(f))
}

// otherwise are the cases in which the reference is not followed. In both, a
// version is affected as a single point, and the question is what of the pin is
// safe. The reference answers that a local version of it is ("1.11.0+x"), in
// the plain order of versions. PEP 440, "Version matching": "If the specified
// version identifier is a public version identifier (no local version label),
// then the local version label of any candidate versions MUST be ignored when
// matching versions." To the pin, and to us, 1.11.0+x is 1.11.0, so nothing of
// it is safe, and a floor above it leaves nothing.
var otherwise = map[[2]string]struct{ safe, lift bool }{
	{"gevent", "==23.9.0"}: {safe: false, lift: true},
	{"py", "==1.11.0"}:     {safe: false, lift: true},
}

func TestFloorCases(t *testing.T) {
	t.Parallel()
	db := build(t, fixture(t))
	var file struct{ Cases []floorCase }
	if err := json.Unmarshal(gunzip(t, "testdata/floor-cases.json.gz"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 9000 {
		t.Errorf("%d cases", len(file.Cases))
	}
	for _, want := range file.Cases {
		if o, ok := otherwise[[2]string{want.Package, want.Spec}]; ok {
			want.Safe, want.Lift = o.safe, o.lift
		}
		d := Derive(db.Lookup(want.Package), specifiers(t, want.Spec), false)
		if !samePoint(t, d, want.Floor) {
			t.Errorf("%s%s: floor %v, no end %v, want %+v", want.Package, want.Spec, d.Floor, d.NoEnd, want.Floor)
		}
		want.Floor = nil
		got := floorCase{Package: want.Package, Spec: want.Spec, IDs: []string{}, Bands: d.Bands, Safe: d.Safe, Lift: d.Lift}
		for _, h := range d.Hits {
			got.IDs = append(got.IDs, h.Records...)
		}
		slices.Sort(got.IDs)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s%s: -want +got\n%s", want.Package, want.Spec, diff)
		}
	}
}

// samePoint reports whether a derived floor is the one in the file. The file
// writes points that no version has in its own way: ">0.9.3.dev5" where the
// advisory says, and we do, ">=0.9.3.dev6".
func samePoint(t *testing.T, d Derivation, want *floor) bool {
	switch {
	case want == nil:
		return d.Floor.IsZero() && !d.NoEnd
	case want.Op == "none":
		return d.Floor.IsZero() && d.NoEnd
	}
	b := Bound{pep440.Op(want.Op), version(t, want.V)}
	return !d.NoEnd && d.Floor.Set().Equal(b.Set())
}
