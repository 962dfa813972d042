package message_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

var _ = flag.Bool("update", false, "no goldens here")

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []*message.Message
		err  error
	}{
		"as apt sends it": {
			in: "600 URI Acquire\nURI: http://deb.debian.org/debian/x\nFilename: /var/x y\n\n",
			want: []*message.Message{{Code: 600, Text: "URI Acquire", Fields: []message.Field{
				{Name: "URI", Value: "http://deb.debian.org/debian/x"}, {Name: "Filename", Value: "/var/x y"},
			}}},
			err: io.EOF,
		},
		"CRLF, blank lines between, blanks around": {
			in: "\r\n\n601 Configuration \r\nConfig-Item:\tA=1  \r\n\r\n\r\n\n603 Media Changed\n\n",
			want: []*message.Message{
				{Code: 601, Text: "Configuration", Fields: []message.Field{{Name: "Config-Item", Value: "A=1"}}},
				{Code: 603, Text: "Media Changed"},
			},
			err: io.EOF,
		},
		"a value over lines, a line without a colon": {
			in: "600 URI Acquire\n lost\nnothing\nAlternate-URIs: a\n b\n c\nEmpty:\n\n",
			want: []*message.Message{{Code: 600, Text: "URI Acquire", Fields: []message.Field{
				{Name: "Alternate-URIs", Value: "a\nb\nc"}, {Name: "Empty"},
			}}},
			err: io.EOF,
		},
		"end within a message": {in: "600 URI Acquire\nURI: http://a/", err: io.EOF},
		"end before the blank line": {
			in: "600 URI Acquire\nURI: http://a/\n", err: io.EOF,
		},
		"nothing": {err: io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := message.NewReader(iotest.OneByteReader(strings.NewReader(c.in)))
			var got []*message.Message
			var err error
			for err == nil {
				var m *message.Message
				if m, err = r.Read(); err == nil {
					got = append(got, m)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v; messages (-want +got):\n%s", err, c.err, diff)
			}
		})
	}
}

func TestReadMalformed(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"URI Acquire\n\n", "-1 x\n\n", "6000000000 x\n\n", "\x00\n\n"} {
		if m, err := message.NewReader(strings.NewReader(in)).Read(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%q: %v, %v; want an error", in, m, err)
		}
	}
	if _, err := message.NewReader(iotest.ErrReader(io.ErrClosedPipe)).Read(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want the stream's own", err)
	}
}

