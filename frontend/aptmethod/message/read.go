package message

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MaxSize bounds one message in bytes. The largest that apt sends is its whole
// configuration, which is some tens of kilobytes.
const MaxSize = 4 << 20

// ErrTooLarge is the error for a message beyond MaxSize.
var ErrTooLarge = errors.New("message is larger than 4 MiB")

// Reader reads messages from one stream.
type Reader struct{ in *bufio.Reader }

// NewReader returns a Reader for in.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReader(in)} }

// Read returns the next message. Lines may end in CRLF; blank lines before a
// message are skipped. A line of fields without a colon is left out, and one
// that starts with a blank goes on with the value before it.
//
// The error is io.EOF at the end, also within a message, of which no part is
// returned; ErrTooLarge; the stream's own; or that the first line does not
// start with a number. No message can be read after an error.
func (r *Reader) Read() (*Message, error) {
	size := 0
	first := ""
	for first == "" {
		line, err := r.line(&size)
		if err != nil {
			return nil, err
		}
		first = line
	}
	m, err := parseFirst(first)
	if err != nil {
		return nil, err
	}
	for {
		line, err := r.line(&size)
		switch {
		case err != nil:
			return nil, err
		case line == "":
			return m, nil
		}
		m.add(line)
	}
}

// line returns the next line without its end and adds its length to size.
func (r *Reader) line(size *int) (string, error) {
	var b strings.Builder
	for {
		part, err := r.in.ReadSlice('\n')
		if *size += len(part); *size > MaxSize {
			return "", ErrTooLarge
		}
		b.Write(part)
		switch {
		case err == nil:
			return strings.TrimRight(b.String(), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// parseFirst reads "600 URI Acquire".
func parseFirst(line string) (*Message, error) {
	number, text, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	code, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("message starts with %.40q, not with a number", line)
	}
	return &Message{Code: int(code), Text: strings.TrimSpace(text)}, nil
}

// add appends one line below the first.
func (m *Message) add(line string) {
	if line[0] == ' ' || line[0] == '\t' {
		if n := len(m.Fields); n > 0 {
			m.Fields[n-1].Value += "\n" + strings.Trim(line, " \t\r")
		}
		return
	}
	if name, value, ok := strings.Cut(line, ":"); ok {
		m.Fields = append(m.Fields, Field{strings.TrimRight(name, " \t"), strings.Trim(value, " \t\r")})
	}
}
