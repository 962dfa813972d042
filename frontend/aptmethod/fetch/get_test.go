package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUpgrade(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.serve("repo.example.org", text("hello"))
	resp := b.wants("http://repo.example.org/a/b%2bc", "hello")
	if resp.Size != 5 || resp.From != "https://repo.example.org/a/b%2bc" {
		t.Errorf("Get = %+v", resp)
	}
	if got := s.requests()[0].RequestURI; got != "/a/b%2bc" {
		t.Errorf("request for %s", got)
	}
}

// TestRequestFields holds what a server is told: what apt says, and no more.
func TestRequestFields(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		conf map[string]string
		req  Request
		path string
		want http.Header
	}{
		"deb":     {path: "/a.deb", want: http.Header{}},
		"release": {path: "/InRelease", want: http.Header{"Accept": {"text/*"}}},
		"no accept": {
			conf: map[string]string{"Acquire::http::SendAccept": "false"},
			path: "/InRelease", want: http.Header{},
		},
		"index": {path: "/Packages.xz", req: Request{Index: true}, want: http.Header{"Cache-Control": {"max-age=0"}}},
		"index of an age": {
			conf: map[string]string{"Acquire::http::Max-Age": "60"},
			path: "/Packages.xz", req: Request{Index: true}, want: http.Header{"Cache-Control": {"max-age=60"}},
		},
		"no store": {
			conf: map[string]string{"Acquire::https::No-Store": "true"},
			path: "/a.deb", want: http.Header{"Cache-Control": {"no-store"}},
		},
		"no cache": {
			conf: map[string]string{"Acquire::http::No-Cache": "true"},
			path: "/Packages.xz", req: Request{Index: true},
			want: http.Header{"Cache-Control": {"no-cache"}, "Pragma": {"no-cache"}},
		},
		"agent": {
			conf: map[string]string{"Acquire::http::repo.example.org::User-Agent": "one", "Acquire::http::User-Agent": "two"},
			path: "/a.deb", want: http.Header{"User-Agent": {"one"}},
		},
		"since": {
			path: "/a.deb", req: Request{IfModifiedSince: when},
			want: http.Header{"If-Modified-Since": {"Mon, 30 Nov 2026 12:00:00 GMT"}},
		},
		"rest": {
			path: "/a.deb", req: Request{Offset: 3, Modified: when, IfModifiedSince: when},
			want: http.Header{"Range": {"bytes=3-"}, "If-Range": {"Mon, 30 Nov 2026 12:00:00 GMT"}},
		},
		"rest of what is not known": {path: "/a.deb", req: Request{Offset: 3}, want: http.Header{}},
		"no ranges": {
			conf: map[string]string{"Acquire::http::AllowRanges": "false"},
			path: "/a.deb", req: Request{Offset: 3, Modified: when}, want: http.Header{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			for k, v := range tc.conf {
				b.conf.Add(k, v)
			}
			s := b.serve("repo.example.org", text("x"))
			if _, _, f := b.get("http://repo.example.org"+tc.path, tc.req); f != nil {
				t.Fatal(f)
			}
			if tc.want["User-Agent"] == nil {
				tc.want["User-Agent"] = []string{"Debian APT-HTTP/1.3 (loopx-apt)"}
			}
			if diff := cmp.Diff(tc.want, s.requests()[0].Header); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestResume asks for the rest of a file.
func TestResume(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const content = "0123456789"
	serve := func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", when, strings.NewReader(content))
	}
	odd := func(status int, contentRange string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				serve(w, r)
				return
			}
			w.Header().Set("Content-Range", contentRange)
			w.WriteHeader(status)
			io.WriteString(w, "odd")
		}
	}
	for name, tc := range map[string]struct {
		handler  http.HandlerFunc
		offset   int64
		modified time.Time
		body     string
		want     Response
	}{
		"rest":           {serve, 4, when, "456789", Response{Offset: 4, Size: 10, Modified: when}},
		"changed since":  {serve, 4, when.Add(-time.Hour), content, Response{Size: 10, Modified: when}},
		"all of it":      {odd(416, "bytes */10"), 10, when, "", Response{Complete: true, Offset: 10, Size: 10}},
		"too much":       {serve, 12, when, content, Response{Size: 10, Modified: when}},
		"416 with words": {odd(416, "bytes */*"), 10, when, content, Response{Size: 10, Modified: when}},
		"another range":  {odd(206, "bytes 0-2/10"), 4, when, content, Response{Size: 10, Modified: when}},
		"no range":       {odd(206, ""), 4, when, content, Response{Size: 10, Modified: when}},
		"size unknown":   {odd(206, "bytes 4-6/*"), 4, when, "odd", Response{Offset: 4, Size: 7}},
		"backwards":      {odd(206, "bytes 4-2/10"), 4, when, content, Response{Size: 10, Modified: when}},
		"huge":           {odd(206, "bytes 4-99999999999999999999/99999999999999999999"), 4, when, content, Response{Size: 10, Modified: when}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.serve("repo.example.org", tc.handler)
			resp, body, f := b.get("http://repo.example.org/f", Request{Offset: tc.offset, Modified: tc.modified})
			if f != nil {
				t.Fatal(f)
			}
			if body != tc.body {
				t.Errorf("body %q, want %q", body, tc.body)
			}
			tc.want.From = "https://repo.example.org/f"
			resp.Body = nil
			if diff := cmp.Diff(&tc.want, resp); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	b := newBed(t)
	b.serve("repo.example.org", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", when, strings.NewReader("x"))
	})
	resp, _, f := b.get("http://repo.example.org/InRelease", Request{IfModifiedSince: when})
	if f != nil || !resp.NotModified || resp.Body != nil {
		t.Errorf("Get = %+v, %v", resp, f)
	}
	resp, body, f := b.get("http://repo.example.org/InRelease", Request{IfModifiedSince: when.Add(-time.Hour)})
	if f != nil || resp.NotModified || body != "x" {
		t.Errorf("Get = %+v, %q, %v", resp, body, f)
	}
}

// TestStatus holds what becomes of a status.
func TestStatus(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serve("repo.example.org", func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.WriteHeader(code)
	})
	for code, want := range map[int]Failure{
		204: {Message: "204 No Content from https://repo.example.org/204"},
		206: {Message: "206 Partial Content from https://repo.example.org/206"},
		304: {Message: "304 Not Modified from https://repo.example.org/304"},
		302: {Message: "302 Found from https://repo.example.org/302"},
		403: {Message: "403 Forbidden from https://repo.example.org/403", Next: true},
		404: {Message: "404 Not Found from https://repo.example.org/404", Next: true},
		410: {Message: "410 Gone from https://repo.example.org/410", Next: true},
		416: {Message: "416 Requested Range Not Satisfiable from https://repo.example.org/416"},
		429: {Message: "429 Too Many Requests from https://repo.example.org/429", Transient: true, Next: true},
		500: {Message: "500 Internal Server Error from https://repo.example.org/500", Transient: true, Next: true},
		503: {Message: "503 Service Unavailable from https://repo.example.org/503", Transient: true, Next: true},
		599: {Message: "599 status code 599 from https://repo.example.org/599", Transient: true, Next: true},
	} {
		want.Reason = fmt.Sprintf("HttpError%d", code)
		_, _, f := b.get(fmt.Sprintf("http://repo.example.org/%d", code), Request{})
		if diff := cmp.Diff(&want, f); diff != "" {
			t.Error(diff)
		}
	}
}

