package words

import "strings"

// lookBack is how far before a URL the text is searched for what it belongs to.
const lookBack = 400

// ofRepository reports whether the text before a URL, in a file that a build is
// made from, makes it the address of a repository that packages come from. The
// forms are Gradle's, sbt's, Maven's and Composer's.
func ofRepository(before string) bool {
	before = strings.ToLower(before[max(0, len(before)-lookBack):])
	key, between := keyBefore(before[lineStart(before):])
	switch {
	case strings.HasSuffix(key, "at") && strings.HasPrefix(between, " "):
		return within(before, "resolvers", "\n")
	case strings.HasSuffix(strings.TrimRight(before, " \t\n"), "<url>"):
		return within(before, "<repository>", "</repository") || within(before, "<pluginrepository>", "</plugin") ||
			within(before, "<mirror>", "</mirror")
	case strings.HasSuffix(key, "url") || strings.HasSuffix(key, "uri") || strings.HasSuffix(key, "maven"):
		return within(before, "maven", "}") || open(before, `"repositories"`)
	}
	return false
}

// within reports whether s holds word, and no end behind the last one.
func within(s, word, end string) bool {
	i := strings.LastIndex(s, word)
	return i >= 0 && !strings.Contains(s[i+len(word):], end)
}

// open reports whether the list or object that follows word in JSON has not
// ended.
func open(s, word string) bool {
	i := strings.LastIndex(s, word)
	if i < 0 {
		return false
	}
	depth := 0
	for _, c := range s[i+len(word):] {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth <= 0 {
				return false
			}
		}
	}
	return depth > 0
}
