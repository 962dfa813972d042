package aptsource

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

func newTable(t testing.TB, cfg route.Config) *route.Table {
	t.Helper()
	table, err := route.NewTable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// rewrite routes a text and makes the edits.
func rewrite(t testing.TB, text string, f Format, table *route.Table) (string, []Routed) {
	t.Helper()
	entries, _ := Parse(textmap.Identity(text), f)
	routed := Route(entries, table)
	out, ok := textmap.Apply(text, allEdits(routed))
	if !ok {
		t.Fatalf("edits of %q overlap", text)
	}
	return out, routed
}

// TestSecurityMirror is the meaning of the operator's Debian security mirror:
// a base that takes the place of the security archive, with the slash at the
// end as the text has it, in both formats.
func TestSecurityMirror(t *testing.T) {
	const v = "https://mirror.example/debian-security"
	for _, base := range []string{v, v + "/"} {
		table := newTable(t, route.Config{Mirrors: map[string][]string{"debian-security": {base}}})
		for _, c := range []struct{ from, to string }{
			{"http://deb.debian.org/debian-security", v},
			{"http://deb.debian.org/debian-security/", v + "/"},
			{"http://security.debian.org/debian-security/", v + "/"},
			{"http://security.debian.org", v},
			{"http://security.debian.org/", v + "/"},
			{"https://security.debian.org/debian-security", v},
			{"https://deb.debian.org/debian-security", v},
			{"HTTP://deb.debian.org/debian-security", v},
			{"http://Deb.Debian.Org/debian-security", v},
			{"http://deb.debian.org:80/debian-security", v},
			{"http://deb.debian.org/debian-security-foo", "https://deb.debian.org/debian-security-foo"},
			{"http://deb.debian.org/debian", "https://deb.debian.org/debian"},
			{"http://archive.debian.org/debian-security", "https://archive.debian.org/debian-security"},
			{"http://user:secret@deb.debian.org/debian-security", "https://user:secret@deb.debian.org/debian-security"},
			{v, v},
		} {
			for _, typ := range []string{"deb", "deb-src"} {
				line := typ + " %s bookworm-security main\n"
				checkRewrite(t, line, c.from, c.to, OneLine, table)
				stanza := "Types: " + typ + "\nURIs: http://10.0.0.1/debian %s file:/srv\nSuites: bookworm-security\nComponents: main\n"
				checkRewrite(t, stanza, c.from, c.to, Deb822, table)
			}
			checkRewrite(t, "%s\tpriority:1\n", c.from, c.to, MirrorList, table)
		}
	}
}

// checkRewrite puts from in the place of %s and wants to there.
func checkRewrite(t *testing.T, text, from, to string, f Format, table *route.Table) {
	t.Helper()
	in, want := strings.Replace(text, "%s", from, 1), strings.Replace(text, "%s", to, 1)
	if got, _ := rewrite(t, in, f, table); got != want {
		t.Errorf("%s: %q\nbecame %q\n  want %q", f, in, got, want)
	}
}

func TestSecurityMirrorAtRoot(t *testing.T) {
	table := newTable(t, route.Config{Mirrors: map[string][]string{"debian-security": {"https://mirror.example"}}})
	checkRewrite(t, "deb %s a main\n", "http://deb.debian.org/debian-security", "https://mirror.example", OneLine, table)
	checkRewrite(t, "deb %s a main\n", "http://security.debian.org/", "https://mirror.example/", OneLine, table)
}

// TestOldSuite: live mirrors have lost the security suites of old releases.
func TestOldSuite(t *testing.T) {
	table := newTable(t, route.Config{Mirrors: map[string][]string{"debian-security": {"https://mirror.example/s"}}})
	for suite, want := range map[string]string{
		"buster/updates":    "mirrors may not have the suite buster/updates any more",
		"bookworm-security": "",
	} {
		out, routed := rewrite(t, "deb http://security.debian.org "+suite+" main\n", OneLine, table)
		if got := routed[0].Note; got != want {
			t.Errorf("%s: note %q, want %q", suite, got, want)
		}
		if want := "deb https://mirror.example/s " + suite + " main\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
}

// TestSlashes: as many slashes at the end as found.
func TestSlashes(t *testing.T) {
	table := newTable(t, route.Config{Hosts: []route.HostRule{{Host: "h.example", Action: "https://m.example/base"}}})
	for from, to := range map[string]string{
		"http://h.example":     "https://m.example/base",
		"http://h.example/":    "https://m.example/base/",
		"http://h.example/d":   "https://m.example/base/d",
		"http://h.example/d/":  "https://m.example/base/d/",
		"http://h.example/d//": "https://m.example/base/d//",
		"http://i.example//":   "https://i.example//",
	} {
		checkRewrite(t, "deb %s a main\n", from, to, OneLine, table)
	}
}

// TestEncodedText edits text that stands in its source in another spelling.
func TestEncodedText(t *testing.T) {
	mirror := newTable(t, route.Config{Mirrors: map[string][]string{"debian": {"https://mirror.example/os/debian"}}})
	for _, c := range []struct {
		name         string
		source, want string
		escape       string // spells "/"
	}{
		{"sed", `s/x/deb http:\/\/deb.debian.org\/debian a main/`, `s/x/deb https:\/\/mirror.example\/os\/debian a main/`, `\/`},
		{"JSON", `["deb http:\u002f\u002fdeb.debian.org\u002fdebian a main"]`, `["deb https:\u002f\u002fmirror.example\u002fos\u002fdebian a main"]`, `\u002f`},
		{"quotes inside", `"deb ht"t"p:\/\/deb.debian.org\/debian a main"`, `"deb ht"t"ps:\/\/mirror.example\/os\/debian a main"`, `\/`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := decodeSlashes(c.source, c.escape)
			from := strings.Index(text.String(), "deb ")
			to := strings.Index(text.String(), " main") + len(" main")
			e, ok, p := ParseLine(text.Slice(from, to))
			if !ok || p != nil {
				t.Fatalf("not read: %v", p)
			}
			routed := Route([]Entry{e}, mirror)
			got, ok := textmap.Apply(c.source, routed[0].Edits)
			if !ok || got != c.want {
				t.Errorf("got %q, want %q (%s)", got, c.want, routed[0].Problem)
			}
		})
	}
}

func decodeSlashes(source, escape string) textmap.Text {
	id := textmap.Identity(source)
	var b textmap.Builder
	b.Init(source)
	for i := 0; i < len(source); {
		if strings.HasPrefix(source[i:], escape) {
			b.Decoded("/", id.Slice(i, i+len(escape)))
			i += len(escape)
			continue
		}
		b.Source(i, i+1)
		i++
	}
	return b.Text()
}

// TestNotEditable: where the bytes to change have no source of their own.
func TestNotEditable(t *testing.T) {
	var b textmap.Builder
	b.Init("deb  a main")
	b.Source(0, 4)
	b.Insert("http://deb.debian.org/debian")
	b.Source(4, 11)
	e, ok, _ := ParseLine(b.Text())
	if !ok {
		t.Fatal("not read")
	}
	r := Route([]Entry{e}, newTable(t, route.Config{}))[0]
	if r.Edits != nil || r.Problem == "" || r.Decision.Action != route.Upgrade {
		t.Errorf("edits %v, problem %q, decision %+v", r.Edits, r.Problem, r.Decision)
	}
}

// TestReplaceURI tries addresses that no table gives: where apt would read
// something else, or a shell could, nothing is edited.
func TestReplaceURI(t *testing.T) {
	for _, c := range []struct {
		f            Format
		uri, to, out string // out is "" for no edit
	}{
		{OneLine, "http://h/d", "https://h/d", "https://h/d"},
		{OneLine, "http://h/d", "https://[2001:db8::1]/d", "https://[2001:db8::1]/d"},
		{OneLine, "http://u:p%40q@h/d", "https://u:p%40q@h/d", "https://u:p%40q@h/d"},
		{OneLine, "http://u:p%40q@h/d", "https://u:p%40q@m/e", "https://u:p%40q@m/e"},
		{OneLine, "http://h/d", "https://m/100%25", ""}, // apt would read 100%
		{OneLine, "http://h/d", "https://m/a b", ""},
		{OneLine, "http://h/d", "https://m/$x", ""},
		{OneLine, "http://h/d", "https://m/d#f", ""},
		{OneLine, `"http://h/a b"`, "https://h/a b", `"https://h/a b"`},
		{OneLine, `"http://h/a b"`, "https://m/a b", `"https://m/a b"`},
		{OneLine, "http://h%2fd", "https://m/d", "https://m/d"},
		{Deb822, "http://h/d", "https://m/100%25", "https://m/100%25"},
		{Deb822, "http://h/d", "https://m/a\tb", ""},
		{Deb822, "http:h/d", "https://h/d", "https:h/d"},
		{Deb822, "http://h/d", "https://h/\nd", ""},
		{MirrorList, "http://h/d", "https://m/d", "https://m/d"},
		{MirrorList, "http://h/d", "https://m/d\tx", ""},
	} {
		edits, ok := replaceURI(textmap.Identity(c.uri), c.f, c.to)
		if !ok {
			if c.out != "" {
				t.Errorf("%s: %q to %q: no edit", c.f, c.uri, c.to)
			}
			continue
		}
		if out, _ := textmap.Apply(c.uri, edits); out != c.out {
			t.Errorf("%s: %q to %q gave %q, want %q", c.f, c.uri, c.to, out, c.out)
		}
	}
}

// TestConflicts: an edit never makes two sources disagree.
func TestConflicts(t *testing.T) {
	table := newTable(t, route.Config{Hosts: []route.HostRule{{Host: "a.example", Action: "https://m.example"}, {Host: "b.example", Action: "https://m.example"}}})
	for _, c := range []struct{ name, in, want string }{
		{
			"both move: the later one stays",
			"deb [trusted=yes] http://a.example s main\ndeb http://b.example s main\n",
			"deb [trusted=yes] https://m.example s main\ndeb http://b.example s main\n",
		},
		{
			"other suites",
			"deb [trusted=yes] http://a.example s main\ndeb http://b.example t main\n",
			"deb [trusted=yes] https://m.example s main\ndeb https://m.example t main\n",
		},
		{
			"only the first moves",
			"deb [trusted=yes] http://a.example s main\ndeb http://m.example s main\n",
			"deb [trusted=yes] http://a.example s main\ndeb https://m.example s main\n",
		},
		{
			"there before",
			"deb [trusted=yes] http://a.example s main\ndeb http://a.example s contrib\n",
			"deb [trusted=yes] https://m.example s main\ndeb https://m.example s contrib\n",
		},
		{
			"a key that comes late",
			"deb https://m.example s main\ndeb [signed-by=/k] http://a.example s main\ndeb https://m.example s contrib\n",
			"deb https://m.example s main\ndeb [signed-by=/k] http://a.example s main\ndeb https://m.example s contrib\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := rewrite(t, c.in, OneLine, table)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
