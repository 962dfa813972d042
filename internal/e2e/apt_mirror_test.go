package e2e

import (
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestAptMirrors: mirrors that the operator named are asked in the place of the
// archive, over TLS, and it is not asked.
func TestAptMirrors(t *testing.T) {
	testbed.Base(t, "bookworm")
	ours := testbed.FrontendImage(t)
	archive := testbed.Archive(t)
	t.Run("security", func(t *testing.T) { testSecurityMirror(t, ours) })
	t.Run("ordered", func(t *testing.T) { testOrderedMirrors(t, ours, archive) })
	t.Run("credentials", func(t *testing.T) { testMirrorCredentials(t, ours) })
	checkEqual(t, "in clear text", nil, paths(archive.ClearHits()))
}

// oneSource is a Dockerfile of a base that has only this apt source and updates
// its list. The list must have the name that apt gives it for the source as
// written.
func oneSource(source, list string) string {
	place := "/etc/apt/sources.list"
	if strings.HasPrefix(source, "Types:") {
		place += ".d/debian.sources"
	}
	return "FROM debian:bookworm-slim\nRUN rm /etc/apt/sources.list.d/debian.sources\n" +
		"COPY <<XX " + place + "\n" + source + "\nXX\n" +
		"RUN apt-get update && test -s /var/lib/apt/lists/" + list + "\n"
}

// testSecurityMirror has every way in which sources name the security archive.
func testSecurityMirror(t *testing.T, ours string) {
	const (
		suite   = "_dists_bookworm-security_InRelease"
		deb     = "deb.debian.org_debian-security" + suite
		sec     = "security.debian.org_debian-security" + suite
		root    = "security.debian.org" + suite
		keyring = "\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg"
		release = "/sec/dists/bookworm-security/InRelease"
	)
	for name, c := range map[string]struct{ source, list string }{
		"deb.debian.org":       {"deb http://deb.debian.org/debian-security bookworm-security main", deb},
		"with a slash":         {"deb http://security.debian.org/debian-security/ bookworm-security main", sec},
		"root":                 {"deb http://security.debian.org bookworm-security main", root},
		"root with a slash":    {"deb http://security.debian.org/ bookworm-security main", root},
		"source packages":      {"deb-src http://security.debian.org/debian-security bookworm-security main", sec},
		"another case":         {"deb http://Security.Debian.ORG/debian-security bookworm-security main", "Security.Debian.ORG_debian-security" + suite},
		"port 80":              {"deb http://security.debian.org:80/debian-security bookworm-security main", "security.debian.org:80_debian-security" + suite},
		"an alias":             {"deb http://cdn-fastly.deb.debian.org/debian-security bookworm-security main", "cdn-fastly." + deb},
		"https":                {"deb https://deb.debian.org/debian-security bookworm-security main", deb},
		"https security":       {"deb https://security.debian.org/debian-security/ bookworm-security main", sec},
		"deb822":               {"Types: deb\nURIs: http://deb.debian.org/debian-security\nSuites: bookworm-security\nComponents: main" + keyring, deb},
		"deb822, https":        {"Types: deb deb-src\nURIs: https://security.debian.org/debian-security/\nSuites: bookworm-security\nComponents: main" + keyring, sec},
		"one URI of two":       {"Types: deb\nURIs: http://deb.debian.org/debian-security http://archive.debian.org/debian-security\nSuites: bookworm-security\nComponents: main" + keyring, deb},
		"the mirror by itself": {"deb https://HOST/sec bookworm-security main", "*_sec" + suite},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{Handler: testbed.ArchiveTree(t, "/sec", "https://deb.debian.org/debian-security")})
			run := callOf(t, h.expand(oneSource(c.source, c.list)))
			run.env = []string{securityMirror + h.expand("=https://HOST/sec")}
			log := run.build(t, "build", by(ours), "--no-cache", withCA(t, h.CA), "--build-arg="+securityMirror, ".")
			checkEqual(t, "in clear text", nil, h.clear())
			if !slices.Contains(h.overTLS(), release) {
				t.Errorf("over TLS from the mirror: %v\n%s", h.overTLS(), log)
			}
			checkContains(t, log, "loopx-apt: ", h.name, " over TLS in ")
		})
	}
	t.Run("another archive", func(t *testing.T) {
		t.Parallel()
		h := newHost(t, testbed.MirrorOptions{})
		run := callOf(t, oneSource("deb http://archive.debian.org/debian-security bookworm-security main", "archive.debian.org_debian-security"+suite))
		run.build(t, "build", by(ours), "--no-cache", withCA(t, h.CA), "--build-arg="+securityMirror+h.expand("=https://HOST/sec"), ".")
		h.checkOverTLS(t)
	})
}

