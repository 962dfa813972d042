package fetch

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// TestRedirect follows what may be followed.
func TestRedirect(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		location, route string
		want            string // the URL that answers
	}{
		"path":              {location: "/to", want: "https://repo.example.org/to"},
		"relative":          {location: "to", want: "https://repo.example.org/to"},
		"host":              {location: "https://cdn.example.org/to", want: "https://cdn.example.org/to"},
		"without scheme":    {location: "//cdn.example.org/to", want: "https://cdn.example.org/to"},
		"port":              {location: "https://cdn.example.org:8443/to", want: "https://cdn.example.org:8443/to"},
		"clear, moved":      {location: "http://cdn.example.org/to", want: "https://cdn.example.org/to"},
		"archive, moved":    {location: "http://ftp.de.debian.org/debian/to", want: "https://deb.debian.org/debian/to"},
		"query":             {location: "https://cdn.example.org/to?token=1", want: "https://cdn.example.org/to?…"},
		"fragment":          {location: "https://cdn.example.org/to#x", want: "https://cdn.example.org/to"},
		"userinfo":          {location: "https://u:p@cdn.example.org/to", want: "https://cdn.example.org/to"},
		"operator's mirror": {location: "https://deb.debian.org/debian/to", route: `{"Mirrors":{"debian":["https://mirror.example.org/debian"]}}`, want: "https://mirror.example.org/debian/to"},
		"listed default":    {location: "https://deb.debian.org/debian/to", route: `{"Mirrors":{"debian":["https://mirror.example.org/debian","default"]}}`, want: "https://deb.debian.org/debian/to"},
		"host rule":         {location: "https://cdn.example.org/to", route: `{"Hosts":[{"Host":"cdn.example.org","Action":"https://mirror.example.org/cdn"}]}`, want: "https://mirror.example.org/cdn/to"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			if tc.route != "" {
				b.write("operator/route.json", []byte(tc.route))
			}
			b.serve("repo.example.org", func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/from" {
					redirect(tc.location)(w, r)
					return
				}
				io.WriteString(w, "here")
			})
			cdn := b.serve("cdn.example.org", text("here"))
			b.place("cdn.example.org:8443", cdn.Listener)
			b.serve("deb.debian.org", text("here"))
			b.serve("mirror.example.org", text("here"))
			if resp := b.wants("http://repo.example.org/from", "here"); resp.From != tc.want {
				t.Errorf("answered by %s, want %s", resp.From, tc.want)
			}
			for _, r := range cdn.requests() {
				if r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" {
					t.Errorf("fields %v", r.Header)
				}
			}
		})
	}
}

// TestRedirectRefused holds what is not followed, and what is said of it.
func TestRedirectRefused(t *testing.T) {
	t.Parallel()
	const private = ": refused, as a public host must not lead to one that is not public"
	for name, tc := range map[string]struct{ location, route, want string }{
		"clear, kept":  {"http://cdn.example.org/to", `{"Hosts":[{"Host":"cdn.example.org","Action":"keep"}]}`, "redirects to http://cdn.example.org/to, out of TLS into clear text: refused"},
		"clear, same":  {"http://repo.example.org/from", "", "https://repo.example.org/from redirects to http://repo.example.org/from, out of TLS into clear text: refused; ways out: a mirror, or a host rule for repo.example.org"},
		"clear, port":  {"http://cdn.example.org:8080/to", "", "redirects to http://cdn.example.org:8080/to, out of TLS into clear text: refused"},
		"refused":      {"https://cdn.example.org/to", `{"Hosts":[{"Host":"cdn.example.org","Action":"refuse"}]}`, "redirects to https://cdn.example.org/to, which is refused"},
		"circle":       {"https://repo.example.org/from", "", "that leads in a circle, or too far"},
		"empty path":   {"", "", "302 Found from https://repo.example.org/from"},
		"no address":   {"https://[::1", "", "redirects to what is no address"},
		"control":      {"https://cdn.example.org/\x1b[2J", "", "answered with what is not HTTP"},
		"ftp":          {"ftp://cdn.example.org/to", "", "which is no address of http or https: refused"},
		"file":         {"file:///etc/passwd", "", "which is no address of http or https: refused"},
		"tricky":       {"tor+https://cdn.example.org/to", "", "which is no address of http or https: refused"},
		"loopback":     {"https://127.0.0.1/to", "", private},
		"localhost":    {"https://localhost/to", "", private},
		"odd loopback": {"https://0x7f.1/to", "", private},
		"metadata":     {"https://169.254.169.254/latest/meta-data", "", private},
		"clear meta":   {"http://169.254.169.254/latest/meta-data", "", private},
		"private":      {"https://10.0.0.1/to", "", private},
		"ipv6":         {"https://[::1]/to", "", private},
		"mapped":       {"https://[::ffff:10.0.0.1]/to", "", private},
		"unique local": {"https://[fd00::1]/to", "", private},
		"single label": {"https://nexus/to", "", private},
		"internal":     {"https://nexus.internal/to", "", private},
		"user":         {"https://deb.debian.org@10.0.0.1/to", "", private},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			if tc.route != "" {
				b.write("operator/route.json", []byte(tc.route))
			}
			b.serve("repo.example.org", redirect(tc.location))
			f := b.fails("http://repo.example.org/from", tc.want)
			if f.Transient || f.Down {
				t.Errorf("%+v", f)
			}
			if len(b.dialled) != 1 {
				t.Errorf("dialled %v", b.dialled)
			}
		})
	}
}

