package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

// tunnel reaches servers through a proxy, to which nothing is said but where to
// connect to: what is fetched goes through TLS to the server itself.
type tunnel struct {
	client *Client
	proxy  *url.URL
}

// refusedError is a proxy's answer to CONNECT.
type refusedError struct {
	status int
	text   string // the status line's, from the proxy
}

func (e *refusedError) Error() string { return "the proxy answered " + e.text }

// dial opens a connection to the server at "host:port".
func (t *tunnel) dial(ctx context.Context, addr string) (net.Conn, error) {
	conn, err := t.reach(ctx)
	if err != nil {
		return nil, err
	}
	if t.proxy.Scheme == "socks5h" {
		return t.socks(ctx, conn, addr)
	}
	// A proxy that says nothing must not hold the connection for ever.
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err = t.ask(conn, addr)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, &waitError{tunnelling, err}
	}
	return conn, nil
}

// reach connects to the proxy itself, with TLS if its scheme is https.
func (t *tunnel) reach(ctx context.Context) (net.Conn, error) {
	addr := net.JoinHostPort(t.proxy.Hostname(), port(t.proxy))
	conn, err := t.client.dial(ctx, network(t.client.Conf), addr, nil)
	if err != nil {
		return nil, &waitError{tunnelling, err}
	}
	if t.proxy.Scheme != "https" {
		return conn, nil
	}
	cfg := t.client.tlsConfig(t.proxy, false)
	secure := tls.Client(conn, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &waitError{tunnelling, err}
	}
	return secure, nil
}

// largestAnswer bounds what a proxy may say before the tunnel is open.
const largestAnswer = 64 << 10

// ask sends CONNECT and reads the answer.
func (t *tunnel) ask(conn net.Conn, addr string) error {
	header := http.Header{"User-Agent": {t.client.userAgent(t.proxy)}}
	if u := t.proxy.User; u != nil {
		password, _ := u.Password()
		header.Set("Proxy-Authorization", basic(u.Username(), password))
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: header}
	if err := req.Write(conn); err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(conn, largestAnswer))
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return &refusedError{resp.StatusCode, resp.Status}
	}
	if r.Buffered() > 0 {
		return errors.New("the proxy speaks before the tunnel is used")
	}
	return nil
}

// socks opens the tunnel of a SOCKS5 proxy on a connection to it; the proxy
// looks the name up.
func (t *tunnel) socks(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	var auth *proxy.Auth
	if u := t.proxy.User; u != nil {
		password, _ := u.Password()
		auth = &proxy.Auth{User: u.Username(), Password: password}
	}
	d, err := proxy.SOCKS5("tcp", t.proxy.Host, auth, opened{conn})
	if err == nil {
		var tunnelled net.Conn
		if tunnelled, err = d.(proxy.ContextDialer).DialContext(ctx, "tcp", addr); err == nil {
			return tunnelled, nil
		}
	}
	conn.Close()
	return nil, &waitError{tunnelling, err}
}

// opened is a dialer that has dialled already.
type opened struct{ conn net.Conn }

func (o opened) Dial(string, string) (net.Conn, error) { return o.conn, nil }

func (o opened) DialContext(context.Context, string, string) (net.Conn, error) { return o.conn, nil }
