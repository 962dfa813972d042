package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Turn is the right to run and to record it. One process has it at a time.
type Turn struct {
	dir  string
	lock *flock.Flock
}

// ErrTaken is the cause of an Error about a journal that another run holds.
var ErrTaken = errors.New("another run is going on")

// retry is how often a lock is asked for.
const retry = 50 * time.Millisecond

// Begin takes the turn, and makes the folder if it is not there. If another run
// has it, Begin waits until ctx ends, or returns [ErrTaken] at once without wait.
// The turn ends with [Turn.End], and with the process.
func Begin(ctx context.Context, dir string, wait bool) (*Turn, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cannot(dir, "written", err)
	}
	name := filepath.Join(dir, lockFile)
	f, err := openPlain(name, os.O_RDONLY|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	f.Close()
	lock := flock.New(name)
	take := lock.TryLock
	if wait {
		take = func() (bool, error) { return lock.TryLockContext(ctx, retry) }
	}
	ok, err := take()
	switch {
	case ok:
		return &Turn{dir, lock}, nil
	case err == nil:
		return nil, &Error{Name: dir, Message: "another run is going on", Todo: "Wait for it with --wait.", Err: ErrTaken}
	case ctx.Err() != nil:
		return nil, &Error{Name: dir, Message: "another run is still going on", Todo: "Look whether it hangs.", Err: ErrTaken}
	}
	return nil, cannot(name, "locked", err)
}

// End gives the turn back.
func (t *Turn) End() error { return t.lock.Unlock() }

// Append adds a record, and returns it with the fields that are its own to set:
// Version, ID if it has none, and ClockBack. It returns when the record is on the
// disk; the journal is as it was if it returns an error.
func (t *Turn) Append(r Record) (Record, error) {
	f, err := openPlain(filepath.Join(t.dir, recordsFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return r, err
	}
	defer f.Close()
	log, err := read(f)
	if err != nil {
		return r, err
	}
	if err := t.mend(f, log); err != nil {
		return r, err
	}
	r.Version, r.ClockBack = Version, clockBack(log.Records, r.Finished)
	if r.ID == "" {
		r.ID = rand.Text()
	}
	line, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	if _, err := parseRecord(line); err != nil {
		return r, &Error{Name: f.Name(), Message: "what was to be recorded is no record: " + err.Error(), Err: err}
	}
	if err := write(f, log.whole, append(line, '\n')); err != nil {
		return r, err
	}
	syncFolder(t.dir)
	return r, nil
}

// write adds a line at the end of the records and waits until the disk has it. A
// line that could not be written whole is taken back.
func write(f *os.File, at int64, line []byte) error {
	if at+int64(len(line)) > MaxFile {
		return &Error{Name: f.Name(), Message: fmt.Sprintf("has reached its largest size of %d MiB", MaxFile>>20), Todo: "Move it away to begin a new one."}
	}
	_, err := f.WriteAt(line, at)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	return errors.Join(cannot(f.Name(), "written", err), f.Truncate(at))
}

// mend sets a torn end aside: it is copied before it is cut off, so that nothing
// is lost if that is interrupted too.
func (t *Turn) mend(f *os.File, log Log) error {
	if log.Torn == 0 {
		return nil
	}
	torn, err := openPlain(filepath.Join(t.dir, tornFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = io.Copy(torn, io.NewSectionReader(f, log.whole, int64(log.Torn)))
	if err == nil {
		_, err = torn.WriteString("\n")
	}
	if err == nil {
		err = torn.Sync()
	}
	if err = errors.Join(err, torn.Close()); err != nil {
		return cannot(torn.Name(), "written", err)
	}
	if err = errors.Join(f.Truncate(log.whole), f.Sync()); err != nil {
		return cannot(f.Name(), "written", err)
	}
	return nil
}

// clockBack is how many seconds a run ends before one that was recorded earlier.
func clockBack(records []Record, finished time.Time) int64 {
	var back int64
	for _, r := range records {
		back = max(back, int64(r.Finished.Sub(finished)/time.Second))
	}
	return back
}

// syncFolder makes a new file last. Not every system can.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
