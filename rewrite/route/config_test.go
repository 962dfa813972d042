package route_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

func TestParseMirror(t *testing.T) {
	for _, c := range []struct {
		archive, value string
		want           []string
	}{
		{"debian", "https://m.example/debian", []string{"https://m.example/debian"}},
		{"debian", "HTTPS://M.Example:443/Debian/", []string{"https://m.example/Debian"}},
		{"debian", "https://m.example:8443", []string{"https://m.example:8443"}},
		{"debian", "https://[2001:db8::1]:8443/d/", []string{"https://[2001:db8::1]:8443/d"}},
		{"debian", "https://m.example/d//", []string{"https://m.example/d"}},
		{"debian", "https://m.example/a+b/~c/%20d/@e-f_g", []string{"https://m.example/a+b/~c/%20d/@e-f_g"}},
		{"debian", "default, https://a.example/d  https://b.example/d,", []string{"default", "https://a.example/d", "https://b.example/d"}},
		{"debian", "https://nexus/debian", []string{"https://nexus/debian"}},
		{"keyserver", "keys.example", []string{"hkps://keys.example"}},
		{"keyserver", "hkps://keys.example:443 https://keys.example", []string{"hkps://keys.example", "https://keys.example"}},
	} {
		got, err := route.ParseMirror(c.archive, c.value)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %q: %v\n%s", c.archive, c.value, err, cmp.Diff(c.want, got))
		}
	}
	for _, c := range []struct{ archive, value, want string }{
		{"debain", "https://m.example", `mirror of "debain": "https://m.example" is for an archive that is not in the table; use one of debian, debian-security,`},
		{"debian", " ", "names no mirror"},
		{"debian", "http://m.example/debian", "is not an https URL; write https://mirror.example/debian"},
		{"debian", "m.example/debian", "is not an https URL"},
		{"debian", "git+https://m.example/debian", "is not an https URL"},
		{"debian", "hkps://m.example/debian", "is not an https URL"},
		{"debian", "ftp://m.example/debian", "is not an https URL"},
		{"debian", "https://u:hunter@m.example/debian", `"https://***@m.example/debian" holds a user or a password`},
		{"debian", "http://u:hunter@m.example/debian", `"http://***@m.example/debian" holds a user or a password`},
		{"debian", "https://u:hun/ter@m.example/debian", "***@m.example"},
		{"debian", "https://m.example/d?x=1", "holds a query or a fragment"},
		{"debian", "https://m.example/d#x", "holds a query or a fragment"},
		{"debian", "https:///d", "has no plain host name"},
		{"debian", "https://*.example/d", "holds a character"},
		{"debian", "https://m+.example/d", "has no plain host name"},
		{"debian", "https://m.example:99999/d", "has no plain host name"},
		{"debian", "https://m.example/a/../b", `has a ".."`},
		{"debian", "https://m.example/%zz", "broken percent sign"},
		{"debian", "https://m.example/%2", "broken percent sign"},
		{"debian", "https://münchen.example/d", "holds a character"},
		{"debian", "https://a.example/d https://a.example/d/", "is listed twice"},
		{"ros", "default", `stands for an official TLS base, and ros has none`},
		{"keyserver", "hkp://keys.example", "is not an hkps URL; write hkps://keys.example"},
		{"debian", "x" + strings.Repeat("é", 100), "…\" is not an https URL"},
		{"nothing", "user:hunter@host", `"***@host" is for an archive`},
	} {
		_, err := route.ParseMirror(c.archive, c.value)
		wantConfigError(t, err, c.want)
	}
	for _, char := range "$`\"'\\;&|<>()!*^{}" {
		_, err := route.ParseMirror("debian", "https://m.example/a"+string(char)+"b")
		wantConfigError(t, err, "holds a character that a shell, sed or JSON would read as its own")
	}
}

