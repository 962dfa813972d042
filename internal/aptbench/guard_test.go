package aptbench

import (
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

const (
	// guardBuilds is how often the build is done.
	guardBuilds = 15
	// guardPairs is how many steps of each kind it has.
	guardPairs = 20
)

// Steps that do the same: test, which is the shell's own. The second names apt,
// so that it is guarded. Each fails if it is not what it is meant to be.
const (
	plainStep   = "RUN test ! -e /dev/.loopx/apt || false"
	guardedStep = "RUN test -e /dev/.loopx/apt || apt-get is-not-guarded"
)

// BenchmarkGuard measures what the guard's mounts add to a RUN: the time of a
// step, as the daemon says when it began and ended, with and without them. Both
// kinds take turns within each build by our image on a bookworm base.
//
// Metrics: plain-ms and guarded-ms, the medians over all builds, guard-ms, the
// median of the differences between neighbours, and its quartiles, guard-q1-ms
// and guard-q3-ms. The bar: guard-ms 5.
func BenchmarkGuard(b *testing.B) {
	build := testbed.Build{
		Frontend:   testbed.FrontendImage(b),
		Dockerfile: "FROM " + testbed.Base(b, "bookworm").Ref + "\n" + steps(),
		NoCache:    true,
	}
	d := testbed.Buildkitd(b)
	once := func() []*client.Vertex {
		got, err := d.Build(b, build)
		if err != nil {
			b.Fatalf("%v\n%s", err, got.Log)
		}
		return ranSteps(b, got.Vertices)
	}
	once()
	for b.Loop() {
		var plain, guarded, differences []float64
		for range rounds(guardBuilds) {
			for pair := range slices.Chunk(once(), 2) {
				p, g := pair[0], pair[1]
				if strings.Contains(p.Name, "apt-get") {
					p, g = g, p
				}
				plain, guarded = append(plain, took(p)), append(guarded, took(g))
				differences = append(differences, took(g)-took(p))
			}
		}
		b.ReportMetric(quantile(plain, 0.5), "plain-ms")
		b.ReportMetric(quantile(guarded, 0.5), "guarded-ms")
		b.ReportMetric(quantile(differences, 0.5), "guard-ms")
		b.ReportMetric(quantile(differences, 0.25), "guard-q1-ms")
		b.ReportMetric(quantile(differences, 0.75), "guard-q3-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// steps are pairs of a step of each kind; every second pair begins with the
// guarded one.
func steps() string {
	pair := []string{plainStep, guardedStep, guardedStep, plainStep}
	return strings.Repeat(strings.Join(pair, "\n")+"\n", guardPairs/2)
}

// ranSteps returns the steps in the order in which they ran.
func ranSteps(b *testing.B, vertices []*client.Vertex) []*client.Vertex {
	b.Helper()
	var steps []*client.Vertex
	for _, v := range vertices {
		if strings.Contains(v.Name, "RUN ") && v.Started != nil && v.Completed != nil {
			steps = append(steps, v)
		}
	}
	if len(steps) != 2*guardPairs {
		b.Fatalf("%d of %d steps were run", len(steps), 2*guardPairs)
	}
	slices.SortFunc(steps, func(x, y *client.Vertex) int { return x.Started.Compare(*y.Started) })
	return steps
}

// took returns how long a step ran, in milliseconds.
func took(v *client.Vertex) float64 {
	return float64(v.Completed.Sub(*v.Started).Microseconds()) / 1e3
}
