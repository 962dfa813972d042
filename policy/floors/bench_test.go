package floors_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// many is 1,000 manifests with 20 requirements each: half of them requirements
// files, half pyproject.toml, over all projects that have an advisory and as
// many that have none.
func many(db *osv.Database) map[string]string {
	names := db.Names()
	specs := []string{"", ">=1.0", ">=1.0,<2", "==1.2.3", "~=2.1", "<4", ">=0.5,!=1.0", "==2.*", ">=3; python_version >= '3.9'"}
	files := map[string]string{}
	n := 0
	next := func() string {
		name := names[n%len(names)]
		if n%2 == 1 {
			name = fmt.Sprintf("other-%d", n%997)
		}
		n++
		return name + specs[n%len(specs)]
	}
	for i := range 1000 {
		var b strings.Builder
		if i%2 == 0 {
			for range 20 {
				b.WriteString(next() + "\n")
			}
			files[fmt.Sprintf("p%d/requirements.txt", i)] = b.String()
			continue
		}
		b.WriteString("[build-system]\nrequires = []\n[project]\nname = \"p\"\ndependencies = [\n")
		for range 20 {
			fmt.Fprintf(&b, "    %q,\n", next())
		}
		b.WriteString("]\n")
		files[fmt.Sprintf("p%d/pyproject.toml", i)] = b.String()
	}
	return files
}

// BenchmarkCheck reads 1,000 manifests with 20,000 requirements and checks them
// against the whole fixture, which is loaded before. peak-MB is the memory that
// the process has taken from the system in the end.
func BenchmarkCheck(b *testing.B) {
	db := build(b, fixture(b))
	fsys := tree(many(db))
	cfg := &config.Config{}
	b.ReportAllocs()
	bad := 0
	for b.Loop() {
		r := floors.Check(floors.Input{Reading: readTree(fsys), Config: cfg, Database: db, Today: today()})
		bad += len(r.Findings())
	}
	if bad == 0 {
		b.Error("no findings")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "peak-MB")
}
