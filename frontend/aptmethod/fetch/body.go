package fetch

import (
	"context"
	"io"
	"sync"
	"time"
)

// body is a response's body. It gives back the place on the server's
// connection at its end, or when it is closed.
type body struct {
	io.ReadCloser
	watch *watch
	ctx   context.Context
	free  func()
	// failure says what an error of a read means.
	failure func(error) *Failure
	ended   bool // the end was read
}

func newBody(ctx context.Context, rc io.ReadCloser, w *watch, free func(), failure func(error) *Failure) *body {
	return &body{ReadCloser: rc, watch: w, ctx: ctx, failure: failure, free: sync.OnceFunc(func() {
		w.close()
		free()
	})}
}

func (b *body) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	b.watch.start()
	n, err := b.ReadCloser.Read(p)
	b.watch.stop()
	cause := context.Cause(b.ctx)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF && cause == nil:
		b.ended = true
		b.free()
		return n, io.EOF
	case cause != nil:
		// The end may be one that the server makes when it sees us leave.
		err = cause
	}
	return n, b.failure(err)
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.free()
	return err
}

// drained is how much of a body that nobody wants is read, and drainTime for how
// long at most, so that its connection can be used again.
const (
	drained   = 64 << 10
	drainTime = time.Second
)

// discard reads the rest of a short body.
func (b *body) discard() {
	defer time.AfterFunc(drainTime, func() { b.watch.cancel(errStalled) }).Stop()
	// Its errors are of no interest: the connection is closed then.
	_, _ = io.CopyN(io.Discard, b, drained)
	b.Close()
}
