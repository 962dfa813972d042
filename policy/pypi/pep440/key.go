package pep440

import (
	"encoding/binary"
	"strings"
)

// A key is the parts of a version one after the other, each written so that
// comparing bytes compares versions:
//
//	epoch, release parts without the zeros at the end, tagEnd,
//	tag of the pre-release and its number, tag of the post-release and its
//	number, tag of the development release and its number, local segments
//
// A key that goes on is greater than the one it begins with, which is how
// 1.0+local follows 1.0. Tags are below every number, so that 1 precedes 1.0.1.
const (
	// tagJust follows a whole key: the point right after this one version.
	tagJust = 0x00
	// tagEnd ends a release and a segment of letters.
	tagEnd = 0x01

	// Kinds of pre-release, in their order. A development release of a final
	// release sorts below its pre-releases.
	tagDevOnly = 0x02
	tagAlpha   = 0x03
	tagBeta    = 0x04
	tagRC      = 0x05
	tagFinal   = 0x06

	tagNoPost    = 0x02
	tagPost      = 0x03
	tagPastPosts = 0x04

	tagDev   = 0x02
	tagNoDev = 0x03

	// Segments of a local label: letters sort below numbers.
	tagLetters = 0x04
	tagNumber  = 0x05
)

// Numbers are one byte up to maxSmall, above that a byte that says how many
// decimal digits follow, above maxCounted digits eight bytes that say it.
// Digits stay decimal: converting millions of them would take quadratic time.
const (
	firstInt   = 0x10
	maxSmall   = 199
	firstLong  = firstInt + maxSmall + 1
	minLong    = 3
	maxCounted = 32
	hugeInt    = firstLong + maxCounted - minLong + 1
	countSize  = 8
)

// layout holds where the parts of a key begin. The byte before pre is the
// release's tagEnd.
type layout struct{ release, pre, post, dev, local int }

func (v Version) layout() (l layout) {
	l.release = intSize(v.key)
	i := l.release
	for v.key[i] != tagEnd {
		i += intSize(v.key[i:])
	}
	l.pre = i + 1
	l.post = l.pre + 1
	if tag := v.key[l.pre]; tag == tagAlpha || tag == tagBeta || tag == tagRC {
		l.post += intSize(v.key[l.post:])
	}
	l.dev = l.post + 1
	if v.key[l.post] == tagPost {
		l.dev += intSize(v.key[l.dev:])
	}
	l.local = l.dev + 1
	if v.key[l.dev] == tagDev {
		l.local += intSize(v.key[l.local:])
	}
	return l
}

// appendInt appends the number that decimal digits write. Leading zeros don't
// count.
func appendInt(dst []byte, digits string) []byte {
	digits = strings.TrimLeft(digits, "0")
	if len(digits) <= minLong {
		n := 0
		for i := range len(digits) {
			n = n*10 + int(digits[i]-'0')
		}
		if n <= maxSmall {
			return append(dst, byte(firstInt+n))
		}
	}
	if len(digits) <= maxCounted {
		dst = append(dst, byte(firstLong+len(digits)-minLong))
	} else {
		dst = append(dst, hugeInt)
		dst = binary.BigEndian.AppendUint64(dst, uint64(len(digits)))
	}
	return append(dst, digits...)
}

// intHead returns where the digits of the number at the start of key begin and
// end. Both are 1 for a number of one byte.
func intHead(key string) (start, end int) {
	switch first := int(key[0]); {
	case first < firstLong:
		return 1, 1
	case first < hugeInt:
		return 1, 1 + first - firstLong + minLong
	}
	start = 1 + countSize
	var count uint64
	for i := 1; i < start; i++ {
		count = count<<8 | uint64(key[i])
	}
	return start, start + int(count)
}

// intSize returns how many bytes the number at the start of key takes.
func intSize(key string) int {
	_, end := intHead(key)
	return end
}

// appendDigits appends the decimal digits of the number at the start of key.
func appendDigits(dst []byte, key string) []byte {
	start, end := intHead(key)
	if start < end {
		return append(dst, key[start:end]...)
	}
	n := key[0] - firstInt
	if n >= 100 {
		dst = append(dst, '0'+n/100)
	}
	if n >= 10 {
		dst = append(dst, '0'+n/10%10)
	}
	return append(dst, '0'+n%10)
}

// cutInt returns the decimal digits of the number at the start of key, and
// what follows it.
func cutInt(key string) (digits, rest string) {
	start, end := intHead(key)
	if start < end {
		return key[start:end], key[end:]
	}
	if n := key[0] - firstInt; n < 10 {
		return "0123456789"[n : n+1], key[end:]
	}
	return string(appendDigits(nil, key)), key[end:]
}

// appendNext appends one more than the number at the start of key.
func appendNext(dst []byte, key string) []byte {
	digits := appendDigits(make([]byte, 0, 24), key)
	i := len(digits) - 1
	for ; i >= 0 && digits[i] == '9'; i-- {
		digits[i] = '0'
	}
	if i < 0 {
		return appendInt(dst, "1"+string(digits))
	}
	digits[i]++
	return appendInt(dst, string(digits))
}

// appendPrior appends one less than the number at the start of key, which is
// not zero.
func appendPrior(dst []byte, key string) []byte {
	digits := appendDigits(make([]byte, 0, 24), key)
	i := len(digits) - 1
	for ; digits[i] == '0'; i-- {
		digits[i] = '9'
	}
	digits[i]--
	return appendInt(dst, string(digits))
}

// preLetters returns the normal spelling of a kind of pre-release.
func preLetters(tag byte) string {
	switch tag {
	case tagAlpha:
		return "a"
	case tagBeta:
		return "b"
	default:
		return "rc"
	}
}

// appendLocal appends the normal form of the local segments in key.
func appendLocal(dst []byte, key string) []byte {
	for first := true; key != ""; first = false {
		if !first {
			dst = append(dst, '.')
		}
		if key[0] == tagNumber {
			dst = appendDigits(dst, key[1:])
			key = key[1+intSize(key[1:]):]
			continue
		}
		end := strings.IndexByte(key, tagEnd)
		dst = append(dst, key[1:end]...)
		key = key[end+1:]
	}
	return dst
}
