package aptmethod

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
)

// report is what people are told on stderr, and what it is made of.
type report struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	since time.Time // of the first file
	until time.Time // of the last answer

	sources []*source         // in the order of their first files
	broken  map[string]string // URIs that failed, and their hosts
	hops    map[string]*hopState
	seen    map[string]bool // hosts that unverified has spoken about
}

// source is one host as apt knows it, and one way that its files came.
type source struct {
	host, way        string
	kept             string // why it is in clear text
	files, unchanged int
}

// hopState is what is known of one server that stands in a list.
type hopState struct {
	asked bool
	told  bool          // that it was given up
	row   int           // failures since a file came
	down  chan struct{} // closed once the server is known to be down
}

// lose notes that the server is down; it needs the lock.
func (s *hopState) lose() {
	select {
	case <-s.down:
	default:
		close(s.down)
	}
}

// downAfter failures in a row count as a server that is down: each may have
// taken its whole deadline.
const downAfter = 4

func newReport(out io.Writer) *report {
	return &report{out: out, now: time.Now, broken: map[string]string{}, hops: map[string]*hopState{}, seen: map[string]bool{}}
}

// line prints one line. Only text gets through: names come from the network.
func (r *report) line(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.print(text)
}

func (r *report) print(text string) {
	plain := strings.Map(func(c rune) rune {
		if strconv.IsPrint(c) {
			return c
		}
		return '?'
	}, text)
	fmt.Fprintf(r.out, "loopx-apt: %s\n", plain)
}

// begin is for the start of each file.
func (r *report) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		r.since = r.now()
	}
}

// fetched counts a file that came from a hop, or is unchanged there.
func (r *report) fetched(i *item, hop fetch.Hop, unchanged bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = r.now()
	delete(r.broken, i.uri)
	r.hop(hop).row = 0
	s := r.source(hostOf(i.uri), way(hostOf(i.uri), hop))
	if s.files++; unchanged {
		s.unchanged++
	}
	if inClearText(hop) {
		s.kept = hop.Why
	}
}

// failed counts a file that apt does not get; it may come later.
func (r *report) failed(i *item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = r.now()
	if !i.failIgnore {
		r.broken[i.uri] = hostOf(i.uri)
	}
}

// source returns the entry for a host and a way; it needs the lock.
func (r *report) source(host, way string) *source {
	for _, s := range r.sources {
		if s.host == host && s.way == way {
			return s
		}
	}
	s := &source{host: host, way: way}
	r.sources = append(r.sources, s)
	return s
}

// way says how a hop's files come.
func way(host string, hop fetch.Hop) string {
	server := hostOf(hop.URL)
	switch {
	case inClearText(hop):
		return "in clear text"
	case hop.Mirror:
		return "from mirror " + server + " over TLS"
	case server != host:
		return "from " + server + " over TLS"
	}
	return "over TLS"
}

// inClearText knows the hops without TLS; one that is kept may have it.
func inClearText(hop fetch.Hop) bool {
	return hop.Kept && strings.HasPrefix(strings.ToLower(hop.URL), "http:")
}

// finish prints the line at the end, if there was any file.
func (r *report) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, host := range r.broken {
		r.source(host, "failed").files++
	}
	if len(r.sources) == 0 {
		return
	}
	r.print(fmt.Sprintf("%s in %.1f s%s", r.counts(), r.until.Sub(r.since).Seconds(), r.reasons()))
}

// counts says what came from where, host by host; it needs the lock.
func (r *report) counts() string {
	var hosts []string
	parts := map[string][]string{}
	for _, s := range r.sources {
		if parts[s.host] == nil {
			hosts = append(hosts, s.host)
		}
		parts[s.host] = append(parts[s.host], s.String())
	}
	for i, host := range hosts {
		hosts[i] = cmp.Or(host, "?") + ": " + strings.Join(parts[host], ", ")
	}
	return strings.Join(hosts, "; ")
}

// reasons says why what came in clear text did; it needs the lock.
func (r *report) reasons() string {
	var text strings.Builder
	for _, s := range r.sources {
		if s.kept != "" {
			text.WriteString("; kept: " + s.kept)
		}
	}
	return text.String()
}

// String is a part of the line: "12 files over TLS (2 unchanged)".
func (s *source) String() string {
	text := fmt.Sprintf("%d files %s", s.files, s.way)
	if s.files == 1 {
		text = "1 file " + s.way
	}
	if s.unchanged > 0 {
		text += fmt.Sprintf(" (%d unchanged)", s.unchanged)
	}
	return text
}
