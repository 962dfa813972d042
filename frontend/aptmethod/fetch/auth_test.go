package fetch

import (
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"
)

// asks answers only who logs in, with the login.
func asks(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Write([]byte(user + ":" + password))
}

// TestLogin holds which credentials are sent.
func TestLogin(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		secret, netrc, part string
		uri, want           string
	}{
		"uri":          {uri: "http://u:p%2f@repo.example.org/x", netrc: "machine repo.example.org login a password b", want: "u:p/"},
		"secret":       {secret: "machine repo.example.org login s password t", netrc: "machine repo.example.org login a password b", uri: "https://repo.example.org/x", want: "s:t"},
		"auth.conf":    {netrc: "machine repo.example.org login a password b", part: "machine repo.example.org login c password d", uri: "https://repo.example.org/x", want: "a:b"},
		"part":         {netrc: "machine other.example.org login a password b", part: "machine repo.example.org login c password d", uri: "https://repo.example.org/x", want: "c:d"},
		"upgraded":     {netrc: "machine http://repo.example.org login a password b", uri: "http://repo.example.org/x", want: "a:b"},
		"port 80":      {netrc: "machine repo.example.org:80 login a password b", uri: "http://repo.example.org/x", want: "a:b"},
		"bare":         {netrc: "machine repo.example.org login a password b", uri: "http://repo.example.org/x", want: "a:b"},
		"mirror":       {secret: "machine mirror.example.org/debian login s password t", uri: "http://deb.debian.org/debian/x", want: "s:t"},
		"not upgraded": {netrc: "machine http://repo.example.org login a password b", uri: "https://repo.example.org/x"},
		"kept":         {netrc: "machine http://cache.internal login a password b", uri: "http://cache.internal/x", want: "a:b"},
		"kept, bare":   {netrc: "machine cache.internal login a password b", uri: "http://cache.internal/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("operator/route.json", []byte(`{"Mirrors":{"debian":["https://mirror.example.org/debian"]}}`))
			b.conf.Add("Dir", "/")
			b.conf.Add("Dir::Etc", b.dir+"/etc")
			b.conf.Add("Dir::Etc::netrc", "auth.conf")
			b.conf.Add("Dir::Etc::netrcparts", "auth.conf.d")
			b.write("etc/auth.conf", []byte(tc.netrc))
			b.write("etc/auth.conf.d/a.conf", []byte(tc.part))
			b.write("etc/auth.conf.d/b.txt", []byte("machine repo.example.org login wrong password wrong"))
			b.auth = b.write("secret", []byte(tc.secret))
			b.serve("repo.example.org", asks)
			b.serve("mirror.example.org", asks)
			b.serveClear("cache.internal:80", asks)
			_, body, f := b.get(tc.uri, Request{})
			switch {
			case tc.want == "" && (f == nil || f.Reason != "HttpError401"):
				t.Errorf("got %q, %v", body, f)
			case tc.want != "" && (f != nil || body != tc.want):
				t.Errorf("got %q, %v, want %q", body, f, tc.want)
			}
		})
	}
}

// TestLoginStaysAtItsHost holds that credentials do not follow redirects to
// another host, port or scheme.
func TestLoginStaysAtItsHost(t *testing.T) {
	t.Parallel()
	for location, sent := range map[string]bool{
		"/to":                                         true,
		"https://repo.example.org:443/to":             true,
		"https://cdn.example.org/to":                  false,
		"https://repo.example.org:8443/to":            false,
		"http://cdn.example.org/to":                   false,
		"https://u:p@cdn.example.org/to":              false,
		"//cdn.example.org/to":                        false,
		"https://repo.example.org@cdn.example.org/to": false,
	} {
		b := newBed(t)
		handler := func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/from" {
				redirect(location)(w, r)
				return
			}
			w.Write([]byte(r.Header.Get("Authorization")))
		}
		s := b.serve("repo.example.org", handler)
		b.place("repo.example.org:8443", s.Listener)
		b.serve("cdn.example.org", handler)
		want := ""
		if sent {
			want = "Basic " + base64.StdEncoding.EncodeToString([]byte("user:s3cret"))
		}
		if _, body, f := b.get("http://user:s3cret@repo.example.org/from", Request{}); f != nil || body != want {
			t.Errorf("%s: %q, %v", location, body, f)
		}
	}
}

// TestLoginAdvice holds what is said of a server that wants to know who asks.
func TestLoginAdvice(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.auth = b.write("secret", []byte("machine given.example.org login u password s3cret"))
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
	b.serve("repo.example.org", refuse)
	b.serve("given.example.org", refuse)
	b.serveClear("cache.internal:80", refuse)
	for uri, want := range map[string]string{
		"http://repo.example.org/x":          "401 Unauthorized from https://repo.example.org/x: it asks for a user and a password; give them in /etc/apt/auth.conf.d, or with docker build --secret id=loopx-auth,src=FILE, as: machine repo.example.org login USER password PASSWORD",
		"http://cache.internal/x":            "as: machine http://cache.internal login USER",
		"https://given.example.org/x":        "401 Unauthorized from https://given.example.org/x: it does not accept the user and password of " + b.auth,
		"http://u:s3cret@repo.example.org/x": "it does not accept the user and password of the source",
	} {
		f := b.fails(uri, want)
		if f.Transient || !f.Next || strings.Contains(f.Message, "s3cret") {
			t.Errorf("%+v", f)
		}
	}
}

// TestUnreadableCredentials goes on without them, as apt does.
func TestUnreadableCredentials(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.auth = b.dir + "/folder"
	if err := os.Mkdir(b.auth, 0o700); err != nil {
		t.Fatal(err)
	}
	b.serve("repo.example.org", text("x"))
	b.wants("http://repo.example.org/x", "x")
}
