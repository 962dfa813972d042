package report

import (
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 100) + "X" + strings.Repeat("ö", 200)
	for _, tc := range []struct {
		name, source string
		at           [4]int
		want         string
	}{
		{"a word", "RUN curl -k x", [4]int{1, 10, 1, 12}, "    1 | RUN curl -k x\n      |          ^^\n"},
		{"a tab", "\tRUN\tx", [4]int{1, 6, 1, 7}, "    1 | \tRUN\tx\n      | \t   \t^\n"},
		{"a point", "RUN x", [4]int{1, 5, 0, 0}, "    1 | RUN x\n      |     ^\n"},
		{"nothing", "RUN x", [4]int{1, 5, 1, 5}, "    1 | RUN x\n      |     ^\n"},
		{"the end", "RUN x", [4]int{1, 6, 1, 6}, "    1 | RUN x\n      |      ^\n"},
		{"more lines", "RUN a \\\n b", [4]int{1, 5, 2, 3}, "    1 | RUN a \\\n      |     ^^^\n"},
		{"no column", "RUN x", [4]int{1, 0, 0, 0}, ""},
		{"behind the line", "RUN x", [4]int{1, 9, 1, 10}, ""},
		{"behind the file", "RUN x", [4]int{3, 1, 3, 2}, ""},
		{"CRLF", "RUN x\r\nRUN y\r\n", [4]int{2, 5, 2, 6}, "    2 | RUN y\n      |     ^\n"},
		{"a BOM", bom + "RUN x", [4]int{1, 8, 1, 9}, "    1 | RUN x\n      |     ^\n"},
		{"an escape", "RUN \x1b[2J x", [4]int{1, 10, 1, 11}, "    1 | RUN \\x1b[2J x\n      |             ^\n"},
		{"a password", "ADD http://a:b@c/ x", [4]int{1, 19, 1, 20}, "    1 | ADD http://***@c/ x\n      |                   ^\n"},
		{"a password, cut", "ADD http://a:b@c/ x", [4]int{1, 12, 1, 14}, ""},
		{"a long line", long, [4]int{1, 201, 1, 202}, "    1 | …" + strings.Repeat("ä", 30) + "X" + strings.Repeat("ö", 48) + "…\n      | " + strings.Repeat(" ", 31) + "^\n"},
		{"far in a short line", strings.Repeat("a", 100) + "X", [4]int{1, 101, 1, 102}, "    1 | " + strings.Repeat("a", 100) + "X\n      | " + strings.Repeat(" ", 100) + "^\n"},
		{"too long", strings.Repeat("x", maxLine+1), [4]int{1, 1, 1, 2}, ""},
	} {
		q := newQuoter(&Report{Sources: map[string]string{"f": tc.source}}, nil)
		at := policy.Location{File: "f", Start: policy.Position{Line: tc.at[0], Column: tc.at[1]}, End: policy.Position{Line: tc.at[2], Column: tc.at[3]}}
		if got := q.quote(at, bare{}); got != tc.want {
			t.Errorf("%s:\n%swant\n%s", tc.name, got, tc.want)
		}
	}
}

// TestColumn holds that columns are UTF-16 code units in what editors read.
func TestColumn(t *testing.T) {
	t.Parallel()
	lines := split(&Report{Sources: map[string]string{"./f": bom + "ab\n🚀ä\xffx"}})
	for _, tc := range []struct{ line, column, want int }{
		{1, 4, 1},
		{1, 6, 3},
		{2, 1, 1},
		{2, 5, 3},
		{2, 7, 4},
		{2, 8, 5},
		{2, 9, 6},
		{2, 99, 99},
		{3, 4, 4},
		{2, 0, 0},
	} {
		if got := lines.column("f", policy.Position{Line: tc.line, Column: tc.column}); got != tc.want {
			t.Errorf("%d:%d is column %d, want %d", tc.line, tc.column, got, tc.want)
		}
	}
}
