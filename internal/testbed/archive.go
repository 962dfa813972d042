package testbed

import (
	"archive/tar"
	"errors"
	"io"
)

// EachEntry calls do for each entry of a tar stream, such as a layer, in its
// order. The reader that do gets is the content of a regular file.
func EachEntry(t TB, stream io.Reader, do func(h *tar.Header, content io.Reader)) {
	t.Helper()
	for r := tar.NewReader(stream); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("tar stream: %v", err)
		}
		do(h, r)
	}
}
