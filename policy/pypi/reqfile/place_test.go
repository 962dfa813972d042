package reqfile

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestSpan says for one requirement where a stretch of its text stands, and
// whether it can be edited there.
func TestSpan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, part string
		line, column     int
		ok               bool
	}{
		{"plain", "x\n  a>=1 # c", ">=1", 2, 4, true},
		{"byte order mark", "\ufeffa>=1", ">=1", 1, 2, true},
		{"carriage return", "x\r\na>=1\r\n", ">=1", 2, 2, true},
		{"form feed is no line to an editor", "x\fa>=1", ">=1", 1, 4, true},
		{"before a join", "a>=1 \\\n --hash=sha256:a", ">=1", 1, 2, true},
		{"behind a join", "a \\\n  >=1", ">=1", 2, 3, true},
		{"behind a stripped backslash", "\\\\a>=1\\\nb", ">=1", 1, 4, true},
		{"across a join", "a>=\\\n1", ">=1", 1, 2, false},
		{"before a comment line", "a>=1 \\\n# c", ">=1", 1, 2, true},
		{"utf-8", "# é\naé>=1", ">=1", 2, 4, true},
		{"utf-8 inside", "a>=é1", ">=é1", 1, 2, true},
		{"latin-1", "# coding: latin-1 \xe9\naé>=1", ">=1", 2, 4, true},
		{"editable", "-e 'a>=1'", ">=1", 1, 1, false},
	}
	for _, tt := range tests {
		file := tt.file
		if strings.HasPrefix(file, "# coding") {
			file = strings.Replace(file, "é", "\xe9", 1)
			tt.column--
		}
		set, err := readText(t, map[string]string{"requirements.txt": file}, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		e := set.Entries[len(set.Entries)-1]
		i := strings.Index(e.Text, tt.part)
		p, exact := e.At(i)
		if p.Line != tt.line || p.Column != tt.column {
			t.Errorf("%s: at %d:%d, want %d:%d", tt.name, p.Line, p.Column, tt.line, tt.column)
		}
		start, end, ok := e.Span(i, i+len(tt.part))
		if ok != tt.ok {
			t.Errorf("%s: editable %t, want %t", tt.name, ok, tt.ok)
		} else if ok && (file[start:end] != tt.part || !exact || p.Offset != start) {
			t.Errorf("%s: span %d:%d (%q), place %+v", tt.name, start, end, file[start:end], p)
		}
	}
}

// TestSpanLatin1 takes no stretch that holds a character of another length
// than in the file.
func TestSpanLatin1(t *testing.T) {
	t.Parallel()
	set, err := readText(t, map[string]string{"requirements.txt": "# coding: latin-1\na\xe9>=1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entries[0]
	if e.Text != "aé>=1" {
		t.Fatalf("text %q", e.Text)
	}
	if _, _, ok := e.Span(0, 4); ok {
		t.Error("a re-encoded character can be edited")
	}
	if start, _, ok := e.Span(3, 3); !ok || start != 20 {
		t.Errorf("insertion behind é: %d %t", start, ok)
	}
}

func TestSpanEmpty(t *testing.T) {
	t.Parallel()
	set, err := readText(t, map[string]string{"requirements.txt": "a\\\n==1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entries[0]
	for _, tt := range []struct {
		i, j, start int
		ok          bool
	}{{0, 0, 0, true}, {1, 1, 1, true}, {4, 4, 6, true}, {5, 5, 0, false}, {-1, 0, 0, false}, {2, 1, 0, false}} {
		if start, _, ok := e.Span(tt.i, tt.j); ok != tt.ok || start != tt.start {
			t.Errorf("Span(%d, %d) = %d %t, want %d %t", tt.i, tt.j, start, ok, tt.start, tt.ok)
		}
	}
	if p, exact := e.At(99); exact || p.Line != 2 {
		t.Errorf("far behind the text: %+v %t", p, exact)
	}
}

func wide16(order binary.AppendByteOrder, text string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func wide32(order binary.AppendByteOrder, text string) string {
	var b []byte
	for _, r := range text {
		b = order.AppendUint32(b, uint32(r))
	}
	return string(b)
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = "\ufeffa\nb==1 # 𝄞"
	latin := "# vim: set fileencoding=ISO-8859-1 :\nb\xe9"
	tests := []struct {
		name, data string
		want       string
		fault      int
	}{
		{"utf-8 mark", "\ufeffb", "b", 0},
		{"utf-16 le", wide16(binary.LittleEndian, text), "b==1", 0},
		{"utf-16 be", wide16(binary.BigEndian, text), "b==1", 0},
		{"utf-32 le", wide32(binary.LittleEndian, text), "b==1", 0},
		{"utf-32 be", wide32(binary.BigEndian, text), "b==1", 0},
		{"latin-1", latin, "bé", 0},
		{"second line", "\n" + latin, "bé", 0},
		{"third line is too late", "\n\n" + latin, "", 4},
		{"not at the start of the line", " " + latin, "", 2},
		{"mark before comment", "\ufeff" + latin, "", 2},
		{"utf-8 by name", "# coding=utf8\nbé", "bé", 0},
		{"a word before", "# decoding: \n# coding: utf_8\nbé", "bé", 0},
		{"no name", "# coding: \nbé", "bé", 0},
		{"ascii", "# coding: US-ASCII\nb", "b", 0},
		{"ascii that is not", "# coding: ascii\nb\xe9", "", 2},
		{"unknown", "# -*- coding: cp1252 -*-\nb", "", 1},
		{"unknown on line 2", "#\n# coding: utf-16\nb", "", 2},
		{"odd utf-16", "\xff\xfea", "", -1},
		{"lone surrogate", "\xff\xfe\x00\xd8", "", -1},
		{"replacement character", "\xff\xfe\xfd\xff", "\ufffd", 0},
		{"short utf-32", "\x00\x00\xfe\xffa", "", -1},
		{"utf-32 too high", "\x00\x00\xfe\xff\x00\x11\x00\x00", "", -1},
		{"encoded surrogate", "b\xed\xa0\x80", "", 1},
		{"invalid", "a\r\nb\xff", "", 2},
	}
	for _, tt := range tests {
		src, f := decode([]byte(tt.data))
		if tt.fault != 0 {
			if f.msg == "" || f.line != max(tt.fault, 0) {
				t.Errorf("%s: fault %+v, want one on line %d", tt.name, f, tt.fault)
			}
			continue
		}
		if f.msg != "" {
			t.Errorf("%s: %+v", tt.name, f)
			continue
		}
		set, err := readText(t, map[string]string{"requirements.txt": tt.data}, nil)
		if err != nil || set.Entries[len(set.Entries)-1].Text != tt.want {
			t.Errorf("%s: %+v, %v; want %q", tt.name, set.Entries, err, tt.want)
		} else if e := set.Entries[0]; !src.exact {
			if _, _, ok := e.Span(0, len(e.Text)); ok {
				t.Errorf("%s can be edited", tt.name)
			}
		}
	}
}
