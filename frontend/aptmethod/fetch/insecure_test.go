package fetch

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// keyPEM is a certificate with its key, in PEM.
func keyPEM(t testing.TB, pair tls.Certificate) (cert, key []byte) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// TestUntrusted holds what is said of servers that cannot prove who they are:
// never transient, the same for a host that is known and for one that is
// guessed to speak TLS, but for the advice.
func TestUntrusted(t *testing.T) {
	t.Parallel()
	const guessed = "Ways out: a mirror that does (LOOPX_HOSTS=repo.example.org=https://MIRROR), a host rule (LOOPX_HOSTS=repo.example.org=keep leaves it in clear text), or TLS from the owner of repo.example.org"
	day := func(d time.Duration) string { return time.Now().Add(d).Format("2006-01-02") }
	for name, tc := range map[string]struct {
		change func(*x509.Certificate)
		other  bool
		want   string
	}{
		"name": {
			change: func(c *x509.Certificate) { c.DNSNames = []string{"a.example", "b.example", "c.example", "d.example"} },
			want:   "cannot be trusted: its certificate is for a.example, b.example, c.example, 1 more, not for repo.example.org",
		},
		"no name": {change: func(*x509.Certificate) {}, want: "its certificate is for no host, not for repo.example.org"},
		"expired": {
			change: func(c *x509.Certificate) {
				c.NotBefore, c.NotAfter = time.Now().Add(-72*time.Hour), time.Now().Add(-48*time.Hour)
			},
			want: "its certificate expired on " + day(-48*time.Hour) + "; the clock here says " + day(0),
		},
		"not yet": {
			change: func(c *x509.Certificate) {
				c.NotBefore = time.Now().Add(48 * time.Hour)
				c.NotAfter = time.Now().Add(72 * time.Hour)
			},
			want: "its certificate is valid from " + day(48*time.Hour) + " on, and the clock here says " + day(0),
		},
		"unknown": {
			change: func(*x509.Certificate) {}, other: true,
			want: "its certificate is issued by CN=Somebody\\x1b[31m, which nothing here trusts; if that is your own authority, give its certificate with docker build --build-context loopx-ca=FOLDER",
		},
		"purpose": {
			change: func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning} },
			want:   "its certificate cannot be used: x509: certificate specifies an incompatible key usage",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			ca := b.ca
			if tc.other {
				ca = newAuthority(t, "Somebody\x1b[31m")
			}
			cert := ca.issue(t, func(c *x509.Certificate) {
				if name != "name" && name != "no name" {
					c.DNSNames = []string{"repo.example.org"}
				}
				tc.change(c)
			})
			s := b.serveTLS("repo.example.org:443", cert, text("x"))
			clear := b.serveClear("repo.example.org:80", text("x"))
			for uri, advice := range map[string]bool{"http://repo.example.org/x": true, "https://repo.example.org/x": false} {
				f := b.fails(uri, tc.want)
				if f.Transient || !f.Next || !f.Down || f.Reason != "" {
					t.Errorf("%s: %+v", uri, f)
				}
				if strings.Contains(f.Message, guessed) != advice {
					t.Errorf("%s: advice in %q", uri, f.Message)
				}
			}
			if n := len(s.requests()) + len(clear.requests()); n > 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestNoTLS holds what is said of hosts that have no TLS.
func TestNoTLS(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]func(net.Conn){
		"clear text": func(c net.Conn) { io.WriteString(c, "HTTP/1.0 400 Bad Request\r\n\r\n") },
		"ssh":        func(c net.Conn) { io.WriteString(c, "SSH-2.0-OpenSSH_9.2\r\n") },
		"nothing":    func(net.Conn) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.serveRaw("repo.example.org:443", h)
			f := b.fails("http://repo.example.org/x", "repo.example.org does not speak TLS on port 443; the source says http", "LOOPX_HOSTS=repo.example.org=keep")
			if f.Transient || !f.Next || !f.Down {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestAlert repeats what the server says.
func TestAlert(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
	b.serveTLS("repo.example.org:443", cert, text("x"), func(s *httptest.Server) {
		s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	})
	f := b.fails("https://repo.example.org/x", "repo.example.org refuses the TLS handshake: protocol version not supported")
	if f.Transient || !f.Next {
		t.Errorf("%+v", f)
	}
}

// TestUnreached holds what is said of hosts that cannot be connected to, and
// that a guess makes the difference between an outage and a host without TLS.
func TestUnreached(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"repo.example.org:443", "deb.debian.org:443"} {
		b.place(name, l)
	}
	l.Close()
	f := b.fails("http://repo.example.org/x", "repo.example.org refuses connections on port 443; the source says http", "LOOPX_HOSTS=repo.example.org=https://MIRROR")
	if f.Transient || f.Reason != "" || !f.Next || !f.Down {
		t.Errorf("%+v", f)
	}
	for _, uri := range []string{"https://repo.example.org/x", "http://deb.debian.org/debian/x"} {
		f := b.fails(uri, " refuses connections on port 443")
		if !f.Transient || f.Reason != "ConnectionRefused" || !f.Next || !f.Down || strings.Contains(f.Message, "LOOPX") {
			t.Errorf("%s: %+v", uri, f)
		}
	}
	f = b.fails("http://other.example.org/x", "no address is known for other.example.org")
	if !f.Transient || f.Reason != "ResolveFailure" {
		t.Errorf("%+v", f)
	}
}

// TestHandshakeStalls waits no longer than told.
func TestHandshakeStalls(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serveRaw("repo.example.org:443", func(c net.Conn) { io.Copy(io.Discard, c) })
	_, _, f := b.get("http://repo.example.org/x", Request{Deadline: 500 * time.Millisecond})
	if f == nil || !f.Transient || f.Reason != "Timeout" || !f.Down ||
		!strings.Contains(f.Message, "repo.example.org did not finish the TLS handshake within 500ms; the source says http") {
		t.Errorf("%+v", f)
	}
}

// TestNotVerifying holds that an image cannot switch checks off.
func TestNotVerifying(t *testing.T) {
	t.Parallel()
	for _, item := range []string{
		"Acquire::https::Verify-Peer", "Acquire::https::Verify-Host", "Acquire::http::Verify-Peer",
		"Acquire::https::repo.example.org::Verify-Peer", "Acquire::https::repo.example.org::Verify-Host",
	} {
		b := newBed(t)
		b.conf.Add(item, "false")
		cert := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"other.example.org"} })
		b.serveTLS("repo.example.org:443", cert, text("x"))
		b.fails("https://repo.example.org/x", "not for repo.example.org")
	}
}

