package reqfile

import (
	"bytes"
	"encoding/binary"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// source is a decoded file.
type source struct {
	text string
	// shift is the length of the byte order mark.
	shift int
	// exact says that text and file agree byte for byte, but for the mark and
	// for what wide lists.
	exact bool
	// wide are the offsets in text behind each character of two bytes that is
	// one byte in the file (Latin-1).
	wide []int
}

// offset gives the offset in the file of an offset in the text.
func (s *source) offset(i int) int {
	return s.shift + i - sort.SearchInts(s.wide, i+1)
}

// fault is why a file can't be decoded; msg is "" if it can.
type fault struct {
	line int
	msg  string
}

type decoder func([]byte) (source, fault)

// decode finds the encoding as pip does: a byte order mark, else a comment of
// PEP 263 in the first two lines, else UTF-8. The locale, pip's last resort
// for bytes that are not UTF-8, is not asked.
func decode(data []byte) (source, fault) {
	if dec, n := byMark(data); n > 0 {
		s, f := dec(data[n:])
		s.shift = n
		return s, f
	}
	rest := data
	for line := 1; line <= 2; line++ {
		var first []byte
		first, rest, _ = bytes.Cut(rest, []byte{'\n'})
		name := coding(first)
		if name == "" {
			continue
		}
		dec := byName(name)
		if dec == nil {
			return source{}, fault{line, "the encoding that the comment declares is not read here; save the file as UTF-8"}
		}
		return dec(data)
	}
	return fromUTF8(data)
}

// byMark looks for a byte order mark. UTF-32 goes first: its little-endian
// mark begins with that of UTF-16.
func byMark(data []byte) (decoder, int) {
	marks := []struct {
		mark string
		dec  decoder
	}{
		{"\xef\xbb\xbf", fromUTF8},
		{"\xff\xfe\x00\x00", fromUTF32(binary.LittleEndian)},
		{"\x00\x00\xfe\xff", fromUTF32(binary.BigEndian)},
		{"\xff\xfe", fromUTF16(binary.LittleEndian)},
		{"\xfe\xff", fromUTF16(binary.BigEndian)},
	}
	for _, m := range marks {
		if bytes.HasPrefix(data, []byte(m.mark)) {
			return m.dec, len(m.mark)
		}
	}
	return nil, 0
}

// coding gives the name in a comment as PEP 263 has it: "coding", a colon or
// an equals sign, white space, the name.
func coding(line []byte) string {
	if len(line) == 0 || line[0] != '#' {
		return ""
	}
	for {
		i := bytes.Index(line, []byte("coding"))
		if i < 0 {
			return ""
		}
		line = line[i+len("coding"):]
		if len(line) == 0 || line[0] != ':' && line[0] != '=' {
			continue
		}
		name := bytes.TrimLeft(line[1:], " \t\r\v\f")
		n := 0
		for n < len(name) && (isWord(name[n]) || name[n] == '-' || name[n] == '.') {
			n++
		}
		if n > 0 {
			return string(name[:n])
		}
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// byName knows the names that Python gives to the three encodings (its module
// encodings.aliases); nil for others.
func byName(name string) decoder {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(name))
	switch name {
	case "utf_8", "utf8", "u8", "utf", "cp65001", "utf_8_sig":
		return fromUTF8
	case "latin_1", "latin1", "latin", "l1", "iso_8859_1", "iso8859_1", "8859", "cp819", "ibm819", "iso_ir_100", "csisolatin1", "iso_8859_1_1987":
		return fromLatin1
	case "ascii", "us_ascii", "us", "646", "cp367", "ibm367", "iso646_us", "csascii", "iso_ir_6", "ansi_x3_4_1968", "ansi_x3_4_1986", "iso_646_irv_1991":
		return fromASCII
	}
	return nil
}

func fromUTF8(data []byte) (source, fault) {
	if i := invalidUTF8(data); i >= 0 {
		return source{}, fault{lineOf(data, i), "the line is not UTF-8; save the file as UTF-8, or name its encoding in a first line such as \"# -*- coding: latin-1 -*-\""}
	}
	return source{text: string(data), exact: true}, fault{}
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func lineOf(data []byte, i int) int { return 1 + bytes.Count(data[:i], []byte{'\n'}) }

func fromLatin1(data []byte) (source, fault) {
	var b strings.Builder
	b.Grow(len(data))
	var wide []int
	for _, c := range data {
		b.WriteRune(rune(c))
		if c >= utf8.RuneSelf {
			wide = append(wide, b.Len())
		}
	}
	return source{text: b.String(), exact: true, wide: wide}, fault{}
}

func fromASCII(data []byte) (source, fault) {
	for i, c := range data {
		if c >= utf8.RuneSelf {
			return source{}, fault{lineOf(data, i), "the line is not ASCII, which the file says it is; save the file as UTF-8"}
		}
	}
	return source{text: string(data), exact: true}, fault{}
}

func fromUTF16(order binary.ByteOrder) decoder {
	return func(data []byte) (source, fault) {
		bad := fault{0, "the file is not the UTF-16 that its byte order mark says; save it as UTF-8"}
		if len(data)%2 != 0 {
			return source{}, bad
		}
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = order.Uint16(data[2*i:])
		}
		runes := utf16.Decode(units)
		size := 0
		for _, r := range runes {
			size += utf16.RuneLen(r)
			if r == utf8.RuneError && units[size-1] != utf8.RuneError {
				return source{}, bad
			}
		}
		return source{text: string(runes)}, fault{}
	}
}

func fromUTF32(order binary.ByteOrder) decoder {
	return func(data []byte) (source, fault) {
		bad := fault{0, "the file is not the UTF-32 that its byte order mark says; save it as UTF-8"}
		if len(data)%4 != 0 {
			return source{}, bad
		}
		var b strings.Builder
		b.Grow(len(data) / 4)
		for ; len(data) > 0; data = data[4:] {
			r := order.Uint32(data)
			if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
				return source{}, bad
			}
			b.WriteRune(rune(r))
		}
		return source{text: b.String()}, fault{}
	}
}
