package gitread

import (
	"strconv"
	"strings"
)

// maxPointer is the size of the largest pointer file, in bytes
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
const maxPointer = 1024

// Pointer is what stands in a tree for a file that Git LFS keeps elsewhere.
type Pointer struct {
	SHA256 string // 64 hexadecimal digits
	Size   int64  // in bytes
}

// ParsePointer reads a pointer file of Git LFS; ok is false if data is none.
func ParsePointer(data []byte) (p Pointer, ok bool) {
	if len(data) >= maxPointer {
		return p, false
	}
	head, rest, _ := strings.Cut(string(data), "\n")
	if head != "version https://git-lfs.github.com/spec/v1" && head != "version https://hawser.github.com/spec/v1" {
		return p, false
	}
	for line := range strings.Lines(rest) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "oid":
			p.SHA256, _ = strings.CutPrefix(value, "sha256:")
		case "size":
			size, err := strconv.ParseInt(value, 10, 64)
			if p.Size = size; err != nil || size < 0 {
				return p, false
			}
		}
	}
	return p, len(p.SHA256) == 64 && id.MatchString(p.SHA256)
}
