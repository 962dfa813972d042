package reqfile

import (
	"slices"
	"strings"
)

// classify says what pip would take a requirement's text for, without a look
// at the disk (parse_req_from_line and _get_url_from_path in
// src/pip/_internal/req/constructors.py): a URL by its scheme; a path if it
// holds a slash, begins with a dot or ends as an archive does, and is not
// "name @ …".
func classify(text string) Kind {
	if isURL(text) {
		return URL
	}
	text, _, _ = strings.Cut(text, ";")
	text = withoutExtras(strings.TrimFunc(text, isSpace))
	name, _, direct := strings.Cut(text, "@")
	switch {
	case direct && !looksLikePath(name):
		return Requirement
	case looksLikePath(text), isArchive(text):
		return Path
	}
	return Requirement
}

func looksLikePath(s string) bool { return strings.Contains(s, "/") || strings.HasPrefix(s, ".") }

// isURL knows http:, https:, file: and ftp:, with slashes or without, and takes
// every "scheme://" for a URL. pip knows fewer of these and refuses the rest.
func isURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; c == '_' || !isWord(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return strings.HasPrefix(rest, "//") || slices.Contains([]string{"http", "https", "file", "ftp"}, strings.ToLower(scheme))
}

// isRemote says whether an include is a URL (pip's SCHEME_RE): http, https or
// file, whatever the case.
func isRemote(target string) bool {
	scheme, _, ok := strings.Cut(target, ":")
	return ok && slices.Contains([]string{"http", "https", "file"}, strings.ToLower(scheme))
}

// isArchive goes by pip's list of endings (ARCHIVE_EXTENSIONS in
// src/pip/_internal/utils/filetypes.py).
func isArchive(s string) bool {
	s = strings.ToLower(s)
	for _, end := range []string{".zip", ".whl", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tlz", ".tar.lz", ".tar.lzma"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// withoutExtras cuts "[…]" off the end.
func withoutExtras(s string) string {
	if strings.HasSuffix(s, "]") {
		if i := strings.LastIndexByte(s, '['); i > 0 {
			return s[:i]
		}
	}
	return s
}
