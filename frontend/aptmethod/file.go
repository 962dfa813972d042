package aptmethod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
)

// file is an item's file, open to be written, with the hashes of all that is in
// it.
type file struct {
	*sums
	f *os.File
}

// fileMode is that of a new file, as apt's own methods make it: apt takes it
// over, with root as its owner, when it is answered.
const fileMode = 0o666

// openFile opens an item's file, cuts it off at offset and hashes what is
// before. It is an error if there is less.
func openFile(i *item, offset int64) (*file, error) {
	f, err := os.OpenFile(i.path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("can't write: %w", err)
	}
	opened := &file{sums: newSums(i), f: f}
	if err := opened.rewind(offset); err != nil {
		f.Close()
		return nil, err
	}
	return opened, nil
}

// rewind cuts the file off at offset and hashes it. A device has no length.
func (o *file) rewind(offset int64) error {
	if info, err := o.f.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	if _, err := io.CopyN(o.sums, o.f, offset); err != nil {
		return fmt.Errorf("can't read the first %d bytes of %s: %w", offset, o.f.Name(), err)
	}
	if err := o.f.Truncate(offset); err != nil {
		return fmt.Errorf("can't write: %w", err)
	}
	return nil
}

// Write appends p.
func (o *file) Write(p []byte) (int, error) {
	if n, err := o.f.Write(p); err != nil {
		return n, fmt.Errorf("can't write: %w", err)
	}
	return o.sums.Write(p)
}

// close closes the file and dates it, if modified is not zero: by that date it
// can be continued later. A date that can't be set costs no more than that.
func (o *file) close(modified time.Time) error {
	err := o.f.Close()
	if !modified.IsZero() {
		_ = os.Chtimes(o.f.Name(), modified, modified)
	}
	return err
}

// copy writes a body to the file, as far as it may be.
func (j *job) copy(ctx context.Context, to *file, body io.Reader) *fetch.Failure {
	buffer := j.buffers.Get().(*[bufferSize]byte)
	defer j.buffers.Put(buffer)
	piece := buffer[:j.limit.piece(bufferSize)]
	for {
		n, err := body.Read(piece)
		if j.most >= 0 && to.size+int64(n) > j.most {
			return exceeded("the server sends more than the %d bytes that apt takes of the file", j.most)
		}
		if _, err := to.Write(piece[:n]); err != nil {
			return localFailure(err)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return failureOf(err)
		case ctx.Err() != nil:
			return failureOf(ctx.Err())
		}
		j.limit.wait(ctx, n)
	}
}

// partial returns the size and the date of what is there of the file, 0 if
// there is nothing.
func (i *item) partial() (size int64, modified time.Time) {
	info, err := os.Stat(i.path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, time.Time{}
	}
	return info.Size(), info.ModTime()
}

// empty throws away what is in the file.
func (i *item) empty() error {
	if err := os.Truncate(i.path, 0); err != nil {
		return fmt.Errorf("can't write: %w", err)
	}
	return nil
}

// remove removes the file if there is one.
func (i *item) remove() error {
	if err := os.Remove(i.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("can't remove: %w", err)
	}
	return nil
}
