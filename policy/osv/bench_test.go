package osv

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// BenchmarkLoad reads the whole fixture and makes a database of it.
func BenchmarkLoad(b *testing.B) {
	text := fixture(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		build(b, text)
	}
}

// BenchmarkDerive asks 20,000 questions about all projects of the fixture, as a
// run over a large repository does. The specifiers are read beforehand.
func BenchmarkDerive(b *testing.B) {
	db := build(b, fixture(b))
	names := db.Names()
	var specs []pep440.Specifiers
	for _, text := range []string{"", ">=1.0", ">=1.0,<2", "==1.2.3", "~=2.1", "<4", ">=0.5,!=1.0", "==2.*"} {
		specs = append(specs, specifiers(b, text))
	}
	b.ReportAllocs()
	hits := 0
	for b.Loop() {
		for i := range 20_000 {
			hits += len(Derive(db.Lookup(names[i%len(names)]), specs[i%len(specs)], false).Hits)
		}
	}
	if hits == 0 {
		b.Error("no hits")
	}
}

// BenchmarkDeriveOne asks about the project with the most advisories.
func BenchmarkDeriveOne(b *testing.B) {
	db := build(b, fixture(b))
	spec := specifiers(b, ">=1.0")
	for b.Loop() {
		Derive(db.Lookup("tensorflow"), spec, false)
	}
}

func ExampleDerive() {
	var b Builder
	err := Decode(`{"id":"PYSEC-2026-1","modified":"2026-07-04T00:00:00Z","aliases":["CVE-2026-1"],"affected":[{"package":{"ecosystem":"PyPI","name":"Example"},
		"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"2.0"},{"fixed":"2.2"},{"introduced":"0"},{"fixed":"1.5"}]}]}]}`, 1,
		func(r Record) error { b.Add(r); return nil })
	if err != nil {
		panic(err)
	}
	db := b.Database()
	spec, err := pep440.ParseSpecifiers(">=1.5,<3")
	if err != nil {
		panic(err)
	}
	d := Derive(db.Lookup("example"), spec, false)
	fmt.Println(d.Hits[0].Advisory.IDs, "affects", d.Affected)
	fmt.Println("floor", d.Floor, "or", d.Cut)
	fmt.Println(Snapshot{Newest: db.Stats().Newest}.Older(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), 30*24*time.Hour))
	// Output:
	// [CVE-2026-1 PYSEC-2026-1] affects [2.0, 2.2)
	// floor >=2.2 or !=2.0.*,!=2.1.*
	// true
}
