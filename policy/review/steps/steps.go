// Package steps finds where a tree says which Dockerfiles are built: compose
// files, bake files, and the workflows of CI systems. A file that is built under
// any name is a Dockerfile; of a step whose file can't be told, nothing is proved.
//
// It is pure, and nothing is evaluated that the environment of a build decides:
// a variable is not known.
package steps

import (
	"bytes"
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/tree"
)

// Limits of what is read, in bytes.
const (
	// MaxFile is the largest file that is read, and the largest that counts as a
	// Dockerfile though it has not the name of one.
	MaxFile = 1 << 20
	// maxHCL bounds how deep a bake file can be nested.
	maxHCL = 32 << 10
)

// Kind is the kind of a file that describes builds.
type Kind string

// The kinds.
const (
	Compose  Kind = "compose"
	Bake     Kind = "bake"
	Workflow Kind = "workflow"
)

// Step is one build that a file describes.
type Step struct {
	Kind Kind
	// File describes the build, in a line from 1 on; 0 if that is not known.
	File string
	Line int
	// Name is what the file calls it: a service, a target, a command.
	Name string
	// Dockerfiles are the paths of files that may be meant, from the root: more
	// than one where it depends on the folder that a command runs in.
	Dockerfiles []string
	// Inline is a Dockerfile that stands in the file itself; nil if none does.
	Inline *Inline
	// Why says, as a clause, why it is not known which file is built; "" if it is.
	Why string
	// Text is what the file says, for a person to look at.
	Text string
}

// Inline is the text of a Dockerfile in another file.
type Inline struct {
	Text string
	// Line is where its first line is in the file; 0 if its lines are not lines
	// of the file.
	Line int
}

// finder looks for steps in one tree.
type finder struct {
	files tree.Tree
	names map[string]bool   // all files
	lower map[string]string // by the name in lower case
	read  map[string]Kind   // what was looked at already
	queue []asked
	steps []Step
}

// asked is a file that another one names.
type asked struct {
	file string
	kind Kind
}

// Find returns the builds that a tree describes, in the order of files and lines.
// names are the paths of all files of the tree. A file that can't be read or
// understood is a step with a Why.
func Find(fsys fs.FS, names []string) []Step {
	f := &finder{files: tree.Tree{FS: fsys, Limit: MaxFile}, names: map[string]bool{}, lower: map[string]string{}, read: map[string]Kind{}}
	for _, name := range names {
		f.names[name] = true
		f.lower[strings.ToLower(name)] = name
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		f.look(name)
	}
	for len(f.queue) > 0 {
		next := f.queue[0]
		f.queue = f.queue[1:]
		f.open(next.file, next.kind)
	}
	slices.SortStableFunc(f.steps, func(a, b Step) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return slices.CompactFunc(f.steps, same)
}

func same(a, b Step) bool {
	return a.Kind == b.Kind && a.File == b.File && a.Line == b.Line && a.Name == b.Name && a.Text == b.Text && a.Why == b.Why &&
		a.Inline == nil && b.Inline == nil && slices.Equal(a.Dockerfiles, b.Dockerfiles)
}

var (
	workflowName = regexp.MustCompile(`(?i)^(?:\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml|\.buildkite/.*\.ya?ml|(?:.*/)?action\.ya?ml|(?:.*/)?\.gitlab-ci[^/]*\.ya?ml|\.gitlab/.*\.ya?ml|` +
		`\.circleci/[^/]+\.ya?ml|(?:.*/)?azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.ya?ml|\.(?:drone|travis|woodpecker)[^/]*\.ya?ml|(?:.*/)?cloudbuild[^/]*\.ya?ml)$`)
	composeName = regexp.MustCompile(`(?i)^(?:.*/)?[^/]*compose[^/]*\.ya?ml$`)
	bakeName    = regexp.MustCompile(`(?i)^(?:.*/)?[^/]*bake[^/]*\.(?:hcl|json)$`)
)

// IsWorkflow reports whether a path is one that a CI system reads.
func IsWorkflow(name string) bool { return workflowName.MatchString(name) }

// look reads a file if its name, or its text, is one of a file with builds.
func (f *finder) look(name string) {
	switch lower := strings.ToLower(name); {
	case workflowName.MatchString(name):
		f.open(name, Workflow)
	case composeName.MatchString(name):
		f.open(name, Compose)
	case bakeName.MatchString(name):
		f.open(name, Bake)
	case strings.HasSuffix(lower, ".hcl") && f.says(name, "target", "docker"):
		f.open(name, Bake)
	case (strings.HasSuffix(lower, ".yml") || strings.HasSuffix(lower, ".yaml")) && f.says(name, "services", "build"):
		f.open(name, Compose)
	}
}

// says reports whether a file has all the words, or is written so that this can't
// be told.
func (f *finder) says(name string, words ...string) bool {
	data, err := f.files.Read(name)
	if err != nil {
		return false
	}
	for _, sign := range []string{`\u`, `\x`} {
		if bytes.Contains(data, []byte(sign)) {
			return true
		}
	}
	if bytes.HasPrefix(data, []byte("\xfe\xff")) || bytes.HasPrefix(data, []byte("\xff\xfe")) { // UTF-16
		return true
	}
	return !slices.ContainsFunc(words, func(word string) bool { return !bytes.Contains(data, []byte(word)) })
}

// open reads a file of builds, unless it was read already. A file of any kind may
// be named as a compose file or a bake file by a command.
func (f *finder) open(name string, kind Kind) {
	if _, done := f.read[name+"\x00"+string(kind)]; done {
		return
	}
	f.read[name+"\x00"+string(kind)] = kind
	data, err := f.files.Read(name)
	if err != nil {
		f.add(Step{Kind: kind, File: name, Why: "the file " + tree.Why(err)})
		return
	}
	switch kind {
	case Compose:
		f.compose(name, data)
	case Bake:
		f.bake(name, data)
	case Workflow:
		f.workflow(name, data)
	}
}

// ask has a file read that another one names.
func (f *finder) ask(name string, kind Kind) { f.queue = append(f.queue, asked{name, kind}) }

func (f *finder) add(s Step) { f.steps = append(f.steps, s) }

// has reports whether a path leads to a regular file of the tree.
func (f *finder) has(name string) bool { return f.files.Has(name) }

// folder is the folder of a file, "" for the root.
func folder(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}
