package mount

import (
	"flag"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. The lock is not one of this package's: internal/image compiles
// the methods and writes it.
var _ = flag.Bool("update", false, "rewrite golden files")

// The lock agrees with everything in the folders but the methods, which
// internal/image compiles and compares.
func TestLockAgrees(t *testing.T) {
	t.Parallel()
	lock, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{CAKey: Digest(CAFiles())}
	for _, platform := range Platforms() {
		entry, ok := Locked(Key(platform))
		if !ok || entry.MethodSize == 0 {
			t.Errorf("nothing about %s", platform)
		}
		want[Key(platform)] = digest(AptFiles(nil), func(f File) string {
			if f.Path == MethodPath {
				return entry.MethodSHA256
			}
			return sum(f.Data)
		})
	}
	got := map[string]string{}
	for key, entry := range lock.Folders {
		got[key] = entry.Digest
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("folders (-want +lock.tsv); go run ./internal/cmd/mkimage -lock writes them:\n%s", diff)
	}
	gomod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^go (.*)$`).FindSubmatch(gomod)
	if release == nil || lock.Go != "go"+string(release[1]) {
		t.Errorf("lock.tsv is of %q, go.mod says %q; go run ./internal/cmd/mkimage -lock writes it", lock.Go, release)
	}
}

// The digest stands in a committed file: it stays what it is.
func TestDigest(t *testing.T) {
	t.Parallel()
	files := []File{
		{Path: "b/empty", Mode: fs.ModeDir | 0o755},
		{Path: "a", Mode: 0o444, Data: []byte("text\n")},
		{Path: "b", Mode: fs.ModeDir | 0o755},
		{Path: "c \"quoted\"", Mode: fs.ModeSymlink | 0o777, Data: []byte("/etc/target")},
	}
	// By sha256sum, of a list made with printf and sha256sum.
	const want = "e07a15bbf67710f4f2850112b4e99577dec6af9c1d5449596567f9a570526a40"
	if got := Digest(files); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if files[0].Path != "b/empty" {
		t.Error("the caller's files were sorted")
	}
	slices.Reverse(files)
	if got := Digest(files); got != want {
		t.Errorf("in another order: %s, want %s", got, want)
	}
	for name, change := range map[string]func(f *File){
		"path":    func(f *File) { f.Path += "x" },
		"mode":    func(f *File) { f.Mode ^= 0o001 },
		"type":    func(f *File) { f.Mode ^= fs.ModeDir },
		"content": func(f *File) { f.Data = append(slices.Clone(f.Data), 'x') },
	} {
		for i := range files {
			changed := slices.Clone(files)
			change(&changed[i])
			if Digest(changed) == want {
				t.Errorf("another %s of %s is not seen", name, files[i].Path)
			}
		}
	}
	if Digest(files[1:]) == want {
		t.Error("a missing file is not seen")
	}
}

func TestLockText(t *testing.T) {
	t.Parallel()
	files := AptFiles([]byte("method"))
	lock := Lock{Go: "go1.2.3", Folders: map[string]Entry{
		CAKey:         NewEntry(CAFiles()),
		"linux_amd64": NewEntry(files),
	}}
	if e := lock.Folders["linux_amd64"]; e.MethodSize != 6 || e.MethodSHA256 != sum([]byte("method")) || e.Digest != Digest(files) {
		t.Errorf("entry %+v", e)
	}
	got, err := ParseLock(lock.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lock, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestParseLockErrors(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0", 64)
	for text, want := range map[string]string{
		"# head\n\nca":                        "lock, line 3: 1 fields, not 2 or 4",
		"a\t" + hash + "\nb\t" + hash + "\t1": "lock, line 2: 3 fields, not 2 or 4",
		"ca\t" + hash + "\nca\t" + hash:       "lock, line 2: ca for the second time",
		"ca\tabc":                             `lock, line 1: not a SHA-256 in hexadecimal: "abc"`,
		"ca\t" + hash + "\t1\tabcd":           `lock, line 1: not a SHA-256 in hexadecimal: "abcd"`,
		"ca\t" + hash + "\tbig\t" + hash:      `lock, line 1: strconv.ParseInt: parsing "big": invalid syntax`,
	} {
		if _, err := ParseLock(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestLockedUnknown(t *testing.T) {
	t.Parallel()
	if e, ok := Locked("windows_amd64"); ok {
		t.Errorf("got %+v", e)
	}
}
