package aptmethod

import (
	"context"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
)

// patience is how an outage of the operator's last mirror is waited out.
type patience struct {
	tries   int           // after the first
	longest time.Duration // between two
}

// patienceOf reads what apt is told of it. Source: the defaults of apt 2.6,
// pkgAcquire::Item::Failed in apt-pkg/acquire-item.cc.
func patienceOf(conf *aptconf.Conf) patience {
	return patience{
		tries:   min(max(conf.Int("Acquire::Retries", 3), 0), 10),
		longest: conf.Seconds("Acquire::Retries::Delay::Maximum", 30*time.Second),
	}
}

// askPatiently is ask, and for the operator's last mirror asks again after 1, 2,
// 4 … seconds while it is out.
//
// For any other server that is left to apt. But apt puts off all of a host's
// files while it waits for one, and from 2.3 on may never come back to them: of
// a server that is out it gets no file anyway, while a mirror stands in for a
// part of a host only. So apt is not told that the outage may end: it exits 100,
// which for a mirror that the operator chose is the better answer too.
func (j *job) askPatiently(ctx context.Context, hop fetch.Hop, more bool) *fetch.Failure {
	f := j.ask(ctx, hop, more)
	if more || !hop.Mirror {
		return f
	}
	for n := range j.patience.tries {
		if f == nil || !f.Transient || j.report.isDown(hop) || !pause(ctx, min(time.Second<<n, j.patience.longest)) {
			break
		}
		f = j.ask(ctx, hop, false)
	}
	if f == nil || !f.Transient || ctx.Err() != nil {
		return f
	}
	j.report.lost(hop)
	last := *f
	last.Transient = false
	last.Message += " (it is the last of the operator's mirrors; the word default behind it stands for the official host)"
	return &last
}

// pause waits, and reports whether ctx did not end meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// lost notes that the server of the last hop is out: other files of it are asked
// for once.
func (r *report) lost(hop fetch.Hop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hop(hop).lose()
}
