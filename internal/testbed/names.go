package testbed

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers DNS questions of the daemon and its RUNs: the names of
// mirrors from its table, names under debian.org by the machine's own
// resolver, and "no such name" for all others, so that no build leaves the
// machine by accident. UDP only.
type nameServer struct {
	addr     netip.Addr
	upstream string // host:port, empty if the machine has no resolver

	mu    sync.Mutex
	names map[string]netip.Addr
}

// NameServer returns the address of the DNS server that the daemon and its RUNs
// ask, port 53, for programs that run beside them. It answers for the names of
// live mirrors.
func NameServer(t TB) netip.Addr {
	t.Helper()
	return must[*nameServer](t, "start the name server")(shared.nameServer()).addr
}

// Redirect makes the name of a live mirror resolve to another address until the
// test ends: to something that stands before the mirror and passes connections
// on, such as a relay.
func Redirect(t TB, name string, addr netip.Addr) {
	t.Helper()
	s := must[*nameServer](t, "start the name server")(shared.nameServer())
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.names[name]
	if !known {
		t.Fatalf("testbed: no live mirror has the name %s", name)
	}
	s.names[name] = addr
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.names[name] = before
	})
}

func (b *bed) nameServer() (*nameServer, error) {
	return b.names.do(func() (*nameServer, error) {
		var conn net.PacketConn
		addr, err := listenLoopback(func(a netip.Addr) (err error) {
			conn, err = net.ListenPacket("udp", netip.AddrPortFrom(a, 53).String())
			return err
		})
		if err != nil {
			return nil, err
		}
		s := &nameServer{addr: addr, upstream: upstreamResolver(), names: map[string]netip.Addr{}}
		b.atClose(func() { conn.Close() })
		go s.serve(conn)
		return s, nil
	})
}

// add makes names resolve to addr until the returned function is called.
func (s *nameServer) add(names []string, addr netip.Addr) (remove func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if _, taken := s.names[name]; taken {
			return nil, fmt.Errorf("the name %s belongs to another live mirror of this process", name)
		}
	}
	for _, name := range names {
		s.names[name] = addr
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, name := range names {
			delete(s.names, name)
		}
	}, nil
}

func (s *nameServer) serve(conn net.PacketConn) {
	for {
		buf := make([]byte, 4096)
		n, from, err := conn.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		go func() {
			if reply, err := s.answer(buf[:n]); err == nil {
				conn.WriteTo(reply, from)
			}
		}()
	}
}

func (s *nameServer) answer(query []byte) ([]byte, error) {
	var p dnsmessage.Parser
	header, err := p.Start(query)
	if err != nil {
		return nil, err
	}
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	s.mu.Lock()
	addr, known := s.names[name]
	s.mu.Unlock()
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: header.ID, Response: true, RecursionDesired: header.RecursionDesired, RecursionAvailable: true},
		Questions: []dnsmessage.Question{q},
	}
	switch {
	case known && q.Type == dnsmessage.TypeA:
		reply.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: addr.As4()},
		}}
	case known: // the name exists, without a record of this type
	case strings.HasSuffix("."+name, ".debian.org"):
		return s.forward(query)
	default:
		reply.RCode = dnsmessage.RCodeNameError
	}
	return reply.Pack()
}

// forward asks the machine's own resolver.
func (s *nameServer) forward(query []byte) ([]byte, error) {
	if s.upstream == "" {
		return nil, errors.New("this machine has no resolver")
	}
	conn, err := net.DialTimeout("udp", s.upstream, 5*time.Second)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := conn.Write(query); err != nil {
		return nil, err
	}
	buf := make([]byte, 65535)
	n, err := conn.Read(buf)
	return buf[:n], err
}

// upstreamResolver returns the address of the first resolver in
// /etc/resolv.conf, or "" without one.
func upstreamResolver() string {
	data, _ := os.ReadFile("/etc/resolv.conf")
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "nameserver" {
			return net.JoinHostPort(f[1], "53")
		}
	}
	return ""
}

// listenLoopback calls listen with random addresses of 127.64.0.0/10 until
// one is free, so that test processes don't meet.
func listenLoopback(listen func(netip.Addr) error) (netip.Addr, error) {
	var err error
	for range 20 {
		n := rand.Uint32()
		addr := netip.AddrFrom4([4]byte{127, 64 | byte(n>>16)&0x3f, byte(n >> 8), byte(n) | 1})
		if err = listen(addr); err == nil {
			return addr, nil
		}
		if errors.Is(err, syscall.EACCES) {
			return netip.Addr{}, fmt.Errorf("low ports need root: %w", err)
		}
	}
	return netip.Addr{}, fmt.Errorf("no free loopback address (does a server of this machine listen on 0.0.0.0?): %w", err)
}

// Listen opens TCP ports of one free loopback address, closed when the test
// ends.
func Listen(t TB, ports ...uint16) (netip.Addr, []net.Listener) {
	t.Helper()
	var listeners []net.Listener
	addr, err := listenLoopback(func(a netip.Addr) error {
		for _, l := range listeners {
			l.Close()
		}
		listeners = nil
		for _, port := range ports {
			l, err := net.Listen("tcp", netip.AddrPortFrom(a, port).String())
			if err != nil {
				return err
			}
			listeners = append(listeners, l)
		}
		return nil
	})
	for _, l := range listeners {
		t.Cleanup(func() { l.Close() })
	}
	if err != nil {
		t.Fatalf("testbed: open ports %v: %v", ports, err)
	}
	return addr, listeners
}
