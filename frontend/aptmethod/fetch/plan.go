package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// rules are where a URL may be fetched from.
type rules struct{ *route.Table }

// readRules reads the operator's part; a file that is missing is none.
func readRules(file string) (*rules, error) {
	var cfg route.Config
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &cfg)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	table, err := route.NewTable(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &rules{table}, nil
}

// decide is where apt may fetch a URI from.
func (r *rules) decide(uri string) route.Decision {
	return r.Route(uri, route.Context{Role: route.AptSource})
}

// guessed reports whether nothing but the rule that public hosts are fetched
// over TLS says that the host of an http URI speaks it.
func (r *rules) guessed(uri *url.URL) bool {
	bare := *uri
	bare.User = nil // credentials only bound where a URL may go
	return r.decide(bare.String()).Rule == "unknown-host"
}

// stock is the table without the operator's part: it knows which names and
// addresses are on no public network, whatever rules there are for them.
var stock = sync.OnceValue(func() *rules {
	table, err := route.NewTable(route.Config{})
	if err != nil {
		panic(err) // the empty configuration is valid
	}
	return &rules{table}
})

// localRules are the rules of a decision about a host that no public network
// carries.
func localRules() []string {
	return []string{"loopback", "wildcard", "private-network", "single-label", "internal-name"}
}

// publicHost reports whether a URL's host is a name or an address of the
// public network, by its looks.
func publicHost(u *url.URL) bool {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return !slices.Contains(localRules(), stock().decide("http://"+host+"/").Rule)
}

// publicAddr reports whether an address is one of the public network. One that
// embeds an IPv4 address (RFC 6052 section 2.1) counts as that.
func publicAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if nat64 := netip.MustParsePrefix("64:ff9b::/96"); nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	return publicHost(&url.URL{Host: netip.AddrPortFrom(a, 80).String()})
}

// Plan implements Getter.
func (c *Client) Plan(uri string) ([]Hop, *Failure) {
	r, err := c.rules()
	if err != nil {
		return nil, &Failure{Message: "the operator's part of the configuration cannot be used: " + plain(err.Error())}
	}
	u, f := address(uri)
	if f != nil {
		return nil, f
	}
	switch d := r.decide(uri); {
	case d.Action == route.Keep && u.Scheme == "https":
		return []Hop{{URL: uri, Source: uri}}, nil
	case d.Action == route.Keep && d.Rule != "malformed" && d.Rule != "other-scheme":
		return []Hop{{URL: uri, Kept: true, Why: plain(d.Why), Source: uri}}, nil
	case d.Action == route.Refuse && r.Mode() == route.Audit && u.Scheme == "http":
		return []Hop{{URL: uri, Kept: true, Why: "not refused, as the mode is audit: " + d.Why, Source: uri}}, nil
	case d.Action == route.Refuse:
		return nil, &Failure{Message: route.RedactText(uri) + " is refused: " + d.Why}
	case d.Action == route.Upgrade || d.Action == route.Mirror:
		hops := make([]Hop, len(d.Mirrors))
		for i, m := range d.Mirrors {
			hops[i] = Hop{URL: m, Mirror: d.Action == route.Mirror, Why: d.Why, Source: uri}
		}
		return hops, nil
	default:
		return nil, &Failure{Message: plain(uri) + " cannot be fetched: " + plain(d.Why)}
	}
}

// address parses a URI of apt's. Bytes that may not stand in a URL are encoded,
// and so is "+", for servers that take it for a blank; apt does the same.
// Source: URIEncode in methods/aptmethod.h.
func address(uri string) (*url.URL, *Failure) {
	scheme, rest, _ := strings.Cut(uri, ":")
	rest = "//" + strings.TrimPrefix(rest, "//") // apt reads http:h/d as http://h/d
	path := len(rest)
	if i := strings.IndexAny(rest[2:], "/?#"); i >= 0 {
		path = i + 2
	}
	u, err := url.Parse(scheme + ":" + rest[:path] + encode(rest[path:]))
	switch {
	case err != nil:
		return nil, &Failure{Message: plain(route.Redact(uri)) + " is no address that can be read"}
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, &Failure{Message: plain(route.Redact(uri)) + " has a scheme that this method does not fetch"}
	case u.Hostname() == "":
		return nil, &Failure{Message: plain(route.Redact(uri)) + " names no host"}
	}
	return u, nil
}

// encode percent-encodes what may not stand in a path and query, and "+". What
// is encoded already stays as it is.
func encode(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '%' && i+2 < len(path) && hex(path[i+1]) && hex(path[i+2]),
			c != '%' && c != '+' && c != '#' && c > ' ' && c < 0x7f && !strings.ContainsRune("\"<>\\^`{|}", rune(c)):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// hex reports whether c is a hexadecimal digit.
func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
