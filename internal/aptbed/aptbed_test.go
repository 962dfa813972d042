package aptbed_test

import (
	"flag"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
	"github.com/loopx/loopx-frontend/internal/relay"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

var _ = flag.Bool("update", false, "accepted for `go test ./... -update`; there is no golden here")

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// archive serves repo as http://NAME/debian.
func archive(t *testing.T, name string, repo *aptrepo.Repo) *testbed.Mirror {
	return testbed.NewMirror(t, testbed.MirrorOptions{Names: []string{name}, Handler: http.StripPrefix("/debian", repo)})
}

// TestOwnMethods runs apt without ours: what is fetched is what the archive has,
// over the scheme that the source names.
func TestOwnMethods(t *testing.T) {
	for _, suite := range []string{"", "bullseye", "bookworm", "trixie"} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(suite+"/"+scheme, func(t *testing.T) {
				t.Parallel()
				repo := aptrepo.New(aptrepo.Options{Packages: 5, Signed: true})
				name := strings.TrimPrefix(suite+"-"+scheme+".example.org", "-")
				mirror := archive(t, name, repo)
				base := scheme + "://" + name + "/debian"
				apt := aptbed.New(t, aptbed.Options{
					Suite:   suite,
					Sources: []string{repo.Line(base), repo.SourceLine(base)},
					Files:   map[string]string{aptrepo.KeyPath: string(repo.Key())},
				})
				for _, args := range [][]string{
					{"update"},
					{"install", "-y", "--download-only", repo.All()},
					{"source", "--download-only", repo.Names()[0]},
				} {
					if got := apt.Run(args...); got.Code != 0 || got.Stderr != "" {
						t.Errorf("apt-get %v: exit code %d\n%s\n%s", args, got.Code, got.Stdout, got.Stderr)
					}
				}
				for _, p := range repo.Packages() {
					if apt.Read("/var/cache/apt/archives/"+p.Name+"_"+p.Version+"_all.deb") != string(p.Body) {
						t.Errorf("%s differs from the archive's", p.Name)
					}
				}
				if diff := cmp.Diff([]string{"pkg001_1.0-1.dsc", "pkg001_1.0-1.tar.gz"}, apt.List("/mnt")); diff != "" {
					t.Error(diff)
				}
				used, unused := mirror.ClearHits(), mirror.TLSHits()
				if scheme == "https" {
					used, unused = unused, used
				}
				if len(used) < len(repo.Names()) || len(unused) != 0 {
					t.Errorf("%d requests over %s, %d others", len(used), scheme, len(unused))
				}
			})
		}
	}
}

// TestPrivate holds that a run sees nothing of the machine's apt, and that its
// files last.
func TestPrivate(t *testing.T) {
	repo := aptrepo.New(aptrepo.Options{Packages: 3, Suite: "flat-and-unsigned"})
	archive(t, "private.example.org", repo)
	apt := aptbed.New(t, aptbed.Options{
		Sources: []string{repo.FlatLine("http://private.example.org/debian")},
		Env:     []string{"BED=yes"},
		Setup:   "mount -t tmpfs -o size=64k tmpfs \"$1var/cache/apt/archives\"",
	})
	if got := apt.Run("update"); got.Code != 0 {
		t.Fatalf("exit code %d\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
	lists := apt.List("/var/lib/apt/lists")
	if diff := cmp.Diff(1, strings.Count(strings.Join(lists, " "), "_Packages")); diff != "" {
		t.Errorf("lists after the update: %v", lists)
	}
	got := apt.Shell(`echo $BED $SSL_CERT_FILE $(ls /dev) $(find /etc/apt /var/lib/dpkg -type f | sort); apt-cache pkgnames pkg00 | sort; df --output=size /var/cache/apt/archives`)
	want := "yes fd full null random tty urandom zero /etc/apt/apt.conf.d/50bed /etc/apt/bed-ca.crt /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources /var/lib/dpkg/status\npkg001\npkg002\npkg003\n1K-blocks\n       64\n"
	if diff := cmp.Diff(want, got.Stdout); diff != "" || got.Code != 0 {
		t.Errorf("code %d, %s\n%s", got.Code, diff, got.Stderr)
	}
}

// TestMount holds that apt in a run with a method has the guard's mount.
func TestMount(t *testing.T) {
	stand := t.TempDir() + "/method"
	if err := os.WriteFile(stand, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, suite := range []string{"", "bullseye", "trixie"} {
		apt := aptbed.New(t, aptbed.Options{Method: stand, Suite: suite, Auth: "machine example.org\n", OperatorCA: []byte("x")})
		got := apt.Shell(`
			echo $APT_CONFIG
			apt-config shell M Dir::Bin::methods::http D LoopX::Dir
			ls /dev/.loopx /dev/.loopx/operator
			cat /dev/.loopx-auth.conf
			touch /dev/.loopx/x 2>&1 || true`)
		want := "/dev/.loopx/apt/apt.conf\nM='/dev/.loopx/apt/method'\nD='/dev/.loopx'\n" +
			"/dev/.loopx:\napt\nca.crt\noperator\nwgetrc\n\n/dev/.loopx/operator:\nca.crt\nmachine example.org\n" +
			"touch: cannot touch '/dev/.loopx/x': Read-only file system\n"
		if diff := cmp.Diff(want, got.Stdout); diff != "" || got.Code != 0 {
			t.Errorf("%s: code %d, %s\n%s", suite, got.Code, diff, got.Stderr)
		}
	}
}

// TestNetwork holds that apt reaches an archive from a namespace far away, and
// one that a relay stands before.
func TestNetwork(t *testing.T) {
	t.Parallel()
	slow := relay.Options{Delay: time.Millisecond, Rate: 100e6}
	far, err := relay.NewFar(slow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	repo := aptrepo.New(aptrepo.Options{Packages: 3, Bytes: 3e6})
	direct, relayed := archive(t, "far.example.org", repo), archive(t, "relayed.example.org", repo)
	addr, listeners := testbed.Listen(t, 443)
	between := relay.New(listeners[0], netip.AddrPortFrom(relayed.Addr, 443).String(), slow)
	t.Cleanup(between.Close)
	testbed.Redirect(t, "relayed.example.org", addr)

	for _, c := range []struct {
		mirror  *testbed.Mirror
		network string
	}{{direct, far.Path()}, {relayed, ""}} {
		apt := aptbed.New(t, aptbed.Options{
			Sources: []string{repo.Line("https://" + c.mirror.Names[0] + "/debian")},
			Network: c.network,
		})
		got := apt.Shell("apt-get update && apt-get -y --download-only install " + repo.All())
		if got.Code != 0 || len(c.mirror.TLSHits()) < 4 {
			t.Fatalf("%s: code %d, %d requests\n%s%s", c.mirror.Names, got.Code, len(c.mirror.TLSHits()), got.Stdout, got.Stderr)
		}
		for _, p := range repo.Packages() {
			if apt.Read("/var/cache/apt/archives/"+p.Name+"_"+p.Version+"_all.deb") != string(p.Body) {
				t.Errorf("%s: %s differs from the archive's", c.mirror.Names, p.Name)
			}
		}
	}
}
