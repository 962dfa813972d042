package checks

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// place returns where the command called name has the word among its
// arguments. Of a word that stands there several times, each call returns the
// next. The result is empty if the text does not have it as it is: it may be a
// variable's value.
func (c *Command) place(name, word string) textmap.Text {
	key := name + "\x00" + word
	left, known := c.found[key]
	if !known {
		left = c.places(name, word)
	}
	if len(left) == 0 {
		return textmap.Text{}
	}
	c.found[key] = left[min(1, len(left)-1):]
	return left[0]
}

// places returns where the texts have the word as an argument of the program.
func (c *Command) places(name, word string) []textmap.Text {
	var all []textmap.Text
	for _, s := range c.scripts {
		all = append(all, s.places(name, word)...)
	}
	if all != nil {
		return all
	}
	for _, t := range c.Texts {
		if t.String() == word {
			all = append(all, t)
		}
	}
	return all
}

// places returns where the word stands behind the name of the program.
func (s *script) places(name, word string) []textmap.Text {
	if !strings.Contains(s.String(), word) || !strings.Contains(s.String(), name) {
		return nil
	}
	var out []textmap.Text
	if s.parse() {
		for _, c := range s.commands {
			run := c.started()
			if run.name() != name {
				continue
			}
			for _, a := range run.args[1:] {
				if a.s == word {
					out = append(out, s.Slice(a.from, a.to))
				}
			}
		}
	}
	if out != nil {
		return out
	}
	text := s.String()
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return out
		}
		i += at
		at = i + len(word)
		if bounded(text, i, at) && strings.Contains(lineBefore(text, i), name) {
			out = append(out, s.Slice(i, at))
		}
	}
}

// bounded reports whether [i, j) is a word of s, or of a quoted text in s.
func bounded(s string, i, j int) bool {
	const ends = " \t\n'\"`;&|(){}=,"
	return (i == 0 || strings.IndexByte(ends, s[i-1]) >= 0) && (j == len(s) || strings.IndexByte(ends, s[j]) >= 0)
}

// lineBefore is what stands before s[i] in its line, or in its list of
// commands.
func lineBefore(s string, i int) string {
	return s[strings.LastIndexAny(s[:i], "\n;&|")+1 : i]
}

// places collects findings about different places: of two about one text, such
// as an option that is a setting too, the first stays.
type places struct {
	findings []Finding
	spans    [][2]int
}

func (p *places) add(t textmap.Text, message string) {
	if from, to, ok := t.Range(0, t.Len()); ok {
		for _, s := range p.spans {
			if s[0] < to && from < s[1] {
				return
			}
		}
		p.spans = append(p.spans, [2]int{from, to})
	}
	p.findings = append(p.findings, found(t, message))
}
