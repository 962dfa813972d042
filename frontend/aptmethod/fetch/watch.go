package fetch

import (
	"context"
	"errors"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// errStalled ends a request whose server says nothing for too long.
var errStalled = errors.New("no answer")

// watch bounds each wait of a request.
type watch struct {
	wait   time.Duration
	cancel context.CancelCauseFunc
	timer  *time.Timer
	remote atomic.Pointer[netip.Addr]
	// reused: the connection had served another request before.
	reused atomic.Bool
}

// patienceKey is the context's key for how long a connection may take.
type patienceKey struct{}

// patience is how long each step of making a connection may take.
func patience(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return d
	}
	return defaultTimeout
}

// newWatch returns the context of a request. The clock runs from when the
// request has a connection, until stop; the steps before have clocks of their
// own. close must be called in the end.
func newWatch(ctx context.Context, wait time.Duration) (context.Context, *watch) {
	w := &watch{wait: wait}
	ctx, w.cancel = context.WithCancelCause(context.WithValue(ctx, patienceKey{}, wait))
	w.timer = time.AfterFunc(wait, func() { w.cancel(errStalled) })
	w.timer.Stop()
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if ap, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
				addr := ap.Addr()
				w.remote.Store(&addr)
			}
			w.reused.Store(info.Reused)
			w.start()
		},
	}), w
}

// start starts the clock anew.
func (w *watch) start() { w.timer.Reset(w.wait) }

// stop stops it: nobody waits for the server.
func (w *watch) stop() { w.timer.Stop() }

// close ends the request.
func (w *watch) close() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// addr is the address that the request's connection leads to; invalid if there
// is none.
func (w *watch) addr() netip.Addr {
	if a := w.remote.Load(); a != nil {
		return *a
	}
	return netip.Addr{}
}
