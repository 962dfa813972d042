package floors

import (
	"fmt"
	"path"

	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// lockCommand is what moves one package of a lock. The names of packages are
// valid ones, so no quotes are needed but around a bound. Sources: the manuals
// of uv ("uv lock"), Poetry ("update"), PDM ("update") and Pipenv ("upgrade").
func lockCommand(q *manifest.Requirement, needed osv.Bound) string {
	kind, _ := manifest.KindOf(q.File)
	command := ""
	switch kind {
	case manifest.UvLock:
		command = "uv lock --upgrade-package " + q.Name
	case manifest.PoetryLock:
		command = "poetry update " + q.Name
	case manifest.PdmLock:
		command = "pdm update " + q.Name
	case manifest.PipfileLock:
		command = fmt.Sprintf("pipenv upgrade %q", q.Name+needed.String())
	default:
		return ""
	}
	return inFolder(q.File, command)
}

// compileCommand makes a requirements file with hashes again. Which tool made
// it is not known; pip-compile and "uv pip compile" have the same option.
func compileCommand(q *manifest.Requirement, needed osv.Bound) string {
	if q.Name == "" {
		return ""
	}
	command := fmt.Sprintf("pip-compile --generate-hashes --upgrade-package %q", q.Name+needed.String())
	if base := path.Base(q.File); safe(base) {
		command += " -o " + base
	}
	return inFolder(q.File, command)
}

// inFolder runs a command where the file is.
func inFolder(file, command string) string {
	if dir := path.Dir(file); dir != "." && safe(dir) {
		return "cd " + dir + " && " + command
	}
	return command
}

// safe reports whether a path means itself to a shell.
func safe(name string) bool {
	for _, c := range name {
		if c != '/' && c != '.' && c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return name != "" && name[0] != '-'
}
