package sourcepolicy

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// network is an expression for the addresses of a range, as they are written in
// a URL. IPv6 addresses are matched in their canonical form (RFC 5952).
func network(n netip.Prefix) string {
	if n.Addr().Is4() {
		return network4(n)
	}
	return `\[` + network6(n) + `\]`
}

func network4(n netip.Prefix) string {
	octets := n.Addr().As4()
	parts := make([]string, len(octets))
	for i, octet := range octets {
		switch free := 8*(i+1) - n.Bits(); {
		case free <= 0:
			parts[i] = strconv.Itoa(int(octet))
		case free >= 8:
			parts[i] = `[0-9]{1,3}`
		default:
			parts[i] = oneOf(int(octet), 1<<free, strconv.Itoa)
		}
	}
	return strings.Join(parts, `\.`)
}

// network6 takes whole groups as they are, of the first other one its leading
// digits.
func network6(n netip.Prefix) string {
	if n.Bits() == 128 {
		return regexp.QuoteMeta(n.Addr().String())
	}
	bytes := n.Addr().As16()
	var b strings.Builder
	for i := 0; i < n.Bits(); i += 16 {
		group := int(bytes[i/8])<<8 | int(bytes[i/8+1])
		if n.Bits()-i >= 16 {
			fmt.Fprintf(&b, "%x:", group)
			continue
		}
		digits := (n.Bits() - i + 3) / 4
		shift := 16 - 4*digits
		b.WriteString(oneOf(group>>shift, 1<<(4*digits-(n.Bits()-i)), func(v int) string { return strconv.FormatInt(int64(v), 16) }))
		fmt.Fprintf(&b, `[0-9a-f]{%d}:`, 4-digits)
	}
	return b.String() + `[0-9a-f:.]*`
}

// oneOf matches n numbers from first on.
func oneOf(first, n int, format func(int) string) string {
	words := make([]string, n)
	for i := range words {
		words[i] = format(first + i)
	}
	return `(?:` + strings.Join(words, `|`) + `)`
}
