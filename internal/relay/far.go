package relay

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Far is a network namespace from which this machine's loopback addresses in
// 127.64.0.0/10, where the servers of package testbed are, lie behind a slow
// network. Packets are delayed, not connections relayed: TCP's handshake and slow
// start cost what they cost, and a client that measures a round trip sees it.
// Nothing is lost and the queues have no end.
type Far struct {
	namespace *os.File
	ends      [2]*os.File // TUN interfaces: the machine's, the namespace's
	wait      sync.WaitGroup
	closed    chan struct{}
}

// NewFar makes a namespace. It needs root and ip(8). Options.Rate is per TCP
// connection and direction.
func NewFar(opts Options) (*Far, error) {
	f := &Far{closed: make(chan struct{})}
	// Of 198.18.0.0/15, which is for tests of networks: RFC 2544.
	n := 2 * rand.IntN(1<<15)
	near, far := fmt.Sprintf("198.18.%d.%d", n>>8, n&255), fmt.Sprintf("198.18.%d.%d", n>>8, n&255+1)
	name := fmt.Sprintf("far%d", n)
	var err error
	if f.ends[0], err = openTun(name, "address add "+near+" peer "+far+" dev "+name, "link set "+name+" up"); err != nil {
		return nil, err
	}
	if err := f.enter("address add "+far+" peer "+near+" dev far", "link set far up", "route add 127.64.0.0/10 dev far src "+far); err != nil {
		f.ends[0].Close()
		return nil, err
	}
	f.wait.Go(func() { f.forward(f.ends[0], f.ends[1], opts) })
	f.wait.Go(func() { f.forward(f.ends[1], f.ends[0], opts) })
	return f, nil
}

// Path returns the namespace's file, for nsenter(1) in child processes.
func (f *Far) Path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.namespace.Fd()) }

// Close removes the namespace's network.
func (f *Far) Close() {
	close(f.closed)
	f.ends[0].Close()
	f.ends[1].Close()
	f.namespace.Close()
	f.wait.Wait()
}

// enter makes the namespace with its end of the network. Its loopback interface
// stays down, so that 127.0.0.0/8 is not the namespace's own.
func (f *Far) enter(ip ...string) error {
	result := make(chan error)
	go func() {
		// Never unlocked: the thread ends with the goroutine, and nothing else
		// runs in the namespace.
		runtime.LockOSThread()
		err := syscall.Unshare(syscall.CLONE_NEWNET)
		if err == nil {
			f.ends[1], err = openTun("far", ip...)
		}
		if err == nil {
			f.namespace, err = os.Open("/proc/thread-self/ns/net")
		}
		result <- err
	}()
	return <-result
}

// virtioHeader is the size of struct virtio_net_hdr.
const virtioHeader = 10

// flow tells TCP connections' directions apart: addresses and ports.
type flow [12]byte

// forward passes packets on until Close. Without a rate all are one flow.
func (f *Far) forward(from, to *os.File, opts Options) {
	flows := map[flow]*line{}
	queues := map[flow]chan parcel{}
	buf := make([]byte, virtioHeader+1<<16)
	for {
		n, err := from.Read(buf)
		if errors.Is(err, os.ErrClosed) {
			break
		}
		if err != nil || n < virtioHeader+40 {
			continue
		}
		packet := append([]byte(nil), buf[:n]...)
		var key flow
		if opts.Rate > 0 {
			key = flowOf(packet[virtioHeader:])
		}
		if flows[key] == nil {
			queue := make(chan parcel, 1<<16)
			flows[key], queues[key] = newLine(opts, time.Time{}), queue
			f.wait.Go(func() { f.deliver(to, queue) })
		}
		queues[key] <- parcel{packet, flows[key].send(n).Add(opts.Delay)}
	}
	for _, q := range queues {
		close(q)
	}
}

func flowOf(packet []byte) (key flow) {
	copy(key[:8], packet[12:20])
	head := 4 * int(packet[0]&15)
	copy(key[8:], packet[min(head, len(packet)):])
	return key
}

// deliver writes packets when they are due.
func (f *Far) deliver(to *os.File, packets <-chan parcel) {
	for p := range packets {
		select {
		case <-f.closed:
		case <-time.After(time.Until(p.due)):
			to.Write(p.data) // fails only when the interface is going away
		}
	}
}
