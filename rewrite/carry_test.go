package rewrite

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testCarry lends from an image of this name. The variables stand in for those of
// the frontend's package cabundle, which is not below this one.
func testCarry(name, route string) *Carry {
	c := &Carry{
		Image: "loopx/" + name + "@sha256:" + strings.Repeat("0", 64),
		Variables: func(tools []string, has func(string) bool) [][2]string {
			var all [][2]string
			for _, v := range [][2]string{{"SSL_CERT_FILE", LentDir + "/ca.crt"}, {"GIT_SSL_CAINFO", LentDir + "/ca.crt"}} {
				if (v[0] != "GIT_SSL_CAINFO" || slices.Contains(tools, "git")) && !has(v[0]) {
					all = append(all, v)
				}
			}
			return all
		},
		Folder: func(platform string) (string, bool) {
			return "/loopx/apt/" + strings.ReplaceAll(platform, "/", "_"), platform == "linux/arm64"
		},
	}
	if route != "" {
		c.Route, c.Secret = []byte(route), true
	}
	return c
}

// TestCarryReplaces: whatever a text lends already, rewriting it gives the text
// that rewriting the author's own would give.
func TestCarryReplaces(t *testing.T) {
	with := []Config{
		{Carry: testCarry("a", `{"Mode":"audit"}`)},
		{Carry: testCarry("b", `{"Hosts":[{"Host":"x"}]}`)},
	}
	for _, f := range corpus(t) {
		if buildkitError(f.text) != "" || bytes.Contains(f.text, []byte("@sha256:"+strings.Repeat("0", 64))) {
			continue
		}
		texts := map[string]string{}
		for _, cfg := range with {
			texts[cfg.Carry.Image] = rewritten(t, f.text, cfg)
		}
		for _, cfg := range with {
			for _, text := range texts {
				if diff := cmp.Diff(texts[cfg.Carry.Image], rewritten(t, []byte(text), cfg)); diff != "" {
					t.Errorf("%s, again (-once +twice):\n%s", f.name, diff)
				}
			}
		}
	}
}

func rewritten(t *testing.T, src []byte, cfg Config) string {
	t.Helper()
	p, err := New(src, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return string(p.Bytes())
}

// TestCarryStays: nothing that a text lends is undone where it is rewritten with
// less than it was: no image, no table.
func TestCarryStays(t *testing.T) {
	const src = "FROM debian\nRUN apt-get update && curl -O http://example.com/x\nRUN [\"apt-get\", \"update\"]\n"
	once := rewritten(t, []byte(src), Config{Carry: testCarry("a", `{"Mode":"audit"}`)})
	less := testCarry("", "")
	less.Image = ""
	if diff := cmp.Diff(once, rewritten(t, []byte(once), Config{Carry: less})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(once, rewritten(t, []byte(once), Config{})); diff != "" {
		t.Error(diff)
	}
	p, err := New([]byte(src), Config{Carry: less})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range p.Guards {
		if !g.Lacks || g.Carried || g.Edits != nil {
			t.Errorf("without an image: %+v", g)
		}
	}
}

// TestCarriedAsItStands: without an image to lend from, a text serves apt only if
// all of it is there, and what it says of the image is told.
func TestCarriedAsItStands(t *testing.T) {
	const image = "loopx/a@sha256:0000000000000000000000000000000000000000000000000000000000000000"
	once := rewritten(t, []byte("FROM debian\nRUN apt-get update\n"), Config{Carry: testCarry("a", "")})
	table := `printf %s '{"Hosts":[{"Host":"deb.debian.org","Action":"keep"}]}' >/dev/.loopx/operator/route.json || exit 100; `
	sudo := rewritten(t, []byte("FROM debian\nRUN sudo apt-get update\n"), Config{Carry: testCarry("a", "")})
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"as written":        {once, true},
		"sudo":              {sudo, true},
		"exec form":         {rewritten(t, []byte("FROM debian\nRUN [\"apt-get\", \"update\"]\n"), Config{Carry: testCarry("a", "")}), true},
		"a platform's own":  {strings.ReplaceAll(once, "/loopx/run", "/loopx/apt/linux_arm64"), true},
		"no variable":       {strings.Replace(once, "export APT_CONFIG=/dev/.loopx/apt/apt.conf; ", "", 1), false},
		"another variable":  {strings.Replace(once, "APT_CONFIG=/dev/.loopx/apt/apt.conf", "APT_CONFIG=/etc/other.conf", 1), false},
		"no check":          {strings.Replace(once, "test -s /dev/.loopx/apt/apt.conf || exit 100; ", "", 1), false},
		"authorities alone": {strings.Replace(once, "/loopx/run", "/loopx/ca", 1), false},
		"variable taken":    {strings.Replace(once, "apt-get", "env -i apt-get", 1), false},
		"variable unset":    {strings.Replace(once, "apt-get", "unset APT_CONFIG; apt-get", 1), false},
		"sudo without file": {strings.Replace(once, "apt-get", "sudo apt-get", 1), false},
		"clear text":        {strings.Replace(once, "apt-get", table+"apt-get", 1), false},
		"a tag":             {strings.Replace(once, "@sha256:", ":", 1), false},
	} {
		p, err := New([]byte(tc.text), Config{})
		if err != nil || len(p.Guards) != 1 {
			t.Fatalf("%s: %v %+v", name, err, p)
		}
		if g := p.Guards[0]; g.Carried != tc.want || g.Carried != (g.Lender == image) {
			t.Errorf("%s: carried %v from %q:\n%s", name, g.Carried, g.Lender, tc.text)
		}
	}
}
