package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)`)

// TestLinks holds that every relative link leads to a file of the repository,
// and its fragment to a heading there.
func TestLinks(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		for i, line := range p.prose(t) {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				target := m[1] + m[2]
				if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
					continue
				}
				found++
				if problem := follow(t, p, target); problem != "" {
					t.Errorf("%s:%d: %s: %s", p.path, i+1, target, problem)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no link at all")
	}
}

// follow returns what is wrong with a relative link of p, or "".
func follow(t *testing.T, p *page, target string) string {
	t.Helper()
	file, fragment, _ := strings.Cut(target, "#")
	to := p.path
	if file != "" {
		to = path.Join(path.Dir(p.path), file)
	}
	if strings.HasPrefix(to, "../") || path.IsAbs(file) {
		return "leads out of the repository"
	}
	if _, err := os.Stat(filepath.Join(repository(t), filepath.FromSlash(to))); err != nil {
		return "there is no such file"
	}
	if fragment == "" {
		return ""
	}
	for _, s := range readPage(t, to).sections(t) {
		if anchor(s.title) == fragment {
			return ""
		}
	}
	return "there is no such heading"
}

func TestAnchor(t *testing.T) {
	for title, want := range map[string]string{
		"AddWithoutChecksum":              "addwithoutchecksum",
		"Before the first one":            "before-the-first-one",
		"`loopxctl rewrite` edits text":   "loopxctl-rewrite-edits-text",
		"Write a file: -o and --in-place": "write-a-file--o-and---in-place",
	} {
		if got := anchor(title); got != want {
			t.Errorf("%q: %s, want %s", title, got, want)
		}
	}
}
