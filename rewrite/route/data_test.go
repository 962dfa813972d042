package route_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// named returns a URL that a row of the tables speaks of.
func named(scheme, host, path string) string {
	host = strings.ReplaceAll(host, "*", "xx")
	return scheme + "://" + host + strings.TrimSuffix(strings.TrimSuffix(path, "*"), "/")
}

// TestArchiveRows routes each row of the table by its own claim.
func TestArchiveRows(t *testing.T) {
	plain := table(t, route.Config{})
	for _, r := range route.Archives() {
		from := named("http", r.Host, r.Path)
		d := plain.Route(from, route.Context{})
		switch {
		case d.Archive != r.Archive:
			t.Errorf("%s belongs to %q, not to %q", from, d.Archive, r.Archive)
		case r.Target == "" && (d.Action != route.Refuse || !strings.Contains(d.Why, route.MirrorVariable(r.Archive))):
			t.Errorf("%s: %s %s", from, d.Action, d.Why)
		case r.Target != "" && (d.Action != route.Upgrade || d.To != r.Target):
			t.Errorf("%s: %s %s, want %s", from, d.Action, d.To, r.Target)
		}
		if r.Target != "" {
			d := plain.Route(r.Target, route.Context{})
			if d.Action != route.Keep || d.Archive != r.Archive {
				t.Errorf("target %s: %s, archive %q, want it kept in %q", r.Target, d.Action, d.Archive, r.Archive)
			}
		}
		if r.TLS == route.TLSNo && strings.HasPrefix(r.Target, "https://"+r.Host+"/") {
			t.Errorf("%s has no TLS and is its own target", r.Host)
		}

		mirrored := table(t, route.Config{Mirrors: map[string][]string{r.Archive: {"https://m.example/base"}}})
		for _, below := range []string{"", "/", "/dists/x/InRelease"} {
			if d := mirrored.Route(from+below, route.Context{}); d.Action != route.Mirror || d.To != "https://m.example/base"+below {
				t.Errorf("%s with a mirror: %s %s", from+below, d.Action, d.To)
			}
		}
		if d := mirrored.Route(strings.Replace(from, "http:", "https:", 1)+"/dists/x", route.Context{}); d.To != "https://m.example/base/dists/x" {
			t.Errorf("%s over TLS with a mirror: %s %s", from, d.Action, d.To)
		}
	}
}

// TestHostRows routes each row of the table by its own claim.
func TestHostRows(t *testing.T) {
	tab := table(t, route.Config{})
	for _, r := range route.Hosts() {
		from := named(r.Scheme, r.Host, r.Path)
		want := r.Target
		if want == "" {
			want = named("https", r.Host, r.Path)
		}
		d := tab.Route(from+"/x.y", route.Context{})
		switch {
		case r.TLS == route.TLSNo && r.Target == "":
			if d.Action != route.Refuse || d.Rule != "host-table" {
				t.Errorf("%s: %s %s", from, d.Action, d.Rule)
			}
		case d.Action != route.Upgrade || d.To != want+"/x.y":
			t.Errorf("%s: %s %s, want %s", from, d.Action, d.To, want)
		case r.TLS == route.TLSYes && d.Rule != "host-table":
			t.Errorf("%s: rule %s", from, d.Rule)
		}
	}
}

// TestRowsAreSound checks what every row of a table must hold.
func TestRowsAreSound(t *testing.T) {
	seen := map[string]bool{}
	sound := func(scheme, host, path string, tls route.TLS, target, source, date string) {
		key := scheme + " " + host + path
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		if when, err := time.Parse(time.DateOnly, date); err != nil || when.Format(time.DateOnly) > route.DataDate() {
			t.Errorf("%s: date %q", key, date)
		}
		if !slices.Contains([]route.TLS{route.TLSYes, route.TLSNo, route.TLSUnknown}, tls) || source == "" {
			t.Errorf("%s: tls %q, source %q", key, tls, source)
		}
		if target != "" && (!strings.HasPrefix(target, "https://") || strings.HasSuffix(target, "/")) {
			t.Errorf("%s: target %q", key, target)
		}
		if host != strings.ToLower(host) || !strings.HasPrefix(path, "/") || path != "/" && strings.HasSuffix(path, "/") {
			t.Errorf("%s is not in normal form", key)
		}
		labels := strings.Split(host, ".")
		if strings.Contains(strings.Join(labels[max(0, len(labels)-2):], "."), "*") {
			t.Errorf("%s: a star in the last two labels is never looked up", key)
		}
	}
	for _, r := range route.Archives() {
		sound("archive", r.Host, r.Path, r.TLS, r.Target, r.Source, r.Date)
		if _, err := route.ParseMirror(r.Archive, strings.TrimPrefix(r.Target, "-")+" "); r.Target != "" && err != nil {
			t.Errorf("the target of %s is no valid mirror: %v", r.Host, err)
		}
	}
	for _, r := range route.Hosts() {
		sound(r.Scheme, r.Host, r.Path, r.TLS, r.Target, r.Source, r.Date)
		if !slices.Contains([]string{"http", "git", "ftp"}, r.Scheme) || r.Path == "/" {
			t.Errorf("%s: scheme %q, path %q", r.Host, r.Scheme, r.Path)
		}
	}
	for _, r := range route.Local() {
		if (r.Name == "") == !r.Net.IsValid() || r.Rule == "" || r.What == "" || r.Source == "" {
			t.Errorf("local row %+v", r)
		}
	}
	if route.DataDate() != "2026-11-30" {
		t.Errorf("data date %s", route.DataDate())
	}
}

// TestTablesAreCopies checks that a caller's change stays the caller's.
func TestTablesAreCopies(t *testing.T) {
	route.Archives()[0].Archive = "x"
	route.Hosts()[0].Host = "x"
	route.Local()[0].Name = "x"
	route.ArchiveNames()[0] = "x"
	if route.Archives()[0].Archive == "x" || route.Hosts()[0].Host == "x" || route.Local()[0].Name == "x" || route.ArchiveNames()[0] == "x" {
		t.Error("a table is shared with its callers")
	}
}