// TestTrust holds where a root may come from.
func TestTrust(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(b *bed, root []byte){
		"shipped":    func(b *bed, root []byte) { b.write("ca.crt", root) },
		"operator's": func(b *bed, root []byte) { b.write("operator/ca.crt", root) },
		"image":      func(b *bed, root []byte) { b.new().roots.stores = []string{b.write("store.crt", root)} },
		"second store": func(b *bed, root []byte) {
			b.new().roots.stores = []string{b.write("empty.crt", nil), b.write("store.crt", root)}
		},
		"folder": func(b *bed, root []byte) { b.write("certs/ab.0", root); b.new().roots.folder = b.dir + "/certs" },
		"CaInfo": func(b *bed, root []byte) { b.conf.Add("Acquire::https::CaInfo", b.write("info.crt", root)) },
		"host's": func(b *bed, root []byte) {
			b.conf.Add("Acquire::https::repo.example.org::CaInfo", b.write("info.crt", root))
		},
		"http's": func(b *bed, root []byte) { b.conf.Add("Acquire::http::CaInfo", b.write("info.crt", root)) },
		"among junk": func(b *bed, root []byte) {
			b.write("ca.crt", append([]byte("# a comment\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), root...))
		},
		"two CaInfo": func(b *bed, root []byte) {
			b.conf.Add("Acquire::https::CaInfo", b.write("junk.crt", []byte("junk")))
			b.write("ca.crt", root)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("ca.crt", newAuthority(t, "Other").pem())
			setup(b, b.ca.pem())
			b.serve("repo.example.org", text("x"))
			b.wants("https://repo.example.org/x", "x")
		})
	}
}

// TestEnvironmentIsNoStore holds that SSL_CERT_FILE takes no root away and
// brings none.
func TestEnvironmentIsNoStore(t *testing.T) {
	b := newBed(t)
	t.Setenv("SSL_CERT_FILE", b.write("env.crt", b.ca.pem()))
	b.write("ca.crt", newAuthority(t, "Other").pem())
	b.serve("repo.example.org", text("x"))
	b.fails("https://repo.example.org/x", "issued by CN=Test Authority, which nothing here trusts")
}

// TestClientCertificate holds to whom a client certificate is shown.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		items []string
		uri   string
		shown bool
	}{
		"all":        {[]string{"Acquire::https::SslCert", "Acquire::https::SslKey"}, "https://repo.example.org/x", true},
		"http's":     {[]string{"Acquire::http::SslCert", "Acquire::http::SslKey"}, "http://repo.example.org/x", true},
		"host's":     {[]string{"Acquire::https::repo.example.org::SslCert", "Acquire::https::repo.example.org::SslKey"}, "https://repo.example.org/x", true},
		"other's":    {[]string{"Acquire::https::other.example.org::SslCert", "Acquire::https::other.example.org::SslKey"}, "https://repo.example.org/x", false},
		"redirected": {[]string{"Acquire::https::SslCert", "Acquire::https::SslKey"}, "https://other.example.org/x", false},
		"redirected to its host": {
			[]string{"Acquire::https::repo.example.org::SslCert", "Acquire::https::repo.example.org::SslKey"},
			"https://other.example.org/x", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			cert, key := keyPEM(t, b.ca.issue(t, func(*x509.Certificate) {}))
			b.conf.Add(tc.items[0], b.write("client.crt", cert))
			b.conf.Add(tc.items[1], b.write("client.key", key))
			server := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
			shown := make(chan bool, 1)
			b.serveTLS("repo.example.org:443", server, func(_ http.ResponseWriter, r *http.Request) {
				shown <- len(r.TLS.PeerCertificates) > 0
			}, func(s *httptest.Server) { s.TLS.ClientAuth = tls.RequestClientCert })
			b.serve("other.example.org", redirect("https://repo.example.org/x"))
			if _, _, f := b.get(tc.uri, Request{}); f != nil {
				t.Fatal(f)
			}
			if got := <-shown; got != tc.shown {
				t.Errorf("shown: %v", got)
			}
		})
	}
}

