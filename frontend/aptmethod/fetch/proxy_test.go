package fetch

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// connector is a proxy that opens tunnels, and notes what it is asked.
type connector struct {
	b      *bed
	answer string // in place of opening one
	mu     sync.Mutex
	asked  []string
}

// serve talks to one client.
func (p *connector) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	req, err := http.ReadRequest(r)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, strings.TrimSpace(req.Method+" "+req.RequestURI+" "+req.Header.Get("Proxy-Authorization")))
	p.mu.Unlock()
	if p.answer != "" {
		io.WriteString(conn, p.answer)
		return
	}
	p.b.mu.Lock()
	place := p.b.places[req.RequestURI]
	p.b.mu.Unlock()
	out, err := net.Dial("tcp", place)
	if err != nil {
		io.WriteString(conn, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
		return
	}
	defer out.Close()
	io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	pipe(conn, out)
}

// pipe carries bytes both ways until one side ends.
func pipe(a, b net.Conn) {
	done := make(chan bool, 2)
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		go func() {
			io.Copy(way[0], way[1])
			done <- true
		}()
	}
	<-done
	a.Close()
	b.Close()
	<-done
}

// requests are what it was asked.
func (p *connector) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (b *bed) proxy(addr string) *connector {
	p := &connector{b: b}
	b.serveRaw(addr, p.serve)
	return p
}