// TestBroken holds what is said of an answer that stops.
func TestBroken(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serve("repo.example.org", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/chunks":
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/stall":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/silent":
			<-r.Context().Done()
		case "/none":
			panic(http.ErrAbortHandler)
		}
		// "/" makes the connection that the next request finds.
	})
	for path, want := range map[string]Failure{
		"/cut":    {Message: "repo.example.org closed the connection in the middle of https://repo.example.org/cut", Transient: true, Next: true},
		"/chunks": {Message: "repo.example.org closed the connection in the middle of https://repo.example.org/chunks", Transient: true, Next: true},
		"/stall":  {Message: "repo.example.org sent nothing more for 500ms", Reason: "Timeout", Transient: true, Next: true, Down: true},
		"/silent": {Message: "repo.example.org sent no answer for 500ms", Reason: "Timeout", Transient: true, Next: true, Down: true},
		"/none":   {Message: "repo.example.org closed the connection before it answered", Transient: true, Next: true},
	} {
		b.wants("http://repo.example.org/", "")
		req := Request{}
		if want.Reason == "Timeout" {
			req.Deadline = 500 * time.Millisecond
		}
		_, _, f := b.get("http://repo.example.org"+path, req)
		if diff := cmp.Diff(&want, f); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestHostile sends what no server should send: each fails with one plain line.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ answer, want string }{
		"huge header": {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", "answered with a header that is larger"},
		"many fields": {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: x\r\n", 1<<16) + "\r\n", "answered with a header that is larger"},
		"no HTTP":     {"\x1b[2Jhello\r\n\r\n", "answered with what is not HTTP"},
		"no status":   {"HTTP/1.1 \x1b[31m\r\n\r\n", "answered with what is not HTTP"},
		"odd field":   {"HTTP/1.1 200 OK\r\nA\x1b[2J B: x\r\n\r\n", "answered with what is not HTTP"},
		"two lengths": {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "answered with what is not HTTP"},
		"odd length":  {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nxx", "answered with what is not HTTP"},
		"odd coding":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: brotli\r\n\r\nxx", "answered with what is not HTTP"},
		"odd reason":  {"HTTP/1.1 666 \x1b]0;x\x07 \u202e\r\nContent-Length: 0\r\n\r\n", `666 \x1b]0;x\a \u202e from`},
		"nothing":     {"", "closed the connection before it answered"},
		"informing":   {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 1<<16), "repo.example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.serveTLSRaw("repo.example.org:443", "repo.example.org", func(conn net.Conn) {
				if _, err := conn.Read(make([]byte, 4096)); err == nil {
					io.WriteString(conn, tc.answer)
				}
			})
			f := b.fails("http://repo.example.org/x", tc.want)
			if strings.ContainsFunc(f.Message, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\u202e' }) {
				t.Errorf("%q is no plain line", f.Message)
			}
		})
	}
}

