// Package gitignore says which paths git leaves out of a working tree, by the
// .gitignore files in it.
//
// Source: git's documentation, gitignore(5), "PATTERN FORMAT"; where that
// leaves room, what git's dir.c and wildmatch.c do.
package gitignore

import (
	"path"
	"strings"
)

// File is the patterns of one .gitignore file.
type File struct {
	dir      string // the folder of the file, "." for the root
	patterns []pattern
}

// pattern is one line.
type pattern struct {
	negated bool
	folders bool     // it matches folders only
	base    bool     // it matches the last part of a path, wherever it is
	parts   []string // between slashes; every is "**"
}

// every is the part that stands for any number of folders.
const every = "**"

// Parse reads the text of the .gitignore file in the folder dir, a slash path
// relative to the root, "." for the root itself. Every text is read: a line
// that makes no sense matches nothing.
func Parse(dir, text string) File {
	f := File{dir: dir}
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		line = trimBlanks(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		if p, ok := parse(line); ok {
			f.patterns = append(f.patterns, p)
		}
	}
	return f
}

func parse(line string) (p pattern, ok bool) {
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	p.base = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	p.parts = strings.Split(line, "/")
	for i, part := range p.parts {
		if len(part) >= 2 && strings.Trim(part, "*") == "" {
			p.parts[i] = every
		}
	}
	return p, true
}

// trimBlanks drops the blanks at the end of a line, but for one that a
// backslash protects.
func trimBlanks(line string) string {
	end := len(strings.TrimRight(line, " "))
	slashes := end - len(strings.TrimRight(line[:end], `\`))
	if end < len(line) && slashes%2 == 1 {
		end++
	}
	return line[:end]
}

// Stack is the .gitignore files from the root down to a folder.
type Stack []File

// Ignored reports whether git leaves out the file, or the folder, of this
// slash path, relative to the root. The folders above it must have been asked
// for before: nothing in a folder that is left out can be taken in again.
func (s Stack) Ignored(name string, folder bool) bool {
	for i := len(s) - 1; i >= 0; i-- {
		if ignored, said := s[i].says(name, folder); said {
			return ignored
		}
	}
	return false
}

// says is the word of the file's last pattern that matches.
func (f File) says(name string, folder bool) (ignored, said bool) {
	if f.dir != "." {
		rest, below := strings.CutPrefix(name, f.dir+"/")
		if !below {
			return false, false
		}
		name = rest
	}
	for i := len(f.patterns) - 1; i >= 0; i-- {
		if f.patterns[i].matches(name, folder) {
			return !f.patterns[i].negated, true
		}
	}
	return false, false
}

func (p pattern) matches(name string, folder bool) bool {
	switch {
	case p.folders && !folder:
		return false
	case p.base:
		return p.parts[0] == every || match(p.parts[0], path.Base(name))
	}
	return matchParts(p.parts, strings.Split(name, "/"))
}

// matchParts matches whole paths. A part that stands for any number of folders
// takes as few as it can: only the last one has to be tried again.
func matchParts(parts, names []string) bool {
	p, n := 0, 0
	again, from := -1, 0
	for n < len(names) {
		switch {
		case p < len(parts) && parts[p] == every:
			again, from = p, n
			p++
			if p == len(parts) {
				return true
			}
		case p < len(parts) && match(parts[p], names[n]):
			p, n = p+1, n+1
		case again >= 0:
			from++
			p, n = again+1, from
		default:
			return false
		}
	}
	return p == len(parts)
}
