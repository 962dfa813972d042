package route_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// fuzzTables are configurations that pull at each other on purpose.
func fuzzTables(t testing.TB) []*route.Table {
	return []*route.Table{
		table(t, route.Config{}),
		table(t, env(t,
			"LOOPX_DEBIAN_MIRROR=https://m.example/debian default", "LOOPX_UBUNTU_MIRROR=https://archive.debian.org",
			"LOOPX_DEBIAN_ARCHIVE_MIRROR=https://deb.debian.org/debian", "LOOPX_KALI_MIRROR=default https://m.example/kali",
			"LOOPX_PPA_MIRROR=https://a.example.com/ppa", "LOOPX_ROS_MIRROR=https://m.example/ros", "LOOPX_KEYSERVER=keys.example default")),
		table(t, env(t,
			"LOOPX_DEBIAN_MIRROR=https://a.example.com/debian",
			"LOOPX_HOSTS=a.example.com=https://b.example.com/x,b.example.com=https://c.example.com,*.example.com=keep,"+
				"deb.debian.org:443=https://a.example.com/q,deb.debian.org:80=upgrade,*.debian.org=refuse,archive.ubuntu.com:443=keep,"+
				"c.example.com=https://c.example.com:8443,nexus=https://c.example.com/n,10.0.0.1=upgrade,[::1]=https://b.example.com/six,"+
				"*.gnu.org=https://m.example/gnu,github.com:443=refuse,keyserver.ubuntu.com=https://k.example,127.0.0.1:99=refuse")),
	}
}

// FuzzRoute checks what holds for any text, role and configuration.
func FuzzRoute(f *testing.F) {
	for _, rest := range []string{
		"deb.debian.org/debian/dists", "security.debian.org", "ftp.de.debian.org:80/debian//x", "archive.ubuntu.com/ubuntu?q#f",
		"${A}.archive.ubuntu.com/ubuntu", "$(x y)/`z`", "[::1]:80/", "10.1:99/", "a.example.com/x", "nexus", "0x7f.1", "packages.ros.org/ros/ubuntu",
		"b.example.com:8443/\n", "git.savannah.gnu.org/x", "pgp.mit.edu:11371/pks", "%64eb.debian.org./%64ebian/%2e%2e/", "c.example.com/..", "github.com/a",
	} {
		for i, scheme := range []string{"http://", "https://", "", "git+http://", "ftp://", "git://", "hkp://", "HTTP:", "mirror://", "tor+http://"} {
			f.Add(scheme, "", rest, uint8(i))
			f.Add(scheme, "u:p@", rest, uint8(i/2))
		}
	}
	tables := fuzzTables(f)
	f.Fuzz(func(t *testing.T, scheme, user, rest string, role uint8) {
		ctx := route.Context{Role: route.Role(role % uint8(route.Runtime+2))}
		for _, tab := range tables {
			checkLaws(t, tab, ctx, scheme+user+rest)
			const user, word = "zqNAMEqz:zqWORDqz@", "zqWORDqz"
			from := scheme + user + rest
			d := checkLaws(t, tab, ctx, from)
			if strings.Contains(d.Why, word) {
				t.Errorf("%q: the password is told: %s", from, d.Why)
			}
			if !strings.HasSuffix(scheme, "://") || strings.ContainsAny(strings.TrimSuffix(scheme, "://"), "/?#{@") {
				continue // the password stands elsewhere than before the host
			}
			if strings.Contains(route.Redact(from), word) {
				t.Errorf("%q: the password is left in %q", from, route.Redact(from))
			}
			for _, to := range d.Mirrors {
				if strings.Contains(to, word) && hostOf(from) != hostOf(to) {
					t.Errorf("%q: the password goes to %q", from, to)
				}
			}
		}
	})
}