// TestRedirectToPrivateAddress catches a name that looks public and is not, by
// the address that is dialled.
func TestRedirectToPrivateAddress(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from, to string
		follow   bool
	}{
		"loopback":          {"203.0.113.1", "127.0.0.1", false},
		"private":           {"203.0.113.1", "10.0.0.1", false},
		"metadata":          {"203.0.113.1", "169.254.169.254", false},
		"unique local":      {"2001:db8::1", "fd00::1", false},
		"mapped":            {"203.0.113.1", "::ffff:192.168.0.1", false},
		"translated":        {"203.0.113.1", "64:ff9b::a00:1", false},
		"multicast":         {"203.0.113.1", "224.0.0.1", false},
		"any":               {"203.0.113.1", "0.0.0.0", false},
		"shared":            {"203.0.113.1", "100.64.0.1", false},
		"public":            {"203.0.113.1", "203.0.113.2", true},
		"public ipv6":       {"203.0.113.1", "2001:db8::1", true},
		"from private":      {"10.0.0.1", "10.0.0.2", true},
		"from private, out": {"10.0.0.1", "203.0.113.2", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.pretend["repo.example.org"] = netip.MustParseAddr(tc.from)
			b.pretend["cdn.example.org"] = netip.MustParseAddr(tc.to)
			b.serve("repo.example.org", redirect("https://cdn.example.org/to"))
			cdn := b.serve("cdn.example.org", text("here"))
			// A connection that a source of its own has made is not shared.
			b.wants("https://cdn.example.org/to", "here")
			if tc.follow {
				b.wants("http://repo.example.org/from", "here")
				return
			}
			f := b.fails("http://repo.example.org/from", "https://repo.example.org/from redirects to https://cdn.example.org/to: refused, as the address of that host is not public")
			if f.Transient || !f.Next || f.Down || len(cdn.requests()) != 1 {
				t.Errorf("%+v, %d requests", f, len(cdn.requests()))
			}
		})
	}
}

// TestRedirectFromKept goes from clear text to TLS, and to clear text only
// where that is kept too.
func TestRedirectFromKept(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"/to":                        "http://cache.internal/to",
		"http://other.internal/to":   "http://other.internal/to",
		"https://repo.example.org/x": "https://repo.example.org/x",
		"http://repo.example.org/x":  "https://repo.example.org/x",
	} {
		b := newBed(t)
		b.serveClear("cache.internal:80", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/from" {
				redirect(location)(w, r)
				return
			}
			io.WriteString(w, "here")
		})
		b.serveClear("other.internal:80", text("here"))
		b.serve("repo.example.org", text("here"))
		if resp := b.wants("http://cache.internal/from", "here"); resp.From != want {
			t.Errorf("%s: answered by %s", location, resp.From)
		}
	}
	b := newBed(t)
	b.serveClear("cache.internal:80", redirect("http://repo.example.org:8080/x"))
	b.fails("http://cache.internal/from", "redirects to http://repo.example.org:8080/x, which is refused: port 8080 of repo.example.org is not known to speak TLS")
}

// TestRedirectToHostWithoutTLS says who sent us to a host that was guessed to
// speak TLS.
func TestRedirectToHostWithoutTLS(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serve("repo.example.org", redirect("http://cdn.example.org/to"))
	b.serveRaw("cdn.example.org:443", func(net.Conn) {})
	b.fails("http://repo.example.org/from", "cdn.example.org does not speak TLS on port 443, to which https://repo.example.org/from redirects; the source says http")
}

// TestRedirectsEnd holds how many are followed.
func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.serve("repo.example.org", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		if n == 0 {
			io.WriteString(w, "end")
			return
		}
		redirect(fmt.Sprintf("/%d", n-1))(w, r)
	})
	b.wants("http://repo.example.org/10", "end")
	if f := b.fails("http://repo.example.org/11", "that leads in a circle, or too far"); f.Reason != "RedirectionLoop" {
		t.Errorf("%+v", f)
	}
	if n := len(s.requests()); n != 22 {
		t.Errorf("%d requests", n)
	}
}

// TestNoRedirects follows apt's AllowRedirect.
func TestNoRedirects(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.conf.Add("Acquire::http::AllowRedirect", "false")
	b.serve("repo.example.org", redirect("/to"))
	b.fails("http://repo.example.org/from", "302 Found from https://repo.example.org/from")
}

// TestLongRedirect quotes no more than a line of what a server makes up.
func TestLongRedirect(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serve("repo.example.org", redirect("https://cdn.example.org/"+strings.Repeat("x", 20000)))
	if f := b.fails("http://repo.example.org/from", "redirects to what is no address: https://cdn.example.org/xxx"); len(f.Message) > 400 {
		t.Errorf("a message of %d bytes", len(f.Message))
	}
}
