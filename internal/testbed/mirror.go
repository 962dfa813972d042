package testbed

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// MirrorOptions says what a Mirror is called and what it serves.
type MirrorOptions struct {
	// Names are the host names; downloads.example.org if empty.
	Names []string
	// Files maps paths, which begin with "/", to bodies.
	Files map[string]string
	// Repos maps paths such as "/repo.git" to the files of a git repository
	// with one commit on the branch main. Any git client can clone it.
	Repos map[string]map[string]string
	// Handler, if set, answers what Files and Repos don't have. r.TLS is nil for
	// requests in clear text.
	Handler http.Handler
	// CA issues the certificate; DefaultCA if nil.
	CA *CA
	// HTTP2 lets the TLS server speak HTTP/2 with clients that offer it.
	HTTP2 bool
}

// Hit is one request that reached a Mirror.
type Hit struct {
	Method, Host, Path string
}

func (h Hit) String() string { return fmt.Sprintf("%s %s%s", h.Method, h.Host, h.Path) }

// Mirror is a pair of servers under the same names: one speaks TLS on port 443,
// its twin clear text on port 80. Both serve the same content, so a fetch that
// was not moved works and is counted.
type Mirror struct {
	// Names are the host names of both servers.
	Names []string
	// Addr is their loopback address.
	Addr netip.Addr
	// CA issued the TLS server's certificate.
	CA *CA

	mu         sync.Mutex
	clear, tls []Hit
}

// NewMirror starts the pair and makes its names resolve in builds until the test
// ends. The certificate is good for the names and the address.
func NewMirror(t TB, opts MirrorOptions) *Mirror {
	t.Helper()
	m := &Mirror{Names: opts.Names, CA: opts.CA}
	if len(m.Names) == 0 {
		m.Names = []string{"downloads.example.org"}
	}
	if m.CA == nil {
		m.CA = DefaultCA(t)
	}
	clearText, secure := m.listen(t, opts.HTTP2)
	handler := m.count(fileHandler(opts.Files, gitHandler(t, opts.Repos, opts.Handler)))
	serve(t, clearText, handler)
	serve(t, secure, handler)

	names := must[*nameServer](t, "start the name server")(shared.nameServer())
	t.Cleanup(must[func()](t, "register the mirror's names")(names.add(m.Names, m.Addr)))
	return m
}

// ClearHits returns the requests in clear text so far, in order.
func (m *Mirror) ClearHits() []Hit { return m.hits(&m.clear) }

// TLSHits returns the requests over TLS so far, in order.
func (m *Mirror) TLSHits() []Hit { return m.hits(&m.tls) }

// Reset forgets all hits.
func (m *Mirror) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear, m.tls = nil, nil
}

func (m *Mirror) hits(list *[]Hit) []Hit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(*list)
}

// listen opens ports 80 and 443 of a loopback address that has both free.
func (m *Mirror) listen(t TB, http2 bool) (clearText, secure net.Listener) {
	t.Helper()
	var err error
	m.Addr, err = listenLoopback(func(a netip.Addr) (err error) {
		if clearText, err = net.Listen("tcp", netip.AddrPortFrom(a, 80).String()); err != nil {
			return err
		}
		if secure, err = net.Listen("tcp", netip.AddrPortFrom(a, 443).String()); err != nil {
			clearText.Close()
		}
		return err
	})
	if err != nil {
		t.Fatalf("testbed: start a mirror: %v", err)
	}
	cert := must[tls.Certificate](t, "issue a certificate")(m.CA.serverCert(m.Names, m.Addr.AsSlice()))
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	if http2 {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return clearText, tls.NewListener(secure, config)
}

func (m *Mirror) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := &m.tls
		if r.TLS == nil {
			list = &m.clear
		}
		m.mu.Lock()
		*list = append(*list, Hit{r.Method, r.Host, r.URL.Path})
		m.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func fileHandler(files map[string]string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := files[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			io.Copy(w, strings.NewReader(body))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func serve(t TB, l net.Listener, h http.Handler) {
	// Handshakes that fail are what some tests are about: no noise on stderr.
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
}
