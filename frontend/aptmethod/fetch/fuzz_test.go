package fetch

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
)

// FuzzRedirect holds of whatever a public server sends as Location: what is
// followed is TLS, at a public host, without userinfo but its own; and what is
// said of it is one plain line.
func FuzzRedirect(f *testing.F) {
	for _, s := range []string{
		"/x", "//h/x", "https://h:1/x?y#z", "http://deb.debian.org/debian", "https://u:p@h/", "https://127.1/", "https://[::ffff:7f00:1]/",
		"https://0x7f000001/", "https://localhost./", "https:///x", "https://%31%32%37.0.0.1/", "HTTPS://H", "\\\\h\\x", "https://h\x00", "?", "https://１２７.0.0.1/",
	} {
		f.Add(s)
	}
	r, err := readRules("")
	if err != nil {
		f.Fatal(err)
	}
	c, err := New(Config{Conf: &aptconf.Conf{}, Environ: func(string) string { return "" }, Log: func(string) {}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, location string) {
		from := &url.URL{Scheme: "https", Host: "repo.example.org", Path: "/from", User: url.UserPassword("u", "s3cret")}
		trip := &trip{Client: c, rules: r, url: from, seen: []string{from.String()}, shared: true}
		if failure := trip.follow(location, netip.MustParseAddr("203.0.113.1")); failure != nil {
			if strings.Contains(failure.Message, "s3cret") || !utf8.ValidString(failure.Message) ||
				strings.ContainsFunc(failure.Message, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e }) {
				t.Errorf("%q: message %q", location, failure.Message)
			}
			return
		}
		u := trip.url
		if u.Scheme != "https" || u.Hostname() == "" || !publicHost(u) || trip.kept || !trip.restricted {
			t.Errorf("%q leads to %+v", location, u)
		}
		if same := sameOrigin(from, u); (u.User != nil) != same || trip.shared != same {
			t.Errorf("%q leads to %v with credentials", location, u)
		}
	})
}

// FuzzContentRange holds that the ranges that are read make sense.
func FuzzContentRange(f *testing.F) {
	for _, s := range []string{"bytes 1-2/3", "bytes */3", "bytes 1-2/*", "bytes -1-2/3", "x", "bytes 99999999999999999999-1/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if start, size := contentRange(s); start < -1 || size < -1 || start >= 0 && size >= 0 && start >= size {
			t.Errorf("%q: %d of %d", s, start, size)
		}
	})
}

// FuzzAddress holds that every URI is refused or makes a request that can be
// sent, to the host that the route table saw.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"http://h/x", "http:h/x", "https://u:p@h:1/%zz+#?", "http://[::1]/", "http://h\\@x/", "http://h?x", "http://h? "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		u, failure := address(uri)
		if failure != nil {
			return
		}
		if _, err := http.NewRequest(http.MethodGet, u.String(), nil); err != nil {
			t.Errorf("%q: %v", uri, err)
		}
		if strings.ContainsAny(u.RequestURI(), " \r\n\x00") {
			t.Errorf("%q: request for %q", uri, u.RequestURI())
		}
		if again, failure := address(u.String()); failure != nil || again.String() != u.String() {
			t.Errorf("%q: %s becomes %v", uri, u, again)
		}
	})
}
