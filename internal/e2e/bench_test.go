package e2e

import (
	"archive/tar"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// rounds is how often each side is measured. The sides take turns, and so does
// which of them begins, so that both see the same machine.
const rounds = 15

// tenSteps has no fetch in clear text but a local one, which is kept.
const tenSteps = `FROM debian:bookworm-fetchers AS build
WORKDIR /src
COPY a.txt .
RUN cp a.txt b.txt
COPY --chmod=755 run.sh /usr/local/bin/
RUN run.sh >built && sha256sum built
RUN --mount=type=cache,target=/cache cp built /cache/
FROM debian:bookworm-fetchers
RUN useradd app
COPY --from=build /src/built /srv/built
RUN echo http://localhost:8080/ >/srv/address
USER app
HEALTHCHECK CMD curl -f http://localhost:8080/
CMD ["run.sh"]
`

// BenchmarkCachedBuild measures the whole command `docker buildx build` for a
// Dockerfile of ten steps that are all in the cache, by our image and by the
// stock frontend's: the time that the frontend itself adds to a build.
//
// moved has one more step, with a fetch that is moved. It may fail: nothing but
// its cached result is measured. ca also gives the build a named context with the
// operator's CA, which the stock frontend doesn't read.
//
// Metrics: stock-p50-ms and ours-p50-ms (medians), stock-spread-% and
// ours-spread-% (the distance of the quartiles, as a part of the median), ratio
// (ours-p50 by stock-p50; the bar is 1.1) and ratio-paired (the median of the
// rounds' own ratios).
func BenchmarkCachedBuild(b *testing.B) {
	stock, ours := testbed.StockImage(b), testbed.FrontendImage(b)
	testbed.Fetchers(b, "bookworm")
	h := newHost(b, testbed.MirrorOptions{})
	moved := strings.Replace(tenSteps, "USER app\n", h.expand("RUN curl -fsS http://HOST/curl -o /srv/curl || true\nUSER app\n"), 1)
	for _, c := range []struct {
		name, dockerfile string
		cached           int // RUN, COPY and ADD steps
		flags            []string
	}{
		{"clean", tenSteps, 8, nil},
		{"moved", moved, 9, nil},
		{"ca", moved, 9, []string{withCA(b, h.CA)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			run := call{dir: folder(b, map[string]string{"a.txt": "a\n", "run.sh": "#!/bin/sh\necho built\n", "Dockerfile": c.dockerfile})}
			args := append([]string{"build", "."}, c.flags...)
			build := func(frontend string) float64 {
				start := time.Now()
				log := run.build(b, append(args, by(frontend))...)
				elapsed := milliseconds(start)
				if n := cached(log); n != c.cached {
					b.Fatalf("%d steps were cached, not %d:\n%s", n, c.cached, log)
				}
				return elapsed
			}
			for _, frontend := range []string{stock, ours} {
				run.build(b, append(args, by(frontend))...) // fill the cache
			}
			compare(b, func() float64 { return build(stock) }, func() float64 { return build(ours) })
		})
	}
}

// BenchmarkStart measures the start of both frontends' processes on the host:
// their --version, from the binaries in the images.
//
// Metrics: those of BenchmarkCachedBuild without a bar, and stock-MB and
// ours-MB, the sizes of the binaries in 10⁶ bytes (the bar for ours is 25).
func BenchmarkStart(b *testing.B) {
	testbed.StockImage(b)
	testbed.FrontendImage(b)
	stock, ours := program(b, "docker/dockerfile:1"), program(b, "loopx-frontend:1")
	start := func(path string) float64 {
		begin := time.Now()
		if got := testbed.Run(b, exec.CommandContext(b.Context(), path, "--version")); got.Code != 0 {
			b.Fatalf("%s --version: exit code %d\n%s", path, got.Code, got.Stderr)
		}
		return milliseconds(begin)
	}
	compare(b, func() float64 { return start(stock) }, func() float64 { return start(ours) })
	b.ReportMetric(megabytes(b, stock), "stock-MB")
	b.ReportMetric(megabytes(b, ours), "ours-MB")
}

// compare measures both sides and reports their metrics. A first run of each
// doesn't count.
func compare(b *testing.B, stock, ours func() float64) {
	b.Helper()
	stock()
	ours()
	for b.Loop() {
		var s, o, ratios []float64
		for i := range rounds {
			if i%2 == 0 {
				s, o = append(s, stock()), append(o, ours())
			} else {
				o, s = append(o, ours()), append(s, stock())
			}
			ratios = append(ratios, o[i]/s[i])
		}
		b.ReportMetric(quantile(s, 0.5), "stock-p50-ms")
		b.ReportMetric(quantile(o, 0.5), "ours-p50-ms")
		b.ReportMetric(spread(s), "stock-spread-%")
		b.ReportMetric(spread(o), "ours-spread-%")
		b.ReportMetric(quantile(o, 0.5)/quantile(s, 0.5), "ratio")
		b.ReportMetric(quantile(ratios, 0.5), "ratio-paired")
	}
}

// program takes the frontend out of an image in the registry and returns the
// path of the file.
func program(b *testing.B, image string) string {
	b.Helper()
	layers, err := testbed.Registry(b).Image(b, image).Layers()
	if err != nil {
		b.Fatal(err)
	}
	rc, err := layers[len(layers)-1].Uncompressed() // below it is what RUNs are given
	if err != nil {
		b.Fatal(err)
	}
	defer rc.Close()
	for r := tar.NewReader(rc); ; {
		h, err := r.Next()
		if err != nil {
			b.Fatalf("%s: no program: %v", image, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		path := filepath.Join(b.TempDir(), "frontend")
		data, err := io.ReadAll(r)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			b.Fatal(err)
		}
		return path
	}
}

func megabytes(b *testing.B, path string) float64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size()) / 1e6
}

func milliseconds(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1e3 }

// spread is the distance of the quartiles as a part of the median, in percent.
func spread(values []float64) float64 {
	return 100 * (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5)
}

// quantile returns the nearest-rank quantile of the values.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
