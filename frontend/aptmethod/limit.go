package aptmethod

import (
	"context"
	"sync"
	"time"
)

// limiter spreads bytes over time: Dl-Limit, for all files together. A nil
// limiter has no limit.
type limiter struct {
	perSecond int64

	mu   sync.Mutex
	free time.Time // when the next byte may come
}

// newLimiter returns a limiter for bytes per second, nil for 0 and less.
func newLimiter(perSecond int64) *limiter {
	if perSecond <= 0 {
		return nil
	}
	return &limiter{perSecond: perSecond}
}

// piece is how much to read at once: all of most, or a tenth of a second's.
func (l *limiter) piece(most int) int {
	if l == nil {
		return most
	}
	return int(min(int64(most), max(1, l.perSecond/10)))
}

// reserve takes n bytes at now and returns how long to wait for them.
func (l *limiter) reserve(now time.Time, n int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.perSecond) * float64(time.Second)))
	return l.free.Sub(now)
}

// wait waits until n bytes that have come are paid for, or ctx ends.
func (l *limiter) wait(ctx context.Context, n int) {
	if l == nil {
		return
	}
	timer := time.NewTimer(l.reserve(time.Now(), n))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
