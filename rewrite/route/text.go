package route

import (
	"net/netip"
	"strconv"
	"strings"
)

// printable reports whether s holds no blank and no control character; blanks
// inside a variable's braces or a command substitution do not count.
func printable(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c <= ' ' || c == 0x7f {
			return false
		}
		if c != '$' && c != '`' {
			i++
			continue
		}
		end := expansionEnd(s, i)
		if strings.ContainsFunc(s[i:end], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return false
		}
		i = end
	}
	return true
}

// expansionEnd returns the end of the variable or command substitution that
// starts at s[i]: ${NAME}, $NAME, $1, $(command), `command`. If none does, it
// returns i+1.
func expansionEnd(s string, i int) int {
	switch {
	case s[i] == '`':
		if n := strings.IndexByte(s[i+1:], '`'); n >= 0 {
			return i + n + 2
		}
	case s[i] != '$' || i+1 == len(s):
	case s[i+1] == '{':
		return closing(s, i, '{', '}')
	case s[i+1] == '(':
		return closing(s, i, '(', ')')
	case s[i+1] >= '0' && s[i+1] <= '9':
		return i + 2
	default:
		end := i + 1
		for end < len(s) && nameByte(s[end]) {
			end++
		}
		return end
	}
	return i + 1
}

// closing returns the end of the group that opens behind the "$" at s[i], or
// i+1 if it is not closed.
func closing(s string, i int, left, right byte) int {
	depth := 0
	for k := i + 1; k < len(s); k++ {
		switch s[k] {
		case left:
			depth++
		case right:
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return i + 1
}

// nameByte reports whether c may stand in a shell variable's name.
func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// lowerASCII lowers the ASCII letters of s and nothing else.
func lowerASCII(s string) string {
	upper := func(c rune) bool { return c >= 'A' && c <= 'Z' }
	if !strings.ContainsFunc(s, upper) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// unreserved reports whether c is unreserved in RFC 3986 section 2.3: with and
// without percent-encoding it means the same.
func unreserved(c byte) bool {
	return nameByte(c) || c == '-' || c == '.' || c == '~'
}

// decodeAt returns the byte at s[i], decoded if it is the percent-encoding of
// an unreserved character, and how many bytes of s it takes.
func decodeAt(s string, i int) (c byte, width int) {
	if s[i] == '%' && i+2 < len(s) {
		if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && unreserved(byte(v)) {
			return byte(v), 3
		}
	}
	return s[i], 1
}

// matchPrefix reports whether the path at the start of rest is prefix or lies
// below it, and how many bytes of rest the prefix takes. A run of slashes
// counts as one, as servers read it; the bytes behind the prefix stay as found.
func matchPrefix(rest, prefix string) (n int, ok bool) {
	for j := range len(prefix) {
		if n >= len(rest) {
			return 0, false
		}
		c, width := decodeAt(rest, n)
		if c != prefix[j] {
			return 0, false
		}
		n += width
		for c == '/' && n < len(rest) && rest[n] == '/' {
			n++
		}
	}
	return n, n == len(rest) || strings.IndexByte("/?#", rest[n]) >= 0
}

// climbs reports whether the path at the start of rest has a ".." segment:
// fetchers resolve it, so what stands before it names nothing.
func climbs(rest string) bool {
	if !strings.Contains(rest, "..") && !strings.Contains(rest, "%2") {
		return false
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	for segment := range strings.SplitSeq(rest, "/") {
		dots := 0
		for i := 0; i < len(segment); {
			c, width := decodeAt(segment, i)
			if i += width; c != '.' {
				dots = 3
			}
			dots++
		}
		if dots == 2 {
			return true
		}
	}
	return false
}

// parseIPv4 reads an IPv4 address as inet_aton(3) does, and with it curl and
// wget: one to four numbers, decimal, octal (0…) or hexadecimal (0x…), the last
// one filling the bytes that are left.
func parseIPv4(s string) (netip.Addr, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var v uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || !numeric(part) {
			return netip.Addr{}, false
		}
		limit := uint64(255)
		if i == len(parts)-1 {
			limit = 1<<(8*(5-len(parts))) - 1
			v <<= 8 * (4 - i)
		} else {
			v <<= 8
		}
		if n > limit {
			return netip.Addr{}, false
		}
		v |= n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true
}

// numeric reports whether part is a number of an IPv4 address: decimal, octal
// or 0x and hexadecimal digits.
func numeric(part string) bool {
	hex, isHex := strings.CutPrefix(part, "0x")
	for _, c := range []byte(hex) {
		if (c < '0' || c > '9') && (!isHex || c < 'a' || c > 'f') {
			return false
		}
	}
	return part != ""
}
