package rewrite

import (
	"slices"
	"testing"
	"time"
)

// rounds is how often each file is measured; the two sides alternate, and a
// file's time is the median.
const rounds = 9

// BenchmarkPlan measures a plan with its edits made, per file, over BuildKit's
// testfiles and the goldens, beside BuildKit's own conversion and marshaling
// of the same file. Both sides are measured in turn within one process.
//
// Metrics: plan-p50-µs and plan-p99-µs, llb-p50-µs and llb-p99-µs (over the
// files that BuildKit can convert without a build), ratio-p50,
// ratio-p99 and ratio-max (of each such file's times), spread-% (the median over files of the distance
// of the plan's quartiles, as a part of its median).
func BenchmarkPlan(b *testing.B) {
	files := append(buildkitFiles(b), goldenFiles(b)...)
	for b.Loop() {
		var plans, llbs, ratios, spreads []float64
		for _, f := range files {
			p, l := measure(b, f.text)
			if len(p) == 0 {
				continue
			}
			plans = append(plans, quantile(p, 0.5))
			spreads = append(spreads, 100*(quantile(p, 0.75)-quantile(p, 0.25))/quantile(p, 0.5))
			if len(l) > 0 {
				llbs = append(llbs, quantile(l, 0.5))
				ratios = append(ratios, quantile(p, 0.5)/quantile(l, 0.5))
			}
		}
		b.ReportMetric(float64(len(plans)), "files")
		b.ReportMetric(quantile(plans, 0.5), "plan-p50-µs")
		b.ReportMetric(quantile(plans, 0.99), "plan-p99-µs")
		b.ReportMetric(quantile(llbs, 0.5), "llb-p50-µs")
		b.ReportMetric(quantile(llbs, 0.99), "llb-p99-µs")
		b.ReportMetric(quantile(ratios, 0.5), "ratio-p50")
		b.ReportMetric(quantile(ratios, 0.99), "ratio-p99")
		b.ReportMetric(slices.Max(ratios), "ratio-max")
		b.ReportMetric(quantile(spreads, 0.5), "spread-%")
	}
}

// measure returns the times of one file in microseconds, none for a side that
// refuses the file.
func measure(b *testing.B, src []byte) (plans, llbs []float64) {
	b.Helper()
	for range rounds {
		start := time.Now()
		p, err := New(src, Config{})
		if err == nil {
			p.Bytes()
			plans = append(plans, microseconds(start))
		}
		start = time.Now()
		if _, err := convert(b.Context(), src, nil); err == nil {
			llbs = append(llbs, microseconds(start))
		}
	}
	return plans, llbs
}

func microseconds(start time.Time) float64 { return float64(time.Since(start).Nanoseconds()) / 1e3 }

// quantile returns the nearest-rank quantile of the values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