// TestLanes holds that a server gets no more than its connections at once.
func TestLanes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		conf map[string]string
		host string
		want int
	}{
		"usual":    {nil, "repo.example.org", 4},
		"set":      {map[string]string{"LoopX::Connections": "2"}, "repo.example.org", 2},
		"set host": {map[string]string{"LoopX::Connections": "2", "LoopX::Connections::repo.example.org": "3"}, "repo.example.org", 3},
		"zero":     {map[string]string{"LoopX::Connections": "0"}, "repo.example.org", 1},
		"spared":   {nil, "snapshot.debian.org", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			for k, v := range tc.conf {
				b.conf.Add(k, v)
			}
			arrived, release := make(chan bool), make(chan struct{})
			b.serve(tc.host, func(http.ResponseWriter, *http.Request) {
				arrived <- true
				<-release
			})
			hop := b.plan("http://" + tc.host + "/x")
			var all sync.WaitGroup
			for range 2 * tc.want {
				all.Go(func() {
					resp, err := b.new().Get(t.Context(), hop, Request{})
					if err != nil {
						t.Error(err)
						return
					}
					resp.Body.Close()
				})
			}
			for range tc.want {
				<-arrived
			}
			// All lanes are taken: nobody else may come in before one leaves.
			b.client.mu.Lock()
			for _, s := range b.client.servers {
				s.mu.Lock()
				for _, l := range s.lanes {
					if l.busy != 1 {
						t.Errorf("a lane carries %d requests", l.busy)
					}
				}
				s.mu.Unlock()
			}
			b.client.mu.Unlock()
			go func() {
				for range tc.want {
					<-arrived
				}
			}()
			close(release)
			all.Wait()
		})
	}
}

