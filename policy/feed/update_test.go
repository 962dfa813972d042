package feed

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// export serves a body with its ETag, and counts requests.
type export struct {
	mu   sync.Mutex
	body string
	etag string
	seen []string // If-None-Match of each request
}

func (e *export) set(body, etag string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.body, e.etag = body, etag
}

func (e *export) handle(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, r.Header.Get("If-None-Match"))
	w.Header().Set("ETag", e.etag)
	if e.etag != "" && r.Header.Get("If-None-Match") == e.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	io.WriteString(w, e.body)
}

// files are the names in the cache of one address, but for the lock.
func files(t *testing.T, o Options, address string) []string {
	t.Helper()
	entries, err := os.ReadDir(o.store(address).dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o, _ := ca.options(t)
	e := &export{}
	server := ca.serve(t, e.handle)
	address := server + "/PyPI/all.zip"
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	var last, total int64
	o.Progress = func(done, all int64) { last, total = done, all }

	_, _, err := Open(t.Context(), address, o)
	if got := failure(t, err); got != address+": has not been fetched yet" {
		t.Error(got)
	}

	e.set(zipped(t, "a.json", one), `"v1"`)
	u, err := Update(t.Context(), address, o)
	want := osv.Snapshot{Source: address, SHA256: u.Snapshot.SHA256, Fetched: now, Newest: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Records: 1}
	if err != nil || !u.Changed || u.Before != (osv.Snapshot{}) || u.Snapshot != want || len(want.SHA256) != 64 {
		t.Fatalf("%+v %v", u, err)
	}
	if size := int64(len(e.body)); last != size || total != size {
		t.Errorf("progress: %d of %d, want %d", last, total, size)
	}

	now = now.Add(time.Hour)
	u, err = Update(t.Context(), address, o)
	before := want
	want.Fetched = now
	if err != nil || u.Changed || u.Before != before || u.Snapshot != want {
		t.Errorf("%+v %v", u, err)
	}

	e.set(zipped(t, "a.json", one, "b.json", two), `"v2"`)
	u, err = Update(t.Context(), address, o)
	if err != nil || !u.Changed || u.Snapshot.Records != 2 || u.Before != want {
		t.Errorf("%+v %v", u, err)
	}
	if got := strings.Join(e.seen, " "); got != ` "v1" "v1"` {
		t.Errorf("If-None-Match: %s", got)
	}

	o.CA, o.Proxy = nil, nil // nothing is fetched any more
	db, snapshot, err := Open(t.Context(), address, o)
	if err != nil || show(db) != both || snapshot != u.Snapshot {
		t.Errorf("%+v %v", snapshot, err)
	}
	if got := files(t, o, address); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// What an update cannot use leaves the cache as it was.
func TestUpdateFails(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	o, waits := ca.options(t)
	o.Limits = Limits{Document: 1 << 20}
	o.Stall = 300 * time.Millisecond
	hang := make(chan struct{})
	defer close(hang)
	var answer atomic.Pointer[http.HandlerFunc]
	server := ca.serve(t, func(w http.ResponseWriter, r *http.Request) { (*answer.Load())(w, r) })
	address := server + "/all.jsonl?token=secret-of-mine"
	shown := server + "/all.jsonl?token=***"
	set := func(h http.HandlerFunc) { answer.Store(&h) }
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	to := func(target string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) }
	}
	clear := httptest.NewServer(http.HandlerFunc(text(200, one)))
	defer clear.Close()
	stranger := other.serve(t, text(200, two))

	set(text(200, one))
	if _, err := Update(t.Context(), address, o); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
		again   int // how often it is tried again
	}{
		{"not there", text(404, "no"), shown + ": the server answers 404, and no export", 0},
		{"out of order", text(503, "no"), shown + ": the server answers 503", 2},
		{"not changed, and never asked", text(304, ""), shown + ": the server answers 304, and no export", 0},
		{"a login page", text(200, "<html>"), shown + `:1: this is no JSON: it begins with "<html>"`, 0},
		{"nothing", text(200, ""), shown + ": holds no advisory", 0},
		{"of no use", text(200, `{"id":"X"}`), shown + ": holds no advisory about a Python project", 0},
		{"broken", text(200, two+"\n{"), shown + ":2: the text ends in the middle of a value", 0},
		{"too large, and says so", text(200, strings.Repeat(" ", 2<<20)), shown + ": is larger than 1 MiB, which is all that is read", 0},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				io.WriteString(w, strings.Repeat(" ", 1<<20))
				w.(http.Flusher).Flush()
			}
		}, shown + ": is larger than 1 MiB, which is all that is read", 0},
		{"breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, two)
		}, shown + ": the answer breaks off: unexpected EOF", 2},
		{"stalls", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, two)
			w.(http.Flusher).Flush()
			<-hang
		}, shown + ": the server has said nothing for 300ms", 2},
		{"to clear text", to(clear.URL + "/x?token=abc"), shown + ": redirects to " + clear.URL + "/x?token=***, out of TLS into clear text: refused", 0},
		{"to a stranger", to(stranger), shown + ": cannot be fetched from " + stranger + ": tls: failed to verify certificate: x509: certificate signed by unknown authority", 0},
		{"in a circle", to("/again"), shown + ": redirects more than 10 times", 0},
		{"to nowhere", to("https://127.0.0.1:1/"), shown + ": cannot be fetched from https://127.0.0.1:1/: dial tcp 127.0.0.1:1: connect: connection refused", 2},
	} {
		*waits = nil
		set(tc.handler)
		_, err := Update(t.Context(), address, o)
		if got := failure(t, err); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
		if len(*waits) != tc.again {
			t.Errorf("%s: tried again %d times, want %d", tc.name, len(*waits), tc.again)
		}
		db, _, err := Open(t.Context(), address, o)
		if err != nil || show(db) != "P-1 (-∞, 1.0)" || len(files(t, o, address)) != 2 {
			t.Errorf("%s: afterwards %v, %q", tc.name, err, files(t, o, address))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	set(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-hang
	})
	if _, err := Update(ctx, address, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, name := range append(files(t, o, address), "lock") {
		data, err := os.ReadFile(filepath.Join(o.store(address).dir, name))
		if err != nil || strings.Contains(string(data), "secret-of-mine") {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}

// Nothing but https is asked, and nobody who cannot prove who it is.
func TestAddresses(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o, _ := ca.options(t)
	var hits atomic.Int32
	count := func(http.ResponseWriter, *http.Request) { hits.Add(1) }
	secure := ca.serve(t, count)
	clear := httptest.NewServer(http.HandlerFunc(count))
	defer clear.Close()
	noCA, badCA := o, o
	noCA.CA = nil
	badCA.CA = []string{write(t, "ca.pem", "nothing")}
	for _, tc := range []struct {
		address string
		o       Options
		want    string
	}{
		{clear.URL, o, clear.URL + ": advisories are fetched by https only"},
		{"file:///etc/passwd", o, "file:///etc/passwd: is no address"},
		{"all.zip", o, "all.zip: is no address"},
		{"https://user:secret@example.org/all.zip", o, "https://***@example.org/all.zip: an address with a user name or a password is not taken"},
		{"https://" + strings.TrimPrefix(clear.URL, "http://"), o, "https://" + strings.TrimPrefix(clear.URL, "http://") + ": cannot be fetched: http: server gave HTTP response to HTTPS client"},
		{strings.Replace(secure, "127.0.0.1", "localhost", 1), o, strings.Replace(secure, "127.0.0.1", "localhost", 1) + ": cannot be fetched: tls: failed to verify certificate: x509: certificate is not valid for any names, but wanted to match localhost"},
		{secure, noCA, secure + ": cannot be fetched: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{secure, badCA, badCA.CA[0] + ": holds no certificate in PEM form"},
	} {
		_, err := Update(t.Context(), tc.address, tc.o)
		if got := failure(t, err); got != tc.want {
			t.Errorf("\n got %s\nwant %s", got, tc.want)
		}
		if _, _, err = Query(t.Context(), tc.address, []string{"foo"}, tc.o); !strings.HasPrefix(failure(t, err), strings.SplitN(tc.want, ": ", 2)[0]) {
			t.Errorf("query: %v, want %s", err, tc.want)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("%d requests arrived", hits.Load())
	}
}

// A server that is out of order is left alone as long as it wants, and no longer
// than half a minute.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": time.Second, "7": 7 * time.Second, "86400": 30 * time.Second, "99999999999999": 30 * time.Second, "-1": time.Second, "soon": time.Second,
		"Mon, 30 Nov 2026 12:00:09 GMT": 9 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": time.Second,
	} {
		o, waits := ca.options(t)
		o.Now = func() time.Time { return now }
		n := 0
		address := ca.serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if n++; n == 1 {
				w.Header().Set("Retry-After", header)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			io.WriteString(w, one)
		})
		if _, err := Update(t.Context(), address, o); err != nil || len(*waits) != 1 || (*waits)[0] != want {
			t.Errorf("%q: waited %v, want %v; %v", header, *waits, want, err)
		}
	}
}

// A cache that is not what was fetched is an error, and the next update mends
// it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	e := &export{body: one, etag: `"v1"`}
	address := ca.serve(t, e.handle)
	for name, damage := range map[string]func(stateFile, exportFile string) error{
		"cut":          func(_, x string) error { return os.Truncate(x, 10) },
		"changed":      func(_, x string) error { return os.WriteFile(x, []byte(strings.Replace(one, "1.0", "0.1", 1)), 0o600) },
		"longer":       func(_, x string) error { return os.WriteFile(x, []byte(one+"\n"), 0o600) },
		"gone":         func(_, x string) error { return os.Remove(x) },
		"no state":     func(s, _ string) error { return os.WriteFile(s, nil, 0o600) },
		"other fields": func(s, _ string) error { return os.WriteFile(s, []byte(`{"x":1}`), 0o600) },
		"no hash":      func(s, _ string) error { return os.WriteFile(s, []byte(`{"sha256":"../../../etc/passwd"}`), 0o600) },
		"huge":         func(s, _ string) error { return os.WriteFile(s, []byte("{"+strings.Repeat(" ", 1<<20)+"}"), 0o600) },
		"another address": func(s, x string) error {
			return os.WriteFile(s, []byte(`{"address":"https://example.org","sha256":"`+strings.TrimSuffix(filepath.Base(x), ".export")+`"}`), 0o600)
		},
	} {
		o, _ := ca.options(t)
		u, err := Update(t.Context(), address, o)
		if err != nil {
			t.Fatal(err)
		}
		s := o.store(address)
		if err := damage(filepath.Join(s.dir, stateFile), s.export(u.Snapshot.SHA256)); err != nil {
			t.Fatal(err)
		}
		_, _, err = Open(t.Context(), address, o)
		e, _ := errors.AsType[*Error](err)
		if e == nil || !strings.Contains(e.Message, "the cache is damaged: it ") || e.Todo != "Run the update again." {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Update(t.Context(), address, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if db, _, err := Open(t.Context(), address, o); err != nil || show(db) != "P-1 (-∞, 1.0)" {
			t.Errorf("%s: mended: %v", name, err)
		}
	}
}

// Updates of one address at one time run one after the other, and readers see
// a whole state all the while.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o, _ := ca.options(t)
	var running, n atomic.Int32
	address := ca.serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if running.Add(1) > 1 {
			t.Error("two updates fetch at one time")
		}
		defer running.Add(-1)
		io.WriteString(w, one+strings.Repeat("\n", int(n.Add(1))))
	})
	if _, err := Update(t.Context(), address, o); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				if _, err := Update(t.Context(), address, Options{Cache: o.Cache, CA: o.CA}); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 20 {
				if _, _, err := Open(t.Context(), address, o); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := files(t, o, address); n.Load() != 21 || len(got) != 2 {
		t.Errorf("%d requests, %q", n.Load(), got)
	}
}

// An update waits for its turn no longer than its context allows, and removes
// what one that was killed has left.
func TestLock(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o, _ := ca.options(t)
	address := ca.serve(t, (&export{body: one}).handle)
	s := o.store(address)
	unlock, err := s.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "part-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	if _, err := Update(ctx, address, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	unlock()
	if _, err := Update(t.Context(), address, o); err != nil {
		t.Error(err)
	}
	if got := files(t, o, address); len(got) != 2 {
		t.Errorf("%q", got)
	}
	o.Cache = write(t, "file", "")
	if _, err := Update(t.Context(), address, o); failure(t, err) != s.root(o)+": cannot be written: not a directory" {
		t.Errorf("%v", err)
	}
}

func (s store) root(o Options) string { return filepath.Join(o.Cache, filepath.Base(s.dir)) }
