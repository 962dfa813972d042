package aptbench

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
	"github.com/loopx/loopx-frontend/internal/relay"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

// host is the archive's name.
const host = "archive.example.org"

// How often each method downloads the archive: less often where it takes long.
const (
	fastRounds = 25
	slowRounds = 9
)

// BenchmarkFetch measures `apt-get install --download-only` of 200 packages, from
// the start of apt-get to its end, by apt's own http and https methods and by
// ours, which is given the http source and fetches over TLS. All have the same
// packages from the same server, which is this process.
//
//   - loopback: 92 MB.
//   - rtt20ms: 92 MB, from a network namespace with a round-trip time of 20 ms.
//   - rtt20ms-2MBps: 20 MB, because a round of 92 MB would take two minutes, from
//     one that also passes 2 MB/s a connection.
//
// The server offers HTTP/2, as Debian's does; apt's own methods don't speak it.
// In the cases that end in -http1 it does not.
//
// Metrics: see compare. The bars: ours/http 1.05 and ours/https 0.9 on loopback,
// ours/http 1.0 with the delay, 0.4 with delay and rate.
func BenchmarkFetch(b *testing.B) {
	for _, c := range []struct {
		name   string
		rounds int
		bytes  int64
		http2  bool
		net    relay.Options
	}{
		{"loopback", fastRounds, 92e6, true, relay.Options{}},
		{"rtt20ms", fastRounds, 92e6, true, relay.Options{Delay: 10 * time.Millisecond}},
		{"rtt20ms-http1", fastRounds, 92e6, false, relay.Options{Delay: 10 * time.Millisecond}},
		{"rtt20ms-2MBps", slowRounds, 20e6, true, relay.Options{Delay: 10 * time.Millisecond, Rate: 2e6}},
		{"rtt20ms-2MBps-http1", slowRounds, 20e6, false, relay.Options{Delay: 10 * time.Millisecond, Rate: 2e6}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := newArchive(b, 200, c.bytes, c.http2)
			if c.net != (relay.Options{}) {
				a.moveAway(b, c.net)
			}
			compare(b, "ms", rounds(c.rounds),
				a.side(b, "http", "http", ""),
				a.side(b, "https", "https", ""),
				a.side(b, "ours", "http", aptbed.Method(b)),
			)
		})
	}
}

// archive is a repository and its servers.
type archive struct {
	repo    *aptrepo.Repo
	mirror  *testbed.Mirror
	network string // the namespace that clients run in
}

func newArchive(b *testing.B, packages int, bytes int64, http2 bool) *archive {
	b.Helper()
	if smoke() {
		packages, bytes = 10, 1e6
	}
	repo := aptrepo.New(aptrepo.Options{Packages: packages, Bytes: bytes})
	return &archive{repo: repo, mirror: testbed.NewMirror(b, testbed.MirrorOptions{
		Names: []string{host}, Handler: http.StripPrefix("/debian", repo), HTTP2: http2,
	})}
}

// moveAway puts a slow network before the servers.
func (a *archive) moveAway(b *testing.B, opts relay.Options) {
	b.Helper()
	far, err := relay.NewFar(opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(far.Close)
	a.network = far.Path()
}

// side returns an apt that downloads all packages by a method, from a source of
// a scheme.
func (a *archive) side(b *testing.B, name, scheme, method string) side {
	b.Helper()
	apt := a.apt(b, scheme, method)
	return side{name, func() float64 { return a.download(b, apt, method != "" || scheme == "https") }}
}

// apt returns an installation that has read the archive's indexes.
func (a *archive) apt(b *testing.B, scheme, method string) *aptbed.Apt {
	b.Helper()
	apt := aptbed.New(b, aptbed.Options{
		Method:  method,
		Network: a.network,
		Sources: []string{a.repo.Line(scheme + "://" + host + "/debian")},
	})
	if got := apt.Run("update"); got.Code != 0 {
		b.Fatalf("apt-get update: exit code %d\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
	return apt
}

// downloadScript prints how many nanoseconds apt-get took, without what it takes
// to enter the namespaces.
const downloadScript = `rm -f /var/cache/apt/archives/*.deb
begin=$(date +%s%N)
apt-get -qq -y --download-only install "$1" >&2
echo $(($(date +%s%N) - begin))
`

// download removes what was downloaded before, downloads all packages, and
// returns how long apt-get took, in milliseconds. It holds that apt has all of
// them, and that every request was over TLS or none.
func (a *archive) download(b *testing.B, apt *aptbed.Apt, overTLS bool) float64 {
	b.Helper()
	a.mirror.Reset()
	got := testbed.Run(b, apt.Command("sh", "-ec", downloadScript, "sh", a.repo.All()))
	ns, err := strconv.ParseFloat(strings.TrimSpace(got.Stdout), 64)
	if got.Code != 0 || err != nil {
		b.Fatalf("exit code %d, %v\n%s", got.Code, err, got.Stderr)
	}
	used, unused := a.mirror.TLSHits(), a.mirror.ClearHits()
	if !overTLS {
		used, unused = unused, used
	}
	if len(used) < len(a.repo.Names()) || len(unused) != 0 {
		b.Fatalf("%d requests, %d by the other scheme", len(used), len(unused))
	}
	have := apt.List("/var/cache/apt/archives")
	for _, p := range a.repo.Packages() {
		if !slices.Contains(have, p.Name+"_"+p.Version+"_all.deb") {
			b.Fatalf("%s was not downloaded", p.Name)
		}
	}
	return ns / 1e6
}
