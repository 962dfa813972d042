package frontend

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/util/suggest"
)

// Options of a frontend request that we read; BuildKit's names.
const (
	buildArgPrefix  = "build-arg:"
	dockerfileCheck = buildArgPrefix + "BUILDKIT_DOCKERFILE_CHECK"
)

// variablePrefix begins the name of each variable of ours.
const variablePrefix = "LOOPX_"

// checksVariable turns our checks and warnings off ("off"). The fetches are
// moved, and refused, all the same.
const checksVariable = "LOOPX_CHECKS"

// config is what the operator asked for. A Dockerfile's own ARG is not asked:
// only what came with the request counts.
type config struct {
	route     route.Config
	buildArgs map[string]string
	// apt says which RUNs are guarded.
	apt llbpass.AptMode
	// quiet is set by LOOPX_CHECKS=off.
	quiet bool
	// attest is set by LOOPX_REPORT=attest.
	attest bool
	// dockerfile is the path of the Dockerfile from the root of its repository,
	// as far as it is known.
	dockerfile string
	// folder is the build context's folder from the root of its repository, ""
	// for the root, or if it is not known.
	folder string
	// notes are warnings about the configuration itself.
	notes []string
	// lint are the options of BUILDKIT_DOCKERFILE_CHECK, which stand in for
	// the file's own "# check=" line, nil without.
	lint *linter.Config
}

// readConfig reads the build args of a request. The error names the variable.
func readConfig(opts map[string]string) (config, error) {
	cfg := config{buildArgs: map[string]string{}}
	for key, value := range opts {
		if name, ok := strings.CutPrefix(key, buildArgPrefix); ok {
			cfg.buildArgs[name] = value
		}
	}
	lookup := func(name string) (string, bool) {
		value, ok := cfg.buildArgs[name]
		return value, ok
	}
	var notes []route.Note
	var err error
	if cfg.route, notes, err = route.FromEnv(lookup); err != nil {
		return config{}, err
	}
	switch v := cfg.buildArgs[checksVariable]; v {
	case "", "on":
	case "off":
		cfg.quiet = true
	default:
		return config{}, &route.ConfigError{
			Variable: checksVariable, Value: route.RedactText(v),
			Problem: "is neither on nor off", Hint: "write on or off, or leave it out",
		}
	}
	if cfg.apt, err = readApt(cfg.buildArgs[aptVariable]); err != nil {
		return config{}, err
	}
	if cfg.attest, err = readReport(cfg.buildArgs[reportVariable]); err != nil {
		return config{}, err
	}
	if cfg.apt == llbpass.AptOff {
		cfg.notes = append(cfg.notes, aptVariable+"=off: what apt fetches is not moved to TLS")
	}
	for _, n := range notes {
		cfg.notes = append(cfg.notes, n.Variable+": "+n.Message)
	}
	cfg.notes = append(cfg.notes, unknownVariables(cfg.buildArgs)...)
	cfg.dockerfile = dockerfilePath(opts, cmp.Or(opts["filename"], "Dockerfile"))
	if dir := path.Clean(opts[vcsContextDir]); dir != "." {
		cfg.folder = dir
	}
	if v, ok := opts[dockerfileCheck]; ok {
		// A value that can't be read is BuildKit's to refuse, in its words.
		cfg.lint, _ = linter.ParseLintOptions(v)
	}
	return cfg, nil
}

// unknownVariables returns a note for each build arg that looks like one of
// ours and is none.
func unknownVariables(buildArgs map[string]string) []string {
	known := []string{checksVariable, aptVariable, reportVariable, repositoryVariable, dockerfileVariable}
	for _, v := range route.Variables() {
		known = append(known, v.Name)
	}
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(buildArgs)) {
		if !strings.HasPrefix(name, variablePrefix) || slices.Contains(known, name) {
			continue
		}
		note := fmt.Sprintf("build arg %s is not a variable of the LoopX frontend", name)
		if match, ok := suggest.Search(name, known, true); ok {
			note += fmt.Sprintf(" (did you mean %s?)", match)
		}
		notes = append(notes, note)
	}
	return notes
}
