package daemon

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/docker/cli/cli/connhelper"
	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Engine is a Docker engine.
type Engine struct {
	address string
	dial    func(ctx context.Context) (net.Conn, error)
	http    *http.Client
}

// socket is where a Docker engine listens if DOCKER_HOST says nothing.
const socket = "/var/run/docker.sock"

func socketShown() string { return socket }

// engineExpected reports whether the environment names an engine, or there is one
// at the usual place.
func engineExpected(env func(string) (string, bool)) bool {
	host, _ := env("DOCKER_HOST")
	return host != "" || runtime.GOOS != "windows" && exists(socket)
}

// openDocker connects to the BuildKit in a Docker engine.
func openDocker(ctx context.Context, r Request) (*Daemon, error) {
	e, err := OpenEngine(ctx, r.Environ)
	if err != nil {
		return nil, err
	}
	c, err := client.New(ctx, "",
		client.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return e.hijack(ctx, "/grpc", "h2c", nil) }),
		client.WithSessionDialer(func(ctx context.Context, proto string, meta map[string][]string) (net.Conn, error) {
			return e.hijack(ctx, "/session", proto, meta)
		}))
	if err == nil {
		d := &Daemon{Client: c, Engine: e, stop: func() error { return nil }}
		if err = d.ask(ctx); err == nil {
			return d, nil
		}
		c.Close()
	}
	return nil, &fault.Error{
		Message: "the Docker engine at " + e.address + " has no BuildKit that answers: " + lastPart(err),
		Todo:    "Use Docker Engine 20.10 or newer, or name another builder with --builder or " + HostVariable + ".",
	}
}

// OpenEngine connects to the engine that DOCKER_HOST names, or to the usual one.
func OpenEngine(ctx context.Context, env func(string) (string, bool)) (*Engine, error) {
	host, _ := env("DOCKER_HOST")
	if host == "" {
		host = "unix://" + socket
	}
	e := &Engine{address: route.Redact(host)}
	var err error
	if e.dial, err = dialer(host, env); err != nil {
		return nil, &fault.Error{Message: "DOCKER_HOST=" + e.address + ": " + err.Error(), Todo: "Write unix://PATH, ssh://HOST, or tcp://HOST:2376 with DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH."}
	}
	e.http = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return e.dial(ctx) },
	}}
	if err := e.ping(ctx); err != nil {
		return nil, &fault.Error{
			Message: "no Docker engine answers at " + e.address + ": " + cause(err),
			Todo:    "Start it, see that you may use its socket (group docker), or name another builder with --builder or " + HostVariable + ".",
		}
	}
	return e, nil
}

// dialer returns how an engine is connected to. Certificates are always checked;
// without DOCKER_TLS_VERIFY a tcp address is clear text, as for docker.
func dialer(host string, env func(string) (string, bool)) (func(context.Context) (net.Conn, error), error) {
	u, err := url.Parse(host)
	if err != nil {
		return nil, errors.New("it is no address")
	}
	var plain net.Dialer
	switch u.Scheme {
	case "unix":
		return func(ctx context.Context) (net.Conn, error) { return plain.DialContext(ctx, "unix", u.Path) }, nil
	case "ssh":
		helper, err := connhelper.GetConnectionHelper(host)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (net.Conn, error) { return helper.Dialer(ctx, "tcp", "docker") }, nil
	case "tcp":
		if verify, _ := env("DOCKER_TLS_VERIFY"); verify == "" {
			return func(ctx context.Context) (net.Conn, error) { return plain.DialContext(ctx, "tcp", u.Host) }, nil
		}
		config, err := clientTLS(env)
		if err != nil {
			return nil, err
		}
		d := &tls.Dialer{NetDialer: &plain, Config: config}
		return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", u.Host) }, nil
	}
	return nil, fmt.Errorf("the scheme %q is not supported", u.Scheme)
}

// clientTLS reads ca.pem, cert.pem and key.pem of DOCKER_CERT_PATH, or of
// docker's own folder.
func clientTLS(env func(string) (string, bool)) (*tls.Config, error) {
	dir, _ := env("DOCKER_CERT_PATH")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, ".docker")
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New(filepath.Join(dir, "ca.pem") + " holds no certificate")
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

func (e *Engine) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://docker/_ping", nil)
	if err != nil {
		return err
	}
	res, err := e.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// hijack asks the engine to speak another protocol on a connection of its own.
func (e *Engine) hijack(ctx context.Context, path, proto string, meta map[string][]string) (net.Conn, error) {
	conn, err := e.dial(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://docker"+path, nil)
	if err != nil {
		conn.Close()
		return nil, err
	}
	req.Header = http.Header(meta).Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", proto)
	conn.SetDeadline(time.Now().Add(answerWithin))
	in := bufio.NewReader(conn)
	res, err := upgrade(conn, in, req)
	if err != nil {
		conn.Close()
		return nil, err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		res.Body.Close()
		conn.Close()
		return nil, fmt.Errorf("the Docker engine answers %s to %s", res.Status, path)
	}
	conn.SetDeadline(time.Time{})
	return &hijacked{conn, in}, nil
}

func upgrade(conn net.Conn, in *bufio.Reader, req *http.Request) (*http.Response, error) {
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	return http.ReadResponse(in, req)
}

// hijacked is a connection of which some bytes may have been read already.
type hijacked struct {
	net.Conn
	in *bufio.Reader
}

// Read reads what the answer's reader has taken in first.
func (h *hijacked) Read(p []byte) (int, error) { return h.in.Read(p) }

// CloseWrite ends one direction, where the connection can.
func (h *hijacked) CloseWrite() error {
	if c, ok := h.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// cause is the system's reason in an error of the HTTP client.
func cause(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Err.Error()
	}
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}