// endless is a stream of one byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestReadBounded(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]io.Reader{
		"one line":    endless('1'),
		"blank lines": endless('\n'),
		"many fields": io.MultiReader(strings.NewReader("600 x\n"), strings.NewReader(strings.Repeat("A: b\n", message.MaxSize/5+1))),
	} {
		if _, err := message.NewReader(in).Read(); !errors.Is(err, message.ErrTooLarge) {
			t.Errorf("%s: error %v, want %v", name, err, message.ErrTooLarge)
		}
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	m := &message.Message{Fields: []message.Field{{Name: "FileName", Value: "/a"}, {Name: "filename", Value: "/b"}}}
	if got := m.Get("Filename"); got != "/a" {
		t.Errorf("Filename = %q, want the first", got)
	}
	if got := m.Get("URI"); got != "" {
		t.Errorf("URI = %q, want none", got)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	m := &message.Message{Code: 601, Fields: []message.Field{
		{Name: "Config-Item", Value: "Acquire::http::Proxy=http://a:1/"},
		{Name: "config-item", Value: "APT::NeverAutoRemove::=^linux%20%3d%22"},
		{Name: "Config-Item", Value: "A%3db=c=d%"},
		{Name: "Config-Item", Value: "no equals sign"},
		{Name: "Other", Value: "x=y"},
	}}
	var got [][2]string
	for name, value := range m.Items {
		got = append(got, [2]string{name, value})
	}
	want := [][2]string{{"Acquire::http::Proxy", "http://a:1/"}, {"APT::NeverAutoRemove::", `^linux ="`}, {"A=b", "c=d%"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	for range m.Items {
		break
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ plain, bad, quoted string }{
		{"", "", ""},
		{"plain", "=", "plain"},
		{"a=b\n\"c\" 100%\x7f\xff", "=\"\n", "a%3db%0a%22c%22%20100%25%7f%ff"},
		{"1.0+b~1", "+~ ", "1.0%2bb%7e1"},
	} {
		if got := message.Quote(c.plain, c.bad); got != c.quoted {
			t.Errorf("Quote(%q, %q) = %q, want %q", c.plain, c.bad, got, c.quoted)
		}
		if got := message.Unquote(c.quoted); got != c.plain {
			t.Errorf("Unquote(%q) = %q, want %q", c.quoted, got, c.plain)
		}
	}
	for in, want := range map[string]string{"%": "%", "%4": "%4", "%4g": "%4g", "%4A%4a": "JJ", "%%41": "%A"} {
		if got := message.Unquote(in); got != want {
			t.Errorf("Unquote(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := message.NewWriter(&out)
	err := w.Write(
		"400 URI Failure",
		message.Field{Name: "URI", Value: "http://a/\n\n201 URI Done"},
		message.Field{Name: "FailReason"},
		message.Field{Name: "Message", Value: "naïve\r\x1b[31m\x7f\tx"},
	)
	const want = "400 URI Failure\nURI: http://a/  201 URI Done\nMessage: naïve  [31m  x\n\n"
	if err != nil || out.String() != want {
		t.Errorf("wrote %q, error %v; want %q", out.String(), err, want)
	}
}

// broken fails at the second write and counts them.
type broken struct{ writes int }

func (b *broken) Write(p []byte) (int, error) {
	if b.writes++; b.writes > 1 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestWriteKeepsItsError(t *testing.T) {
	t.Parallel()
	out := &broken{}
	w := message.NewWriter(out)
	for i := range 4 {
		if err := w.Write("101 Log"); (err != nil) != (i > 0) || !errors.Is(w.Err(), err) {
			t.Errorf("write %d: error %v, then %v", i, err, w.Err())
		}
	}
	if out.writes != 2 {
		t.Errorf("%d writes, want none after the first error", out.writes)
	}
}

// whole checks that each Write is one message.
type whole struct{ t *testing.T }

func (w whole) Write(p []byte) (int, error) {
	if string(p) != "102 Status\nMessage: connecting\n\n" {
		w.t.Errorf("written at once: %q", p)
	}
	return len(p), nil
}

func TestWriteAtOnce(t *testing.T) {
	t.Parallel()
	w := message.NewWriter(whole{t})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				_ = w.Write("102 Status", message.Field{Name: "Message", Value: "connecting"})
			}
		})
	}
	wg.Wait()
}

// FuzzMessage holds two laws: reading any bytes ends without a panic, and what
// is read and written again is one message with a line for each field, whatever
// is in it.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "600 URI Acquire\nURI: http://a/%20b\nFilename: /x\nExpected-SHA256: 00\n\n",
		"601 Configuration\r\nConfig-Item: A::B::=c%3d\r\nConfig-Item: D=\r\n\r\n600 x\n",
		"603 Media Changed\nFailed: true\n a\n\tb\n\n", "600\x00\nA:\x00\n\n", "1 \n:\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := message.NewReader(bytes.NewReader(in))
		for {
			m, err := r.Read()
			if err != nil {
				return
			}
			for name, value := range m.Items {
				if message.Unquote(message.Quote(name+value, "=\"\n")) != name+value {
					t.Fatalf("%q does not survive quoting", name+value)
				}
			}
			checkWritten(t, m)
		}
	})
}

// checkWritten writes a message and reads it again.
func checkWritten(t *testing.T, m *message.Message) {
	t.Helper()
	var out bytes.Buffer
	if err := message.NewWriter(&out).Write(fmt.Sprintf("%d %s", m.Code, m.Text), m.Fields...); err != nil {
		t.Fatal(err)
	}
	lines := 2
	for _, f := range m.Fields {
		if f.Value != "" {
			lines++
		}
	}
	again, err := message.NewReader(bytes.NewReader(out.Bytes())).Read()
	switch control := func(c byte) bool { return c < ' ' && c != '\n' || c == 0x7f }; {
	case err != nil || again.Code != m.Code:
		t.Fatalf("%q is read as %+v, %v", out.String(), again, err)
	case bytes.Count(out.Bytes(), []byte("\n")) != lines || bytes.Index(out.Bytes(), []byte("\n\n")) != out.Len()-2:
		t.Fatalf("%+v is written as %q", m, out.String())
	case slices.ContainsFunc(out.Bytes(), control):
		t.Fatalf("%+v is written as %q, which holds a control character", m, out.String())
	}
}
