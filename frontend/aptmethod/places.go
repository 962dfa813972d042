package aptmethod

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
)

// hop returns what is known of a hop's server; it needs the lock.
func (r *report) hop(hop fetch.Hop) *hopState {
	key := serverOf(hop.URL)
	if r.hops[key] == nil {
		r.hops[key] = &hopState{down: make(chan struct{})}
	}
	return r.hops[key]
}

// serverOf returns the part of a URL that names a server, without userinfo.
func serverOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// isNew reports whether no file was asked of a hop's server before.
func (r *report) isNew(hop fetch.Hop) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.hop(hop)
	first := !s.asked
	s.asked = true
	return first
}

// standing returns the hops that are worth a try: those that are not down, or
// all if all are.
func (r *report) standing(hops []fetch.Hop) []fetch.Hop {
	var up []fetch.Hop
	for _, h := range hops {
		if !r.isDown(h) {
			up = append(up, h)
		}
	}
	if len(up) == 0 {
		return hops
	}
	return up
}

func (r *report) isDown(hop fetch.Hop) bool {
	select {
	case <-r.downOf(hop):
		return true
	default:
		return false
	}
}

// downOf returns what is closed when a hop's server is known to be of no use.
func (r *report) downOf(hop fetch.Hop) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hop(hop).down
}

// gaveUp notes why a hop did not give a file that the next is now asked for,
// and says so, once for each server.
func (r *report) gaveUp(hop, next fetch.Hop, f *fetch.Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.hop(hop)
	if s.row++; f.Down || s.row >= downAfter {
		s.lose()
	}
	if !s.told {
		s.told = true
		r.print(fmt.Sprintf("gave up %s: %s; went on to %s", hostOf(hop.URL), f.Message, hostOf(next.URL)))
	}
}

// unverified says, once for each host, that a setting of the image that would
// switch certificate checks off does nothing.
func (r *report) unverified(conf *aptconf.Conf, host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[host] {
		return
	}
	r.seen[host] = true
	for _, item := range unverifiedItems(conf, host) {
		if !r.seen[item] {
			r.seen[item] = true
			r.print(fmt.Sprintf("%s is false in apt's configuration; certificates are verified nevertheless", item))
		}
	}
}

// unverifiedItems are the items that would switch checks off for a host.
func unverifiedItems(conf *aptconf.Conf, host string) []string {
	var items []string
	for _, scheme := range []string{"https", "http"} {
		for _, middle := range []string{"", host + "::"} {
			for _, name := range []string{"Verify-Peer", "Verify-Host"} {
				item := "Acquire::" + scheme + "::" + middle + name
				if !conf.Bool(item, true) {
					items = append(items, item)
				}
			}
		}
	}
	return items
}
