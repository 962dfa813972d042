package floors

import (
	"bytes"
	"cmp"
	"io/fs"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy"
)

// Edits returns the edits of all fixes by file, sorted and disjoint. Where one
// place is mended twice, since two lists have it, the fix that admits less is
// taken; where neither does, none.
func (r *Report) Edits() map[string][]policy.Edit {
	fixes := map[string][]*Fix{}
	for i := range r.Verdicts {
		if f := r.Verdicts[i].Fix; f != nil && len(f.Edits) > 0 {
			file := r.Verdicts[i].File
			fixes[file] = append(fixes[file], f)
		}
	}
	out := map[string][]policy.Edit{}
	for file, all := range fixes {
		if edits := disjoint(all); len(edits) > 0 {
			out[file] = edits
		}
	}
	return out
}

// disjoint are the edits of fixes, one for each place.
func disjoint(fixes []*Fix) []policy.Edit {
	slices.SortStableFunc(fixes, func(a, b *Fix) int { return cmp.Compare(a.Edits[0].Start, b.Edits[0].Start) })
	var edits []policy.Edit
	for i := 0; i < len(fixes); {
		best, n := fixes[i], 1
		for ; i+n < len(fixes) && fixes[i+n].Edits[0].Start == fixes[i].Edits[0].Start; n++ {
			best = tighter(best, fixes[i+n])
		}
		i += n
		if len(best.Edits) > 0 && (len(edits) == 0 || edits[len(edits)-1].End <= best.Edits[0].Start) {
			edits = append(edits, best.Edits...)
		}
	}
	return edits
}

// tighter is the fix of two that admits less, one without edits if neither
// does.
func tighter(a, b *Fix) *Fix {
	switch {
	case slices.Equal(a.Edits, b.Edits), narrower(a.admits, b.admits, false):
		return a
	case narrower(b.admits, a.admits, false):
		return b
	}
	return &Fix{}
}

// Apply returns a text with edits, which must be sorted and disjoint, as those
// of [Report.Edits] are. ok is false if they are not, or lie outside of it.
func Apply(text []byte, edits []policy.Edit) (out []byte, ok bool) {
	done := 0
	for _, e := range edits {
		if e.Start < done || e.End < e.Start || e.End > len(text) {
			return nil, false
		}
		out = append(append(out, text[done:e.Start]...), e.New...)
		done = e.End
	}
	return append(out, text[done:]...), true
}

// Overlay returns a file system in which some regular files have other texts, so
// that a fix can be checked before it is written.
func Overlay(base fs.FS, texts map[string][]byte) fs.FS { return overlay{base, texts} }

type overlay struct {
	base  fs.FS
	texts map[string][]byte
}

// Open opens a file.
func (o overlay) Open(name string) (fs.File, error) {
	text, ok := o.texts[name]
	if !ok {
		return o.base.Open(name)
	}
	info, err := fs.Stat(o.base, name)
	if err != nil {
		return nil, err
	}
	return &edited{Reader: bytes.NewReader(text), info: resized{info, int64(len(text))}}, nil
}

// ReadLink reads a link. A file system that knows none has none.
func (o overlay) ReadLink(name string) (string, error) { return fs.ReadLink(o.base, name) }

// Lstat tells of a file or a link.
func (o overlay) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(o.base, name)
	if text, ok := o.texts[name]; ok && err == nil && info.Mode().IsRegular() {
		return resized{info, int64(len(text))}, nil
	}
	return info, err
}

// edited is a file with another text.
type edited struct {
	*bytes.Reader
	info fs.FileInfo
}

// Stat tells of the file.
func (e *edited) Stat() (fs.FileInfo, error) { return e.info, nil }

// Close does nothing.
func (e *edited) Close() error { return nil }

// resized is what a file is, but for its size.
type resized struct {
	fs.FileInfo
	size int64
}

// Size is the length of the text.
func (r resized) Size() int64 { return r.size }

// ModTime is not known.
func (resized) ModTime() time.Time { return time.Time{} }
