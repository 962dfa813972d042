package rewrite

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// byteRows are files whose line endings, blanks and last bytes must survive;
// a text file can't be trusted with them.
var byteRows = []struct{ name, src, want string }{
	{
		"CRLF", "FROM debian\r\nRUN curl \\\r\n  # http://example.com/c\r\n  http://example.com/a\r\nCMD [\"a\"]\r\n",
		"FROM debian\r\nRUN curl \\\r\n  # http://example.com/c\r\n  https://example.com/a\r\nCMD [\"a\"]\r\n",
	},
	{
		"CRLF inside a word", "FROM debian\r\nRUN curl ht\\\r\ntp://example.com/a\r\n",
		"FROM debian\r\nRUN curl ht\\\r\ntps://example.com/a\r\n",
	},
	{
		"CRLF heredoc", "FROM debian\r\nRUN <<EOF\r\ncurl -O http://example.com/a\r\nEOF\r\n",
		"FROM debian\r\nRUN <<EOF\r\ncurl -O https://example.com/a\r\nEOF\r\n",
	},
	{
		"CRLF apt source", "FROM debian\r\nCOPY <<EOF /etc/apt/sources.list\r\ndeb http://deb.debian.org/debian bookworm main\r\nEOF\r\n",
		"FROM debian\r\nCOPY <<EOF /etc/apt/sources.list\r\ndeb https://deb.debian.org/debian bookworm main\r\nEOF\r\n",
	},
	{"mixed line endings", "FROM debian\nRUN true\r\nADD https://example.com/a /a\n\r\n", ""},
	{"byte order mark", bom + "FROM debian\nRUN curl http://example.com/a\n", bom + "FROM debian\nRUN curl https://example.com/a\n"},
	{
		"byte order mark before the first edit", bom + "ARG URL=http://example.com/a\nFROM debian\nARG URL\nRUN curl $URL\n",
		bom + "ARG URL=https://example.com/a\nFROM debian\nARG URL\nRUN curl $URL\n",
	},
	{"no last newline", "FROM debian\nRUN curl http://example.com/a", "FROM debian\nRUN curl https://example.com/a"},
	{"no last newline, CR", "FROM debian\nRUN curl http://example.com/a\r", "FROM debian\nRUN curl https://example.com/a\r"},
	{"ends in a continuation", "FROM debian\nRUN curl http://example.com/a \\", "FROM debian\nRUN curl https://example.com/a \\"},
	{"ends in a comment", "FROM debian\nRUN curl http://example.com/a \\\n# http://example.com/b", "FROM debian\nRUN curl https://example.com/a \\\n# http://example.com/b"},
	{"tabs and trailing blanks", "FROM debian\n\tRUN\tcurl\thttp://example.com/a \t\n", "FROM debian\n\tRUN\tcurl\thttps://example.com/a \t\n"},
	{"blanks behind the backslash", "FROM debian\nRUN curl \\ \t\n\thttp://example.com/a\n", "FROM debian\nRUN curl \\ \t\n\thttps://example.com/a\n"},
	{"empty continuation lines", "FROM debian\nRUN curl \\\n\n \t\n http://example.com/a\n", "FROM debian\nRUN curl \\\n\n \t\n https://example.com/a\n"},
	{"bytes that are no UTF-8", "FROM debian\nENV A=\xff URL=http://example.com/a\nRUN curl \xfe http://example.com/b\n", "FROM debian\nENV A=\xff URL=http://example.com/a\nRUN curl \xfe https://example.com/b\n"},
	{"escapes in a word", "FROM debian\nADD http:\\/\\/example\\.com/a\\ b /a\n", "FROM debian\nADD https:\\/\\/example\\.com/a\\ b /a\n"},
	{"escapes in a word with another host", "FROM debian\nADD http://ftp\\.us\\.debian.org/debian/a /a\n", "FROM debian\nADD https://deb\\.debian.org/debian/a /a\n"},
	{"quotes in a word with another host", "FROM debian\nADD 'http://ftp'.us.\"debian.org\"/debian/a /a\n", "FROM debian\nADD 'https://deb'.\"debian.org\"/debian/a /a\n"},
	{"lower case", "from debian as x\nadd --chmod=644 http://github.com/a/b.git /b\nrun curl http://example.com/a\n", "from debian as x\nadd --chmod=644 https://github.com/a/b.git /b\nrun curl https://example.com/a\n"},
	{"form feed and no-break space", "FROM debian\nRUN\fcurl http://example.com/a\u00a0\n", "FROM debian\nRUN\fcurl https://example.com/a\u00a0\n"},
}