// TestProxyChoice holds which proxy is used.
func TestProxyChoice(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		conf, env map[string]string
		told      string
		want      string // what the proxy is asked; "" if there is none
	}{
		"none":           {},
		"https":          {conf: map[string]string{"Acquire::https::Proxy": "http://proxy.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"slash":          {conf: map[string]string{"Acquire::https::Proxy": "http://proxy.internal:3128/"}, want: "CONNECT repo.example.org:443"},
		"http":           {conf: map[string]string{"Acquire::http::Proxy": "http://proxy.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"https first":    {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128", "Acquire::https::Proxy": "http://proxy.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"https direct":   {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128", "Acquire::https::Proxy": "DIRECT"}},
		"false":          {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128", "Acquire::https::Proxy": "false"}},
		"host":           {conf: map[string]string{"Acquire::http::Proxy::repo.example.org": "http://proxy.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"host direct":    {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128", "Acquire::http::Proxy::repo.example.org": "DIRECT"}},
		"other host":     {conf: map[string]string{"Acquire::http::Proxy::other.example.org": "http://nowhere.internal:3128"}},
		"userinfo":       {conf: map[string]string{"Acquire::http::Proxy": "http://u:p%40@proxy.internal:3128"}, want: "CONNECT repo.example.org:443 Basic dTpwQA=="},
		"http_proxy":     {env: map[string]string{"http_proxy": "http://proxy.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"https_proxy":    {env: map[string]string{"http_proxy": "http://nowhere.internal:3128", "https_proxy": "http://proxy.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"conf first":     {conf: map[string]string{"Acquire::http::Proxy": "http://proxy.internal:3128"}, env: map[string]string{"https_proxy": "http://nowhere.internal:3128"}, want: "CONNECT repo.example.org:443"},
		"HTTPS_PROXY":    {env: map[string]string{"HTTPS_PROXY": "http://nowhere.internal:3128", "ALL_PROXY": "http://nowhere.internal:3128", "all_proxy": "http://nowhere.internal:3128"}},
		"no_proxy":       {env: map[string]string{"https_proxy": "http://nowhere.internal:3128", "no_proxy": "a.example, Example.org"}},
		"no_proxy conf":  {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128"}, env: map[string]string{"no_proxy": ".example.org"}},
		"no_proxy other": {env: map[string]string{"https_proxy": "http://proxy.internal:3128", "no_proxy": "a.example,,"}, want: "CONNECT repo.example.org:443"},
		"told":           {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128"}, told: "http://proxy.internal:3128", want: "CONNECT repo.example.org:443"},
		"told direct":    {conf: map[string]string{"Acquire::http::Proxy": "http://nowhere.internal:3128"}, told: "DIRECT"},
		"host over told": {conf: map[string]string{"Acquire::http::Proxy::repo.example.org": "DIRECT"}, told: "http://nowhere.internal:3128"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			for k, v := range tc.conf {
				b.conf.Add(k, v)
			}
			b.env = tc.env
			p := b.proxy("proxy.internal:3128")
			b.serve("repo.example.org", text("x"))
			if _, body, f := b.get("http://repo.example.org/x", Request{Proxy: tc.told}); f != nil || body != "x" {
				t.Fatal(f)
			}
			if got := strings.Join(p.requests(), "\n"); got != tc.want {
				t.Errorf("asked %q, want %q", got, tc.want)
			}
		})
	}
}

// TestProxyDetected asks the program that apt's configuration names, once.
func TestProxyDetected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ script, want, log string }{
		"proxy":  {`echo "$1" >> "$0.asked"; echo http://proxy.internal:3128; echo second`, "CONNECT repo.example.org:443", ""},
		"direct": {`echo "$1" >> "$0.asked"; echo DIRECT`, "", ""},
		"none":   {`echo "$1" >> "$0.asked"`, "CONNECT repo.example.org:443", ""},
		"fails":  {`echo "$1" >> "$0.asked"; exit 3`, "CONNECT repo.example.org:443", "for finding the proxy failed: exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			program := filepath.Join(t.TempDir(), "detect")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			b.conf.Add("Acquire::http::Proxy-Auto-Detect", program)
			b.conf.Add("Acquire::http::Proxy", "http://proxy.internal:3128")
			p := b.proxy("proxy.internal:3128")
			b.serve("repo.example.org", text("x"))
			b.wants("http://repo.example.org/x", "x")
			b.wants("http://repo.example.org/y", "x")
			if got := strings.Join(p.requests(), "\n"); got != tc.want {
				t.Errorf("asked %q, want %q", got, tc.want)
			}
			asked, err := os.ReadFile(program + ".asked")
			if err != nil || string(asked) != "https://repo.example.org/x\n" {
				t.Errorf("the program was asked %q, %v", asked, err)
			}
			if got := strings.Join(b.lines, "\n"); !strings.Contains(got, tc.log) || (tc.log == "") != (got == "") {
				t.Errorf("log %q", got)
			}
		})
	}
}

// TestProxyFailures holds what is said of proxies that do not help.
func TestProxyFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		proxy, answer string
		want          []string
		transient     bool
	}{
		"refuses": {"http://u:s3cret@proxy.internal:3128", "HTTP/1.1 403 CONNECT denied\x1b[2J (ask the admin to allow HTTPS tunnels)\r\nContent-Length: 0\r\n\r\n", []string{
			`the proxy http://proxy.internal:3128 does not let TLS through to repo.example.org (CONNECT: 403 CONNECT denied\x1b[2J (ask the admin to allow HTTPS tunnels))`,
			`Acquire::https::Proxy "DIRECT"`, "LOOPX_HOSTS=repo.example.org=keep", "LOOPX_HOSTS=repo.example.org=https://MIRROR",
		}, false},
		"knows no CONNECT": {"http://proxy.internal:3128", "HTTP/1.0 501 Not Implemented\r\n\r\n", []string{"does not let TLS through"}, false},
		"wants a login":    {"http://proxy.internal:3128", "HTTP/1.1 407 Who\r\n\r\n", []string{"asks for a user and a password; give them in /etc/apt/auth.conf.d as: machine http://proxy.internal:3128 login"}, false},
		"wants another":    {"http://u:p@proxy.internal:3128", "HTTP/1.1 407 Who\r\n\r\n", []string{"asks for a user and a password, and does not accept those that it got"}, false},
		"cannot reach":     {"http://proxy.internal:3128", "HTTP/1.1 503 Gone\r\n\r\n", []string{"the proxy http://proxy.internal:3128 cannot reach repo.example.org: 503 Gone"}, true},
		"junk":             {"http://proxy.internal:3128", "junk\x1b[2J\r\n\r\n", []string{"no connection to repo.example.org through the proxy http://proxy.internal:3128: malformed HTTP response"}, true},
		"huge":             {"http://proxy.internal:3128", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", []string{"no connection to repo.example.org through the proxy"}, true},
		"talks":            {"http://proxy.internal:3128", "HTTP/1.1 200 OK\r\n\r\nmore", []string{"the proxy speaks before the tunnel is used"}, true},
		"absent":           {"http://nowhere.internal:3128", "", []string{"no connection to repo.example.org through the proxy http://nowhere.internal:3128"}, true},
		"no scheme":        {"proxy.internal:3128", "", []string{"the proxy proxy.internal:3128 of Acquire::https::Proxy cannot be used: write it as http://HOST:PORT"}, false},
		"socks4":           {"socks4://proxy.internal:3128", "", []string{"its scheme is not http, https or socks5h"}, false},
		"no host":          {"http://:3128", "", []string{"it names no host"}, false},
		"secret":           {"ftp://u:s3cret@proxy.internal", "", []string{"the proxy ftp://***@proxy.internal"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.conf.Add("Acquire::https::Proxy", tc.proxy)
			p := b.proxy("proxy.internal:3128")
			p.answer = tc.answer
			b.serve("repo.example.org", text("x"))
			f := b.fails("http://repo.example.org/x", tc.want...)
			if f.Transient != tc.transient {
				t.Errorf("%+v", f)
			}
			if strings.Contains(f.Message, "s3cret") || strings.ContainsRune(f.Message, 0x1b) {
				t.Errorf("message %q", f.Message)
			}
			for _, asked := range p.requests() {
				if !strings.HasPrefix(asked, "CONNECT repo.example.org:443") {
					t.Errorf("the proxy was asked %q", asked)
				}
			}
		})
	}
	b := newBed(t)
	b.conf.Add("Acquire::http::Proxy", "http://proxy.internal:3128")
	b.proxy("proxy.internal:3128").answer = "HTTP/1.1 403 No\r\n\r\n"
	b.fails("http://deb.debian.org/debian/x", "LOOPX_DEBIAN_MIRROR=https://MIRROR")
}

// TestProxyStalls waits for a proxy no longer than told.
func TestProxyStalls(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::https::Proxy", "http://proxy.internal:3128")
	b.serveRaw("proxy.internal:3128", func(c net.Conn) { io.Copy(io.Discard, c) })
	_, _, f := b.get("http://repo.example.org/x", Request{Deadline: 500 * time.Millisecond})
	if f == nil || !f.Transient || f.Reason != "Timeout" || f.Message != "the proxy http://proxy.internal:3128 did not answer in time" {
		t.Errorf("%+v", f)
	}
}

// TestProxyOverTLS checks the proxy's own certificate.
func TestProxyOverTLS(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::https::Proxy", "https://proxy.internal")
	b.conf.Add("Acquire::https::Proxy::bad.example.org", "https://odd.internal")
	p := &connector{b: b}
	cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"proxy.internal"} })
	over := func(conn net.Conn) {
		secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}})
		p.serve(secure)
		secure.Close()
	}
	b.serveRaw("proxy.internal:443", over)
	b.serveRaw("odd.internal:443", over)
	b.serve("repo.example.org", text("x"))
	b.wants("http://repo.example.org/x", "x")
	if got := fmt.Sprint(p.requests()); got != "[CONNECT repo.example.org:443]" {
		t.Errorf("asked %s", got)
	}
	if f := b.fails("http://bad.example.org/x", "the proxy https://odd.internal cannot be trusted: its certificate is for proxy.internal, not for odd.internal"); f.Transient {
		t.Errorf("%+v", f)
	}
}

