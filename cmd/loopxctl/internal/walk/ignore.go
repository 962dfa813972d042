package walk

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/gitignore"
)

const ignoreFile = ".gitignore"

// maxIgnore is how much of a .gitignore file is read, in bytes: the files of a
// fleet are few kilobytes, and a tree may hold anything under that name.
const maxIgnore = 1 << 20

// patterns compiles those of a flag.
func patterns(flag string, list []string) (gitignore.Stack, error) {
	for _, p := range list {
		if _, err := path.Match(p, ""); err != nil || strings.Trim(p, "/ ") == "" || strings.ContainsAny(p[:1], "!#") || strings.Contains(p, "\n") {
			return nil, fmt.Errorf("%s %q is no pattern: write it as in a .gitignore file, such as '*.df' or 'services/*/build'", flag, p)
		}
	}
	if list == nil {
		return nil, nil
	}
	return gitignore.Stack{gitignore.Parse(".", strings.Join(list, "\n"))}, nil
}

// above reads the .gitignore files of the folders above dir, up to the top of the
// repository that it is in. prefix is dir's path from there, with slashes; "."
// without a repository.
func above(dir string) (prefix string, ignored gitignore.Stack) {
	var parents []string
	top := dir
	for !isTop(top) {
		parent := filepath.Dir(top)
		if parent == top {
			return ".", nil
		}
		parents, top = append(parents, parent), parent
	}
	for _, parent := range slices.Backward(parents) {
		ignored = withFile(ignored, filepath.Join(parent, ignoreFile), slashed(top, parent))
	}
	return slashed(top, dir), ignored
}

// isTop reports whether a folder is that of a repository or of a work tree.
func isTop(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

func slashed(top, dir string) string {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}

// withFile adds the patterns of a file, if it can be read. git does not follow a
// link of this name either.
func withFile(ignored gitignore.Stack, name, dir string) gitignore.Stack {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return ignored
	}
	f, err := os.Open(name)
	if err != nil {
		return ignored
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnore))
	if err != nil {
		return ignored
	}
	return append(ignored[:len(ignored):len(ignored)], gitignore.Parse(dir, string(text)))
}
