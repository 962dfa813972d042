package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/preset"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// add records a run at a time.
func add(t *testing.T, dir string, r Record) Record {
	t.Helper()
	turn, err := Begin(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.End()
	r, err = turn.Append(r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAppend(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	if log, err := Read(dir); err != nil || len(log.Records) != 0 {
		t.Fatalf("%+v, %v", log, err)
	}
	first := record(noon)
	first.Period = &preset.Period{Local: "2026-11-30T06:00", Zone: "UTC", Start: noon.Add(-6 * time.Hour)}
	want := []Record{add(t, dir, first), add(t, dir, record(noon.Add(time.Hour))), add(t, dir, record(noon.Add(-time.Hour)))}
	log, err := Read(dir)
	if err != nil || log.Torn != 0 {
		t.Fatal(log, err)
	}
	if diff := cmp.Diff(want, log.Records); diff != "" {
		t.Errorf("-appended +read:\n%s", diff)
	}
	for i, back := range []int64{0, 0, 7200} {
		if r := log.Records[i]; r.Version != 1 || len(r.ID) < 20 || r.ClockBack != back {
			t.Errorf("%+v: the clock went back by %d seconds", r, back)
		}
	}
	for name, mode := range map[string]os.FileMode{"": 0o700 | os.ModeDir, recordsFile: 0o600, lockFile: 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

// TestTorn cuts the journal at every byte: the records before are read, the rest
// is set aside by the next Append and is not lost.
func TestTorn(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	for i := range 3 {
		add(t, whole, record(noon.Add(time.Duration(i)*time.Hour)))
	}
	data, err := os.ReadFile(filepath.Join(whole, recordsFile))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) {
		if n%7 != 0 && data[max(n-1, 0)] != '\n' && data[n] != '\n' {
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, recordsFile), data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(data[:n], []byte("\n"))
		rest := data[:n][bytes.LastIndexByte(data[:n], '\n')+1:]
		log, err := Read(dir)
		if err != nil || len(log.Records) != lines || log.Torn != len(rest) {
			t.Fatalf("cut at %d: %d records, %d torn, %v", n, len(log.Records), log.Torn, err)
		}
		add(t, dir, record(noon))
		if log, err = Read(dir); err != nil || len(log.Records) != lines+1 || log.Torn != 0 {
			t.Fatalf("cut at %d, then appended to: %d records, %d torn, %v", n, len(log.Records), log.Torn, err)
		}
		torn, err := os.ReadFile(filepath.Join(dir, tornFile))
		if len(rest) > 0 && (err != nil || string(torn) != string(rest)+"\n") || len(rest) == 0 && err == nil {
			t.Fatalf("cut at %d: %q is set aside, %v", n, torn, err)
		}
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	add(t, good, record(noon))
	line, err := os.ReadFile(filepath.Join(good, recordsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, text, message string }{
		{"no JSON", "nothing\n" + string(line), ":1: this is no record: it is not the JSON of one"},
		{"no record", string(line) + "{}\n" + string(line), ":2: this is no record: it lacks an id, a preset, times or a decision"},
		{"an empty line", "\n" + string(line), ":1: this is no record: it is not the JSON of one"},
		{"a longer line", strings.Repeat(" ", MaxRecord) + string(line) + string(line), ":1: this is no record: it is longer than 65536 bytes"},
		{"a newer one", string(line) + strings.Replace(string(line), `"version":1`, `"version":2`, 1), ":2: the record was written by a newer version of loopxctl"},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, recordsFile)
		if err := os.WriteFile(name, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		turn, err := Begin(t.Context(), dir, false)
		if err != nil {
			t.Fatal(err)
		}
		defer turn.End()
		_, readErr := Read(dir)
		_, appendErr := turn.Append(record(noon))
		for _, err := range []error{readErr, appendErr} {
			if e, ok := errors.AsType[*Error](err); !ok || e.Error() != name+tc.message || e.Todo == "" {
				t.Errorf("%s: %v, want %s", tc.name, err, tc.message)
			}
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != tc.text {
			t.Errorf("%s: the file was changed", tc.name)
		}
	}
}

// TestRefused: what is no record, or no place for one, is not written.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turn, err := Begin(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.End()
	large := record(noon)
	large.Tool = strings.Repeat("v", MaxRecord)
	for _, r := range []Record{{}, large} {
		if _, err := turn.Append(r); err == nil {
			t.Errorf("%.80v is recorded", r)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, recordsFile)); err != nil || len(text) > 0 {
		t.Errorf("%q is written, %v", text, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(t.Context(), file, false); err == nil || err.Error() != file+": cannot be written: not a directory" {
		t.Errorf("%v", err)
	}
	for _, name := range []string{recordsFile, tornFile, lockFile} {
		linked := t.TempDir()
		if err := os.Symlink(file, filepath.Join(linked, name)); err != nil {
			t.Fatal(err)
		}
		if name == tornFile {
			if err := os.WriteFile(filepath.Join(linked, recordsFile), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		turn, err := Begin(t.Context(), linked, false)
		if err == nil {
			defer turn.End()
			_, err = turn.Append(record(noon))
		}
		if err == nil || err.Error() != filepath.Join(linked, name)+": is not a plain file" {
			t.Errorf("%s is a link: %v", name, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || len(text) > 0 {
		t.Errorf("%q is written through a link, %v", text, err)
	}
}

// FuzzParse holds that no text makes the reader panic, and that what it reads is
// there again after a record is added.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"id":"a","preset":"b","trigger":"","started":"2026-11-30T12:00:00Z","finished":"2026-11-30T12:00:00Z","tool":"","decision":"passed"}` + "\n{"))
	f.Add([]byte("\x00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := parse("journal", data)
		if err != nil {
			return
		}
		if int(log.whole)+log.Torn != len(data) {
			t.Fatalf("%d bytes of records and %d torn of %d", log.whole, log.Torn, len(data))
		}
		if again, err := parse("journal", data[:log.whole]); err != nil || len(again.Records) != len(log.Records) || again.Torn != 0 {
			t.Fatalf("%+v, %v", again, err)
		}
	})
}
