package aptsource

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// ParseMirrorList reads the file that a mirror: source names. Each line is one
// URI, taken as it stands; a tab separates it from words of the form
// "name:value" (priority, arch, lang, codename, suite, …), which become
// Options. Lines that begin with "#" are comments; there is no other syntax,
// so nothing can be malformed.
func ParseMirrorList(t textmap.Text) []Entry {
	var entries []Entry
	for number, start := 1, 0; start < t.Len(); number++ {
		line, _, _ := strings.Cut(t.String()[start:], "\n")
		uri, tags, _ := strings.Cut(strings.TrimRight(line, "\r"), "\t")
		if uri != "" && uri[0] != '#' {
			entries = append(entries, Entry{
				Format:  MirrorList,
				Line:    number,
				Enabled: true,
				URI:     t.Slice(start, start+len(uri)),
				Decoded: uri,
				Options: mirrorTags(tags),
			})
		}
		start += len(line) + 1
	}
	return entries
}

func mirrorTags(s string) map[string][]string {
	var tags map[string][]string
	for _, tag := range strings.FieldsFunc(s, isSpaceRune) {
		name, value, ok := strings.Cut(tag, ":")
		if !ok || name == "" {
			continue
		}
		if tags == nil {
			tags = map[string][]string{}
		}
		tags[name] = append(tags[name], value)
	}
	return tags
}
