package aptmethod_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
)

// instead answers requests whose path ends in suffix by itself.
func instead(h http.Handler, suffix string, answer http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, suffix) {
			answer(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// half answers with the first half of a body that it announces whole, and
// leaves the rest to then.
func half(body []byte, then func(w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Header().Set("Last-Modified", "Sat, 29 Jun 2024 12:00:00 GMT")
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		then(w, r)
	}
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// stall answers nothing more until the client has gone.
func stall(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// TestAptFaults lets one package of an archive go wrong, and holds what apt
// says, what the method says, and that nothing of it is taken for the package.
func TestAptFaults(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 3})
	bad := repo.Packages()[1]
	name := bad.Name + "_" + bad.Version + "_all.deb"
	other := bytes.Repeat([]byte("x"), len(bad.Body))
	for host, c := range map[string]struct {
		answer http.HandlerFunc
		conf   []string
		want   []string // in what apt says
	}{
		"gone": {http.NotFound, nil, []string{"404"}},
		"error": {
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) },
			nil,
			[]string{"503"},
		},
		"truncated": {half(bad.Body, hangUp), nil, []string{"truncated.example.org closed the connection in the middle of https://truncated.example.org/debian/" + bad.Path()}},
		"stalled":   {half(bad.Body, stall), []string{`Acquire::http::Timeout "2";`}, []string{"stalled.example.org sent nothing more for 2s"}},
		"mute":      {stall, []string{`Acquire::http::Timeout "2";`}, []string{"mute.example.org sent no answer for 2s"}},
		"altered": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(other) },
			nil,
			[]string{"Hash Sum mismatch", "SHA256:"},
		},
		"captive": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<html>log in</html>")
			},
			nil,
			[]string{fmt.Sprintf("the server's file has 19 bytes, not the expected %d: is the mirror being updated?", len(bad.Body))},
		},
		"huge": {
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(10<<30))
				_ = http.NewResponseController(w).Flush()
				stall(w, r)
			},
			nil,
			[]string{fmt.Sprintf("the server's file has 10737418240 bytes, not the expected %d: is the mirror being updated?", len(bad.Body))},
		},
		"endless": {
			func(w http.ResponseWriter, _ *http.Request) {
				for {
					if _, err := w.Write(other); err != nil {
						return
					}
				}
			},
			nil,
			[]string{fmt.Sprintf("the server sends more than the %d bytes that apt takes of the file", len(bad.Body))},
		},
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			m := archive(t, host+".example.org", instead(repo, bad.Path(), c.answer))
			apt := aptbed.New(t, aptbed.Options{
				Method:  aptbed.Method(t),
				Sources: []string{repo.Line("http://" + host + ".example.org/debian")},
				Conf:    append([]string{`Acquire::Retries "0";`}, c.conf...),
			})
			if got := apt.Run("update"); got.Code != 0 {
				t.Fatalf("update: exit %d\n%s", got.Code, got.Stderr)
			}
			got := apt.Run("install", "-y", "--download-only", repo.All())
			for _, want := range append(c.want, "E: ") {
				if got.Code != 100 || !strings.Contains(got.Stderr, want) {
					t.Errorf("exit %d, want 100 and %q in\n%s", got.Code, want, got.Stderr)
				}
			}
			// apt counts a wrong file as one that came.
			want := "loopx-apt: " + host + ".example.org: 3 files over TLS, 1 file failed in N s\n"
			if host == "altered" {
				want = "loopx-apt: " + host + ".example.org: 4 files over TLS in N s\n"
			}
			if said(got) != want {
				t.Errorf("the method says %q, want %q", said(got), want)
			}
			for _, there := range apt.List("/var/cache/apt/archives") {
				if there == name {
					t.Errorf("%s is taken for the package", there)
				}
			}
			if hits := m.ClearHits(); len(hits) != 0 {
				t.Errorf("in clear text: %v", hits)
			}
		})
	}
}

// TestAptRetries lets a server fail once: apt asks again.
func TestAptRetries(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 3})
	var failures atomic.Int32
	archive(t, "moody.example.org", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".deb") && failures.Add(1) <= 2 {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		repo.ServeHTTP(w, r)
	}))
	apt := aptbed.New(t, aptbed.Options{
		Method:  aptbed.Method(t),
		Sources: []string{repo.Line("http://moody.example.org/debian")},
		Conf:    []string{`Acquire::Retries "3";`, `Acquire::Retries::Delay "false";`},
	})
	apt.Run("update")
	got := apt.Run("install", "-y", "--download-only", repo.All())
	if got.Code != 0 || said(got) != "loopx-apt: moody.example.org: 4 files over TLS in N s\n" {
		t.Errorf("exit %d\n%s", got.Code, got.Stderr)
	}
	downloaded(t, apt, repo)
}

// TestAptUpdateFaults is about indexes, for which apt has other rules.
func TestAptUpdateFaults(t *testing.T) {
	t.Parallel()
	repo := aptrepo.New(aptrepo.Options{Packages: 300, Signed: true})
	for host, c := range map[string]struct {
		h     http.Handler
		setup string
		code  int
		want  string
	}{
		"captive-index": {
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<html>log in</html>")
			}),
			"", 100, "Clearsigned file isn't valid",
		},
		"huge-index": {
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(10<<30))
				_ = http.NewResponseController(w).Flush()
				stall(w, r)
			}),
			"", 100, "the server's file has 10737418240 bytes, apt takes at most 10000000 of it",
		},
		"full-disk": {
			repo, `mount -t tmpfs -o size=16k tmpfs "$1var/lib/apt/lists"`,
			100, "no space left on device",
		},
		"down-index": {
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) }),
			"", 0, "W: Failed to fetch", // as stock: an outage does not end the build here
		},
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			archive(t, host+".example.org", c.h)
			apt := aptbed.New(t, aptbed.Options{
				Method:  aptbed.Method(t),
				Sources: []string{repo.Line("http://" + host + ".example.org/debian")},
				Files:   map[string]string{aptrepo.KeyPath: string(repo.Key())},
				Conf:    []string{`Acquire::Retries "0";`},
				Setup:   c.setup,
			})
			got := apt.Run("update")
			if got.Code != c.code || !strings.Contains(got.Stdout+got.Stderr, c.want) {
				t.Errorf("exit %d, want %d and %q in\n%s%s", got.Code, c.code, c.want, got.Stdout, got.Stderr)
			}
		})
	}
}
