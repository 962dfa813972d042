// Package pep440 reads Python's version numbers and version specifiers, and
// answers questions about the sets of versions that specifiers admit. It
// follows PEP 440 as the packaging library reads it since its release 26.
//
// A version is turned into one key, a string whose byte order is the order of
// the versions. A set is a sorted list of bounds on the same scale, so that
// every set operation is a merge of two lists.
package pep440

import (
	"strings"
)

// shape says which optional parts a version has.
type shape uint8

const (
	hasPre shape = 1 << iota
	hasPost
	hasDev
	hasLocal
)

// Version is a version number of PEP 440. It is immutable; the zero value is
// no version, is less than every version and prints as "".
type Version struct {
	// original is the text that was read; "" for a version made from another.
	original string
	// key orders versions by its bytes; see key.go.
	key string
	// zeros counts the zeros at the end of the release, which the key leaves
	// out.
	zeros int
	shape shape
}

// Compare returns -1, 0 or 1 as v sorts before, with or after o. 83 and 83.0.0
// are equal.
func (v Version) Compare(o Version) int { return strings.Compare(v.key, o.key) }

// Equal says whether v and o are the same version: 83 is 83.0.0.
func (v Version) Equal(o Version) bool { return v.key == o.key }

// IsZero says whether v is the zero value, which is no version.
func (v Version) IsZero() bool { return v.key == "" }

// Original returns the text that v was read from, white space included, and
// the normal form of a version that was made from another.
func (v Version) Original() string {
	if v.original == "" {
		return v.String()
	}
	return v.original
}

// IsPre says whether v is a pre-release or a development release.
func (v Version) IsPre() bool { return v.shape&(hasPre|hasDev) != 0 }

// IsPost says whether v is a post-release.
func (v Version) IsPost() bool { return v.shape&hasPost != 0 }

// IsDev says whether v is a development release.
func (v Version) IsDev() bool { return v.shape&hasDev != 0 }

// String returns the normal form of PEP 440: 1!2.0rc1.post2.dev3+local.4.
func (v Version) String() string {
	if v.key == "" {
		return ""
	}
	var space [64]byte
	text := v.appendText(space[:0])
	if string(text) == v.original {
		return v.original
	}
	return string(text)
}

func (v Version) appendText(dst []byte) []byte {
	l := v.layout()
	if epoch, _ := cutInt(v.key); epoch != "0" {
		dst = append(append(dst, epoch...), '!')
	}
	dst = v.appendRelease(dst, l)
	if v.shape&hasPre != 0 {
		dst = append(dst, preLetters(v.key[l.pre])...)
		dst = appendDigits(dst, v.key[l.pre+1:])
	}
	if v.shape&hasPost != 0 {
		dst = appendDigits(append(dst, ".post"...), v.key[l.post+1:])
	}
	if v.shape&hasDev != 0 {
		dst = appendDigits(append(dst, ".dev"...), v.key[l.dev+1:])
	}
	if v.shape&hasLocal != 0 {
		dst = appendLocal(append(dst, '+'), v.key[l.local:])
	}
	return dst
}

func (v Version) appendRelease(dst []byte, l layout) []byte {
	start := len(dst)
	for rest := v.key[l.release : l.pre-1]; rest != ""; {
		if len(dst) > start {
			dst = append(dst, '.')
		}
		dst = appendDigits(dst, rest)
		rest = rest[intSize(rest):]
	}
	for range v.zeros {
		if len(dst) > start {
			dst = append(dst, '.')
		}
		dst = append(dst, '0')
	}
	return dst
}

// Epoch returns the decimal digits of the epoch, "0" where none is written.
func (v Version) Epoch() string {
	if v.key == "" {
		return "0"
	}
	epoch, _ := cutInt(v.key)
	return epoch
}

// Release returns the decimal digits of the release's parts, without leading
// zeros and with the parts that are zero: 83, 0, 0.
func (v Version) Release() []string {
	if v.key == "" {
		return nil
	}
	var parts []string
	l := v.layout()
	for rest := v.key[l.release : l.pre-1]; rest != ""; {
		var part string
		part, rest = cutInt(rest)
		parts = append(parts, part)
	}
	for range v.zeros {
		parts = append(parts, "0")
	}
	return parts
}

// Pre returns the letters (a, b or rc) and the digits of the pre-release, and
// "" twice where v has none.
func (v Version) Pre() (letters, number string) {
	if v.shape&hasPre == 0 {
		return "", ""
	}
	l := v.layout()
	number, _ = cutInt(v.key[l.pre+1:])
	return preLetters(v.key[l.pre]), number
}

// Post returns the digits of the post-release, "" where v is none.
func (v Version) Post() string {
	if v.shape&hasPost == 0 {
		return ""
	}
	number, _ := cutInt(v.key[v.layout().post+1:])
	return number
}

// Dev returns the digits of the development release, "" where v is none.
func (v Version) Dev() string {
	if v.shape&hasDev == 0 {
		return ""
	}
	number, _ := cutInt(v.key[v.layout().dev+1:])
	return number
}

// Local returns the local label in its normal form, "" where v has none.
func (v Version) Local() string {
	if v.shape&hasLocal == 0 {
		return ""
	}
	return string(appendLocal(nil, v.key[v.layout().local:]))
}