func TestBytes(t *testing.T) {
	for _, row := range byteRows {
		t.Run(row.name, func(t *testing.T) {
			p, err := New([]byte(row.src), Config{})
			if err != nil {
				t.Fatal(err)
			}
			want := row.want
			if want == "" {
				want = row.src
			}
			if diff := cmp.Diff(want, string(p.Bytes())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestPositions checks lines and columns, in bytes from 1, and that the offset
// counts the bytes that the parser drops.
func TestPositions(t *testing.T) {
	src := bom + "FROM debian\r\nRUN äö \\\r\n  curl http://example.com/a\r\n"
	p, err := New([]byte(src), Config{})
	if err != nil || len(p.Fetches) != 1 {
		t.Fatalf("%v, fetches %+v", err, p)
	}
	at := strings.Index(src, "http://")
	want := Range{Position{at, 3, 8}, Position{at + len("http://example.com/a"), 3, 28}}
	if p.Fetches[0].Range != want {
		t.Errorf("%+v, want %+v", p.Fetches[0].Range, want)
	}
	if first := p.Guards[0].Range; first.Start != (Position{strings.Index(src, "RUN"), 2, 1}) || first.End.Line != 3 {
		t.Errorf("the instruction's range is %+v", first)
	}
}

// TestParseError checks that BuildKit's words and place come through, for
// failures of both of its parsers.
func TestParseError(t *testing.T) {
	for _, row := range []struct {
		name, src, message string
		line               int
	}{
		{"unclosed heredoc", "FROM debian\nRUN <<EOF\ncurl http://example.com/a\n", "unterminated heredoc", 2},
		{"empty", "", "file with no instructions", 0},
		{"only comments", "# a\n# http://example.com/\n", "file with no instructions", 2},
		{"unknown instruction", "FROM debian\n\nFRM debian\n", "dockerfile parse error on line 3: unknown instruction: FRM", 3},
		{"ADD without a destination", "FROM debian\nADD http://example.com/a\n", "dockerfile parse error on line 2: ADD requires at least two arguments, but only one was provided. Destination could not be determined", 2},
		{"unknown flag", "FROM debian\nRUN --nosuch x\n", "dockerfile parse error on line 2: unknown flag: --nosuch", 2},
		{"nothing before FROM", "RUN curl http://example.com/a\n", "no build stage in current context", 1},
		{"two escape directives", "# escape=`\n# escape=`\nFROM debian\n", "only one escape parser directive can be used", 1},
		{"line too long", "FROM debian\nRUN " + strings.Repeat("x", 1<<16) + "\n", "dockerfile line greater than max allowed size of 65535", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := New([]byte(row.src), Config{})
			var e *ParseError
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if !strings.HasPrefix(e.Message, row.message) || e.Error() != e.Message || e.Line != row.line {
				t.Errorf("line %d: %q, want line %d: %q", e.Line, e.Message, row.line, row.message)
			}
			var located *parser.LocationError
			if !errors.As(err, &located) {
				t.Error("BuildKit's error is not behind it")
			}
		})
	}
}

// TestCheckComment reads a "# check=" comment before an instruction, which
// needs a linter that is not nil.
func TestCheckComment(t *testing.T) {
	if _, err := New([]byte("FROM debian\n# check=skip=all\nRUN true\n"), Config{}); err != nil {
		t.Fatal(err)
	}
}
