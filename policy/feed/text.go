package feed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// reader reads one source.
type reader struct {
	ctx     context.Context
	limits  Limits
	total   int64 // unpacked so far
	files   int
	records int
	each    func(osv.Record) error
	decode  Decoder
	buf     []byte // for one text after the other
}

func (o Options) reader(ctx context.Context, each func(osv.Record) error) *reader {
	return &reader{ctx: ctx, limits: o.Limits, each: each, decode: o.Decode}
}

// add takes a record.
func (r *reader) add(record osv.Record) error {
	r.records++
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.each(record)
}

// empty is the error about a source that has no record, nil if it has one.
func (r *reader) empty(name string) error {
	if r.records > 0 {
		return nil
	}
	return &Error{
		Name: name, Message: "holds no advisory",
		Todo: "Name a folder, a zip archive, JSON lines or a JSON document in the form of OSV (YAML is not read).",
	}
}

// stream reads what has no name on disk, and returns its SHA-256.
func (r *reader) stream(name string, src io.Reader) (string, error) {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(attentive{r.ctx, bound(name, src, r.limits.Total)}, sum), chunk)
	head, err := in.Peek(len(zipMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", r.unreadable(name, err)
	case isZip(head):
		data, err := io.ReadAll(bound(name, in, r.limits.Document))
		if err != nil {
			return "", r.unreadable(name, err)
		}
		err = r.archive(name, bytes.NewReader(data), int64(len(data)))
		return hex.EncodeToString(sum.Sum(nil)), err
	}
	err = r.packed(name, in, head)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// packed reads a text that may be compressed by gzip; head are its first bytes.
func (r *reader) packed(name string, in io.Reader, head []byte) error {
	if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return r.text(name, in)
	}
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return r.unreadable(name, err)
	}
	return r.text(name, unpacked)
}

// chunk is how much is read at once, in bytes.
const chunk = 1 << 20

// text reads JSON or JSON lines. Lines are read a chunk at a time, so a file of
// them may be as large as all that is unpacked; any other text is a document.
func (r *reader) text(name string, src io.Reader) error {
	w := &window{r: r, name: name, src: src, buf: r.buf[:0]}
	defer func() { r.buf = w.buf }()
	if err := w.fill(chunk); err != nil {
		return err
	}
	if err := opening(name, w.buf); err != nil {
		return err
	}
	if r.linewise(w.buf) {
		return w.lines()
	}
	if err := w.fill(r.limits.Document); err != nil {
		return err
	}
	if !w.ended {
		return tooLarge(name, "", r.limits.Document)
	}
	return inText(name, r.decode(string(w.buf), 1, r.add))
}

// window is the part of a text that is in memory.
type window struct {
	r     *reader
	name  string
	src   io.Reader
	buf   []byte
	ended bool
	line  int // lines in front of buf
}

// fill reads until the window is of that many bytes, or the text ends.
func (w *window) fill(size int64) error {
	for !w.ended && int64(len(w.buf)) < size {
		if len(w.buf) == cap(w.buf) {
			w.buf = append(make([]byte, 0, min(max(2*int64(cap(w.buf)), 64<<10), size)), w.buf...)
		}
		n, err := w.src.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
		if w.r.total += int64(n); w.r.total > w.r.limits.Total {
			return tooLarge(w.name, "with what came before it, ", w.r.limits.Total)
		}
		switch {
		case errors.Is(err, io.EOF):
			w.ended = true
		case err != nil:
			return w.r.unreadable(w.name, err)
		}
	}
	return nil
}

// lines reads JSON lines. Each line is a text of its own, so that a broken one
// is named, and not the next.
func (w *window) lines() error {
	for {
		end := bytes.LastIndexByte(w.buf, '\n') + 1
		switch {
		case w.ended:
			return w.decode(len(w.buf))
		case end > 0:
			if err := w.decode(end); err != nil {
				return err
			}
			if err := w.fill(chunk); err != nil {
				return err
			}
		case int64(len(w.buf)) >= w.r.limits.Record:
			return &Error{Name: w.name, Line: w.line + 1, Message: "a line is longer than " + size(w.r.limits.Record)}
		default:
			if err := w.fill(min(2*int64(len(w.buf)), w.r.limits.Record)); err != nil {
				return err
			}
		}
	}
}

// decode reads the lines in the first n bytes and drops them.
func (w *window) decode(n int) error {
	for line := range strings.Lines(string(w.buf[:n])) {
		w.line++
		if err := w.r.decode(strings.TrimRight(line, "\r\n"), w.line, w.r.add); err != nil {
			return inText(w.name, err)
		}
	}
	w.buf = w.buf[:copy(w.buf, w.buf[n:])]
	return nil
}

// opening refuses at once what cannot be JSON, however long it is.
func opening(name string, buf []byte) error {
	text := bytes.TrimLeft(bytes.TrimPrefix(buf, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 || text[0] == '{' || text[0] == '[' {
		return nil
	}
	message := "this is no JSON: it begins with " + fmt.Sprintf("%.20q", text)
	if bytes.HasPrefix(buf, []byte{0xff, 0xfe}) || bytes.HasPrefix(buf, []byte{0xfe, 0xff}) {
		message = "the text is UTF-16; JSON is UTF-8"
	}
	return &Error{Name: name, Line: 1, Message: message, Todo: "Records are read as JSON or JSON lines, also compressed by gzip or in a zip archive."}
}

// linewise reports whether a text is JSON lines: there are several, and the
// first is a record by itself, or several.
func (r *reader) linewise(buf []byte) bool {
	end := bytes.IndexByte(buf, '\n')
	if end < 0 || len(bytes.TrimSpace(buf[:end])) == 0 || len(bytes.TrimSpace(buf[end:])) == 0 {
		return false
	}
	return r.decode(string(buf[:end]), 1, func(osv.Record) error { return nil }) == nil
}

// bounded ends with an error behind as many bytes as are left.
type bounded struct {
	name       string
	src        io.Reader
	left, most int64
}

func bound(name string, src io.Reader, most int64) io.Reader {
	return &bounded{name: name, src: src, left: most, most: most}
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.name, "", b.most)
	}
	return n, err
}

func tooLarge(name, what string, most int64) error {
	return &Error{Name: name, Message: what + "is larger than " + size(most) + ", which is all that is read", Todo: "An export of PyPI is far smaller: check where this comes from."}
}

// unreadable makes an Error of what a stream said, unless it is one.
func (r *reader) unreadable(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Name: name, Message: "ends in the middle", Todo: "Fetch it again.", Err: err}
	}
	e := cannot(name, "read", err)
	e.Message = strings.Replace(e.Message, ": zip: ", ": ", 1)
	return e
}

// attentive ends when its context does, also where what is read from it never
// comes to anything.
type attentive struct {
	ctx context.Context
	src io.Reader
}

func (a attentive) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.src.Read(p)
}
