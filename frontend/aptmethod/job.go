package aptmethod

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

// job is one file on its way to apt.
type job struct {
	*method
	*item
	started bool // "200 URI Start" was sent
}

// newJob reads what apt asks for.
func (m *method) newJob(msg *message.Message) *job {
	i := parseItem(msg, m.encoded)
	i.forced = m.conf.First("Acquire::ForceHash")
	return &job{method: m, item: i}
}

// run fetches the file and answers, once. There is no answer if ctx ends.
func (j *job) run(ctx context.Context) {
	if j.finished() {
		return
	}
	j.report.begin()
	hops, f := j.client.Plan(j.address)
	if f != nil {
		j.fail(f)
		return
	}
	j.report.unverified(j.conf, hostOf(j.uri))
	hops = j.report.standing(hops)
	for n, hop := range hops {
		more := n+1 < len(hops)
		if more && j.report.isDown(hop) {
			continue
		}
		f := j.askPatiently(ctx, hop, more)
		switch {
		case f == nil || ctx.Err() != nil:
			return
		case !more || !f.Next:
			j.fail(f)
			return
		}
		j.report.gaveUp(hop, hops[n+1], f)
	}
}

// ask gets the file from a place, from where it was left. more says that there
// is another place. It has answered if it returns nil.
func (j *job) ask(ctx context.Context, hop fetch.Hop, more bool) *fetch.Failure {
	if j.report.isNew(hop) {
		j.answer("102 Status", message.Field{Name: "Message", Value: "Connecting to " + hostOf(hop.URL)})
	}
	f, again := j.askOnce(ctx, hop, more)
	if again {
		f, _ = j.askOnce(ctx, hop, more)
	}
	return f
}

// askOnce is ask; again says that the failure is due to what was there of the
// file, which is thrown away now.
func (j *job) askOnce(ctx context.Context, hop fetch.Hop, more bool) (f *fetch.Failure, again bool) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	resp, err := j.get(ctx, end, hop, more)
	if err != nil {
		return failureOf(err), false
	}
	if resp.Body != nil {
		defer resp.Body.Close()
	}
	switch {
	case resp.NotModified:
		return j.unchanged(hop), false
	case resp.Complete:
		return j.complete(hop, resp)
	}
	if f := j.wrongSize(resp.Size); f != nil {
		return f, false
	}
	return j.receive(ctx, hop, resp, more)
}

// get asks for the file. If there is another place, it ends as soon as the
// server is known to be down: who waits behind others for a server that does not
// answer would else wait as long again.
func (j *job) get(ctx context.Context, end func(error), hop fetch.Hop, more bool) (*fetch.Response, error) {
	req := j.request(more)
	if more {
		asked := make(chan struct{})
		defer close(asked)
		down := j.report.downOf(hop)
		go func() {
			select {
			case <-down:
				end(&fetch.Failure{Message: "it is down", Next: true})
			case <-asked:
			}
		}()
	}
	return j.client.Get(ctx, hop, req)
}

// request says what to ask for: the rest of what is there, else the whole file
// if it is newer than apt's.
func (j *job) request(more bool) fetch.Request {
	req := fetch.Request{IfModifiedSince: j.since, Index: j.index, Proxy: j.proxy}
	if more {
		req.Deadline = j.deadline
	}
	size, modified := j.partial()
	if size > 0 && (j.most < 0 || size <= j.most) && j.enabled(hostOf(j.uri), "AllowRanges", true) {
		req.Offset, req.Modified = size, modified
	}
	return req
}

// wrongSize refuses a file that can't be the expected one before any of it is
// read; size is -1 if it is not known. apt's own method gives the same reason.
func (j *job) wrongSize(size int64) *fetch.Failure {
	switch {
	case size < 0 || j.most < 0 || size <= j.most && j.size < 0 || size == j.size:
		return nil
	case j.size >= 0:
		return exceeded("the server's file has %d bytes, not the expected %d: is the mirror being updated?", size, j.size)
	}
	return exceeded("the server's file has %d bytes, apt takes at most %d of it", size, j.most)
}