// wantConfigError checks that err is one line that holds want, and never a
// password.
func wantConfigError(t *testing.T, err error, want string) {
	t.Helper()
	var bad *route.ConfigError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
		return
	}
	if s := err.Error(); strings.Contains(s, "\n") || strings.Contains(s, "hun") || bad.Hint == "" || bad.Variable == "" {
		t.Errorf("error %q", s)
	}
}

func TestParseHostRule(t *testing.T) {
	for in, want := range map[string]route.HostRule{
		"a.example=upgrade":              {Host: "a.example", Action: "upgrade"},
		" A.example:8080=keep ":          {Host: "a.example:8080", Action: "keep"},
		"*.a.example=refuse":             {Host: "*.a.example", Action: "refuse"},
		"[::1]:8080=keep":                {Host: "[::1]:8080", Action: "keep"},
		"10.0.0.1=https://m.example/x/":  {Host: "10.0.0.1", Action: "https://m.example/x"},
		"a.example=https://b.example:80": {Host: "a.example", Action: "https://b.example:80"},
	} {
		if got, err := route.ParseHostRule(in); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"a.example":                      "has no action; write HOST=upgrade",
		"user:hunter@a.example":          "***@a.example",
		"=keep":                          "does not start with a host name",
		"*=keep":                         "has a star in an odd place",
		"a*.example=keep":                "has a star in an odd place",
		"*.1.2.3.4=keep":                 "puts a star before an address",
		"http://a.example=keep":          "has more than a host",
		"u:hunter@a.example=keep":        "has more than a host",
		"a.example/x=keep":               "has more than a host",
		"::1=keep":                       "does not start with a host name or address",
		"a.example:x=keep":               "does not start with a host name or address",
		"${X}.example=keep":              "does not start with a host name or address",
		"a b=keep":                       "does not start with a host name or address",
		"a.example=Keep":                 "has an action that is not an https URL; write upgrade, keep, refuse or an https URL",
		"a.example=":                     "has an action that is not an https URL",
		"a.example=http://b.example":     "has an action that is not an https URL",
		"a.example=https://u:hun@b.test": "has an action that holds a user or a password",
	} {
		_, err := route.ParseHostRule(in)
		wantConfigError(t, err, want)
	}
}

func TestNewTableErrors(t *testing.T) {
	for _, c := range []struct {
		cfg      route.Config
		variable string
	}{
		{route.Config{Mode: "warn"}, "Mode"},
		{route.Config{Mirrors: map[string][]string{"debian": {"http://m.example"}}}, `Mirrors["debian"]`},
		{route.Config{Mirrors: map[string][]string{"debain": {"https://m.example"}}}, `Mirrors["debain"]`},
		{route.Config{Mirrors: map[string][]string{"ros": {"default"}}}, `Mirrors["ros"]`},
		{route.Config{Mirrors: map[string][]string{"debian": {""}}}, `Mirrors["debian"]`},
		{route.Config{Hosts: []route.HostRule{{Host: "a.example", Action: "keep"}, {Host: "b.example", Action: "x"}}}, "Hosts[1]"},
		{route.Config{Hosts: []route.HostRule{{Host: "a.example", Action: "keep"}, {Host: "A.example.", Action: "refuse"}}}, "Hosts[1]"},
	} {
		_, err := route.NewTable(c.cfg)
		var bad *route.ConfigError
		if !errors.As(err, &bad) || bad.Variable != c.variable {
			t.Errorf("%+v: error %v, want one of %s", c.cfg, err, c.variable)
		}
	}
	tab := table(t, route.Config{
		Mode: route.Audit, Mirrors: map[string][]string{"debian": nil},
		Hosts: []route.HostRule{{Host: "a.example", Action: "keep"}, {Host: "A.example.", Action: "keep"}},
	})
	if tab.Mode() != route.Audit || table(t, route.Config{}).Mode() != route.Enforce {
		t.Error("wrong mode")
	}
}
