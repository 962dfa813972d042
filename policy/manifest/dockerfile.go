package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
	"github.com/loopx/loopx-frontend/rewrite"
)

// dockerfile reads what the RUN instructions of a Dockerfile install.
func (r *reader) dockerfile(f *source) {
	commands, err := rewrite.Commands([]byte(f.text), rewrite.Config{BuildArgs: r.opts.BuildArgs})
	var bad *rewrite.ParseError
	if errors.As(err, &bad) {
		r.fail(f.name, linePosition(bad.Line), "this is no Dockerfile: "+shorten(bad.Message))
		return
	}
	if err != nil {
		r.fail(f.name, Position{}, shorten(err.Error()))
		return
	}
	for n, c := range commands {
		run := runReader{reader: r, source: f, command: c, number: n + 1}
		run.read()
	}
}

// runReader reads one RUN.
type runReader struct {
	*reader
	*source
	command rewrite.Command
	number  int // of the RUN in the file
}

// installer is a word that may be an installer.
var installer = regexp.MustCompile(`\b(?:pip3?|uvx?|pipx|poetry|pdm|pipenv)\b`)

func (r *runReader) read() {
	res := runline.Read(r.command)
	at := r.span(r.command.Range.Start.Offset, r.command.Range.End.Offset)
	if res.Unread != "" && installer.MatchString(r.source.text[at.Start.Offset:at.End.Offset]) {
		r.note(r.name, at, Unprovable, "", "what this RUN installs is not read in full: "+shorten(res.Unread))
	}
	for i, in := range runline.Installs(res.Calls) {
		r.install(in, fmt.Sprintf("%s: RUN %d, command %d", r.name, r.number, i+1))
	}
}

// install adds what one command installs: all of it is one set.
func (r *runReader) install(in runline.Install, set string) {
	if in.Foreign {
		r.note(r.name, r.wordSpan(in.Call.Words[0]), NotApplicable, in.Tool, "the packages of "+in.Tool+" have versions of their own: they are not checked")
		return
	}
	q := Requirement{File: r.name, Scope: Dockerfile, Table: in.Tool, Sets: []string{set}, Pre: in.Pre || settingPre(in.Call.Settings)}
	for _, a := range in.Arguments {
		switch a.Kind {
		case runline.Requirement, runline.Editable:
			r.word(q, a, in.Grammar)
		case runline.File:
			r.include(q, a.Word, in.Call.Dir, false)
		case runline.Constraint:
			r.include(q, a.Word, in.Call.Dir, true)
		case runline.BuildConstraint, runline.Override:
			apart := q
			apart.Sets = []string{set + ", " + a.String()}
			r.include(apart, a.Word, in.Call.Dir, true)
		case runline.Group:
			r.note(r.name, r.wordSpan(a.Word), Check, in.Tool, "the dependency group "+shorten(a.String())+" is checked where it stands, in pyproject.toml")
		}
	}
	r.settings(q, in.Call)
}

func settingPre(settings map[string]runline.Word) bool {
	switch strings.ToLower(settings["PIP_PRE"].String()) {
	case "1", "true", "yes", "y", "on", "t":
		return true
	}
	return settings["UV_PRERELEASE"].String() == "allow"
}

// settings follows the files that variables of pip and uv name.
func (r *runReader) settings(q Requirement, c runline.Call) {
	uv := strings.HasPrefix(q.Table, "uv")
	for _, s := range []struct {
		name       string
		uv, apart  bool
		constraint bool
	}{
		{"PIP_REQUIREMENT", false, false, false},
		{"PIP_CONSTRAINT", false, false, true},
		{"PIP_BUILD_CONSTRAINT", false, true, true},
		{"UV_CONSTRAINT", true, false, true},
		{"UV_BUILD_CONSTRAINT", true, true, true},
		{"UV_OVERRIDE", true, true, true},
	} {
		value, ok := c.Settings[s.name]
		if !ok || s.uv != uv || value.String() == "" {
			continue
		}
		if s.name == "PIP_CONSTRAINT" {
			r.once(r.wordSpan(value), Policy, s.name, "PIP_CONSTRAINT binds what pip installs, and since pip 26.2 not what it builds in isolation: name the file in PIP_BUILD_CONSTRAINT too")
		}
		use := q
		if s.apart {
			use.Sets = []string{q.Sets[0] + ", " + s.name}
		}
		for _, w := range value.Fields() {
			r.include(use, w, c.Dir, s.constraint)
		}
	}
}

// once adds a note unless it is there already.
func (r *runReader) once(at Span, a Answer, table, message string) {
	if !slices.Contains(r.out.Notes, Note{r.name, at, a, table, message}) {
		r.note(r.name, at, a, table, message)
	}
}

// include adds the lines of a requirements file that the build context gives.
func (r *runReader) include(q Requirement, w runline.Word, dir string, constraint bool) {
	name := w.String()
	q.Table += " -r"
	if constraint {
		q.Table = strings.TrimSuffix(q.Table, " -r") + " -c"
	}
	at := r.wordSpan(w)
	switch {
	case len(w.Unknown) > 0:
		r.note(r.name, at, Unprovable, q.Table, "the file "+shorten(name)+" is named by a variable whose value is not known: give the ARG a default")
		return
	case hasScheme(name):
		r.note(r.name, at, Unprovable, q.Table, "requirements at an address are not fetched: copy the file from the build context")
		return
	case !path.IsAbs(name) && dir == "":
		r.note(r.name, at, Unprovable, q.Table, "the folder of "+shorten(name)+" is not known: name the file by an absolute path")
		return
	case !path.IsAbs(name):
		name = path.Join(dir, name)
	}
	file, from := r.inContext(path.Clean(name))
	if file == "" {
		r.note(r.name, at, Unprovable, q.Table, "the file "+shorten(w.String())+" is not read: "+from)
		return
	}
	if kind, ok := KindOf(file); ok && !isList(kind) && !constraint {
		r.note(r.name, at, Check, q.Table, "what "+shorten(file)+" declares is checked where it stands")
		return
	}
	for _, read := range r.listFile(file, constraint, q) {
		r.followed(read.Path)
	}
}

// inContext returns the file of the project that lies under an absolute path in
// the image, or says why there is none.
func (r *runReader) inContext(name string) (file, reason string) {
	reason = "nothing in the Dockerfile copies it from the build context"
	for _, p := range r.command.Sources(name) {
		if p.Elsewhere != "" {
			return "", "it comes from " + shorten(p.Elsewhere)
		}
		for _, context := range r.contexts() {
			if file := path.Join(context, p.From); r.Has(file) {
				return file, ""
			}
		}
		reason = "the build context has no such file"
	}
	return "", reason
}

// contexts are the folders that may be the build context.
func (r *runReader) contexts() []string {
	if r.opts.Context != "" {
		return []string{r.opts.Context}
	}
	dir := path.Dir(r.name)
	if dir == "." || !fs.ValidPath(dir) {
		return []string{"."}
	}
	return []string{dir, "."}
}

// wordSpan is where a word stands, or the RUN if it stands nowhere.
func (r *runReader) wordSpan(w runline.Word) Span {
	if w.Start < w.End {
		return r.span(w.Start, w.End)
	}
	if i, j, ok := w.Text.Range(0, w.Text.Len()); ok && i <= j {
		return r.span(i, j)
	}
	return r.span(r.command.Range.Start.Offset, r.command.Range.End.Offset)
}
