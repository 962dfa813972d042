package rewrite

import (
	"strings"
	"unicode"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// body is the text of an instruction whose bytes know where they stand in the
// file.
//
// The Dockerfile parser joins the physical lines of an instruction into one
// logical line and forgets the rest: continuations, comment lines, empty
// lines, line endings. A mask of the same length as the file would keep the
// offsets but could only resemble what BuildKit executes. A Text is that line
// exactly, so the shell text read here is the shell text of the exec op.
type body struct {
	line textmap.Text   // equal to Node.Original
	docs []textmap.Text // equal to the Content of Node.Heredocs
}

// body rebuilds the text of a node of the file. ok is false if the result is
// not what BuildKit read: then nothing in that instruction may be edited.
func (f *dockerfile) body(node *parser.Node) (b body, ok bool) {
	line, next := f.logical(node.StartLine)
	if line.String() != node.Original {
		return body{}, false
	}
	b.line = line
	for _, doc := range node.Heredocs {
		text, end, ok := f.heredoc(next, doc)
		if !ok || text.String() != doc.Content {
			return body{}, false
		}
		b.docs = append(b.docs, text)
		next = end
	}
	return b, next == node.EndLine+1
}

// logical joins the physical lines from line n on, as parser.Parse does. next
// is the first line after them.
func (f *dockerfile) logical(n int) (line textmap.Text, next int) {
	var b textmap.Builder
	b.Init(f.src.text)
	for first := n; ; n++ {
		i, j, ok := f.src.line(n)
		if !ok {
			return b.Text(), n
		}
		i, j = f.src.trim(i, j, n == first)
		if n > first && skipped(f.src.text[i:j]) {
			continue
		}
		j, continued := f.continuation(i, j)
		b.Source(i, j)
		if !continued {
			return b.Text(), n + 1
		}
	}
}

// skipped reports whether a line after a continuation is a comment or empty.
func skipped(line string) bool {
	line = strings.TrimLeftFunc(line, unicode.IsSpace)
	return line == "" || line[0] == '#'
}

// continuation returns the end of a line without its continuation: the escape
// token and the blanks behind it, unless another escape token stands before.
func (f *dockerfile) continuation(i, j int) (end int, continued bool) {
	line := strings.TrimRight(f.src.text[i:j], " \t")
	n := len(line)
	if n == 0 || line[n-1] != f.escape || n > 1 && line[n-2] == f.escape {
		return j, false
	}
	return i + n - 1, true
}

// heredoc returns the content of a heredoc that starts on line n, and the
// first line after its terminator. ok is false if there is no terminator.
func (f *dockerfile) heredoc(n int, doc parser.Heredoc) (content textmap.Text, next int, ok bool) {
	from, _, _ := f.src.line(n)
	for ; ; n++ {
		i, j, ok := f.src.line(n)
		if !ok {
			return textmap.Text{}, n, false
		}
		word := strings.TrimRight(f.src.text[i:j], "\r\n")
		if doc.Chomp {
			word = strings.TrimLeft(word, "\t")
		}
		if word == doc.Name {
			var b textmap.Builder
			b.Init(f.src.text)
			b.Source(from, i)
			return b.Text(), n + 1, true
		}
	}
}

// chomp drops the tabs at the start of each line, as "<<-" asks.
func chomp(t textmap.Text) textmap.Text {
	var b textmap.Builder
	b.Init("")
	s := t.String()
	for at := 0; at < len(s); {
		end := len(s)
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		from := end - len(strings.TrimLeft(s[at:end], "\t"))
		b.Append(t.Slice(from, end))
		at = end
	}
	return b.Text()
}
