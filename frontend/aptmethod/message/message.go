// Package message reads and writes the control messages that apt and its
// acquire methods exchange over stdin and stdout: a line with a number and a
// text, lines with fields, and a blank line.
//
// Source: "APT Method Interface" (doc/method.dbk of apt), and what apt really
// does in ReadMessages and LookupTag (apt-pkg/contrib/strutl.cc) and in
// pkgAcqMethod::SendMessage (apt-pkg/acquire-method.cc).
package message

import "strings"

// Message is one message as it was read.
type Message struct {
	// Code is the number, Text what follows it on the first line:
	// 600 and "URI Acquire".
	Code int
	Text string
	// Fields are in the order of the message; a name may be repeated. A value
	// of several lines holds "\n" between them.
	Fields []Field
}

// Field is a line of a message.
type Field struct{ Name, Value string }

// Get returns the value of the first field of that name, compared without
// regard to case, "" if there is none.
func (m *Message) Get(name string) string {
	for _, f := range m.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Items calls yield with each configuration item of a "601 Configuration"
// message: its full name and its value, without apt's quoting. A field without
// an equals sign is left out.
func (m *Message) Items(yield func(name, value string) bool) {
	for _, f := range m.Fields {
		if !strings.EqualFold(f.Name, "Config-Item") {
			continue
		}
		name, value, ok := strings.Cut(f.Value, "=")
		if ok && !yield(Unquote(name), Unquote(value)) {
			return
		}
	}
}

// Unquote undoes apt's quoting: "%" and two hexadecimal digits stand for a
// byte; any other "%" stands for itself. Source: DeQuoteString in
// apt-pkg/contrib/strutl.cc.
func Unquote(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0 {
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

// Quote writes s as apt does: the bytes of bad, "%", blanks, control
// characters and all that is not ASCII become "%" and two hexadecimal digits.
// Source: QuoteString in apt-pkg/contrib/strutl.cc.
func Quote(s, bad string) string {
	const digits = "0123456789abcdef"
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || c == '%' || strings.IndexByte(bad, c) >= 0 {
			b = append(b, '%', digits[c>>4], digits[c&15])
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// unhex returns the value of a hexadecimal digit, -1 if c is none.
func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
