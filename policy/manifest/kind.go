package manifest

import (
	"path"
	"strings"
)

// Kind is a kind of file.
type Kind string

// The kinds of files. Project is pyproject.toml.
const (
	Project          Kind = "pyproject.toml"
	PixiProject      Kind = "pixi.toml"
	HatchProject     Kind = "hatch.toml"
	UvProject        Kind = "uv.toml"
	SetupConfig      Kind = "setup.cfg"
	SetupScript      Kind = "setup.py"
	RequirementsFile Kind = "requirements file"
	ConstraintsFile  Kind = "constraints file"
	PipfileProject   Kind = "Pipfile"
	PipfileLock      Kind = "Pipfile.lock"
	UvLock           Kind = "uv.lock"
	PoetryLock       Kind = "poetry.lock"
	PdmLock          Kind = "pdm.lock"
	PyLock           Kind = "pylock.toml"
	DockerfileKind   Kind = "Dockerfile"
	Script           Kind = "script"
)

// KindOf tells the kind of a file by its slash path. ok is false for one that
// declares nothing. A Script is one only if it holds a block of metadata.
func KindOf(name string) (kind Kind, ok bool) {
	base := path.Base(name)
	switch Kind(base) {
	case Project, PixiProject, HatchProject, UvProject, SetupConfig, SetupScript, PipfileProject, PipfileLock, UvLock, PoetryLock, PdmLock, PyLock:
		return Kind(base), true
	}
	switch {
	case strings.HasPrefix(base, "pylock.") && strings.HasSuffix(base, ".toml"):
		return PyLock, true
	case isDockerfile(base):
		return DockerfileKind, true
	case strings.HasSuffix(base, ".txt") || strings.HasSuffix(base, ".in"):
		return listKind(path.Base(path.Dir(name)), strings.TrimSuffix(strings.TrimSuffix(base, ".txt"), ".in"))
	case strings.HasSuffix(base, ".py"):
		return Script, true
	}
	return "", false
}

// listKind tells requirements from constraints by the name of the file, without
// its ending, and of its folder.
func listKind(dir, base string) (Kind, bool) {
	base = strings.ToLower(base)
	switch {
	case strings.HasPrefix(base, "constraints"), strings.HasSuffix(base, "constraints"):
		return ConstraintsFile, true
	case strings.HasPrefix(base, "requirements"), strings.HasSuffix(base, "requirements"), dir == "requirements":
		return RequirementsFile, true
	}
	return "", false
}

// isDockerfile knows the names that Docker, Podman and editors use: what stands
// behind the name may be anything but the ending of another kind of file, a
// template of a Dockerfile included.
func isDockerfile(base string) bool {
	for _, name := range []string{"Dockerfile", "Containerfile"} {
		ending, ok := strings.CutPrefix(base, name+".")
		if ok {
			ending = ending[strings.LastIndexByte(ending, '.')+1:]
			return !strings.Contains(otherEndings, " "+strings.ToLower(ending)+" ")
		}
		if base == name || strings.HasSuffix(strings.ToLower(base), "."+strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// otherEndings are those of files that are about Dockerfiles.
const otherEndings = " dockerignore md rst html json yaml yml toml xml j2 jinja jinja2 tmpl tpl template erb mustache in " +
	"rego nanorc vim tmlanguage tmpreferences py sh js ts go bak orig rej swp lock sha256 sig "
