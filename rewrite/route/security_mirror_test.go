package route_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

const securityVariable = "LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR"

// TestSecurityMirror is the meaning of the variable: the value is a base URL
// that takes the place of each way to name Debian's security archive, and of
// nothing else.
func TestSecurityMirror(t *testing.T) {
	const v = "https://mirror.example/debian-security"
	for _, value := range []string{v, v + "/", " " + v + " "} {
		for _, name := range []string{securityVariable, "LOOPX_DEBIAN_SECURITY_MIRROR"} {
			tab := table(t, env(t, name+"="+value))
			check(t, tab, route.AptSource, []row{
				{"http://deb.debian.org/debian-security", "mirror operator-mirror", v},
				{"http://security.debian.org/debian-security/", "mirror operator-mirror", v + "/"},
				{"http://security.debian.org", "mirror operator-mirror", v},
				{"http://security.debian.org/", "mirror operator-mirror", v + "/"},
				{"http://security.debian.org/dists/buster/updates/InRelease", "mirror operator-mirror", v + "/dists/buster/updates/InRelease"},
				{"http://security.debian.org/pool/updates/main/a.deb", "mirror operator-mirror", v + "/pool/updates/main/a.deb"},
				{"http://deb.debian.org/debian-security/dists/bookworm-security/InRelease", "mirror operator-mirror", v + "/dists/bookworm-security/InRelease"},
				{"http://cdn-fastly.deb.debian.org/debian-security", "mirror operator-mirror", v},
				{"https://security.debian.org/debian-security", "mirror operator-mirror", v},
				{"https://security.debian.org/debian-security/", "mirror operator-mirror", v + "/"},
				{"https://security.debian.org", "mirror operator-mirror", v},
				{"https://deb.debian.org/debian-security", "mirror operator-mirror", v},

				{"http://deb.debian.org/debian", "upgrade archive", "https://deb.debian.org/debian"},
				{"http://deb.debian.org/debian-security-foo", "upgrade host-table", "https://deb.debian.org/debian-security-foo"},
				{"http://archive.debian.org/debian-security", "upgrade archive", "https://archive.debian.org/debian-security"},
				{"https://archive.debian.org/debian-security", "keep already-tls", ""},
				{"https://deb.debian.org/debian", "keep already-tls", ""},
				{v + "/dists", "keep already-tls", ""},
			})
		}
	}
}

// TestSecurityMirrorUnset holds a trap: without configuration an https URL of
// the archive is never touched.
func TestSecurityMirrorUnset(t *testing.T) {
	for _, value := range []string{"", " "} {
		tab := table(t, env(t, securityVariable+"="+value))
		check(t, tab, route.AptSource, []row{
			{"https://deb.debian.org/debian-security", "keep already-tls", ""},
			{"https://security.debian.org", "keep already-tls", ""},
		})
	}
}

func TestSecurityMirrorClearText(t *testing.T) {
	_, _, err := route.FromEnv(lookup(securityVariable + "=http://mirror.example/debian-security"))
	var bad *route.ConfigError
	if !errors.As(err, &bad) || bad.Variable != securityVariable {
		t.Fatalf("error %v", err)
	}
	const want = securityVariable + `: "http://mirror.example/debian-security" is not an https URL; write https://mirror.example/debian-security`
	if err.Error() != want {
		t.Errorf("error %q\nwant %q", err, want)
	}
}

func TestSecurityMirrorWithoutPath(t *testing.T) {
	cfg, notes, err := route.FromEnv(lookup(securityVariable + "=https://mirror.example/"))
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || notes[0].Variable != securityVariable || !strings.Contains(notes[0].Message, "no path") || notes[0].Weakens {
		t.Errorf("notes %v", notes)
	}
	check(t, table(t, cfg), route.AptSource, []row{
		{"http://deb.debian.org/debian-security", "mirror operator-mirror", "https://mirror.example"},
		{"http://security.debian.org/", "mirror operator-mirror", "https://mirror.example/"},
	})
}

func TestSecurityMirrorBothNames(t *testing.T) {
	long, short := "https://long.example/debian-security", "https://short.example/debian-security"
	cfg, notes, err := route.FromEnv(lookup(securityVariable+"="+long, "LOOPX_DEBIAN_SECURITY_MIRROR="+short))
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Mirrors["debian-security"]; len(got) != 1 || got[0] != long {
		t.Errorf("mirrors %q", got)
	}
	if len(notes) != 1 || notes[0].Variable != "LOOPX_DEBIAN_SECURITY_MIRROR" || !strings.Contains(notes[0].Message, securityVariable) {
		t.Errorf("notes %v", notes)
	}
	_, notes, err = route.FromEnv(lookup(securityVariable+"="+long, "LOOPX_DEBIAN_SECURITY_MIRROR="+long+"/"))
	if err != nil || len(notes) != 0 {
		t.Errorf("same value twice: notes %v, error %v", notes, err)
	}
}
