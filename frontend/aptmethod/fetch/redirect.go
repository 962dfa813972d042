package fetch

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// mostRedirects is how many redirects a request follows: more than any archive
// needs. apt itself stops at a circle only (IsRedirectionLoop in
// apt-pkg/acquire-item.cc).
const mostRedirects = 10

// redirected reports whether a response sends the request elsewhere, and apt's
// configuration allows that.
func (t *trip) redirected(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != "" && t.settings(t.url).flag("AllowRedirect", true)
	}
	return false
}

// follow makes the target of a redirect the next URL. addr is the address of
// the server that redirects, invalid if a proxy stands between.
//
// The target is routed like a URI of apt's own, so it is moved to TLS or to the
// operator's mirror where such a URI would be. What is left in clear text is
// followed from a host that is kept only. A public host leads to no host that
// is not public: neither by the look of its name, nor by the address that it
// turns out to have, see serverKey.
func (t *trip) follow(location string, addr netip.Addr) *Failure {
	from := t.url
	target, f := t.target(location)
	if f != nil {
		return f
	}
	if publicHost(from) && !publicHost(target) {
		return &Failure{Next: true, Message: show(from) + " redirects to " + show(target) + ": refused, as a public host must not lead to one that is not public;" +
			" if that is where the files are, name it in the source, or as a mirror"}
	}
	d := t.rules.decide(target.String())
	next := target
	t.before, t.kept = nil, false
	switch {
	case d.Action == route.Upgrade || d.Action == route.Mirror:
		if next, f = t.moved(target, d); f != nil {
			return f
		}
	case target.Scheme == "http" && from.Scheme == "https":
		return t.downgrade(target)
	case d.Action == route.Keep || t.rules.Mode() == route.Audit:
		t.kept = target.Scheme == "http"
	default:
		return &Failure{Next: true, Message: show(from) + " redirects to " + show(target) + ", which is refused: " + plain(d.Why)}
	}
	if slices.Contains(t.seen, next.String()) || len(t.seen) > mostRedirects {
		if target.Scheme == "http" && from.Scheme == "https" {
			return t.downgrade(target)
		}
		return &Failure{Reason: "RedirectionLoop", Next: true, Message: show(t.url) + " redirects to " + show(target) + ": that leads in a circle, or too far"}
	}
	t.seen = append(t.seen, next.String())
	if sameOrigin(from, next) {
		next.User = from.User
	} else {
		t.shared = false
	}
	chosen := d.Action == route.Mirror || d.Rule == "host-rule" // the operator's own place
	t.restricted = publicHost(from) && (!addr.IsValid() || publicAddr(addr)) && !chosen
	t.via, t.url = from, next
	return nil
}

// target reads the Location of a redirect. Userinfo in it is dropped: a server
// does not choose what we log in with.
func (t *trip) target(location string) (*url.URL, *Failure) {
	const most = 8 << 10
	rel, err := url.Parse(strings.TrimSpace(location))
	if err != nil || len(location) > most {
		return nil, &Failure{Next: true, Message: show(t.url) + " redirects to what is no address: " + plain(location)}
	}
	u := t.url.ResolveReference(rel)
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, &Failure{Next: true, Message: show(t.url) + " redirects to " + show(u) + ", which is no address of http or https: refused"}
	}
	return u, nil
}

// moved returns where the target of a redirect is fetched instead. A target
// that is one of the operator's mirrors, or the archive's own place where that
// is listed, stays: a mirror before it in the list has had its turn.
func (t *trip) moved(target *url.URL, d route.Decision) (*url.URL, *Failure) {
	if slices.Contains(d.Mirrors, target.String()) {
		return target, nil
	}
	next, err := url.Parse(d.To)
	if err != nil {
		return nil, &Failure{Message: show(target) + " cannot be moved to " + plain(route.Redact(d.To))}
	}
	if target.Scheme == "http" && next.Hostname() == target.Hostname() {
		t.before = target
	}
	return next, nil
}

// downgrade is a redirect from TLS to clear text.
func (t *trip) downgrade(target *url.URL) *Failure {
	host := site(target)
	return &Failure{Next: true, Message: show(t.url) + " redirects to " + show(target) + ", out of TLS into clear text: refused;" +
		" ways out: a mirror, or a host rule for " + site(t.url) + " or " + host + " (LOOPX_HOSTS=" + host + "=https://OTHER to fetch it elsewhere, " +
		site(t.url) + "=keep to leave all of it in clear text), or TLS from the owner of the host"}
}

// sameOrigin reports whether two URLs are of the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}