// checkLaws routes one URL and checks the answer.
func checkLaws(t *testing.T, tab *route.Table, ctx route.Context, from string) route.Decision {
	t.Helper()
	d := tab.Route(from, ctx)
	if d.Rule == "" || d.Why == "" || strings.ContainsAny(d.Why, "\r\n") {
		t.Errorf("%q: rule %q, reason %q", from, d.Rule, d.Why)
	}
	if moved := d.Action == route.Upgrade || d.Action == route.Mirror; !moved {
		if d.To != "" || d.Mirrors != nil {
			t.Errorf("%q: %s to %q", from, d.Action, d.To)
		}
		return d
	}
	if len(d.Mirrors) == 0 || d.Mirrors[0] != d.To || d.Action == route.Upgrade && len(d.Mirrors) != 1 {
		t.Errorf("%q: %s to %q of %q", from, d.Action, d.To, d.Mirrors)
	}
	if ctx.Role >= route.Proxy || d.Action == route.Mirror && (ctx.Role == route.Word || ctx.Role == route.PackageConfig) {
		t.Errorf("%q: role %s is moved to %q", from, ctx.Role, d.To)
	}
	for _, to := range d.Mirrors {
		scheme, _, ok := strings.Cut(to, "://")
		scheme = scheme[strings.LastIndexByte(scheme, '+')+1:]
		if !ok || scheme != "https" && scheme != "hkps" || strings.ContainsAny(to, "\r\n\x00") {
			t.Errorf("%q: %s to %q", from, d.Action, to)
		}
	}
	if again := tab.Route(d.To, ctx); again.Action != route.Keep && again.To != d.To {
		t.Errorf("%q goes to %q, and that to %s %q (%s)", from, d.To, again.Action, again.To, again.Rule)
	}
	return d
}

// hostOf is the host of a URL, with user and port cut off, decoded and in lower
// case.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if end := strings.IndexByte(rest, ']'); end >= 0 {
		return rest[:end]
	}
	rest, _, _ = strings.Cut(rest, ":")
	if decoded, err := url.PathUnescape(rest); err == nil {
		rest = decoded
	}
	return strings.TrimSuffix(strings.ToLower(rest), ".")
}

// FuzzConfig checks that any configuration is taken or refused with one line,
// and that what is taken is in normal form.
func FuzzConfig(f *testing.F) {
	f.Add("debian", "https://m.example/debian/, default", "a.example:80=keep")
	f.Add("keyserver", "keys.example", "[::1]=https://[::1]:8443/x")
	f.Add("ros", "https://u:p@m.example/%2e%2e", "*.b=upgrade")
	f.Fuzz(func(t *testing.T, archive, mirrors, rule string) {
		oneLine := func(err error) {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("error %q", err)
			}
		}
		list, err := route.ParseMirror(archive, mirrors)
		if err != nil {
			oneLine(err)
		} else if again, err := route.ParseMirror(archive, strings.Join(list, " ")); err != nil || strings.Join(again, " ") != strings.Join(list, " ") {
			t.Errorf("%q is not in normal form: %q, %v", list, again, err)
		}
		r, err := route.ParseHostRule(rule)
		if err != nil {
			oneLine(err)
			return
		}
		if again, err := route.ParseHostRule(r.Host + "=" + r.Action); err != nil || again != r {
			t.Errorf("%+v is not in normal form: %+v, %v", r, again, err)
		}
		tab, err := route.NewTable(route.Config{Mirrors: map[string][]string{"debian": {"default"}}, Hosts: []route.HostRule{r}})
		if err != nil {
			t.Errorf("%+v parses but is no configuration: %v", r, err)
			return
		}
		for _, scheme := range []string{"http://", "https://"} {
			checkLaws(t, tab, route.Context{}, scheme+strings.Replace(r.Host, "*", "x", 1)+"/x")
		}
	})
}

// FuzzRedact checks that redaction is stable and touches nothing without "@".
func FuzzRedact(f *testing.F) {
	f.Add("http://u:p@h/ x", "p")
	f.Add(`{"a":"http:\/\/u:p@h"}`, "p/w")
	f.Fuzz(func(t *testing.T, text, password string) {
		for _, redact := range []func(string) string{route.Redact, route.RedactText} {
			once := redact(text)
			if redact(once) != once || !strings.Contains(text, "@") && once != text {
				t.Errorf("%q becomes %q, then %q", text, once, redact(once))
			}
		}
		if strings.ContainsAny(password, " \t\r\n\v\f$`") {
			return
		}
		url := "http://user:zqWORDqz" + password + "@host/"
		if got := route.RedactText("see " + url + " there"); strings.Contains(got, "zqWORDqz") {
			t.Errorf("%q becomes %q", url, got)
		}
	})
}
