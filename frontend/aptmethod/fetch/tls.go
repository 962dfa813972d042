package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"strings"
	"time"
)

// worthStreams is the round trip from which on HTTP/2 is offered: below it,
// what its frames cost is more than the waiting that they save.
const worthStreams = 3 * time.Millisecond

// tlsConfig is how to speak TLS to a URL's server. Certificates are always
// checked, against roots and name: apt's Verify-Peer and Verify-Host are not
// read. The client's own certificate is one that apt's configuration names for
// this host; shared adds that which it names for all.
func (c *Client) tlsConfig(u *url.URL, shared bool) *tls.Config {
	s := settings{conf: c.Conf, tls: true, host: u.Hostname()}
	cfg := &tls.Config{
		ServerName: strings.TrimSuffix(u.Hostname(), "."),
		RootCAs:    c.roots.pool(s.find("CaInfo")),
		MinVersion: tls.VersionTLS12,
	}
	if own := ownCertificate(s, shared); own != nil {
		cfg.GetClientCertificate = own
	}
	if file := s.find("CrlFile"); file != "" {
		cfg.VerifyConnection = revoked(file)
	}
	return cfg
}

// dialTLS opens a connection to the server of a lane, for http.Transport.
func (s *server) dialTLS(ctx context.Context, _, addr string) (net.Conn, error) {
	go s.client.roots.base() // while TCP connects
	conn, took, err := s.connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	cfg := s.secure().Clone()
	if took > s.client.streamsFrom && s.streams > 1 {
		cfg.NextProtos = []string{"h2", "http/1.1"}
	}
	ctx, cancel := context.WithTimeout(ctx, patience(ctx))
	defer cancel()
	secure := tls.Client(&buffered{conn, bufio.NewReaderSize(conn, readAhead)}, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &waitError{greeting, err}
	}
	return secure, nil
}

// ownCertificate returns what answers a server that asks for a certificate;
// nil if the configuration names none. Releases of apt take the key from the
// certificate's file where no key is named.
func ownCertificate(s settings, shared bool) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	item, cert := s.where("SslCert")
	if cert == "" || !shared && !strings.Contains(item, "::"+s.host+"::") {
		return nil
	}
	key := s.find("SslKey")
	if key == "" {
		key = cert
	}
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, &certificateError{cert, key, err}
		}
		return &pair, nil
	}
}

// certificateError is a client certificate that cannot be used.
type certificateError struct {
	cert, key string
	err       error
}

func (e *certificateError) Error() string {
	return "the client certificate " + e.cert + " with key " + e.key + " cannot be used: " + e.err.Error()
}
