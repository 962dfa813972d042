package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Names of the files in the folder.
const (
	recordsFile = "journal.jsonl"
	tornFile    = "torn.jsonl"
	lockFile    = "lock"
)

// Sizes in bytes: the largest journal that is read, and the largest record.
const (
	MaxFile   = 64 << 20
	MaxRecord = 64 << 10
)

// Log is what a journal holds.
type Log struct {
	// Records are in the order in which they were written.
	Records []Record
	// Torn is how many bytes at the end are no whole record: a run was killed as
	// it wrote, or writes right now. They are set aside by the next Append.
	Torn int
	// whole is the length of the records, in bytes.
	whole int64
}

// Of leaves the records about a project, and those of which it is not known.
func (l Log) Of(project string) Log {
	l.Records = slices.DeleteFunc(slices.Clone(l.Records), func(r Record) bool { return r.Project != "" && r.Project != project })
	return l
}

// Read reads the journal of a folder; one that is not there is empty. It takes no
// lock: what is there is whole, whoever writes. The error is of type [*Error].
func Read(dir string) (Log, error) {
	f, err := openPlain(filepath.Join(dir, recordsFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return Log{}, nil
	}
	if err != nil {
		return Log{}, err
	}
	defer f.Close()
	return read(f)
}

// openPlain opens a file of the folder. What is no plain file is refused: a pipe
// would keep us waiting, and a link leads out of the folder.
func openPlain(name string, flag int) (*os.File, error) {
	info, err := os.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, &Error{Name: name, Message: "is not a plain file", Todo: "Name another folder with --state."}
	case err != nil && (!errors.Is(err, fs.ErrNotExist) || flag&os.O_CREATE == 0):
		return nil, cannot(name, "read", err)
	}
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, cannot(name, "opened", err)
	}
	return f, nil
}

func cannot(name, verb string, err error) error {
	reason := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		reason = e.Err
	}
	return &Error{Name: name, Message: fmt.Sprintf("cannot be %s: %v", verb, reason), Err: err}
}

// read reads the records of a file.
func read(f *os.File) (Log, error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, MaxFile+1))
	switch {
	case err != nil:
		return Log{}, cannot(f.Name(), "read", err)
	case len(data) > MaxFile:
		return Log{}, &Error{Name: f.Name(), Message: fmt.Sprintf("is larger than %d MiB", MaxFile>>20), Todo: "Move it away to begin a new one."}
	}
	return parse(f.Name(), data)
}

// parse reads the records in a text. The last line may be torn; any other that is
// no record is damage.
func parse(name string, data []byte) (Log, error) {
	var log Log
	for line := 1; len(data) > 0; line++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		r, err := parseRecord(text)
		switch {
		case errors.Is(err, errNewer):
			return Log{}, &Error{Name: name, Line: line, Message: err.Error(), Todo: "Use that version of loopxctl or a later one.", Err: err}
		case (err != nil || !ended) && len(rest) == 0:
			log.Torn = len(data)
			return log, nil
		case err != nil:
			return Log{}, &Error{
				Name: name, Line: line, Message: "this is no record: " + err.Error(), Err: err,
				Todo: "Take the line out if you know why it is there, or move the file away to begin a new journal.",
			}
		}
		log.Records = append(log.Records, r)
		log.whole += int64(len(text)) + 1
		data = rest
	}
	return log, nil
}

var (
	errNewer = errors.New("the record was written by a newer version of loopxctl")
	errShape = errors.New("it lacks an id, a preset, times or a decision")
)

func parseRecord(text []byte) (Record, error) {
	var r Record
	if len(text) > MaxRecord {
		return r, fmt.Errorf("it is longer than %d bytes", MaxRecord)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, errors.New("it is not the JSON of one")
	}
	switch {
	case r.Version > Version:
		return r, errNewer
	case r.Version < 1 || r.ID == "" || r.Preset == "" || r.Decision == "" || r.Started.IsZero() || r.Finished.IsZero():
		return r, errShape
	}
	return r, nil
}
