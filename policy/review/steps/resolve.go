package steps

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Clauses that say why a file is not known.
const (
	whyVariable = "depends on a variable"
	whyStdin    = "is read from standard input"
	whyRemote   = "is in a repository or an archive elsewhere"
	whyOutside  = "is outside of the tree"
	whyMissing  = "is not in the tree"
	whyParse    = "the file can't be read"
	whyLarge    = "is larger than 1 MiB"
)

// place is where a build finds its Dockerfile.
type place struct {
	// folders are those that the paths may be meant from, "" is the root.
	folders []string
	// context is what the build is made of, file its Dockerfile; "" if it is not
	// said.
	context, file string
	// inContext says that file is a path from the context.
	inContext bool
	// defaults are the names of a Dockerfile that is not named, in a context.
	defaults []string
}

// dockerNames are what BuildKit looks for if no file is named (frontend/dockerui/
// config.go), podmanNames what Buildah does (containers/buildah, pkg/cli).
func dockerNames() []string { return []string{"Dockerfile", "dockerfile"} }

func podmanNames() []string { return []string{"Containerfile", "Dockerfile"} }

// resolve fills in which files a step means, or why that is not known.
func (f *finder) resolve(s *Step, p place) {
	switch {
	case p.file == "-" || p.context == "-" && p.file == "":
		s.Why = whyStdin
	case isRemote(p.context) && (p.file == "" || p.inContext), isRemote(p.file):
		s.Why = whyRemote
	case isVariable(p.file), isVariable(p.context) && (p.file == "" || p.inContext):
		s.Why = whyVariable
	default:
		s.Dockerfiles, s.Why = f.candidates(p)
	}
}

// candidates are the files of the tree that may be meant.
func (f *finder) candidates(p place) (found []string, why string) {
	why = whyMissing
	for _, dir := range p.folders {
		if p.file == "" || p.inContext {
			dir = joined(dir, p.context)
		}
		found, why = f.under(dir, p, found, why)
	}
	if found == nil && p.file != "" && !p.inContext && p.context != "" && !isVariable(p.context) && !isRemote(p.context) {
		for _, dir := range p.folders { // as Buildah and old releases of Docker look
			found, why = f.under(joined(dir, p.context), p, found, why)
		}
	}
	if found != nil {
		why = ""
	}
	return found, why
}

// under adds the files of one folder that may be meant; of names that are not said
// the first one that is there.
func (f *finder) under(dir string, p place, found []string, why string) ([]string, string) {
	names := []string{p.file}
	if p.file == "" {
		names = p.defaults
	}
	for _, name := range names {
		to, ok := clean(joined(dir, name))
		if !ok {
			why = whyOutside
			continue
		}
		one, is := f.one(to)
		switch {
		case is == whyLarge:
			why = is
		case is == "":
			if !slices.Contains(found, one) {
				found = append(found, one)
			}
			return found, why
		}
	}
	return found, why
}

// one is a file of the tree by its path, also if only the case of its name is
// another: some file systems do not tell them apart.
func (f *finder) one(name string) (real, why string) {
	if !f.has(name) {
		other, ok := f.lower[strings.ToLower(name)]
		if !ok || !f.has(other) {
			return "", whyMissing
		}
		name = other
	}
	if to, info, err := f.files.Resolve(name); err == nil {
		name = to // a link stands for what it leads to
		if info.Size() > MaxFile {
			return "", whyLarge
		}
	}
	return name, ""
}

// joined is a path in a folder; one that is absolute stays so.
func joined(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(name) || dir == "" {
		return name
	}
	return dir + "/" + name
}

// clean is a path from the root; ok is false if it leads out of it.
func clean(name string) (string, bool) {
	name = path.Clean(name)
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || drive.MatchString(name) || strings.HasPrefix(name, "~") || strings.ContainsRune(name, 0) {
		return "", false
	}
	return name, true
}

var (
	drive  = regexp.MustCompile(`^[A-Za-z]:`)
	remote = regexp.MustCompile(`(?i)^(?:[a-z][a-z0-9+.-]*://|git@|github\.com/|[\w.-]+@[\w.-]+:|docker-image:|oci-layout:|target:|service:)|\.git(?:#|$)`)
	// variable is what the environment, the shell, or a CI system fills in.
	variable = regexp.MustCompile("\\$[A-Za-z_{(]|\\$[0-9@*#?]|`|\\{\\{|%[A-Za-z_]+%|[*?\\[]")
)

func isRemote(text string) bool   { return remote.MatchString(text) }
func isVariable(text string) bool { return variable.MatchString(text) }

// workspace are the ways to spell the folder that a repository is checked out to.
var workspace = regexp.MustCompile(`^(?:\$\{\{ *github\.workspace *\}\}|\$\{?(?:GITHUB_WORKSPACE|CI_PROJECT_DIR|PWD|BUILD_SOURCESDIRECTORY)\}?|\$\(pwd\)|\$\(Build\.SourcesDirectory\)|` + "`pwd`" + `)(?:/|$)`)

// local takes the folder of the checkout from the front of a path.
func local(text string) string {
	if at := workspace.FindString(text); at != "" {
		if text = strings.TrimLeft(text[len(at):], "/"); text == "" {
			return "."
		}
	}
	return text
}