func exceeded(format string, args ...any) *fetch.Failure {
	return &fetch.Failure{Message: fmt.Sprintf(format, args...), Reason: "MaximumSizeExceeded", Next: true}
}

// receive takes the body and answers; see askOnce.
func (j *job) receive(ctx context.Context, hop fetch.Hop, resp *fetch.Response, more bool) (f *fetch.Failure, again bool) {
	file, err := openFile(j.item, resp.Offset)
	if err != nil {
		return localFailure(err), false
	}
	j.start(resp)
	f = j.copy(ctx, file, resp.Body)
	if err := file.close(resp.Modified); err != nil && f == nil {
		f = localFailure(err)
	}
	switch {
	case f != nil:
		return f, false
	case !file.match(j.item) && (resp.Offset > 0 || more):
		return j.discard(), resp.Offset > 0
	}
	j.report.fetched(j.item, hop, false)
	j.log("%d bytes from %s", file.size-resp.Offset, resp.From)
	j.done(resp.Modified, resp.Offset, file.sums)
	return nil, false
}

// unchanged answers that apt has the newest file. apt's own method removes what
// is there of another.
func (j *job) unchanged(hop fetch.Hop) *fetch.Failure {
	if err := j.remove(); err != nil {
		return localFailure(err)
	}
	j.report.fetched(j.item, hop, true)
	j.answer(
		"201 URI Done",
		message.Field{Name: "Filename", Value: j.path},
		message.Field{Name: "Last-Modified", Value: formatTime(j.since)},
		message.Field{Name: "IMS-Hit", Value: "true"},
	)
	return nil
}

// complete answers with what is there, which the server says is all of the
// file; see askOnce.
func (j *job) complete(hop fetch.Hop, resp *fetch.Response) (f *fetch.Failure, again bool) {
	_, modified := j.partial()
	file, err := openFile(j.item, resp.Offset)
	if err != nil {
		return localFailure(err), false
	}
	if err := file.close(modified); err != nil {
		return localFailure(err), false
	}
	if !file.match(j.item) {
		return j.discard(), true
	}
	j.report.fetched(j.item, hop, false)
	j.start(resp)
	j.done(modified, resp.Offset, file.sums)
	return nil, false
}

// discard empties the file, which is not the expected one: apt is to get it
// from elsewhere, or anew.
func (j *job) discard() *fetch.Failure {
	if err := j.empty(); err != nil {
		return localFailure(err)
	}
	return &fetch.Failure{Message: "its file is not the one that the archive's index names", Next: true}
}

// finished answers if the file is there already, whole, and as apt trusts it. A
// file of that size that is another is thrown away.
func (j *job) finished() bool {
	size, modified := j.partial()
	if j.size < 0 || size < j.size || !j.trusted() {
		return false
	}
	file, err := openFile(j.item, size)
	if err != nil || file.close(modified) != nil || !file.match(j.item) {
		_ = j.empty()
		return false
	}
	j.start(&fetch.Response{Offset: size, Size: size, Modified: modified})
	j.done(modified, size, file.sums)
	return true
}

// failureOf returns what a hop's error is.
func failureOf(err error) *fetch.Failure {
	var f *fetch.Failure
	if errors.As(err, &f) {
		return f
	}
	return &fetch.Failure{Message: err.Error(), Transient: true, Next: true}
}

// localFailure is for what another server would not mend.
func localFailure(err error) *fetch.Failure { return &fetch.Failure{Message: err.Error()} }

// start sends "200 URI Start", the first time.
func (j *job) start(resp *fetch.Response) {
	if j.started {
		return
	}
	j.started = true
	j.answer(
		"200 URI Start",
		message.Field{Name: "Size", Value: number(resp.Size)},
		message.Field{Name: "Last-Modified", Value: formatTime(resp.Modified)},
		message.Field{Name: "Resume-Point", Value: number(resp.Offset)},
	)
}

// number returns "" for what is not known, and for 0, as apt does.
func number(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
