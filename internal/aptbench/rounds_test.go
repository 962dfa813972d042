package aptbench

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

var _ = flag.Bool("update", false, "accepted for `go test ./... -update`; there is no golden here")

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// smoke reports whether the benchmarks shall only show that they run.
func smoke() bool { return flag.Lookup("test.benchtime").Value.String() == "1x" }

// rounds returns how often each side is measured.
func rounds(full int) int {
	if smoke() {
		return 1
	}
	return full
}

// side is one of the things compared.
type side struct {
	name string
	// measure does the work once and returns what it took.
	measure func() float64
}

// compare measures all sides in each round and reports, for each, the median
// ("NAME-UNIT") and the spread ("NAME-spread-%": the distance of the quartiles,
// as a part of the median). For the last side, ours, it reports the ratio of the
// medians to each other side ("ours/NAME"), and the median and the quartiles of
// the rounds' own ratios ("ours/NAME-paired", "-q1", "-q3").
func compare(b *testing.B, unit string, n int, sides ...side) {
	b.Helper()
	for b.Loop() {
		took := make([][]float64, len(sides))
		for round := range n {
			for i := range sides {
				i = (i + round) % len(sides)
				took[i] = append(took[i], sides[i].measure())
			}
		}
		report(b, unit, sides, took)
	}
	b.ReportMetric(0, "ns/op") // of a whole run of rounds: no use
}

func report(b *testing.B, unit string, sides []side, took [][]float64) {
	ours := len(sides) - 1
	for i, s := range sides {
		b.ReportMetric(quantile(took[i], 0.5), s.name+"-"+unit)
		b.ReportMetric(100*(quantile(took[i], 0.75)-quantile(took[i], 0.25))/quantile(took[i], 0.5), s.name+"-spread-%")
		if i == ours {
			break
		}
		ratio := sides[ours].name + "/" + s.name
		b.ReportMetric(quantile(took[ours], 0.5)/quantile(took[i], 0.5), ratio)
		var paired []float64
		for round := range took[i] {
			paired = append(paired, took[ours][round]/took[i][round])
		}
		b.ReportMetric(quantile(paired, 0.5), ratio+"-paired")
		b.ReportMetric(quantile(paired, 0.25), ratio+"-q1")
		b.ReportMetric(quantile(paired, 0.75), ratio+"-q3")
	}
}

// quantile returns the nearest-rank quantile of the values.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
