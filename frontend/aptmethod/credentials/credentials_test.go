package credentials

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// load returns the store of a file with this text, and the file's name.
func load(t testing.TB, text string) (*Store, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "auth.conf")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(name), name
}

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestFind begins with the examples of apt_auth.conf(5). One of its "do not
// apply" does here: a port that is written out and is the one of https.
func TestFind(t *testing.T) {
	t.Parallel()
	const debian = "https://example.org/debian/dists/x"
	for _, tc := range []struct {
		text, url, from string
		want            bool
	}{
		{"machine example.org login apt password debian", debian, "", true},
		{"machine example.org\nlogin apt\npassword debian\n", debian, "", true},
		{"machine example.org\r\n\tlogin apt\r\n\tpassword debian", debian, "", true},
		{"machine example.org/deb login apt password debian", debian, "", true},
		{"machine example.org/debian login apt password debian", debian, "", true},
		{"machine example.org/debian/ login apt password debian", debian, "", true},
		{"machine example.org/deb/ login apt password debian", debian, "", false},
		{"machine example.org/ubuntu login apt password debian", debian, "", false},
		{"machine example.orga login apt password debian", debian, "", false},
		{"machine example.net login apt password debian", debian, "", false},
		{"machine example.org:443 login apt password debian", debian, "", true},
		{"machine EXAMPLE.org login apt password debian", debian, "", true},

		{"machine https://example.org login apt password debian", debian, "", true},
		{"machine http://example.org login apt password debian", debian, "", false},
		{"machine tor+https://example.org login apt password debian", debian, "", false},
		{"machine http://example.org login apt password debian", "http://example.org/x", "", true},
		{"machine example.org login apt password debian", "http://example.org/x", "", false},
		{"machine example.org login apt password debian", "https://example.org:8443/x", "", true},
		{"machine example.org:8443 login apt password debian", "https://example.org:8443/x", "", true},
		{"machine example.org:8443 login apt password debian", debian, "", false},
		{"machine [2001:db8::1]:8443/x login apt password debian", "https://[2001:db8::1]:8443/x", "", true},
		{"machine [2001:db8::1] login apt password debian", "https://[2001:db8::1]/x", "", true},

		{"machine http://example.org login apt password debian", debian, "http://example.org/debian/dists/x", true},
		{"machine http://example.org:80/debian login apt password debian", debian, "http://example.org/debian/dists/x", true},
		{"machine example.org:80 login apt password debian", debian, "http://example.org/debian/dists/x", true},
		{"machine example.org:80 login apt password debian", debian, "", false},
		{"machine https://example.org:80 login apt password debian", debian, "http://example.org/debian/dists/x", false},

		{"# machine example.org login no password no\nmachine example.org login apt password debian", debian, "", true},
		{"machine example.org # ours\nlogin apt # me\npassword debian # so", debian, "", true},
		{"machine example.org\nmachine other.org login x password y\nmachine example.org login apt password debian", debian, "", true},
		{"machine example.org account z login apt password debian macdef x", debian, "", true},
		{"login apt password debian machine example.org", debian, "", false},
		{"machine", debian, "", false},
		{"machine example.org login", debian, "", false},
		{"default login apt password debian", debian, "", false},
		{"", debian, "", false},
	} {
		s, name := load(t, tc.text)
		got, ok := s.Find(parseURL(t, tc.url), parseURL(t, tc.from))
		want := Login{}
		if tc.want {
			want = Login{User: "apt", Password: "debian", File: name}
		}
		if diff := cmp.Diff(want, got); diff != "" || ok != tc.want {
			t.Errorf("%q for %s from %q: %v\n%s", tc.text, tc.url, tc.from, ok, diff)
		}
	}
}

// TestPassword holds that a word is taken as it stands.
func TestPassword(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"#x", "%41", `"q"`, "machine", "login", `\`, "ü", "a:b@c"} {
		s, _ := load(t, "machine example.org password "+word+" login "+word)
		if got, ok := s.Find(parseURL(t, "https://example.org/"), nil); !ok || got.User != word || got.Password != word {
			t.Errorf("%s: %+v, %v", word, got, ok)
		}
	}
}

// TestLoad takes the first file that has an entry.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var names []string
	for name, text := range map[string]string{"a": "machine x.example login a", "b": "machine x.example login b\nmachine y.example login b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"missing", "a", "b", "."} {
		names = append(names, filepath.Join(dir, name))
	}
	s := Load(names...)
	for host, user := range map[string]string{"x.example": "a", "y.example": "b"} {
		if got, _ := s.Find(&url.URL{Scheme: "https", Host: host}, nil); got.User != user {
			t.Errorf("%s: %+v", host, got)
		}
	}
}

// FuzzFind holds that no text makes an entry for a host that it does not name.
func FuzzFind(f *testing.F) {
	f.Add("machine example.org/x login a password b", "https://example.org/x/y")
	f.Add("machine http://[::1]:80/ login a # c\npassword b", "https://[::1]/")
	f.Add("machine\x00 machine machine login", "http://h:1/%2f")
	f.Fuzz(func(t *testing.T, text, address string) {
		u, err := url.Parse(address)
		if err != nil {
			return
		}
		s := &Store{entries: parse(text)}
		if _, ok := s.Find(u, nil); ok && !strings.Contains(strings.ToLower(text), strings.ToLower(u.Hostname())) {
			t.Errorf("%q has no entry for %s", text, u.Host)
		}
		if _, ok := s.Find(&url.URL{Scheme: "https"}, nil); ok {
			t.Errorf("%q has an entry for no host", text)
		}
	})
}
