package aptmethod_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// TestAptMirrors gives Debian's archive two mirrors of the operator's, of which
// the first goes wrong.
func TestAptMirrors(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 8, Signed: true})
	altered := func(w http.ResponseWriter, r *http.Request) {
		body := bytes.Clone(repo.File(strings.TrimPrefix(r.URL.Path, "/")))
		body[0] ^= 1
		_, _ = w.Write(body)
	}
	for name, c := range map[string]struct {
		first  http.Handler
		update string // what the method says
		reason string // why the first mirror is given up by install; "" if it is not
		conf   []string
	}{
		"good":    {repo, "2 files from mirror good-1.example.org over TLS", "", nil},
		"altered": {instead(repo, ".deb", altered), "2 files from mirror altered-1.example.org over TLS", "its file is not the one that the archive's index names", nil},
		"empty":   {http.NotFoundHandler(), "gave up", "404", nil},
		"slow":    {http.HandlerFunc(stall), "gave up", "slow-1.example.org sent no answer for 2s", []string{`LoopX::Mirror-Deadline "2";`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := name+"-1.example.org", name+"-2.example.org"
			archive(t, first, c.first)
			backup := archive(t, second, repo)
			apt := aptbed.New(t, aptbed.Options{
				Method:  aptbed.Method(t),
				Sources: []string{repo.Line("http://deb.debian.org/debian")},
				Files:   map[string]string{aptrepo.KeyPath: string(repo.Key())},
				Route:   &route.Config{Mirrors: map[string][]string{"debian": {"https://" + first + "/debian", "https://" + second + "/debian"}}},
				Conf:    append([]string{`Acquire::Retries "0";`}, c.conf...),
			})
			if got := apt.Run("update"); got.Code != 0 || !strings.Contains(said(got), c.update) {
				t.Fatalf("update: exit %d, want %q in\n%s", got.Code, c.update, got.Stderr)
			}
			got := apt.Run("install", "-y", "--download-only", repo.All())
			if got.Code != 0 {
				t.Errorf("exit %d\n%s", got.Code, got.Stderr)
			}
			downloaded(t, apt, repo)
			lines := strings.SplitAfter(said(got), "\n")
			if c.reason == "" {
				if diff := cmp.Diff("loopx-apt: deb.debian.org: 9 files from mirror "+first+" over TLS in N s\n", said(got)); diff != "" || len(backup.TLSHits()) > 0 {
					t.Errorf("the second mirror had %d requests (-want +got):\n%s", len(backup.TLSHits()), diff)
				}
				return
			}
			if len(lines) != 3 || !strings.HasPrefix(lines[0], "loopx-apt: gave up "+first+": ") || !strings.Contains(lines[0], c.reason) ||
				lines[1] != "loopx-apt: deb.debian.org: 9 files from mirror "+second+" over TLS in N s\n" {
				t.Errorf("the method says\n%s", said(got))
			}
		})
	}
}

// TestAptMirrorOut: one archive of a host has a mirror that is out, another has
// none. apt puts off all of the host's files for one that may come back, and
// 2.6 then waits for ever.
func TestAptMirrorOut(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 4})
	archive(t, "up.example.org", repo)
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("http://deb.debian.org/debian"), repo.Line("http://deb.debian.org/debian-security")},
		Route: &route.Config{Mirrors: map[string][]string{
			"debian": {"https://out.example.org/debian"}, "debian-security": {"https://up.example.org/debian"},
		}},
		Conf: []string{`Acquire::Retries::Delay::Maximum "1";`},
	})
	got := apt.Run("update")
	if got.Code != 100 || !strings.Contains(got.Stderr, "the last of the operator's mirrors") {
		t.Errorf("exit %d\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
}

// fetchesAll checks that apt updates and downloads every package, and asks the
// archive for nothing in clear text.
func fetchesAll(t *testing.T, apt *aptbed.Apt, repo *aptrepo.Repo, m *testbed.Mirror) {
	t.Helper()
	for _, args := range [][]string{{"update"}, {"install", "-y", "--download-only", repo.All()}} {
		if got := apt.Run(args...); got.Code != 0 {
			t.Errorf("%v: exit %d\n%s%s", args, got.Code, got.Stdout, got.Stderr)
		}
	}
	downloaded(t, apt, repo)
	if hits := m.ClearHits(); len(hits) != 0 {
		t.Errorf("in clear text: %v", hits)
	}
}

// TestAptMirrorList reads a list of mirrors that the image has.
func TestAptMirrorList(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 4})
	m := archive(t, "listed.example.org", repo)
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("mirror+file:/etc/apt/mirrors.txt")},
		Files:   map[string]string{"/etc/apt/mirrors.txt": "http://listed.example.org/debian/\n"},
	})
	fetchesAll(t, apt, repo, m)
}

func TestAptFlatRepository(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 4})
	m := archive(t, "flat.example.org", repo)
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.FlatLine("https://flat.example.org/debian")},
	})
	fetchesAll(t, apt, repo, m)
}

func TestAptByHash(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 4})
	m := archive(t, "by-hash.example.org", repo)
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("http://by-hash.example.org/debian")},
		Conf:    []string{`Acquire::By-Hash "force";`},
	})
	if got := apt.Run("update"); got.Code != 0 {
		t.Fatalf("exit %d\n%s", got.Code, got.Stderr)
	}
	if !slices.ContainsFunc(m.TLSHits(), func(h testbed.Hit) bool { return strings.Contains(h.Path, "/by-hash/SHA256/") }) {
		t.Errorf("requests: %v", m.TLSHits())
	}
}
