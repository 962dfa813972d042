package frontend

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/util/suggest"
)

// Options of a frontend request that we read; BuildKit's names.
const (
	buildArgPrefix  = "build-arg:"
	dockerfileCheck = buildArgPrefix + "BUILDKIT_DOCKERFILE_CHECK"
	keyFilename     = "filename"
)

// variablePrefix begins the name of each variable of ours.
const variablePrefix = "LOOPX_"

// request is what a request to the frontend says, and what is in force for it. A
// Dockerfile's own ARG is not asked: only what came with the request counts.
type request struct {
	buildArgs map[string]string
	// layers are the organisation's and the operator's.
	layers [2]settings.Layer
	// settings are what is in force; see [request.settle].
	settings *settings.Settings
	route    route.Config
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
	// files are those of the configuration.
	files []string
	// notes are warnings about the configuration itself, of which weakened are
	// about what is weaker than what is built in.
	notes, weakened []string
	// told are the notes that don't depend on what is in force.
	told []route.Note
	// borrowed is what LOOPX_REPOSITORY and LOOPX_DOCKERFILE say against what is
	// known.
	borrowed []settings.Refusal
	// lint are the options of BUILDKIT_DOCKERFILE_CHECK, which stand in for
	// the file's own "# check=" line, nil without.
	lint *linter.Config
}

// readRequest reads the build args of a request, and the file of the
// organisation's folder, nil if there is none. The error names the variable, or
// the line.
func readRequest(opts map[string]string, baked fs.FS) (request, error) {
	r := request{buildArgs: map[string]string{}}
	for key, value := range opts {
		if name, ok := strings.CutPrefix(key, buildArgPrefix); ok {
			r.buildArgs[name] = value
		}
	}
	var err error
	if r.attest, err = readReport(r.buildArgs[reportVariable]); err != nil {
		return request{}, err
	}
	organisation, err := organisationFile(baked)
	if err != nil {
		return request{}, err
	}
	if organisation != nil {
		r.files = append(r.files, organisation.Name)
	}
	operator, notes, err := settings.FromVariables("build arg ", func(name string) (string, bool) {
		value, ok := r.buildArgs[name]
		return value, ok
	})
	if err != nil {
		return request{}, err
	}
	r.layers = [2]settings.Layer{settings.Of(settings.Organisation, organisation), operator}
	r.told = append(notes, unknownVariables(r.buildArgs)...)
	if replacesSigners(opts, baked) {
		r.told = append(r.told, route.Note{
			Variable: "build context " + contextPolicy, Message: "its signers take the place of those of the frontend's image", Weakens: true,
		})
	}
	r.dockerfile = dockerfilePath(opts, cmp.Or(opts[keyFilename], "Dockerfile"))
	if dir := path.Clean(opts[vcsContextDir]); dir != "." {
		r.folder = dir
	}
	if v, ok := opts[dockerfileCheck]; ok {
		// A value that can't be read is BuildKit's to refuse, in its words.
		r.lint, _ = linter.ParseLintOptions(v)
	}
	r.borrowed = borrowed(opts, r.layers[0].Repository)
	return r.settle(nil)
}

// settle returns r with the project's file between the organisation's and what
// the operator says; nil is none. The error is a *settings.LockError, or about
// rules that contradict each other.
func (r request) settle(project *config.Config) (request, error) {
	s := settings.InForce(r.layers[0], settings.Of(settings.Project, project), r.layers[1])
	if s.Lock != nil {
		for _, b := range r.borrowed {
			s.Refuse(b)
		}
	}
	if err := s.Err(); err != nil {
		return r, err
	}
	if project != nil {
		r.files = append(slices.Clone(r.files), project.Name)
	}
	r.settings, r.route = s, s.Route
	r.apt, r.quiet = llbpass.AptMode(s.Apt), s.Checks == config.ChecksOff
	r.notes, r.weakened = nil, nil
	for _, n := range slices.Concat(r.told, s.Notes()) {
		note := n.Message
		if n.Variable != "" {
			note = n.Variable + ": " + note
		}
		r.notes = append(r.notes, note)
		if n.Weakens {
			r.weakened = append(r.weakened, note)
		}
	}
	return r, nil
}

// follow makes a pass decide by what is in force.
func (r request) follow(p *llbpass.Pass) (err error) {
	if p.Table, err = route.NewTable(r.route); err != nil {
		return err
	}
	p.Apt, p.Locked = r.apt, r.settings.Lock != nil
	p.Operator, err = mount.Route(r.route)
	return err
}

// unknownVariables returns a note for each build arg that looks like one of
// ours and is none.
func unknownVariables(buildArgs map[string]string) []route.Note {
	known := []string{settings.ChecksVariable, settings.AptVariable, reportVariable, settings.RepositoryVariable, dockerfileVariable}
	for _, v := range route.Variables() {
		known = append(known, v.Name)
	}
	var notes []route.Note
	for _, name := range slices.Sorted(maps.Keys(buildArgs)) {
		if !strings.HasPrefix(name, variablePrefix) || slices.Contains(known, name) {
			continue
		}
		note := route.Note{Message: fmt.Sprintf("build arg %s is not a variable of the LoopX frontend", name)}
		if match, ok := suggest.Search(name, known, true); ok {
			note.Message += fmt.Sprintf(" (did you mean %s?)", match)
		}
		notes = append(notes, note)
	}
	return notes
}