// TestSocks lets the proxy look the name up.
func TestSocks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::http::Proxy", "socks5h://u:p@proxy.internal")
	b.conf.Add("Acquire::http::Proxy::bad.example.org", "socks5h://odd.internal:1081")
	asked := make(chan string, 1)
	s := b.serve("repo.example.org", text("x"))
	b.serveRaw("proxy.internal:1080", func(conn net.Conn) {
		buf := make([]byte, 512)
		read := func(n int) []byte {
			io.ReadFull(conn, buf[:n])
			return buf[:n]
		}
		read(int(read(2)[1]))
		conn.Write([]byte{5, 2})
		user := string(read(int(read(2)[1])))
		user += ":" + string(read(int(read(1)[0])))
		conn.Write([]byte{1, 0})
		name := string(read(int(read(5)[4])))
		asked <- user + " " + name + fmt.Sprint(read(2))
		conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		out, err := net.Dial("tcp", s.Listener.Addr().String())
		if err == nil {
			pipe(conn, out)
		}
	})
	b.serveRaw("odd.internal:1081", func(conn net.Conn) {
		io.ReadFull(conn, make([]byte, 3))
		conn.Write([]byte{5, 0xff})
	})
	b.wants("http://repo.example.org/x", "x")
	if got := <-asked; got != "u:p repo.example.org[1 187]" {
		t.Errorf("asked for %s", got)
	}
	b.fails("http://bad.example.org/x", "no connection to bad.example.org through the proxy socks5h://odd.internal:1081: no acceptable authentication methods")
}

