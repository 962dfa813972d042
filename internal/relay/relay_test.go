package relay

import (
	"bytes"
	"crypto/rand"
	"flag"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

var _ = flag.Bool("update", false, "accepted for `go test ./... -update`; there is no golden here")

// arrivals sends n bytes through one direction of a connection, in a world whose
// clock moves only when all wait, and returns when the first and the last arrive.
func arrivals(t *testing.T, opts Options, n int) (first, last time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		in, from := net.Pipe()
		to, out := net.Pipe()
		go func() {
			in.Write(make([]byte, n))
			in.Close()
		}()
		go newLine(opts, begin).pass(to, from)
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		first = time.Since(begin)
		rest, err := io.Copy(io.Discard, out)
		if err != nil || rest != int64(n-1) {
			t.Errorf("%d of %d bytes, %v", rest+1, n, err)
		}
		last = time.Since(begin)
	})
	return first, last
}

// TestLine holds that the delay is paid once, however much is sent, and that
// bytes leave evenly at the rate.
func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		opts        Options
		bytes       int
		first, last time.Duration
	}{
		{"nothing", Options{}, 1 << 20, 0, 0},
		{"delay", Options{Delay: 10 * time.Millisecond}, 10 << 20, 10 * time.Millisecond, 10 * time.Millisecond},
		{"rate", Options{Rate: 2e6}, 4e6, 10 * time.Millisecond, 2 * time.Second},
		{"both", Options{Delay: 10 * time.Millisecond, Rate: 2e6}, 4e6, 20 * time.Millisecond, 2010 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, last := arrivals(t, c.opts, c.bytes)
			if first != c.first || last != c.last {
				t.Errorf("arrived after %v to %v, not %v to %v", first, last, c.first, c.last)
			}
		})
	}
}

// TestRelay holds that real connections get what was sent, both ways, and that
// the end of one direction leaves the other open.
func TestRelay(t *testing.T) {
	t.Parallel()
	server := listen(t)
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				all, _ := io.ReadAll(c)
				c.Write(append(all, " and back"...))
			}()
		}
	}()
	r := New(listen(t), server.Addr().String(), Options{Delay: time.Millisecond, Rate: 1e9})
	defer r.Close()
	want := make([]byte, 3<<20)
	rand.Read(want)
	c := dial(t, r)
	if _, err := c.Write(want); err != nil {
		t.Fatal(err)
	}
	c.CloseWrite()
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, append(want, " and back"...)) {
		t.Errorf("%d bytes came back for %d, %v", len(got), len(want), err)
	}
}

// TestClose holds that Close breaks what is open, and that a target that is not
// there closes the connection.
func TestClose(t *testing.T) {
	t.Parallel()
	server := listen(t)
	r := New(listen(t), server.Addr().String(), Options{})
	c := dial(t, r)
	if _, err := server.Accept(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open after Close")
	}

	server.Close()
	r = New(listen(t), server.Addr().String(), Options{})
	defer r.Close()
	if _, err := dial(t, r).Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open without a target")
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func dial(t *testing.T, r *Relay) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}
