package dockerfile

import "strings"

// MaxSize is the largest Dockerfile that is read, in bytes. BuildKit hands its
// frontend no larger one (maxFileSize in its frontend/dockerui/readfile.go).
const MaxSize = 16 << 20

// IsName reports whether a file's base name is one that Dockerfiles have:
// Dockerfile*, *.Dockerfile, Containerfile*, *.Containerfile, and dockerfile,
// containerfile and these after a dot. What a Dockerfile's context leaves out
// (*.dockerignore) is none.
func IsName(base string) bool {
	lower := strings.ToLower(base)
	if strings.HasSuffix(lower, ".dockerignore") {
		return false
	}
	for _, name := range []string{"Dockerfile", "Containerfile"} {
		small := strings.ToLower(name)
		if strings.HasPrefix(base, name) || lower == small || strings.HasSuffix(lower, "."+small) {
			return true
		}
	}
	return false
}
