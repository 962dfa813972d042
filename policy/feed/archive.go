package feed

import (
	"archive/zip"
	"io"
	"io/fs"
	"strings"
)

// zipMagic begins a zip archive with files in it.
const zipMagic = "PK\x03\x04"

// isZip reports whether a file begins as an archive does, also an empty one.
func isZip(head []byte) bool { return string(head) == zipMagic || string(head) == "PK\x05\x06" }

// archive reads the JSON files of a zip archive. An archive that names a file
// outside of itself is refused whole, though nothing is ever written: no tool
// that makes exports makes one.
func (r *reader) archive(name string, f io.ReaderAt, length int64) error {
	z, err := zip.NewReader(f, length)
	if err != nil {
		return &Error{Name: name, Message: "is no zip archive that can be read: " + strings.TrimPrefix(err.Error(), "zip: "), Todo: "Fetch it again.", Err: err}
	}
	for _, entry := range z.File {
		shown := name + ": " + entry.Name
		if !fs.ValidPath(strings.TrimSuffix(entry.Name, "/")) || strings.ContainsAny(entry.Name, `\:`) {
			return &Error{Name: shown, Message: "the archive names a file outside of itself, or by no plain name", Todo: "Don't use this archive: exports have no such names."}
		}
		if entry.FileInfo().IsDir() || !jsonFile(entry.Name) {
			continue
		}
		if err := r.entry(shown, entry); err != nil {
			return err
		}
	}
	return nil
}

// entry reads one file of an archive.
func (r *reader) entry(name string, entry *zip.File) error {
	if err := r.count(name); err != nil {
		return err
	}
	if entry.UncompressedSize64 > uint64(r.limits.Document) {
		return tooLarge(name, "", r.limits.Document)
	}
	f, err := entry.Open()
	if err != nil {
		return r.unreadable(name, err)
	}
	defer f.Close()
	return r.text(name, attentive{r.ctx, f})
}
