package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// serverKey tells servers apart whose connections must not be shared.
type serverKey struct {
	scheme, authority string
	proxy             string // its URL with userinfo, or ""
	// shared: it may be shown the client certificate that is for all hosts.
	// A redirect to another host does not take it along.
	shared bool
	// restricted: a public host sent us there, so that it must be one too.
	restricted bool
}

const (
	// connections is how many a server may have at once. More win little, and
	// mirrors that many builds share ask for restraint: docs/benchmarks.md.
	// LoopX::Connections and LoopX::Connections::HOST set another number.
	connections = 4
	// streamsEach is how many requests share one of them if it speaks HTTP/2:
	// enough to fill a slow line, few enough that buffers stay small.
	streamsEach = 8
)

// oneAtATime are hosts that ask to be spared.
func oneAtATime() []string { return []string{"snapshot.debian.org", "snapshot.ubuntu.com"} }

// server is one place to fetch from, with its connections. Each connection is
// the only one of an http.Transport of its own, a lane: a single transport
// would carry all HTTP/2 requests on one connection, which loses where
// connections are what is limited.
type server struct {
	client *Client
	key    serverKey
	tunnel *tunnel // nil if connections are direct
	secure func() *tls.Config
	// streams is the most that a lane carries.
	streams int

	mu      sync.Mutex // of all that follows
	lanes   []*lane
	waiting []chan *lane
}

// lane is one connection.
type lane struct {
	*http.Transport
	busy    int
	streams bool // it speaks HTTP/2, as its last answer showed
}

// room is how many more requests a lane takes.
func (s *server) room(l *lane) int {
	if l.streams {
		return s.streams - l.busy
	}
	return 1 - l.busy
}

// server returns the server of a URL.
func (c *Client) server(u *url.URL, key serverKey, proxy *url.URL) *server {
	key.scheme, key.authority = u.Scheme, strings.ToLower(u.Hostname())+":"+port(u)
	if proxy != nil {
		key.proxy = proxy.String()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.servers[key]
	if s == nil {
		s = c.newServer(u, key, proxy)
		c.servers[key] = s
	}
	return s
}

func (c *Client) newServer(u *url.URL, key serverKey, proxy *url.URL) *server {
	s := &server{client: c, key: key, streams: streamsEach}
	s.secure = sync.OnceValue(func() *tls.Config {
		cfg := c.tlsConfig(u, key.shared)
		cfg.ClientSessionCache = tls.NewLRUClientSessionCache(connections)
		return cfg
	})
	if proxy != nil && (u.Scheme == "https" || proxy.Scheme == "socks5h") {
		s.tunnel = &tunnel{client: c, proxy: proxy}
	}
	n := c.lanes(u)
	if slices.Contains(oneAtATime(), strings.ToLower(u.Hostname())) {
		s.streams = 1
	}
	for range n {
		s.lanes = append(s.lanes, &lane{Transport: s.transport(proxy)})
	}
	return s
}

// lanes is how many connections a URL's server may have.
func (c *Client) lanes(u *url.URL) int {
	n := c.Conf.Int("LoopX::Connections", connections)
	if slices.Contains(oneAtATime(), strings.ToLower(u.Hostname())) {
		n = 1
	}
	return max(1, min(c.Conf.Int("LoopX::Connections::"+u.Hostname(), n), 16))
}

// transport makes the transport of a lane. It follows no redirect, unpacks
// nothing and has no time limits of its own: see watch.
func (s *server) transport(proxy *url.URL) *http.Transport {
	t := &http.Transport{
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			conn, _, err := s.connect(ctx, addr)
			return conn, err
		},
		DialTLSContext:         s.dialTLS,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxConnsPerHost:        1, // else each of several streams dials, when there is no connection
		MaxResponseHeaderBytes: largestAnswer,
		ReadBufferSize:         32 << 10,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 3 << 20,
			MaxReceiveBufferPerStream:     1 << 20,
			// A connection that went dead is not used for the next file.
			SendPingTimeout: defaultTimeout / 2,
			PingTimeout:     defaultTimeout / 2,
		},
	}
	if proxy != nil && s.tunnel == nil {
		// In clear text, and only where the URL is kept: the proxy is asked
		// for the file, as apt asks it.
		t.Proxy = http.ProxyURL(proxy)
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, patience(ctx))
			defer cancel()
			return (&tunnel{client: s.client, proxy: proxy}).reach(ctx)
		}
		t.DialTLSContext = t.DialContext
	}
	return t
}

// acquire waits for a lane with room, and takes a place in it.
func (s *server) acquire(ctx context.Context) (*lane, error) {
	s.mu.Lock()
	best := s.lanes[0]
	for _, l := range s.lanes {
		if s.room(l) > 0 && (s.room(best) <= 0 || l.busy < best.busy) {
			best = l
		}
	}
	if s.room(best) > 0 {
		best.busy++
		s.mu.Unlock()
		return best, nil
	}
	turn := make(chan *lane, 1)
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	select {
	case l := <-turn:
		return l, nil
	case <-ctx.Done():
		s.mu.Lock()
		i := slices.Index(s.waiting, turn)
		if i >= 0 {
			s.waiting = slices.Delete(s.waiting, i, i+1)
		}
		s.mu.Unlock()
		if i < 0 {
			s.release(<-turn)
		}
		return nil, context.Cause(ctx)
	}
}

// speaks notes what protocol a lane's connection turned out to speak.
func (s *server) speaks(l *lane, streams bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.streams = streams
	s.admit()
}

// release gives a place back.
func (s *server) release(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.busy--
	s.admit()
}

// admit lets those in that wait. s.mu is held.
func (s *server) admit() {
	for _, l := range s.lanes {
		for len(s.waiting) > 0 && s.room(l) > 0 {
			l.busy++
			s.waiting[0] <- l
			s.waiting = s.waiting[1:]
		}
	}
}
