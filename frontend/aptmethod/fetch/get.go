package fetch

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// trip is a request on its way, through redirects if there are any.
type trip struct {
	*Client
	rules *rules
	req   Request
	// url is what is asked for next; kept says that it may be in clear text.
	url  *url.URL
	kept bool
	// before is the http URL that url was made from by changing the scheme
	// alone, or nil.
	before *url.URL
	// via is the redirect that led here, or nil; seen are the URLs so far.
	via  *url.URL
	seen []string
	// shared and restricted are those of serverKey.
	shared, restricted bool
	// login says where the credentials of the last request came from, or "".
	login string
	proxy *url.URL
}

// Get implements Getter.
func (c *Client) Get(ctx context.Context, hop Hop, req Request) (*Response, error) {
	t, f := c.newTrip(hop, req)
	if f != nil {
		return nil, f
	}
	for {
		resp, addr, err := t.ask(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case t.redirected(resp):
			resp.Body.(*body).discard()
			if f := t.follow(resp.Header.Get("Location"), addr); f != nil {
				return nil, f
			}
		case t.again(resp):
			resp.Body.(*body).discard()
			t.req.Offset = 0
		default:
			return t.answer(resp)
		}
	}
}

func (c *Client) newTrip(hop Hop, req Request) (*trip, *Failure) {
	r, err := c.rules()
	if err != nil {
		return nil, &Failure{Message: plain(err.Error())}
	}
	t := &trip{Client: c, rules: r, req: req, kept: hop.Kept, shared: true}
	var f *Failure
	if t.url, f = address(hop.URL); f != nil {
		return nil, f
	}
	if t.url.Scheme == "http" && !hop.Kept {
		return nil, &Failure{Message: show(t.url) + " is not fetched in clear text"}
	}
	if source, f := address(hop.Source); f == nil && source.Scheme == "http" && t.url.Scheme == "https" && source.Hostname() == t.url.Hostname() {
		t.before = source
	}
	if t.req.Modified.IsZero() || t.settings(t.url).off("AllowRanges") {
		t.req.Offset = 0 // nothing would say that the rest is of the same file
	}
	t.seen = []string{t.url.String()}
	return t, nil
}

// ask sends the request and waits for the header of its answer. addr is the
// server's address, invalid if a proxy stands between.
//
// A connection that was idle may be closed by the server at the moment when it
// is used again; the request is then sent once more. There may be as many of
// these as there are lanes.
func (t *trip) ask(ctx context.Context) (resp *http.Response, addr netip.Addr, err error) {
	proxy, f := t.proxyFor(ctx, t.url, t.req.Proxy)
	if f != nil {
		return nil, addr, f
	}
	t.proxy = proxy
	s := t.server(t.url, serverKey{shared: t.shared, restricted: t.restricted}, proxy)
	for range len(s.lanes) + 1 {
		var stale bool
		resp, addr, stale, err = t.askOnce(ctx, s)
		if !stale {
			break
		}
	}
	return resp, addr, err
}

// askOnce is ask on one connection; stale says that it was an idle one, which
// broke.
func (t *trip) askOnce(outer context.Context, s *server) (resp *http.Response, addr netip.Addr, stale bool, err error) {
	l, err := s.acquire(outer)
	if err != nil {
		return nil, addr, false, err
	}
	ctx, w := newWatch(outer, t.wait())
	resp, err = l.RoundTrip(t.request(ctx))
	w.stop()
	cause := context.Cause(ctx)
	if err == nil && cause != nil {
		// A server may answer as soon as it sees us leave: that is no answer.
		resp.Body.Close()
		err = cause
	}
	if err != nil {
		w.close()
		s.release(l)
		switch {
		case outer.Err() != nil:
			return nil, addr, false, context.Cause(outer)
		case cause != nil:
			return nil, addr, false, t.failure(cause)
		}
		f := t.failure(err)
		return nil, addr, w.reused.Load() && f.Transient, f
	}
	s.speaks(l, resp.ProtoMajor == 2)
	if s.key.proxy == "" {
		addr = w.addr()
	}
	resp.Body = newBody(ctx, resp.Body, w, func() { s.release(l) }, t.broken)
	return resp, addr, false, nil
}

// wait is how long the server may stay silent.
func (t *trip) wait() time.Duration {
	if t.req.Deadline > 0 {
		return t.req.Deadline
	}
	return t.settings(t.url).timeout()
}