// TestCancelWhileWaiting gives up a place in the queue.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{streams: 1, lanes: []*lane{{}}}
		first, _ := s.acquire(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error)
		go func() {
			_, err := s.acquire(ctx)
			errs <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("acquire = %v", err)
		}
		s.release(first)
		if l, err := s.acquire(t.Context()); err != nil || l.busy != 1 {
			t.Errorf("acquire = %+v, %v", l, err)
		}
	})
}

// TestStreams speaks HTTP/2 where the way is long, several requests on each of
// several connections.
func TestStreams(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var mu sync.Mutex
	conns := map[string]int{}
	cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
	b.serveTLS("repo.example.org:443", cert, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		conns[r.RemoteAddr]++
		mu.Unlock()
		io.WriteString(w, r.Proto)
	}, func(s *httptest.Server) { s.EnableHTTP2 = true })
	b.new().streamsFrom = 0
	b.wants("http://repo.example.org/x", "HTTP/2.0")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { b.wants("http://repo.example.org/x", "HTTP/2.0") })
	}
	all.Wait()
	if len(conns) > 4 {
		t.Errorf("%d connections", len(conns))
	}
}

func TestPlainWhereTheWayIsShort(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
	b.serveTLS("repo.example.org:443", cert, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}, func(s *httptest.Server) { s.EnableHTTP2 = true })
	b.new().streamsFrom = time.Hour
	b.wants("http://repo.example.org/x", "HTTP/1.1")
}

// TestCanceled returns the caller's own error.
func TestCanceled(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.serve("repo.example.org", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := b.new().Get(ctx, b.plan("http://repo.example.org/x"), Request{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Get = %v", err)
	}
}

// TestBrokenStream is TestBroken over HTTP/2: the other streams go on.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
	b.serveTLS("repo.example.org:443", cert, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			return
		}
		if r.URL.Path != "/none" {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
		}
		if r.URL.Path == "/stall" {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}, func(s *httptest.Server) { s.EnableHTTP2 = true })
	b.new().streamsFrom = 0
	for path, want := range map[string]string{
		"/cut":   "the connection to repo.example.org broke in the middle of https://repo.example.org/cut: stream error",
		"/stall": "repo.example.org sent nothing more for 500ms",
		"/none":  "repo.example.org closed the connection before it answered",
	} {
		b.wants("http://repo.example.org/", "")
		_, _, f := b.get("http://repo.example.org"+path, Request{Deadline: 500 * time.Millisecond})
		if f == nil || !f.Transient || !f.Next || !strings.Contains(f.Message, want) {
			t.Errorf("%s: %+v", path, f)
		}
	}
}

// TestConnectionsLost holds that what was idle and is gone is replaced, one
// connection for one, by either protocol.
func TestConnectionsLost(t *testing.T) {
	t.Parallel()
	const rounds = 5
	for _, http2 := range []bool{false, true} {
		b := newBed(t)
		cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
		s := b.serveTLS("repo.example.org:443", cert, text("x"), func(s *httptest.Server) { s.EnableHTTP2 = http2 })
		b.new().streamsFrom = 0
		for range rounds {
			var all sync.WaitGroup
			for range 40 {
				all.Go(func() { b.wants("http://repo.example.org/x", "x") })
			}
			all.Wait()
			s.CloseClientConnections()
		}
		if n := len(b.dialled); n > rounds*connections {
			t.Errorf("HTTP/2 %v: %d connections", http2, n)
		}
	}
}
