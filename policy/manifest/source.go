package manifest

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// direct makes q a requirement of what the URL, or the path, holds.
func (q *Requirement) direct(address string) {
	q.Fixed = "it names no version but an address"
	q.Admits = nil
	q.Source.Place = policy.Redact(address)
	switch {
	case isVCS(address):
		q.Source.Kind = VCS
		q.Source.Hint = hint(address)
		q.Unprovable = "a repository's tag, branch or commit is no proof of a version"
		return
	case strings.HasPrefix(address, "file:///${PROJECT_ROOT}"): // PDM's own folder
		q.Source.Kind = Path
		return
	case !hasScheme(address):
		if q.proved(address) {
			return
		}
		q.Source.Kind = Path
		return
	}
	q.Source.Kind = Archive
	if !q.proved(address) {
		q.Unprovable = "the name of the file proves no version of it"
		if strings.HasPrefix(strings.ToLower(address), "file:") {
			q.Unprovable = "it is a local source outside of the project's own tree"
		}
	}
}

// proved takes the version from the name of a wheel or an sdist.
func (q *Requirement) proved(address string) bool {
	name, version := archiveVersion(address)
	if name == "" || q.Name != "" && pep503.Normalize(name) != q.Name {
		return false
	}
	if q.Name == "" {
		q.Name, q.Written = pep503.Normalize(name), name
	}
	s, err := pep440.ParseSpecifiers("==" + version.String())
	if err != nil {
		return false
	}
	q.Source.Kind, q.Source.Version = Archive, version.String()
	q.Admits = []pep440.Specifiers{s}
	return true
}

var (
	schemeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	drive      = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
	// scpLike is git's short form of an SSH address.
	scpLike = regexp.MustCompile(`^(?:git\+)?[\w.-]+@[\w.-]+:[^/]`)
)

func hasScheme(s string) bool { return schemeName.MatchString(s) && !drive.MatchString(s) }

// isVCS knows pip's spellings of a repository: git+https://…, git://…, and the
// short form of SSH.
func isVCS(s string) bool {
	s = strings.ToLower(s)
	scheme, _, ok := strings.Cut(s, ":")
	if !ok {
		return false
	}
	for _, vcs := range []string{"git", "hg", "svn", "bzr"} {
		if scheme == vcs || strings.HasPrefix(scheme, vcs+"+") {
			return true
		}
	}
	return scpLike.MatchString(s)
}

// hint is what stands behind the last @ of a repository's path.
func hint(address string) string {
	address, _, _ = strings.Cut(address, "#")
	if i := strings.Index(address, "://"); i >= 0 {
		address = address[i+3:]
		_, address, _ = strings.Cut(address, "/")
	}
	i := strings.LastIndexByte(address, '@')
	if i < 0 {
		return ""
	}
	return shorten(address[i+1:])
}

// egg is the project's name in the fragment of a URL.
func egg(address string) string {
	_, fragment, _ := strings.Cut(address, "#")
	for part := range strings.SplitSeq(fragment, "&") {
		if name, ok := strings.CutPrefix(part, "egg="); ok {
			name, _, _ = strings.Cut(name, "[")
			return name
		}
	}
	return ""
}

// sdistEndings are what the names of source distributions end in.
var sdistEndings = []string{".tar.gz", ".zip", ".tgz", ".tar.bz2", ".tar.xz"}

// archiveVersion returns the project and the version in the name of a wheel or
// an sdist; name is "" if it is neither. Sources: the packaging
// specifications, "Binary distribution format" and "Source distribution file
// name".
func archiveVersion(address string) (name string, version pep440.Version) {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	file := path.Base(strings.ReplaceAll(address, `\`, "/"))
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	if stem, ok := strings.CutSuffix(file, ".whl"); ok {
		parts := strings.Split(stem, "-")
		if len(parts) != 5 && len(parts) != 6 || !pep503.Valid(parts[0]) {
			return "", version
		}
		version, err := pep440.Parse(parts[1])
		if err != nil {
			return "", version
		}
		return parts[0], version
	}
	for _, ending := range sdistEndings {
		if stem, ok := strings.CutSuffix(file, ending); ok {
			return sdistVersion(stem)
		}
	}
	return "", version
}

// sdistVersion splits name-version at the last dash behind which a version
// stands: old names may hold dashes, and so may old versions.
func sdistVersion(stem string) (name string, version pep440.Version) {
	i := strings.LastIndexByte(stem, '-')
	if i <= 0 || !pep503.Valid(stem[:i]) {
		return "", version
	}
	version, err := pep440.Parse(stem[i+1:])
	if err != nil {
		return "", version
	}
	return stem[:i], version
}

// isArchive reports whether a path names an archive that pip would install.
func isArchive(s string) bool {
	s = strings.ToLower(s)
	for _, ending := range append([]string{".whl"}, sdistEndings...) {
		if strings.HasSuffix(s, ending) {
			return true
		}
	}
	return false
}
