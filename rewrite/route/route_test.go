package route_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// table compiles a Config that must be right.
func table(t testing.TB, cfg route.Config) *route.Table {
	t.Helper()
	tab, err := route.NewTable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// env compiles a configuration from NAME=value lines that must be right.
func env(t testing.TB, lines ...string) route.Config {
	t.Helper()
	cfg, _, err := route.FromEnv(lookup(lines...))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// lookup is an environment made of NAME=value lines.
func lookup(lines ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, l := range lines {
			if v, ok := strings.CutPrefix(l, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}
}

// row is one expected decision: "action rule" and the URL to fetch.
type row struct {
	url, want, to string
}

// check routes each row's URL in a role.
func check(t *testing.T, tab *route.Table, role route.Role, rows []row) {
	t.Helper()
	for _, r := range rows {
		d := tab.Route(r.url, route.Context{Role: role})
		if got := d.Action.String() + " " + d.Rule; got != r.want || d.To != r.to {
			t.Errorf("%s %q: %s %q (%s), want %s %q", role, r.url, got, d.To, d.Why, r.want, r.to)
		}
		if moved := d.Action == route.Upgrade || d.Action == route.Mirror; moved != (d.To != "") || moved && d.Mirrors[0] != d.To {
			t.Errorf("%s %q: action %s with To %q and Mirrors %q", role, r.url, d.Action, d.To, d.Mirrors)
		}
		if d.Why == "" || strings.ContainsAny(d.Why, "\r\n") {
			t.Errorf("%s %q: reason %q", role, r.url, d.Why)
		}
	}
}

func TestArchives(t *testing.T) {
	check(t, table(t, route.Config{}), route.AptSource, []row{
		{"http://deb.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://deb.debian.org/debian/", "upgrade archive", "https://deb.debian.org/debian/"},
		{"http://deb.debian.org/debian//dists", "upgrade archive", "https://deb.debian.org/debian//dists"},
		{"http://deb.debian.org//debian/dists", "upgrade archive", "https://deb.debian.org//debian/dists"},
		{"http://deb.debian.org:80/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://deb.debian.org:/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://deb.debian.org:0080/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http:deb.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://cdn-fastly.deb.debian.org/debian/x", "upgrade archive", "https://deb.debian.org/debian/x"},
		{"http://cdn-aws.deb.debian.org/debian-security", "upgrade archive", "https://deb.debian.org/debian-security"},
		{"http://ftp.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://ftp.de.debian.org/debian/pool/a", "upgrade archive", "https://deb.debian.org/debian/pool/a"},
		{"http://ftp.us.debian.org/debian/", "upgrade archive", "https://deb.debian.org/debian/"},
		{"http://http.us.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://httpredir.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://http.debian.net/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://deb.debian.org/debian-security", "upgrade archive", "https://deb.debian.org/debian-security"},
		{"http://security.debian.org/debian-security/", "upgrade archive", "https://security.debian.org/debian-security/"},
		{"http://security.debian.org", "upgrade archive", "https://security.debian.org/debian-security"},
		{"http://security.debian.org/", "upgrade archive", "https://security.debian.org/debian-security/"},
		{"http://security.debian.org/dists/jessie/updates/InRelease", "upgrade archive", "https://security.debian.org/debian-security/dists/jessie/updates/InRelease"},
		{"http://security.debian.org/pool/updates/main/o/x.deb", "upgrade archive", "https://security.debian.org/debian-security/pool/updates/main/o/x.deb"},
		{"http://security.debian.org/distsx", "upgrade host-table", "https://security.debian.org/distsx"},
		{"http://security.debian.org/other/", "upgrade host-table", "https://security.debian.org/other/"},
		{"http://deb.debian.org/debian-ports", "upgrade archive", "https://deb.debian.org/debian-ports"},
		{"http://ftp.ports.debian.org/debian-ports", "upgrade archive", "https://deb.debian.org/debian-ports"},
		{"http://deb.debian.org/debian-debug", "upgrade archive", "https://deb.debian.org/debian-debug"},
		{"http://archive.debian.org/debian", "upgrade archive", "https://archive.debian.org/debian"},
		{"http://archive.debian.org/debian-archive/debian/", "upgrade archive", "https://archive.debian.org/debian-archive/debian/"},
		{"http://archive.debian.org/debian-archive/debian-security", "upgrade archive", "https://archive.debian.org/debian-archive/debian-security"},
		{"http://snapshot.debian.org/archive/debian/20241202T000000Z", "upgrade archive", "https://snapshot.debian.org/archive/debian/20241202T000000Z"},
		{"http://archive.ubuntu.com/ubuntu/", "upgrade archive", "https://archive.ubuntu.com/ubuntu/"},
		{"http://us.archive.ubuntu.com/ubuntu/", "upgrade archive", "https://archive.ubuntu.com/ubuntu/"},
		{"http://azure.archive.ubuntu.com/ubuntu/", "upgrade archive", "https://archive.ubuntu.com/ubuntu/"},
		{"http://us-east-1.ec2.archive.ubuntu.com/ubuntu/", "upgrade archive", "https://archive.ubuntu.com/ubuntu/"},
		{"http://eu.clouds.archive.ubuntu.com/ubuntu/", "upgrade archive", "https://archive.ubuntu.com/ubuntu/"},
		{"http://security.ubuntu.com/ubuntu/", "upgrade archive", "https://security.ubuntu.com/ubuntu/"},
		{"http://security.archive.ubuntu.com/ubuntu", "upgrade archive", "https://security.ubuntu.com/ubuntu"},
		{"http://ports.ubuntu.com/ubuntu-ports/", "upgrade archive", "https://ports.ubuntu.com/ubuntu-ports/"},
		{"http://ports.ubuntu.com/", "upgrade archive", "https://ports.ubuntu.com/ubuntu-ports/"},
		{"http://ports.ubuntu.com/dists/noble/InRelease", "upgrade archive", "https://ports.ubuntu.com/ubuntu-ports/dists/noble/InRelease"},
		{"http://azure.ports.ubuntu.com/ubuntu-ports", "upgrade archive", "https://ports.ubuntu.com/ubuntu-ports"},
		{"http://old-releases.ubuntu.com/ubuntu/", "upgrade archive", "https://old-releases.ubuntu.com/ubuntu/"},
		{"http://snapshot.ubuntu.com/ubuntu/20240301T000000Z", "upgrade archive", "https://snapshot.ubuntu.com/ubuntu/20240301T000000Z"},
		{"http://ppa.launchpad.net/u/p/ubuntu", "upgrade archive", "https://ppa.launchpadcontent.net/u/p/ubuntu"},
		{"http://ppa.launchpadcontent.net/u/p/ubuntu", "upgrade archive", "https://ppa.launchpadcontent.net/u/p/ubuntu"},
		{"http://http.kali.org/kali", "upgrade archive", "https://kali.download/kali"},
		{"http://mirrordirector.raspbian.org/raspbian/", "upgrade archive", "https://archive.raspbian.org/raspbian/"},
		{"http://www.raspbian.org/raspbian", "upgrade archive", "https://archive.raspbian.org/raspbian"},
		{"http://archive.raspberrypi.org/debian/", "upgrade archive", "https://archive.raspberrypi.com/debian/"},
		{"http://deb.devuan.org/merged", "upgrade archive", "https://pkgmaster.devuan.org/merged"},
		{"http://packages.ros.org/ros/ubuntu", "refuse archive", ""},
		{"http://packages.ros.org/ros2/ubuntu/dists", "refuse archive", ""},
		{"http://packages.ros.org/ros.key", "refuse host-table", ""},

		// Near twins: another archive of the same host, or none.
		{"http://deb.debian.org/debian-security-foo", "upgrade host-table", "https://deb.debian.org/debian-security-foo"},
		{"http://deb.debian.org/debianx", "upgrade host-table", "https://deb.debian.org/debianx"},
		{"http://deb.debian.org/Debian", "upgrade host-table", "https://deb.debian.org/Debian"},
		{"http://deb.debian.org/debian/../debian-security", "upgrade host-table", "https://deb.debian.org/debian/../debian-security"},
		{"http://deb.debian.org/debian/%2e%2E/x", "upgrade host-table", "https://deb.debian.org/debian/%2e%2E/x"},
		{"http://deb.debian.org/debian%2Fdists", "upgrade host-table", "https://deb.debian.org/debian%2Fdists"},
		{"http://ftp.a.b.debian.org/debian", "upgrade unknown-host", "https://ftp.a.b.debian.org/debian"},
		{"http://xarchive.ubuntu.com/ubuntu", "upgrade unknown-host", "https://xarchive.ubuntu.com/ubuntu"},
		{"http://deb.debian.org.evil.com/debian", "upgrade unknown-host", "https://deb.debian.org.evil.com/debian"},
		{"http://deb.debian.org:8080/debian", "refuse explicit-port", ""},

		// Spelling: matched without regard to it, kept as found.
		{"HTTP://Deb.Debian.ORG/debian/X?y=1#z", "upgrade archive", "https://Deb.Debian.ORG/debian/X?y=1#z"},
		{"http://deb.debian.org./debian", "upgrade archive", "https://deb.debian.org./debian"},
		{"http://deb%2edebian.org/%64ebian/a%20b", "upgrade archive", "https://deb%2edebian.org/%64ebian/a%20b"},
		{"http://ftp.debian.org/%64ebian/a%20b", "upgrade archive", "https://deb.debian.org/debian/a%20b"},
		{"http://deb.debian.org/debian?x=http://a", "upgrade archive", "https://deb.debian.org/debian?x=http://a"},
		{"http://ftp.debian.org/debian?x=/../y", "upgrade archive", "https://deb.debian.org/debian?x=/../y"},
		{"http://deb.debian.org/debian/dists/$(ARCH)", "upgrade archive", "https://deb.debian.org/debian/dists/$(ARCH)"},
		{"ftp://ftp.debian.org/debian/", "upgrade archive", "https://deb.debian.org/debian/"},
		{"ftp://security.debian.org/debian-security/x", "upgrade archive", "https://security.debian.org/debian-security/x"},
	})
}

func TestOtherHosts(t *testing.T) {
	check(t, table(t, route.Config{}), route.Fetch, []row{
		{"http://apt.postgresql.org/pub/repos/apt", "upgrade host-table", "https://apt.postgresql.org/pub/repos/apt"},
		{"http://nginx.org/packages/debian", "upgrade host-table", "https://nginx.org/packages/debian"},
		{"http://nginx.org/keys", "upgrade unknown-host", "https://nginx.org/keys"},
		{"http://mirrors.ustc.edu.cn/debian", "upgrade host-table", "https://mirrors.ustc.edu.cn/debian"},
		{"http://packages.linuxmint.com", "upgrade unknown-host", "https://packages.linuxmint.com"},
		{"http://example.com", "upgrade unknown-host", "https://example.com"},
		{"http://mirror.example/x", "upgrade unknown-host", "https://mirror.example/x"},
		{"http://example.com:80/a:b@c", "upgrade unknown-host", "https://example.com/a:b@c"},
		{"http://münchen.example.com/", "upgrade unknown-host", "https://münchen.example.com/"},
		{"http://1password.com/", "upgrade unknown-host", "https://1password.com/"},
		{"http://a.1password/", "upgrade unknown-host", "https://a.1password/"},
		{"git+http://example.com/r.git@v1#egg=x", "upgrade unknown-host", "git+https://example.com/r.git@v1#egg=x"},
		{"svn+http://example.com/r", "upgrade unknown-host", "svn+https://example.com/r"},
		{"hg+http://example.com/r", "upgrade unknown-host", "hg+https://example.com/r"},
		{"tor+http://deb.debian.org/debian", "upgrade archive", "tor+https://deb.debian.org/debian"},
		{"tor+http://vwakviie2ienjx6t.onion/debian", "keep internal-name", ""},

		{"git://github.com/a/b.git", "upgrade host-table", "https://github.com/a/b.git"},
		{"git://github.com:9418/a/b.git", "upgrade host-table", "https://github.com/a/b.git"},
		{"git+git://github.com/a/b.git", "upgrade host-table", "git+https://github.com/a/b.git"},
		{"git://git.savannah.gnu.org/grub.git", "upgrade host-table", "https://git.savannah.gnu.org/git/grub.git"},
		{"git://git.savannah.gnu.org/git/grub.git", "upgrade host-table", "https://git.savannah.gnu.org/git/grub.git"},
		{"git://sourceware.org/git/glibc.git", "upgrade host-table", "https://sourceware.org/git/glibc.git"},
		{"git://sourceware.org/glibc.git", "refuse no-tls-form", ""},
		{"git://git.kernel.org/pub/scm/git/git.git", "upgrade host-table", "https://git.kernel.org/pub/scm/git/git.git"},
		{"git://example.com/x", "refuse no-tls-form", ""},
		{"git://github.com:99/x", "refuse explicit-port", ""},
		{"git://10.0.0.1/x", "keep private-network", ""},

		{"ftp://ftp.gnu.org/gnu/bash.tar.gz", "upgrade host-table", "https://ftp.gnu.org/gnu/bash.tar.gz"},
		{"ftp://ftp.gnu.org/pub/x", "refuse no-tls-form", ""},
		{"ftp://u:p@ftp.debian.org/debian/", "refuse no-tls-form", ""},
		{"ftp://ftp.example.com/x", "refuse no-tls-form", ""},
		{"ftp://localhost/x", "keep loopback", ""},
		{"rsync://ftp.debian.org/debian/", "refuse no-tls-form", ""},
		{"svn://svn.example.com/x", "refuse no-tls-form", ""},
		{"bzr://bzr.example.com/x", "refuse no-tls-form", ""},
		{"tftp://boot.example.com/x", "refuse no-tls-form", ""},
		{"mirror://mirrors.ubuntu.com/mirrors.txt", "refuse no-tls-form", ""},
		{"mirror+http://deb.debian.org/debian", "refuse no-tls-form", ""},
		{"mirror://localhost/list", "keep loopback", ""},

		{"https://example.com/", "keep already-tls", ""},
		{"https://packages.ros.org/ros/ubuntu", "keep already-tls", ""},
		{"https://example.com:8443/", "keep already-tls", ""},
		{"HTTPS://example.com/", "keep already-tls", ""},
		{"git+https://example.com/", "keep already-tls", ""},
		{"mirror+https://example.com/list", "keep already-tls", ""},

		{"file:///etc/passwd", "keep other-scheme", ""},
		{"copy:/a", "keep other-scheme", ""},
		{"cdrom:[Debian]/", "keep other-scheme", ""},
		{"mirror+file:/etc/apt/mirrors.txt", "keep other-scheme", ""},
		{"ssh://git@github.com/a", "keep other-scheme", ""},
		{"git+ssh://git@github.com/a", "keep other-scheme", ""},
		{"git@github.com:a/b", "keep other-scheme", ""},
		{"data:text/plain,http://a.b", "keep other-scheme", ""},
		{"s3://bucket/key", "keep other-scheme", ""},
		{"x+http://example.com/", "keep other-scheme", ""},
		{"example.com/x", "keep other-scheme", ""},
		{"//example.com/x", "keep other-scheme", ""},
		{"${URL}", "keep other-scheme", ""},
		{"${SCHEME}://example.com/", "keep other-scheme", ""},
		{"http:example.com", "keep other-scheme", ""},
		{"http:/example.com", "keep other-scheme", ""},
		{"", "keep other-scheme", ""},

		{"http://", "keep malformed", ""},
		{"http:///x", "keep malformed", ""},
		{"http://:80/", "keep malformed", ""},
		{"http://a b/", "keep malformed", ""},
		{"http://example.com/a\nb", "keep malformed", ""},
		{"http://example.com/\x00", "keep malformed", ""},
		{"http://example.com:http/", "keep malformed", ""},
		{"http://example.com:65536/", "keep malformed", ""},
		{"http://example.com:1:2/", "keep malformed", ""},
		{"http://exa%mple.com/", "keep malformed", ""},
		{"http://exa%2fmple.com/", "keep malformed", ""},
		{"http://a..b/", "keep malformed", ""},
		{"http://.b/", "keep malformed", ""},
		{"http://-oProxyCommand/", "keep malformed", ""},
		{"http://{a,b}.example.com/", "keep malformed", ""},
		{"http://<host>/", "keep malformed", ""},
		{"http://[::1/", "keep malformed", ""},
		{"http://[1.2.3.4]/", "keep malformed", ""},
		{"http://::1/", "keep malformed", ""},
		{"http://256.256.256.256/", "keep malformed", ""},
		{"http://1.2.3.4.5/", "keep malformed", ""},
		{"http://1.2.65536/", "keep malformed", ""},
	})
}

func TestLocal(t *testing.T) {
	tab := table(t, route.Config{})
	for rule, hosts := range map[string]string{
		"loopback":        "localhost LOCALHOST localhost. a.localhost localhost.localdomain 127.0.0.1 127.9.9.9 127.1 2130706433 0x7f.1 0x7F000001 0177.0.0.1 [::1] [::ffff:127.0.0.1] [0:0:0:0:0:0:0:1]",
		"wildcard":        "* + *:80 0.0.0.0 0 [::] *.example.com",
		"private-network": "10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 169.254.169.254 198.18.0.1 [fc00::1] [fd12::1] [fe80::1] [fe80::1%25eth0] [fe80::1%eth0] [::ffff:10.0.0.1] 10.1 167772161",
		"single-label":    "nexus archive registry. my_host",
		"internal-name":   "a.local a.b.internal host.docker.internal x.test nas.lan x.home.arpa x.corp a.home a.localdomain x.alt a.private a.intranet",
	} {
		for host := range strings.FieldsSeq(hosts) {
			for _, u := range []string{"http://" + host, "http://" + host + "/x"} {
				check(t, tab, route.Fetch, []row{{u, "keep " + rule, ""}})
			}
			if !strings.Contains(host, ":80") {
				check(t, tab, route.Word, []row{{"http://" + host + ":3128/x", "keep " + rule, ""}})
			}
		}
	}
	for host := range strings.FieldsSeq("8.8.8.8 134744072 0x08080808 172.32.0.1 100.128.0.1 192.0.2.1 [2001:4860::1] [::ffff:8.8.8.8]") {
		check(t, tab, route.Fetch, []row{
			{"http://" + host + "/x", "refuse public-ip", ""},
			{"http://" + host + ":8080/x", "refuse public-ip", ""},
			{"https://" + host + "/x", "keep already-tls", ""},
		})
	}
	check(t, tab, route.Fetch, []row{ // near twins of the names above
		{"http://localhost.example.com/", "upgrade unknown-host", "https://localhost.example.com/"},
		{"http://mylocalhost.com/", "upgrade unknown-host", "https://mylocalhost.com/"},
		{"http://internal.example.com/", "upgrade unknown-host", "https://internal.example.com/"},
		{"http://arpa.home.example.com/", "upgrade unknown-host", "https://arpa.home.example.com/"},
		{"http://10.0.0.1.example.com/", "upgrade unknown-host", "https://10.0.0.1.example.com/"},
	})
}

func TestPorts(t *testing.T) {
	tab := table(t, env(t, "LOOPX_HOSTS=a.example.com:8080=upgrade,b.example.com=upgrade,*.c.example.com:81=keep,e.example.com:80=refuse"))
	check(t, tab, route.Fetch, []row{
		{"http://x.example.com:8080/", "refuse explicit-port", ""},
		{"http://x.example.com:443/", "refuse explicit-port", ""},
		{"http://a.example.com:8080/p", "upgrade host-rule", "https://a.example.com:8080/p"},
		{"http://a.example.com:8081/p", "refuse explicit-port", ""},
		{"http://b.example.com:8443/", "upgrade host-rule", "https://b.example.com:8443/"},
		{"http://b.example.com:80/", "upgrade host-rule", "https://b.example.com/"},
		{"http://x.c.example.com:81/", "keep host-rule", ""},
		{"http://x.c.example.com:82/", "refuse explicit-port", ""},
		{"http://e.example.com/", "refuse host-rule", ""},
		{"http://e.example.com:80/", "refuse host-rule", ""},
		{"http://x.example.com:${PORT}/", "refuse explicit-port", ""},
	})
}

func TestRoles(t *testing.T) {
	tab := table(t, env(t, "LOOPX_HOSTS=*.debian.org=refuse", "LOOPX_UBUNTU_MIRROR=https://m.example/ubuntu"))
	for role := route.Proxy; role <= route.Runtime+1; role++ {
		for _, u := range []string{"http://deb.debian.org/debian", "http://archive.ubuntu.com/ubuntu", "https://archive.ubuntu.com/ubuntu", "ftp://a.b/", "http://"} {
			check(t, tab, role, []row{{u, "keep role", ""}})
		}
	}
	cfg := env(t, "LOOPX_UBUNTU_MIRROR=https://m.example/ubuntu", "LOOPX_ROS_MIRROR=https://m.example/ros",
		"LOOPX_HOSTS=h.example.com=https://other.example.com,k.example.com=keep,r.example.com=refuse,s.example.com=https://s.example.com:8443,p.example.com:8080=https://other.example.com,nexus=https://other.example.com,10.0.0.5=https://other.example.com")
	tab = table(t, cfg)
	bounded := []row{
		{"http://archive.ubuntu.com/ubuntu", "upgrade archive", "https://archive.ubuntu.com/ubuntu"},
		{"https://archive.ubuntu.com/ubuntu", "keep already-tls", ""},
		{"http://packages.ros.org/ros/ubuntu", "refuse archive", ""},
		{"http://ppa.launchpad.net/u/p/ubuntu", "upgrade archive", "https://ppa.launchpadcontent.net/u/p/ubuntu"},
		{"http://h.example.com/x", "upgrade unknown-host", "https://h.example.com/x"},
		{"https://h.example.com/x", "keep already-tls", ""},
		{"http://k.example.com/x", "keep host-rule", ""},
		{"http://r.example.com/x", "refuse host-rule", ""},
		{"https://r.example.com/x", "refuse host-rule", ""},
		{"http://s.example.com/x", "upgrade host-rule", "https://s.example.com:8443/x"},
		{"http://p.example.com:8080/x", "upgrade host-rule", "https://p.example.com:8080/x"},
		{"git://p.example.com:8080/x", "refuse explicit-port", ""},
		{"http://nexus/x", "keep single-label", ""},
		{"http://10.0.0.5:80/x", "keep private-network", ""},
		{"http://example.com/x", "upgrade unknown-host", "https://example.com/x"},
		{"git://git.savannah.gnu.org/x", "upgrade host-table", "https://git.savannah.gnu.org/git/x"},
		{"http://${HOST}/x", "keep variable-host", ""},
	}
	check(t, tab, route.Word, bounded)
	check(t, tab, route.PackageConfig, bounded)
	check(t, tab, route.Word, []row{
		{"http://us.archive.ubuntu.com/ubuntu", "upgrade archive", "https://archive.ubuntu.com/ubuntu"},
		{"http://http.kali.org/kali", "upgrade archive", "https://kali.download/kali"},
	})
	check(t, tab, route.PackageConfig, []row{
		{"http://us.archive.ubuntu.com/ubuntu", "upgrade archive", "https://us.archive.ubuntu.com/ubuntu"},
		{"http://http.kali.org/kali", "upgrade archive", "https://http.kali.org/kali"},
	})
	free := []row{
		{"http://us.archive.ubuntu.com/ubuntu/x", "mirror operator-mirror", "https://m.example/ubuntu/x"},
		{"https://archive.ubuntu.com/ubuntu/x", "mirror operator-mirror", "https://m.example/ubuntu/x"},
		{"http://packages.ros.org/ros/ubuntu/x", "mirror operator-mirror", "https://m.example/ros/x"},
		{"https://packages.ros.org/ros/ubuntu/x", "mirror operator-mirror", "https://m.example/ros/x"},
		{"http://packages.ros.org/ros2/ubuntu/x", "refuse archive", ""},
		{"http://h.example.com/x", "mirror host-rule", "https://other.example.com/x"},
		{"https://h.example.com/x", "mirror host-rule", "https://other.example.com/x"},
		{"http://p.example.com:8080/x", "mirror host-rule", "https://other.example.com/x"},
		{"ftp://archive.ubuntu.com/ubuntu/x", "mirror operator-mirror", "https://m.example/ubuntu/x"},
		{"git+http://h.example.com/x", "mirror host-rule", "git+https://other.example.com/x"},
		{"tor+http://archive.ubuntu.com/ubuntu", "upgrade archive", "tor+https://archive.ubuntu.com/ubuntu"},
		{"http://${HOST}/x", "upgrade variable-host", "https://${HOST}/x"},
	}
	check(t, tab, route.Fetch, free)
	check(t, tab, route.AptSource, free)
}

func TestCredentials(t *testing.T) {
	tab := table(t, env(t, "LOOPX_UBUNTU_MIRROR=https://m.example/ubuntu",
		"LOOPX_HOSTS=h.example.com=https://other.example.com,k.example.com=keep,r.example.com=refuse,s.example.com:8080=https://s.example.com:8443,p.example.com:8080=https://other.example.com,nexus=https://other.example.com"))
	rows := []row{
		{"http://u:p@example.com/x", "upgrade credentials", "https://u:p@example.com/x"},
		{"http://u:p@example.com:80/x", "upgrade credentials", "https://u:p@example.com/x"},
		{"http://u:p@example.com:8080/x", "refuse explicit-port", ""},
		{"http://u:p@8.8.8.8/x", "refuse public-ip", ""},
		{"http://u:p@archive.ubuntu.com/ubuntu", "upgrade credentials", "https://u:p@archive.ubuntu.com/ubuntu"},
		{"http://u:p@us.archive.ubuntu.com/ubuntu", "upgrade credentials", "https://u:p@us.archive.ubuntu.com/ubuntu"},
		{"https://u:p@archive.ubuntu.com/ubuntu", "keep already-tls", ""},
		{"http://u:p@ppa.launchpad.net/u/p/ubuntu", "refuse archive", ""},
		{"http://u:p@packages.ros.org/x", "refuse host-table", ""},
		{"http://u:p@h.example.com/x", "upgrade credentials", "https://u:p@h.example.com/x"},
		{"http://u:p@p.example.com:8080/x", "upgrade credentials", "https://u:p@p.example.com:8080/x"},
		{"http://u:p@s.example.com:8080/x", "upgrade host-rule", "https://u:p@s.example.com:8443/x"},
		{"http://u:p@k.example.com/x", "keep host-rule", ""},
		{"http://u:p@r.example.com/x", "refuse host-rule", ""},
		{"http://u:p@nexus/x", "upgrade credentials", "https://u:p@nexus/x"},
		{"http://u:p@nexus:8081/x", "upgrade credentials", "https://u:p@nexus:8081/x"}, // the rule wants TLS
		{"http://u:p@other:8081/x", "keep single-label", ""},
		{"http://u:p@repo.internal/x", "upgrade credentials", "https://u:p@repo.internal/x"},
		{"http://u:p@repo.internal:8081/x", "keep internal-name", ""},
		{"http://u:p@localhost/x", "keep loopback", ""},
		{"http://u:p@127.0.0.1/x", "keep loopback", ""},
		{"http://u:p@10.0.0.1/x", "keep private-network", ""},
		{"http://u:p@169.254.0.1/x", "keep private-network", ""},
		{"http://${U}:${P}@example.com/x", "upgrade credentials", "https://${U}:${P}@example.com/x"},
		{"http://u:p@ss@example.com/x", "upgrade credentials", "https://u:p@ss@example.com/x"},
		{"http://@example.com/x", "upgrade credentials", "https://@example.com/x"},
		{"git://u:p@git.savannah.gnu.org/x", "refuse no-tls-form", ""},
	}
	check(t, tab, route.Fetch, rows)
	check(t, tab, route.Word, rows)
}

func TestHostRules(t *testing.T) {
	tab := table(t, env(t, "LOOPX_HOSTS=a.example.com=https://m.example/a/,*.example.com=keep,*.b.example.com=refuse,[2001:db8::1]=upgrade,[2001:db8::1]:81=keep,127.1=upgrade,10.0.0.5=https://m.example/ten,nexus=upgrade,*.archive.ubuntu.com=keep,deb.debian.org=upgrade,ftp.example.org=https://m.example/ftp,mirrors.ubuntu.com=upgrade,kali.download=https://m.example/kali"))
	check(t, tab, route.Fetch, []row{
		{"http://a.example.com/x?y#z", "mirror host-rule", "https://m.example/a/x?y#z"},
		{"http://A.Example.com./x", "mirror host-rule", "https://m.example/a/x"},
		{"http://a.example.com", "mirror host-rule", "https://m.example/a"},
		{"http://z.example.com/x", "keep host-rule", ""},
		{"http://x.b.example.com/x", "refuse host-rule", ""},
		{"http://b.example.com/x", "keep host-rule", ""},
		{"http://example.com/x", "upgrade unknown-host", "https://example.com/x"},
		{"https://x.b.example.com/x", "refuse host-rule", ""},
		{"https://z.example.com/x", "keep host-rule", ""},
		{"http://[2001:db8:0::1]/", "upgrade host-rule", "https://[2001:db8:0::1]/"},
		{"http://[2001:db8::1]:81/", "keep host-rule", ""},
		{"http://127.0.0.1:99/", "upgrade host-rule", "https://127.0.0.1:99/"},
		{"http://10.5/x", "mirror host-rule", "https://m.example/ten/x"},
		{"http://nexus:8081/x", "upgrade host-rule", "https://nexus:8081/x"},
		{"http://us.archive.ubuntu.com/ubuntu", "keep host-rule", ""},
		{"http://${CC}.archive.ubuntu.com/ubuntu", "keep host-rule", ""},
		{"http://deb.debian.org/debian", "upgrade host-rule", "https://deb.debian.org/debian"},
		{"ftp://ftp.example.org/x", "mirror host-rule", "https://m.example/ftp/x"},
		{"mirror://mirrors.ubuntu.com/mirrors.txt", "upgrade host-rule", "mirror+https://mirrors.ubuntu.com/mirrors.txt"},
		{"https://m.example/a/x", "keep already-tls", ""},
		// The tables' target has a rule of its own.
		{"http://http.kali.org/kali/x", "mirror host-rule", "https://m.example/kali/kali/x"},
	})
}

func TestVariableHosts(t *testing.T) {
	tab := table(t, route.Config{})
	check(t, tab, route.Fetch, []row{
		{"http://${HOST}/x", "upgrade variable-host", "https://${HOST}/x"},
		{"http://$HOST/x", "upgrade variable-host", "https://$HOST/x"},
		{"http://$(hostname -f)/x", "upgrade variable-host", "https://$(hostname -f)/x"},
		{"http://`hostname`/x", "upgrade variable-host", "https://`hostname`/x"},
		{"http://${HOST:-a.b/c}/x", "upgrade variable-host", "https://${HOST:-a.b/c}/x"},
		{"http://${HOST}:80/x", "upgrade variable-host", "https://${HOST}/x"},
		{"http://${HOST}:8080/x", "keep variable-host", ""},
		{"http://${HOST}:${PORT}/x", "keep variable-host", ""},
		{"http://deb.debian.org${PATH}", "upgrade variable-host", "https://deb.debian.org${PATH}"},
		{"http://${A}.example.com/x", "upgrade variable-host", "https://${A}.example.com/x"},
		{"http://${A}.internal/x", "keep internal-name", ""},
		{"http://${A}.localhost:1/x", "keep loopback", ""},
		{"http://${CC}.archive.ubuntu.com/ubuntu/x", "upgrade archive", "https://archive.ubuntu.com/ubuntu/x"},
		{"http://ftp.${CC}.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
		{"http://${X}archive.ubuntu.com/ubuntu", "upgrade variable-host", "https://${X}archive.ubuntu.com/ubuntu"},
		{"http://u:p@${HOST}/x", "upgrade variable-host", "https://u:p@${HOST}/x"},
		{"http://deb.debian.org/${DIST}/x", "upgrade host-table", "https://deb.debian.org/${DIST}/x"},
		{"http://deb.debian.org/debian${SUFFIX}/x", "upgrade host-table", "https://deb.debian.org/debian${SUFFIX}/x"},
		{"http://deb.debian.org/debian/${X}", "upgrade archive", "https://deb.debian.org/debian/${X}"},
		{"git://${HOST}/x", "refuse no-tls-form", ""},
		{"http://$1/x", "upgrade variable-host", "https://$1/x"},
		{"http://${HOST}/a b", "keep malformed", ""},
		{"http://${HOST\n}/", "keep malformed", ""},
		{"http://${HOST/", "keep malformed", ""},
		{"http://`HOST/", "keep malformed", ""},
		{"http://a$/", "keep malformed", ""},
	})
	check(t, table(t, env(t, "LOOPX_HOSTS=*.v.example.com=https://other.example")), route.Word, []row{
		{"http://${A}.v.example.com:81/x", "upgrade host-rule", "https://${A}.v.example.com:81/x"},
		{"http://${A}.w.example.com:81/x", "keep variable-host", ""},
	})
	check(t, tab, route.Keyserver, []row{
		{"hkp://${KS}", "upgrade variable-host", "hkps://${KS}"},
		{"${KS}", "keep other-scheme", ""},
	})
}

func TestKeyservers(t *testing.T) {
	rows := []row{
		{"keyserver.ubuntu.com", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"keyserver.ubuntu.com:80", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"hkp://keyserver.ubuntu.com", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"hkp://keyserver.ubuntu.com:80", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"hkp://keyserver.ubuntu.com:11371", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"hkp://keyserver.ubuntu.com:443", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"x-hkp://keyserver.ubuntu.com", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"http://keyserver.ubuntu.com:80", "upgrade archive", "https://keyserver.ubuntu.com"},
		{"pgp.mit.edu", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"hkp://p80.pool.sks-keyservers.net:80", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"pool.sks-keyservers.net", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"keys.gnupg.net", "upgrade archive", "hkps://keyserver.ubuntu.com"},
		{"keys.openpgp.org", "upgrade archive", "hkps://keys.openpgp.org"},
		{"keys.example.com", "upgrade unknown-host", "hkps://keys.example.com"},
		{"keys.example.com:8080", "refuse explicit-port", ""},
		{"hkps://hkps.pool.sks-keyservers.net", "keep already-tls", ""},
		{"https://keys.example.com", "keep already-tls", ""},
		{"keyserver", "keep single-label", ""},
		{"hkp://localhost", "keep loopback", ""},
		{"hkp://keys.internal:8080", "keep internal-name", ""},
		{"ldap://keys.example.com", "refuse no-tls-form", ""},
		{"user:pw@keys.example.com", "upgrade credentials", "hkps://user:pw@keys.example.com"},
	}
	check(t, table(t, route.Config{}), route.Keyserver, rows)
	check(t, table(t, route.Config{}), route.Fetch, []row{
		{"http://pgp.mit.edu:11371/pks/lookup?op=get&search=0x1", "upgrade archive", "https://keyserver.ubuntu.com/pks/lookup?op=get&search=0x1"},
		{"http://keys.example.com:11371/pks/lookup", "refuse explicit-port", ""},
	})
	for _, value := range []string{"keys.corp.example", "hkps://keys.corp.example/"} {
		tab := table(t, env(t, "LOOPX_KEYSERVER="+value, "LOOPX_HOSTS=own.example.com=upgrade"))
		check(t, tab, route.Keyserver, []row{
			{"pgp.mit.edu", "mirror operator-mirror", "hkps://keys.corp.example"},
			{"hkps://keys.openpgp.org", "mirror operator-mirror", "hkps://keys.corp.example"},
			{"keys.example.com", "mirror operator-mirror", "hkps://keys.corp.example"},
			{"hkps://keys.corp.example", "keep already-tls", ""},
			{"own.example.com", "upgrade host-rule", "hkps://own.example.com"},
			{"keys.internal", "keep internal-name", ""},
			{"hkps://keys.internal", "keep already-tls", ""},
		})
		check(t, tab, route.Fetch, []row{
			{"http://keyserver.ubuntu.com/pks/lookup", "mirror operator-mirror", "https://keys.corp.example/pks/lookup"},
		})
	}
}

func TestMirrorLists(t *testing.T) {
	tab := table(t, env(t,
		"LOOPX_DEBIAN_MIRROR=https://a.example/debian, https://b.example:8443/d/ default",
		"LOOPX_KALI_MIRROR=default,https://b.example/kali",
		"LOOPX_RASPBIAN_MIRROR=default",
		"LOOPX_KEYSERVER=default hkps://b.example",
		"LOOPX_UBUNTU_MIRROR=https://a.example/ubuntu"))
	for _, c := range []struct {
		url    string
		role   route.Role
		action route.Action
		want   []string
	}{
		{"http://ftp.de.debian.org/debian/x", route.Fetch, route.Mirror, []string{"https://a.example/debian/x", "https://b.example:8443/d/x", "https://deb.debian.org/debian/x"}},
		{"http://Deb.debian.org/%64ebian/x", route.Fetch, route.Mirror, []string{"https://a.example/debian/x", "https://b.example:8443/d/x", "https://Deb.debian.org/%64ebian/x"}},
		{"http://http.kali.org/kali", route.AptSource, route.Mirror, []string{"https://kali.download/kali", "https://b.example/kali"}},
		{"https://kali.download/kali", route.AptSource, route.Mirror, []string{"https://kali.download/kali", "https://b.example/kali"}},
		{"http://archive.raspbian.org/raspbian", route.Fetch, route.Mirror, []string{"https://archive.raspbian.org/raspbian"}},
		{"https://archive.raspbian.org/raspbian", route.Fetch, route.Keep, nil},
		{"https://a.example/debian/x", route.Fetch, route.Keep, nil},
		{"pgp.mit.edu", route.Keyserver, route.Mirror, []string{"hkps://keyserver.ubuntu.com", "hkps://b.example"}},
		{"keys.example.com", route.Keyserver, route.Mirror, []string{"hkps://keys.example.com", "hkps://b.example"}},
		{"http://security.ubuntu.com/ubuntu/x", route.Fetch, route.Mirror, []string{"https://a.example/ubuntu/x"}},
		{"http://ports.ubuntu.com/ubuntu-ports/x", route.Fetch, route.Upgrade, []string{"https://ports.ubuntu.com/ubuntu-ports/x"}},
	} {
		d := tab.Route(c.url, route.Context{Role: c.role})
		if d.Action != c.action || !slices.Equal(d.Mirrors, c.want) {
			t.Errorf("%s: %s\n%s", c.url, d.Action, cmp.Diff(c.want, d.Mirrors))
		}
	}
}

func TestUbuntuSecurityOwnMirror(t *testing.T) {
	tab := table(t, env(t, "LOOPX_UBUNTU_MIRROR=https://a.example/ubuntu", "LOOPX_UBUNTU_SECURITY_MIRROR=https://s.example/ubuntu"))
	check(t, tab, route.AptSource, []row{
		{"http://security.ubuntu.com/ubuntu", "mirror operator-mirror", "https://s.example/ubuntu"},
		{"http://archive.ubuntu.com/ubuntu", "mirror operator-mirror", "https://a.example/ubuntu"},
		{"http://old-releases.ubuntu.com/ubuntu", "upgrade archive", "https://old-releases.ubuntu.com/ubuntu"},
	})
}

// TestArrived holds the configuration's own places still, however it is tied
// into knots.
func TestArrived(t *testing.T) {
	tab := table(t, env(t,
		"LOOPX_DEBIAN_MIRROR=https://archive.debian.org/debian",
		"LOOPX_DEBIAN_ARCHIVE_MIRROR=https://deb.debian.org/debian",
		"LOOPX_HOSTS=a.example=https://b.example,b.example=https://c.example,*.debian.org=refuse,c.example=https://c.example:8443"))
	check(t, tab, route.Fetch, []row{
		{"https://deb.debian.org/debian/x", "keep operator-mirror", ""},
		{"https://archive.debian.org/debian/x", "keep operator-mirror", ""},
		{"http://deb.debian.org/debian/x", "refuse host-rule", ""},
		{"http://a.example/x", "mirror host-rule", "https://b.example/x"},
		{"https://b.example/x", "keep operator-mirror", ""},
		{"http://b.example/x", "mirror host-rule", "https://c.example/x"},
		{"https://c.example:8443/x", "keep already-tls", ""},
	})
}
