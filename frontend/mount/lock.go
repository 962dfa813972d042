package mount

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// CAKey is the key of the folder CASelector, as Key makes those of platforms.
const CAKey = "ca"

// MethodPath is where a folder of AptFiles has the method.
const MethodPath = "apt/method"

// Lock says what the folders in the frontend's image hold, byte for byte. The
// one of this source is committed as lock.tsv and tested: a change of content
// changes the cache keys of RUNs, so it is made on purpose.
type Lock struct {
	// Go is the Go release that compiles the methods, "go1.26.8": another one
	// makes other bytes.
	Go string
	// Folders has an entry for CAKey and for the Key of each of Platforms.
	Folders map[string]Entry
}

// Entry is what Lock says of one folder.
type Entry struct {
	// Digest is that of the folder's files.
	Digest string
	// MethodSize is the size of the method in bytes, and MethodSHA256 its SHA-256
	// in hexadecimal. The folder CAKey has none.
	MethodSize   int64
	MethodSHA256 string
}

// NewEntry returns the entry of a folder with these files.
func NewEntry(files []File) Entry {
	e := Entry{Digest: Digest(files)}
	for _, f := range files {
		if f.Path == MethodPath {
			e.MethodSize, e.MethodSHA256 = int64(len(f.Data)), sum(f.Data)
		}
	}
	return e
}

// Digest returns the SHA-256, in hexadecimal, of a list with one line per file,
// in the order of their paths:
//
//	TYPE MODE SHA-256 PATH
//
// TYPE is "d" for a folder, "l" for a symbolic link, "-" for a regular file;
// MODE the permissions, four octal digits; the SHA-256 is that of File.Data, in
// hexadecimal; PATH is quoted as in Go.
func Digest(files []File) string {
	return digest(files, func(f File) string { return sum(f.Data) })
}

func digest(files []File, sumOf func(File) string) string {
	var list strings.Builder
	byPath := func(a, b File) int { return strings.Compare(a.Path, b.Path) }
	for _, f := range slices.SortedFunc(slices.Values(files), byPath) {
		fmt.Fprintf(&list, "%c %04o %s %q\n", typeLetter(f.Mode), f.Mode.Perm(), sumOf(f), f.Path)
	}
	return sum([]byte(list.String()))
}

func typeLetter(mode fs.FileMode) rune {
	switch {
	case mode.IsDir():
		return 'd'
	case mode.Type() == fs.ModeSymlink:
		return 'l'
	}
	return '-'
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

//go:embed lock.tsv
var lockFile string

// Committed returns the lock of this source.
func Committed() (Lock, error) { return ParseLock(lockFile) }

// Locked returns what the lock of this source says of a folder: CAKey, or the
// Key of a platform.
func Locked(key string) (Entry, bool) {
	lock, err := Committed()
	if err != nil {
		return Entry{}, false
	}
	e, ok := lock.Folders[key]
	return e, ok
}

// lockHead explains the file to those who open it.
const lockHead = `# What the frontend's image holds for RUNs. It is part of the cache keys of their
# builds. "go run ./internal/cmd/mkimage -lock" writes this file.
#
# folder, digest, size of the method in bytes, its SHA-256
`

// String returns the lock as the text that ParseLock reads.
func (l Lock) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sgo\t%s\n", lockHead, l.Go)
	for _, key := range slices.Sorted(maps.Keys(l.Folders)) {
		fmt.Fprintf(&b, "%s\t%s", key, l.Folders[key].Digest)
		if e := l.Folders[key]; e.MethodSHA256 != "" {
			fmt.Fprintf(&b, "\t%d\t%s", e.MethodSize, e.MethodSHA256)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ParseLock reads the lines of a lock, whose fields are separated by tabs. An
// error names the line, from 1.
func ParseLock(text string) (Lock, error) {
	lock := Lock{Folders: map[string]Entry{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if line := lines.Text(); line != "" && line[0] != '#' {
			if err := lock.add(strings.Split(line, "\t")); err != nil {
				return Lock{}, fmt.Errorf("lock, line %d: %w", n, err)
			}
		}
	}
	return lock, lines.Err()
}

// add reads the fields of one line.
func (l *Lock) add(fields []string) error {
	if len(fields) == 2 && fields[0] == "go" {
		l.Go = fields[1]
		return nil
	}
	if len(fields) != 2 && len(fields) != 4 {
		return fmt.Errorf("%d fields, not 2 or 4", len(fields))
	}
	if _, twice := l.Folders[fields[0]]; twice {
		return fmt.Errorf("%s for the second time", fields[0])
	}
	e := Entry{Digest: fields[1]}
	if len(fields) == 4 {
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return err
		}
		e.MethodSize, e.MethodSHA256 = size, fields[3]
	}
	for _, s := range []string{e.Digest, e.MethodSHA256} {
		if b, err := hex.DecodeString(s); err != nil || s != "" && len(b) != sha256.Size {
			return errors.New("not a SHA-256 in hexadecimal: " + strconv.Quote(s))
		}
	}
	l.Folders[fields[0]] = e
	return nil
}
