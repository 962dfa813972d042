package testbed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// archiveNames are the host names of Archive, sorted.
func archiveNames() []string {
	return []string{
		"archive.debian.org", "archive.ubuntu.com", "cdn-fastly.deb.debian.org",
		"deb.debian.org", "ftp.debian.org", "ftp.de.debian.org",
		"security.debian.org", "security.ubuntu.com",
	}
}

// standIn names the host that answers for a name of archiveNames where that is
// another one. archive.debian.org has no suite that is in use, so it has those
// of deb.debian.org here.
func standIn(name string) string {
	switch name {
	case "archive.debian.org", "cdn-fastly.deb.debian.org", "ftp.debian.org", "ftp.de.debian.org":
		return "deb.debian.org"
	}
	return name
}

// Archive is Debian's and Ubuntu's archives on loopback: a Mirror that has their
// names until the test ends, in clear text and over TLS. What it serves is the
// real thing, fetched over TLS, that is checked against the roots of this
// machine. Packages and whatever else has its final name are kept in the cache
// for a month; an index is fetched once in a process, so that all of its builds
// see one state of the archive.
func Archive(t TB) *Mirror {
	t.Helper()
	up := upstreamOf(t)
	return NewMirror(t, MirrorOptions{
		Names: archiveNames(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			host := strings.ToLower(strings.TrimSuffix(r.Host, ":80"))
			if !slices.Contains(archiveNames(), host) {
				http.NotFound(w, r)
				return
			}
			up.serve(w, r, "https://"+standIn(host)+r.URL.EscapedPath())
		}),
	})
}

// ArchiveTree is a handler for a mirror of an archive: it serves below the path
// at what the real archive has below base, an https URL. Both have no slash at
// their end.
func ArchiveTree(t TB, at, base string) http.Handler {
	t.Helper()
	up := upstreamOf(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, ok := strings.CutPrefix(r.URL.EscapedPath(), at+"/")
		if !ok {
			http.NotFound(w, r)
			return
		}
		up.serve(w, r, base+"/"+rest)
	})
}

func upstreamOf(t TB) *upstream {
	t.Helper()
	return must[*upstream](t, "make the archive's cache")(shared.archive())
}

// upstream fetches files of archives and keeps them.
type upstream struct {
	kept, work string // folders: of this month, and of this process
	client     *http.Client
	files      oncePer[stored] // by URL
}

// stored is the answer to a URL.
type stored struct {
	status   int
	path     string // of the body, for http.StatusOK
	modified time.Time
}

func (b *bed) archive() (*upstream, error) {
	return b.upstream.do(func() (*upstream, error) {
		cache, err := setup.CacheDir()
		if err != nil {
			return nil, err
		}
		work, err := b.work()
		if err != nil {
			return nil, err
		}
		now := time.Now().UTC()
		up := &upstream{
			kept: filepath.Join(cache, "archive", now.Format("2006-01")),
			work: filepath.Join(work, "archive"),
			client: &http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, DisableCompression: true, ForceAttemptHTTP2: true,
			}},
		}
		for _, dir := range []string{up.kept, up.work} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return nil, err
			}
		}
		return up, forgetMonths(filepath.Dir(up.kept), now)
	})
}

// forgetMonths removes the folders of all months but the last two: a process
// that began in the month before may still run.
func forgetMonths(dir string, now time.Time) error {
	months, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	use := []string{first.Format("2006-01"), first.AddDate(0, -1, 0).Format("2006-01")}
	for _, m := range months {
		if !slices.Contains(use, m.Name()) {
			if err := os.RemoveAll(filepath.Join(dir, m.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// serve answers r with what url has. An archive that can't be reached is 502.
func (u *upstream) serve(w http.ResponseWriter, r *http.Request, url string) {
	file, err := u.get(r.Context(), url)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if file.status != http.StatusOK {
		http.Error(w, url, file.status)
		return
	}
	f, err := os.Open(file.path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", file.modified, f)
}

// get returns the answer to url, from a folder if it is there.
func (u *upstream) get(ctx context.Context, url string) (stored, error) {
	// Others may wait for the answer when the first who asked has gone.
	ctx = context.WithoutCancel(ctx)
	file, err := u.files.do(url, func() (stored, error) {
		sum := sha256.Sum256([]byte(url))
		path := filepath.Join(u.work, hex.EncodeToString(sum[:16]))
		if immutable(url) {
			path = filepath.Join(u.kept, filepath.Base(path))
		}
		if info, err := os.Stat(path); err == nil {
			return stored{http.StatusOK, path, info.ModTime()}, nil
		}
		return u.fetch(ctx, url, path)
	})
	if err != nil {
		u.files.forget(url)
	}
	return file, err
}

// immutable reports whether a URL always has the same content.
func immutable(url string) bool {
	return strings.Contains(url, "/pool/") || strings.Contains(url, "/by-hash/")
}

// fetch stores the body of url at path, with the time of its last change.
func (u *upstream) fetch(ctx context.Context, url, path string) (stored, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return stored{}, err
	}
	res, err := u.client.Do(req)
	if err != nil {
		return stored{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		if res.StatusCode >= http.StatusInternalServerError {
			return stored{}, fmt.Errorf("%s: %s", url, res.Status)
		}
		return stored{status: res.StatusCode}, nil
	}
	modified, err := http.ParseTime(res.Header.Get("Last-Modified"))
	if err != nil {
		modified = time.Now().Truncate(time.Second)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return stored{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if _, err := io.Copy(tmp, res.Body); err != nil {
		return stored{}, fmt.Errorf("%s: %w", url, err)
	}
	if err := os.Chtimes(tmp.Name(), modified, modified); err != nil {
		return stored{}, err
	}
	return stored{http.StatusOK, path, modified}, os.Rename(tmp.Name(), path)
}
