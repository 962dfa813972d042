// Package relay puts a slow network, with a delay each way and a limit of bytes
// per second, before servers on loopback, for tests and benchmarks.
//
// Relay passes single connections on and needs nothing. Far is a network
// namespace whose packets are delayed: it needs root, and is as real as TCP gets.
package relay

import (
	"io"
	"net"
	"sync"
	"time"
)

// Options are the properties of the network.
type Options struct {
	// Delay is how long each byte is on its way, in each direction: half of the
	// round-trip time.
	Delay time.Duration
	// Rate is how many bytes per second each connection may carry in each
	// direction; 0 is no limit.
	Rate int64
}

// Relay accepts connections and passes them on.
//
// It is a delay line: what was read is on its way while more is read, so a
// pipelined protocol runs at the full rate whatever the delay. A connection's
// first bytes wait for one more round trip, that of TCP's own handshake, which on
// loopback takes no time. Not modelled: slow start, loss, and a limit shared by
// connections.
type Relay struct {
	listener net.Listener
	target   string
	opts     Options

	wait  sync.WaitGroup
	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil once the Relay is closed
}

// New starts a relay of l's connections to the TCP address target. It owns l.
func New(l net.Listener, target string, opts Options) *Relay {
	r := &Relay{listener: l, target: target, opts: opts, conns: map[net.Conn]struct{}{}}
	r.wait.Go(r.accept)
	return r
}

// Close ends the relay and its connections, and returns when all is at rest.
func (r *Relay) Close() {
	r.listener.Close()
	r.mu.Lock()
	conns := r.conns
	r.conns = nil
	r.mu.Unlock()
	for c := range conns {
		c.Close()
	}
	r.wait.Wait()
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.wait.Go(func() { r.serve(client) })
	}
}

// serve passes one connection on until both directions are at their end, or one
// of them breaks.
func (r *Relay) serve(client net.Conn) {
	defer r.drop(client)
	begin := time.Now()
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		return
	}
	defer r.drop(server)
	if !r.keep(client) || !r.keep(server) {
		return
	}
	var both sync.WaitGroup
	pass := func(to, from net.Conn, start time.Time) {
		both.Go(func() {
			if err := newLine(r.opts, start).pass(to, from); err != nil {
				client.Close()
				server.Close()
			}
		})
	}
	pass(server, client, begin.Add(2*r.opts.Delay))
	pass(client, server, begin)
	both.Wait()
}

// keep remembers a connection for Close; false if that was called.
func (r *Relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns == nil {
		return false
	}
	r.conns[c] = struct{}{}
	return true
}

func (r *Relay) drop(c net.Conn) {
	c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// chunk is how many bytes are read at a time, at most.
const chunk = 32 << 10

// flight is how many chunks may be on their way in one direction: 32 MB, more
// than a window that a delay of a second needs at 25 MB/s.
const flight = 1024

// line is one direction of a connection.
type line struct {
	opts Options
	free time.Time // when the bytes sent so far have left
}

// parcel is a piece of the stream; without data it is its end.
type parcel struct {
	data []byte
	due  time.Time
}

// newLine returns a line that sends nothing before start.
func newLine(opts Options, start time.Time) *line { return &line{opts: opts, free: start} }

// pass copies from one side to the other until the end of the stream, which it
// passes on.
func (l *line) pass(to, from net.Conn) error {
	parcels := make(chan parcel, flight)
	delivered := make(chan error, 1)
	go func() { delivered <- deliver(to, parcels) }()
	readErr := l.read(from, parcels)
	close(parcels)
	if err := <-delivered; err != nil {
		return err
	}
	return readErr
}

// read puts the stream's pieces on their way, no faster than the rate allows.
func (l *line) read(from io.Reader, parcels chan<- parcel) error {
	for {
		buf := make([]byte, l.size())
		n, err := from.Read(buf)
		if n > 0 {
			parcels <- parcel{buf[:n], l.send(n).Add(l.opts.Delay)}
			time.Sleep(time.Until(l.free))
		}
		if err == io.EOF {
			parcels <- parcel{due: l.send(0).Add(l.opts.Delay)}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// size is how much to read at once: no more than 10 ms of the rate, so that
// bytes leave evenly.
func (l *line) size() int {
	if l.opts.Rate == 0 {
		return chunk
	}
	return int(max(1, min(chunk, l.opts.Rate/100)))
}

// send returns when n bytes that are there now have left.
func (l *line) send(n int) time.Time {
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	if l.opts.Rate > 0 {
		l.free = l.free.Add(time.Duration(int64(n) * int64(time.Second) / l.opts.Rate))
	}
	return l.free
}

// deliver writes parcels when they are due. After an error it goes on to take
// them, so that the reader does not hang.
func deliver(to net.Conn, parcels <-chan parcel) error {
	var failed error
	for p := range parcels {
		if failed != nil {
			continue
		}
		time.Sleep(time.Until(p.due))
		if p.data == nil {
			failed = closeWrite(to)
			continue
		}
		if _, failed = to.Write(p.data); failed != nil {
			to.Close()
		}
	}
	return failed
}

func closeWrite(c net.Conn) error {
	if tcp, ok := c.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return c.Close()
}