// TestKeptThroughProxy asks a proxy for a kept file as apt does.
func TestKeptThroughProxy(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::http::Proxy", "http://u:p@proxy.internal:3128")
	b.conf.Add("Acquire::https::Proxy", "http://nowhere.internal:3128")
	p := b.serveClear("proxy.internal:3128", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
	})
	b.wants("http://cache.internal/x", "http://cache.internal/x Basic dTpw")
	if n := len(p.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// proxyNetworkEnv is the environment of a RUN in BuildKit's proxy network.
func proxyNetworkEnv() map[string]string {
	const proxy = "http://10.89.0.5:40001"
	return map[string]string{
		"http_proxy": proxy, "https_proxy": proxy, "all_proxy": proxy, "no_proxy": "127.0.0.1,localhost,::1",
		"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy, "NO_PROXY": "127.0.0.1,localhost,::1",
	}
}

// TestProxyNetwork says what to do in BuildKit's proxy network.
func TestProxyNetwork(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.env = proxyNetworkEnv()
	b.proxy("10.89.0.5:40001")
	s := b.serve("repo.example.org", text("x"))
	s.TLS.Certificates = []tls.Certificate{newAuthority(t, proxyNetworkCA).issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })}
	f := b.fails("http://repo.example.org/x",
		"repo.example.org cannot be reached over TLS: this RUN is in BuildKit's proxy network, and the image has no CA bundle",
		"RUN mkdir -p /etc/ssl/certs && touch /etc/ssl/certs/ca-certificates.crt", "LOOPX_APT=off", "build without the proxy network")
	if f.Transient || !f.Down {
		t.Errorf("%+v", f)
	}
	b = newBed(t)
	b.conf.Add("Acquire::https::Proxy", "DIRECT")
	b.env = proxyNetworkEnv()
	b.fails("http://repo.example.org/x", "this RUN is in BuildKit's proxy network, from which only its proxy can be reached")
}

func TestInProxyNetwork(t *testing.T) {
	t.Parallel()
	usual := proxyNetworkEnv()
	for name, tc := range map[string]struct {
		change [2]string
		want   bool
	}{
		"usual":         {[2]string{"x", "y"}, true},
		"another proxy": {[2]string{"https_proxy", "http://10.89.0.5:1"}, false},
		"exceptions":    {[2]string{"no_proxy", "localhost"}, false},
		"a name":        {[2]string{"http_proxy", "http://proxy:3128"}, false},
		"none":          {[2]string{"http_proxy", ""}, false},
	} {
		env := func(n string) string {
			if n == tc.change[0] {
				return tc.change[1]
			}
			return usual[n]
		}
		if got := inProxyNetwork(env); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRedirectThroughProxy refuses by name what it cannot refuse by address:
// the proxy looks names up.
func TestRedirectThroughProxy(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::https::Proxy", "http://proxy.internal:3128")
	p := b.proxy("proxy.internal:3128")
	b.serve("repo.example.org", func(w http.ResponseWriter, r *http.Request) { redirect(r.URL.Query().Get("to"))(w, r) })
	b.serve("cdn.example.org", text("x"))
	b.wants("http://repo.example.org/x?to=https://cdn.example.org/x", "x")
	b.fails("http://repo.example.org/x?to=https://nexus.internal/x", "a public host must not lead to one that is not public")
	if got := fmt.Sprint(p.requests()); got != "[CONNECT repo.example.org:443 CONNECT cdn.example.org:443]" {
		t.Errorf("asked %s", got)
	}
}

// TestGuessThroughProxy says what may be wrong when the proxy cannot reach a
// host that was guessed to speak TLS.
func TestGuessThroughProxy(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::https::Proxy", "http://proxy.internal:3128")
	b.proxy("proxy.internal:3128")
	if f := b.fails("http://repo.example.org/x", "cannot reach repo.example.org: 502 Bad Gateway; the source says http", "LOOPX_HOSTS=repo.example.org=keep"); !f.Transient {
		t.Errorf("%+v", f)
	}
}

// TestKeptProxyFails names the proxy, not the host.
func TestKeptProxyFails(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::http::Proxy", "http://nowhere.internal:3128")
	b.fails("http://cache.internal/x", "no connection to cache.internal through the proxy http://nowhere.internal:3128")
	b = newBed(t)
	b.conf.Add("Acquire::http::Proxy", "http://proxy.internal:3128")
	b.serveClear("proxy.internal:3128", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) })
	b.fails("http://cache.internal/x", "407 Proxy Authentication Required from http://cache.internal/x; give them in /etc/apt/auth.conf.d as: machine http://proxy.internal:3128 login USER")
}

// TestProxyLogin takes a proxy's credentials from apt's files.
func TestProxyLogin(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.auth = b.write("secret", []byte("machine http://proxy.internal login a password b"))
	b.conf.Add("Acquire::http::Proxy", "http://proxy.internal:3128")
	p := b.proxy("proxy.internal:3128")
	b.serve("repo.example.org", text("x"))
	b.wants("http://repo.example.org/x", "x")
	if got := fmt.Sprint(p.requests()); got != "[CONNECT repo.example.org:443 Basic YTpi]" {
		t.Errorf("asked %s", got)
	}
}

// TestProxyNetworkRefuses says who may be behind a refusal there.
func TestProxyNetworkRefuses(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.env = proxyNetworkEnv()
	b.proxy("10.89.0.5:40001")
	b.serve("repo.example.org", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	b.fails("http://repo.example.org/x", "403 Forbidden from https://repo.example.org/x: this RUN is in BuildKit's proxy network, whose source policy may be what refuses it")
}
