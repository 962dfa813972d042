package fetch

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// TestMain takes the machine's own trust and proxies away: what a test sees is
// what it set up.
func TestMain(m *testing.M) {
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// authority is a CA that lives in memory.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	a := &authority{}
	pair := a.issue(t, func(c *x509.Certificate) {
		c.Subject = pkix.Name{CommonName: name}
		c.IsCA, c.BasicConstraintsValid = true, true
		c.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	})
	a.cert, a.key = pair.Leaf, pair.PrivateKey.(*ecdsa.PrivateKey)
	return a
}

// issue makes a certificate and its key; the authority's own while it has none.
func (a *authority) issue(t testing.TB, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<60))
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: serial,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	change(c)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer, c.ExtKeyUsage = c, key, nil
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// pem is the authority's certificate.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// bed is a network of names on loopback, and a client in it.
type bed struct {
	testing.TB
	ca   *authority
	dir  string
	conf *aptconf.Conf
	env  map[string]string
	auth string

	mu      sync.Mutex
	places  map[string]string     // "name:port" -> listener
	pretend map[string]netip.Addr // the address that a name claims to have
	dialled []string
	lines   []string
	client  *Client
}

func newBed(t testing.TB) *bed {
	t.Helper()
	b := &bed{
		TB: t, ca: newAuthority(t, "Test Authority"), dir: t.TempDir(), conf: &aptconf.Conf{},
		env: map[string]string{}, places: map[string]string{}, pretend: map[string]netip.Addr{},
	}
	b.write("ca.crt", b.ca.pem())
	return b
}

// write writes a file below the mounted folder and returns its path.
func (b *bed) write(name string, data []byte) string {
	b.Helper()
	file := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		b.Fatal(err)
	}
	return file
}

// new returns the client; what was set up counts from then on.
func (b *bed) new() *Client {
	b.Helper()
	if b.client != nil {
		return b.client
	}
	c, err := New(Config{
		Conf: b.conf, Dir: b.dir, AuthFile: b.auth,
		Environ: func(name string) string { return b.env[name] },
		Log: func(line string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.lines = append(b.lines, line)
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	c.dial = b.dial
	c.roots.stores, c.roots.folder = nil, ""
	b.client = c
	return c
}

// dial knows no names but those of the bed.
func (b *bed) dial(ctx context.Context, network, addr string, check func(netip.Addr) error) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(addr)
	b.mu.Lock()
	b.dialled = append(b.dialled, addr)
	place, claimed := b.places[addr], b.pretend[host]
	b.mu.Unlock()
	if place == "" {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if check != nil && claimed.IsValid() {
		if err := check(claimed); err != nil {
			return nil, err
		}
		check = nil
	}
	conn, err := dialTCP(ctx, network, place, check)
	if err == nil && claimed.IsValid() {
		conn = &claiming{conn, claimed}
	}
	return conn, err
}

// claiming is a connection that claims to lead to another address.
type claiming struct {
	net.Conn
	addr netip.Addr
}

func (c *claiming) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.addr, 443))
}

// place makes addr lead to a listener.
func (b *bed) place(addr string, l net.Listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.places[addr] = l.Addr().String()
}

// origin is a server that notes what it is asked for.
type origin struct {
	*httptest.Server
	mu   sync.Mutex
	hits []*http.Request
}

// requests are the requests so far.
func (s *origin) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits
}

func (s *origin) handler(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits = append(s.hits, r.Clone(context.Background()))
		s.mu.Unlock()
		h(w, r)
	})
}

// serve starts a TLS server on port 443 of a name, and a clear twin on port 80
// that fails the test when it is asked for anything.
func (b *bed) serve(name string, h http.HandlerFunc) *origin {
	b.Helper()
	clear := b.serveClear(name+":80", func(http.ResponseWriter, *http.Request) {})
	b.Cleanup(func() {
		if n := len(clear.requests()); n > 0 {
			b.Errorf("%s got %d requests in clear text", name, n)
		}
	})
	return b.serveTLS(name+":443", b.ca.issue(b, func(c *x509.Certificate) { c.DNSNames = []string{name} }), h)
}

// serveTLS starts a TLS server with a certificate.
func (b *bed) serveTLS(addr string, cert tls.Certificate, h http.HandlerFunc, change ...func(*httptest.Server)) *origin {
	b.Helper()
	s := &origin{}
	s.Server = httptest.NewUnstartedServer(s.handler(h))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, c := range change {
		c(s.Server)
	}
	s.StartTLS()
	b.Cleanup(s.Close)
	b.place(addr, s.Listener)
	return s
}

// serveClear starts an HTTP server without TLS.
func (b *bed) serveClear(addr string, h http.HandlerFunc) *origin {
	b.Helper()
	s := &origin{}
	s.Server = httptest.NewServer(s.handler(h))
	b.Cleanup(s.Close)
	b.place(addr, s.Listener)
	return s
}

// serveRaw starts a server that does with each connection what it likes.
func (b *bed) serveRaw(addr string, h func(net.Conn)) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	b.Cleanup(func() {
		cancel()
		l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				defer conn.Close()
				h(conn)
			})
		}
	})
	b.place(addr, l)
}

// plan returns the only hop for a URI.
func (b *bed) plan(uri string) Hop {
	b.Helper()
	hops, f := b.new().Plan(uri)
	if f != nil {
		b.Fatalf("Plan(%s): %v", uri, f)
	}
	return hops[0]
}

// get fetches a URI and returns its content.
func (b *bed) get(uri string, req Request) (*Response, string, *Failure) {
	b.Helper()
	resp, err := b.new().Get(b.Context(), b.plan(uri), req)
	var f *Failure
	if err != nil {
		if !errors.As(err, &f) {
			b.Fatalf("Get(%s): %v is no *Failure", uri, err)
		}
		return nil, "", f
	}
	if resp.Body == nil {
		return resp, "", nil
	}
	defer resp.Body.Close()
	var data bytes.Buffer
	if _, err := data.ReadFrom(resp.Body); err != nil && !errors.As(err, &f) {
		b.Fatalf("reading %s: %v is no *Failure", uri, err)
	}
	return resp, data.String(), f
}

// wants fetches a URI that is there.
func (b *bed) wants(uri, content string) *Response {
	b.Helper()
	resp, got, f := b.get(uri, Request{})
	if f != nil {
		b.Fatalf("Get(%s): %+v", uri, *f)
	}
	if got != content {
		b.Fatalf("Get(%s) = %q, want %q", uri, got, content)
	}
	return resp
}

// fails fetches a URI that must fail with a message that holds all of parts.
func (b *bed) fails(uri string, parts ...string) *Failure {
	b.Helper()
	_, _, f := b.get(uri, Request{})
	if f == nil {
		b.Fatalf("Get(%s) succeeded", uri)
	}
	for _, part := range parts {
		if !strings.Contains(f.Message, part) {
			b.Errorf("Get(%s) fails with %q\nwithout %q", uri, f.Message, part)
		}
	}
	return f
}

// text answers with a text.
func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

// redirect answers with a redirect.
func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// serveTLSRaw is serveRaw behind TLS.
func (b *bed) serveTLSRaw(addr, name string, h func(net.Conn)) {
	b.Helper()
	cfg := &tls.Config{Certificates: []tls.Certificate{b.ca.issue(b, func(c *x509.Certificate) { c.DNSNames = []string{name} })}}
	b.serveRaw(addr, func(conn net.Conn) {
		secure := tls.Server(conn, cfg)
		h(secure)
		secure.Close()
	})
}
