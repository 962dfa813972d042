package aptmethod_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// archive serves a handler as http(s)://NAME/debian.
func archive(t *testing.T, name string, h http.Handler) *testbed.Mirror {
	t.Helper()
	return testbed.NewMirror(t, testbed.MirrorOptions{Names: []string{name}, Handler: http.StripPrefix("/debian", h)})
}

// seconds is the part of the summary that differs from run to run.
var seconds = regexp.MustCompile(`in [0-9]+[.][0-9] s(;|\n)`)

// said returns what the method told people, with N for the seconds, and the
// lines of it that are apt's own left out.
func said(got aptbed.Result) string {
	var ours strings.Builder
	for line := range strings.Lines(got.Stderr) {
		if strings.HasPrefix(line, "loopx-apt: ") {
			ours.WriteString(seconds.ReplaceAllString(line, "in N s$1"))
		}
	}
	return ours.String()
}

// downloaded ends the test if apt does not have all packages of a repository.
func downloaded(t *testing.T, apt *aptbed.Apt, repo *aptrepo.Repo) {
	t.Helper()
	for _, p := range repo.Packages() {
		if apt.Read("/var/cache/apt/archives/"+p.Name+"_"+p.Version+"_all.deb") != string(p.Body) {
			t.Fatalf("%s differs from the archive's", p.Name)
		}
	}
}

// TestAptUpdateAndInstall runs the apt of this machine and those of several
// releases: before and after URIs were sent encoded, and before and after
// OpenSSL and sqv.
func TestAptUpdateAndInstall(t *testing.T) {
	t.Parallel()
	for _, suite := range []string{"", "bullseye", "bookworm", "trixie"} {
		t.Run(suite, func(t *testing.T) {
			t.Parallel()
			repo := aptrepo.New(aptrepo.Options{Packages: 30, Signed: true})
			host := strings.TrimPrefix(suite+"-plain.example.org", "-")
			m := archive(t, host, repo)
			base := "http://" + host + "/debian"
			apt := aptbed.New(t, aptbed.Options{
				Suite:   suite,
				Method:  aptbed.Method(t),
				Sources: []string{repo.Line(base), repo.SourceLine(base)},
				Files:   map[string]string{aptrepo.KeyPath: string(repo.Key())},
			})
			for _, c := range []struct {
				args []string
				said string
			}{
				{[]string{"update"}, "3 files over TLS in N s\n"},
				{[]string{"update"}, "1 file over TLS (1 unchanged) in N s\n"},
				{[]string{"install", "-y", "--download-only", repo.All()}, "31 files over TLS in N s\n"},
				{[]string{"source", "--download-only", repo.Names()[0]}, "2 files over TLS in N s\n"},
			} {
				got := apt.Run(c.args...)
				if got.Code != 0 {
					t.Fatalf("apt-get %v: exit %d\n%s\n%s", c.args, got.Code, got.Stdout, got.Stderr)
				}
				if diff := cmp.Diff("loopx-apt: "+host+": "+c.said, said(got)); diff != "" {
					t.Errorf("apt-get %v says (-want +got):\n%s", c.args, diff)
				}
			}
			downloaded(t, apt, repo)
			if hits := m.ClearHits(); len(hits) != 0 {
				t.Errorf("in clear text: %v", hits)
			}
		})
	}
}

// TestAptKept has a source on a private network.
func TestAptKept(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 2, Signed: true})
	m := archive(t, "cache.internal", repo)
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("http://cache.internal/debian")},
		Files:   map[string]string{aptrepo.KeyPath: string(repo.Key())},
	})
	got := apt.Run("update")
	if want := "loopx-apt: cache.internal: 2 files in clear text in N s; kept: cache.internal is "; got.Code != 0 || !strings.HasPrefix(said(got), want) {
		t.Errorf("exit %d, want %q in\n%s", got.Code, want, got.Stderr)
	}
	if hits := m.TLSHits(); len(hits) != 0 {
		t.Errorf("over TLS: %v", hits)
	}
}

// TestPaths holds that the method looks where the frontend puts things.
func TestPaths(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{mount.Dir, mount.AuthFile}, []string{aptmethod.DefaultDir, aptmethod.AuthFile}); diff != "" {
		t.Errorf("(-mount +method):\n%s", diff)
	}
}

// TestAptSlowFile holds back the first package that is asked for until all
// others have come.
func TestAptSlowFile(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 12})
	var first, others sync.Once
	var count atomic.Int32
	all := make(chan struct{})
	archive(t, "slow.example.org", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".deb") {
			held := false
			first.Do(func() { held = true })
			if held {
				<-all
			} else if count.Add(1) == 12 { // with the package that depends on all
				defer others.Do(func() { close(all) })
			}
		}
		repo.ServeHTTP(w, r)
	}))
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("http://slow.example.org/debian")},
	})
	apt.Run("update")
	if got := apt.Run("install", "-y", "--download-only", repo.All()); got.Code != 0 || said(got) != "loopx-apt: slow.example.org: 13 files over TLS in N s\n" {
		t.Errorf("exit %d\n%s", got.Code, got.Stderr)
	}
	downloaded(t, apt, repo)
}

// TestAptDlLimit can't be faster than the limit, however slow the machine is.
func TestAptDlLimit(t *testing.T) {
	t.Parallel()
	const limit = 200 // kB/s
	repo := aptrepo.New(aptrepo.Options{Packages: 4, Bytes: 150 << 10})
	archive(t, "limited.example.org", repo)
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("http://limited.example.org/debian")},
		Conf:    []string{`Acquire::http::Dl-Limit "200";`},
	})
	apt.Run("update")
	begin := time.Now()
	if got := apt.Run("install", "-y", "--download-only", repo.All()); got.Code != 0 {
		t.Errorf("exit %d\n%s", got.Code, got.Stderr)
	}
	if took, least := time.Since(begin), time.Duration(repo.Bytes()*int64(time.Second)/(limit<<10)); took < least {
		t.Errorf("%d bytes in %v, want at least %v", repo.Bytes(), took, least)
	}
	downloaded(t, apt, repo)
}

// TestAptVerifyPeer has an image that switches certificate checks off.
func TestAptVerifyPeer(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 1})
	testbed.NewMirror(t, testbed.MirrorOptions{
		Names: []string{"untrusted.example.org"}, Handler: http.StripPrefix("/debian", repo), CA: testbed.NewCA(t, "nobody"),
	})
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("https://untrusted.example.org/debian")},
		Conf:    []string{`Acquire::https::Verify-Peer "false";`, `Acquire::https::untrusted.example.org::Verify-Host "false";`},
	})
	got := apt.Run("update")
	for _, want := range []string{
		"loopx-apt: Acquire::https::Verify-Peer is false in apt's configuration; certificates are verified nevertheless\n",
		"loopx-apt: Acquire::https::untrusted.example.org::Verify-Host is false in apt's configuration; certificates are verified nevertheless\n",
		"untrusted.example.org cannot be trusted",
	} {
		if got.Code != 100 || !strings.Contains(got.Stdout+got.Stderr, want) {
			t.Errorf("exit %d, want 100 and %q in\n%s%s", got.Code, want, got.Stdout, got.Stderr)
		}
	}
}