// TestClientCertificateMissing names what is wrong with it.
func TestClientCertificateMissing(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(*bed){
		"none":   func(*bed) {},
		"broken": func(b *bed) { b.conf.Add("Acquire::https::SslCert", b.write("client.crt", []byte("junk"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			setup(b)
			server := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"repo.example.org"} })
			b.serveTLS("repo.example.org:443", server, text("x"), func(s *httptest.Server) { s.TLS.ClientAuth = tls.RequireAnyClientCert })
			want := "repo.example.org refuses the TLS handshake: certificate required"
			if name == "broken" {
				want = "repo.example.org asks for a client certificate: the client certificate " + b.dir + "/client.crt"
			}
			if f := b.fails("https://repo.example.org/x", want); f.Transient || !f.Next {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestRevoked checks certificates against apt's CrlFile.
func TestRevoked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	good := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"good.example.org"} })
	bad := b.ca.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"bad.example.org"} })
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{{SerialNumber: bad.Leaf.SerialNumber, RevocationTime: time.Now()}},
	}, b.ca.cert, b.ca.key)
	if err != nil {
		t.Fatal(err)
	}
	b.conf.Add("Acquire::https::CrlFile", b.write("crl.pem", pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der})))
	b.conf.Add("Acquire::https::odd.example.org::CrlFile", b.write("odd.pem", []byte("junk")))
	b.serveTLS("good.example.org:443", good, text("x"))
	b.serveTLS("bad.example.org:443", bad, text("x"))
	b.serve("odd.example.org", text("x"))
	b.wants("https://good.example.org/x", "x")
	b.fails("https://bad.example.org/x", "bad.example.org cannot be trusted: its certificate is revoked")
	b.fails("https://odd.example.org/x", "odd.pem: it holds no revocation list")
}
