package fetch

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// dialer opens a TCP connection to "host:port". check, if not nil, is asked
// about each address before it is used.
type dialer func(ctx context.Context, network, addr string, check func(netip.Addr) error) (net.Conn, error)

// dialTCP is the dialer of a Client: IPv6 and IPv4 race, and each address has
// its share of ctx's deadline.
func dialTCP(ctx context.Context, network, addr string, check func(netip.Addr) error) (net.Conn, error) {
	d := net.Dialer{}
	if check != nil {
		// Control sees the address that is about to be connected to, so that
		// no second answer of the name server can slip in.
		d.Control = func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return check(ap.Addr())
		}
	}
	return d.DialContext(ctx, network, addr)
}

// errPrivate is why a redirect's target is not connected to.
var errPrivate = errors.New("its address is not public")

// onlyPublic lets public addresses through.
func onlyPublic(a netip.Addr) error {
	if !publicAddr(a) {
		return errPrivate
	}
	return nil
}

// phase is what a request is waiting for.
type phase int32

const (
	connecting phase = iota
	tunnelling
	greeting
	answering
	receiving
)

// waitError is a failure on the way to a server, with what was tried.
type waitError struct {
	phase phase
	err   error
}

func (e *waitError) Error() string { return e.err.Error() }
func (e *waitError) Unwrap() error { return e.err }

// readAhead is how much is read from a connection at once. A TLS record is at
// most 16 KiB, so that this saves most system calls.
const readAhead = 128 << 10

// buffered is a connection that reads ahead.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }

// connect opens a connection to the server at "host:port", through its tunnel
// if it has one, and says how long that took the network.
func (s *server) connect(ctx context.Context, addr string) (net.Conn, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience(ctx))
	defer cancel()
	if s.tunnel != nil {
		conn, err := s.tunnel.dial(ctx, addr)
		return conn, 0, err
	}
	var check func(netip.Addr) error
	if s.key.restricted {
		check = onlyPublic
	}
	start := time.Now()
	conn, err := s.client.dial(ctx, network(s.client.Conf), addr, check)
	if err != nil {
		return nil, 0, &waitError{connecting, err}
	}
	return conn, time.Since(start), nil
}
