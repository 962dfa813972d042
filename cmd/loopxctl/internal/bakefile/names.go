package bakefile

import (
	"fmt"
	"path"
	"strings"
)

// Names gives targets and groups names, no two the same.
type Names struct{ taken map[string]bool }

// Take returns name, or with a number behind it if it is taken.
func (n *Names) Take(name string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	free := name
	for i := 2; n.taken[free]; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	n.taken[free] = true
	return free
}

// Of is the name of a Dockerfile by its path with slashes: that of its folder,
// and what its own name has beside the word Dockerfile. "root" is that of
// ./Dockerfile.
func Of(file string) string {
	dir, base := path.Split(file)
	lower := strings.ToLower(base)
	for _, word := range []string{"dockerfile", "containerfile"} {
		if at := strings.Index(lower, word); at >= 0 && len(lower) == len(base) {
			base = base[:at] + "-" + base[at+len(word):]
			break
		}
	}
	if name := clean(dir + "/" + base); name != "" {
		return name
	}
	return "root"
}

// OfFolder is the name of the group of a folder.
func OfFolder(dir string) string { return strings.TrimPrefix(clean(dir)+"-all", "-") }

// clean makes a name of a path: what a name can't have becomes one "-".
func clean(text string) string {
	var parts []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r > 'z' || !IsName(string(r)) || r == '-' }) {
		parts = append(parts, part)
	}
	return strings.Join(parts, "-")
}