// testOrderedMirrors: a mirror that has no name, one that nobody listens at, and
// one that is out of order make way for the next; the official host comes only
// where the list says so.
func testOrderedMirrors(t *testing.T, ours string, archive *testbed.Mirror) {
	const (
		source  = "deb http://deb.debian.org/debian bookworm-updates main"
		list    = "deb.debian.org_debian_dists_bookworm-updates_InRelease"
		release = "/debian/dists/bookworm-updates/InRelease"
	)
	for name, c := range map[string]struct{ mirrors, last, log string }{
		"the last one": {"https://down.invalid/debian, https://closed-HOST/debian, https://broken-HOST/debian, https://HOST/debian", "HOST", "deb.debian.org: 2 files from mirror HOST over TLS"},
		"default":      {"https://down.invalid/debian, https://closed-HOST/debian, https://broken-HOST/debian, default", "deb.debian.org", "deb.debian.org: 2 files "},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, testbed.MirrorOptions{Handler: testbed.ArchiveTree(t, "/debian", "https://deb.debian.org/debian")})
			testbed.NewMirror(t, testbed.MirrorOptions{Names: []string{"closed-" + h.name}})
			testbed.Redirect(t, "closed-"+h.name, netip.MustParseAddr("127.0.0.1"))
			broken := testbed.NewMirror(t, testbed.MirrorOptions{
				Names:   []string{"broken-" + h.name},
				Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }),
			})
			archive.Reset()
			log := callOf(t, oneSource(source, list)).build(t, "build", by(ours), "--no-cache", withCA(t, h.CA),
				"--build-arg=LOOPX_DEBIAN_MIRROR="+h.expand(c.mirrors), ".")
			checkEqual(t, "in clear text", nil, slices.Concat(h.clear(), paths(broken.ClearHits()), paths(archive.ClearHits())))
			fromHost, fromArchive := slices.Contains(h.overTLS(), release), slices.Contains(paths(archive.TLSHits()), release)
			checkEqual(t, "from the last one and the official one", []bool{c.last == "HOST", c.last != "HOST"}, []bool{fromHost, fromArchive})
			checkContains(t, log,
				"loopx-apt: gave up down.invalid: ", "loopx-apt: gave up closed-"+h.name+": ", "loopx-apt: gave up broken-"+h.name+": ", h.expand(c.log))
			if !slices.Contains(paths(broken.TLSHits()), release) {
				t.Errorf("the one out of order was asked for %v", broken.TLSHits())
			}
		})
	}
}

// testMirrorCredentials: they come by a secret, go to the mirror they are for,
// and are not shown.
func testMirrorCredentials(t *testing.T, ours string) {
	const source, list = "deb http://deb.debian.org/debian bookworm-updates main", "deb.debian.org_debian_dists_bookworm-updates_InRelease"
	tree := testbed.ArchiveTree(t, "/debian", "https://deb.debian.org/debian")
	h := newHost(t, testbed.MirrorOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hunter2" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		tree.ServeHTTP(w, r)
	})})
	c := callOf(t, oneSource(source, list)+"RUN test ! -e /dev/.loopx-auth.conf\n")
	args := []string{"build", by(ours), "--no-cache", withCA(t, h.CA), "--build-arg=LOOPX_DEBIAN_MIRROR=" + h.expand("https://HOST/debian"), "."}
	log := c.fails(t, args...)
	checkContains(t, log, "401", h.name)

	auth := filepath.Join(t.TempDir(), "auth.conf")
	writeFile(t, auth, []byte(h.expand("machine HOST login me password hunter2\n")))
	log += c.build(t, append(args, "--secret=id=loopx-auth,src="+auth)...)
	checkEqual(t, "in clear text", nil, h.clear())
	if strings.Contains(log, "hunter2") {
		t.Errorf("the log shows the password:\n%s", log)
	}
}
