package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// page is one Markdown file.
type page struct {
	path  string // slash-separated, from the repository's root
	lines []string
}

// block is a fenced code block. Lines from+1 to to-1 of the page, counted from
// 0, are its text; from and to are the fences.
type block struct {
	info     string
	from, to int
}

// repository returns the root of the checkout.
func repository(t *testing.T) string {
	t.Helper()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// readPage reads one Markdown file of the repository.
func readPage(t *testing.T, path string) *page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return &page{path, strings.Split(string(text), "\n")}
}

// pages reads all Markdown files of the repository but those that are test data.
func pages(t *testing.T) []*page {
	t.Helper()
	var all []*page
	root := os.DirFS(repository(t))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || d.Name() == "dist" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			all = append(all, readPage(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 5 {
		t.Fatalf("only %d Markdown files", len(all))
	}
	return all
}

// blocks returns the fenced code blocks of the page.
func (p *page) blocks(t *testing.T) []block {
	t.Helper()
	var all []block
	open := -1
	for i, line := range p.lines {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case !fence:
		case open < 0:
			open = i
			all = append(all, block{info: info, from: i})
		default:
			open = -1
			all[len(all)-1].to = i
		}
	}
	if open >= 0 {
		t.Fatalf("%s:%d: the code block has no end", p.path, open+1)
	}
	return all
}

// text returns the lines of a block.
func (p *page) text(b block) string {
	return strings.Join(append(p.lines[b.from+1:b.to:b.to], ""), "\n")
}

// before returns the last line above a block that is not empty.
func (p *page) before(b block) string {
	for i := b.from - 1; i >= 0; i-- {
		if line := strings.TrimSpace(p.lines[i]); line != "" {
			return line
		}
	}
	return ""
}

// prose returns the page without code: lines of blocks and spans between
// backticks are blank.
func (p *page) prose(t *testing.T) []string {
	t.Helper()
	lines := append([]string(nil), p.lines...)
	for _, b := range p.blocks(t) {
		for i := b.from; i <= b.to; i++ {
			lines[i] = ""
		}
	}
	for i, line := range lines {
		lines[i] = span.ReplaceAllString(line, "")
	}
	return lines
}

var (
	span    = regexp.MustCompile("`[^`]*`")
	heading = regexp.MustCompile(`^(#+) (.+)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// section is what stands under a heading, up to the next one of its level or
// above.
type section struct {
	title    string
	level    int
	from, to int // lines, counted from 0; from is the heading
}

func (p *page) sections(t *testing.T) []section {
	t.Helper()
	code := map[int]bool{}
	for _, b := range p.blocks(t) {
		for i := b.from; i <= b.to; i++ {
			code[i] = true
		}
	}
	var all []section
	for i, line := range p.lines {
		m := heading.FindStringSubmatch(line)
		if m == nil || code[i] {
			continue
		}
		for j := range all {
			if all[j].to == 0 && all[j].level >= len(m[1]) {
				all[j].to = i
			}
		}
		all = append(all, section{title: m[2], level: len(m[1]), from: i})
	}
	for j := range all {
		if all[j].to == 0 {
			all[j].to = len(p.lines)
		}
	}
	return all
}

// in returns the text of a section.
func (p *page) in(s section) string { return strings.Join(p.lines[s.from:s.to], "\n") }

// anchor is the fragment by which GitHub links to a heading.
func anchor(title string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}
