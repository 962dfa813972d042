package tomltree

import (
	"fmt"
	"strings"
)

// bounded refuses a text with too many values, or with values too deep in each
// other. It runs before the parser, which recurses and keeps what it reads, and
// only has to be right about texts that the parser accepts.
func bounded(src string) error {
	depth, values := 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '[', '{':
			if depth++; depth > MaxDepth {
				return &Error{i, fmt.Sprintf("arrays and inline tables lie more than %d levels deep in each other", MaxDepth)}
			}
		case ']', '}':
			depth = max(depth-1, 0)
		case ',', '=':
			if values++; values > MaxValues {
				return &Error{i, fmt.Sprintf("the document has more than %d values", MaxValues)}
			}
		case '#':
			n := strings.IndexByte(src[i:], '\n')
			if n < 0 {
				return nil
			}
			i += n
		case '"', '\'':
			i = behindString(src, i) - 1
		}
	}
	return nil
}

// behindString returns the offset behind the string that starts at i, or the
// end of the line or of the text if nothing ends it.
func behindString(src string, i int) int {
	quote := src[i]
	if long := strings.Repeat(string(quote), 3); strings.HasPrefix(src[i:], long) {
		return behindLong(src, i+3, long)
	}
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\n':
			return i
		case '\\':
			if quote == '"' {
				i++
			}
		}
	}
	return len(src)
}

// behindLong returns the offset behind a multi-line string whose content
// starts at i. Up to two quotes may stand before the closing ones.
func behindLong(src string, i int, long string) int {
	for ; i < len(src); i++ {
		if src[i] == '\\' && long[0] == '"' {
			i++
			continue
		}
		if strings.HasPrefix(src[i:], long) {
			i += 3
			for n := 0; n < 2 && i < len(src) && src[i] == long[0]; n++ {
				i++
			}
			return i
		}
	}
	return len(src)
}
