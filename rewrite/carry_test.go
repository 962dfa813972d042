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
