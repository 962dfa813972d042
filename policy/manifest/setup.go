package manifest

import (
	"errors"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
	"github.com/loopx/loopx-frontend/policy/pypi/setupcfg"
	"github.com/loopx/loopx-frontend/policy/pypi/setuppy"
)

// itemPlaces are the places of a text that setuptools reads: it starts at a
// byte of the file, or only its line is known.
type itemPlaces struct {
	*source
	line, start int
	exact       bool
}

func (s itemPlaces) place(i, j int) (Span, bool) {
	if !s.exact {
		at := linePosition(s.line)
		return Span{at, at}, false
	}
	return s.span(s.start+i, s.start+j), true
}

// quote are the quotes before the text, in a program.
func (s itemPlaces) quote() string {
	if !s.exact || s.start == 0 || strings.IndexByte(`"'`, s.text[s.start-1]) < 0 {
		return ""
	}
	q := s.text[s.start-1 : s.start]
	if long := strings.Repeat(q, 3); strings.HasSuffix(s.text[:s.start], long) {
		return long
	}
	return q
}

// setupList is one of setuptools' lists. The key of an extra may have a
// condition behind its name, and one without a name is what everyone gets.
func (r *reader) setupList(file, key, extra string) Requirement {
	scopes := map[string]Scope{
		setupcfg.InstallRequires: Runtime, setupcfg.SetupRequires: Build, setupcfg.TestsRequire: Groups, setupcfg.ExtrasRequire: Optional,
	}
	q := Requirement{File: file, Scope: scopes[key], Table: key}
	if name, _, _ := strings.Cut(extra, ":"); key == setupcfg.ExtrasRequire && name != "" {
		q.Table += "." + extra
	} else if key == setupcfg.ExtrasRequire {
		q.Table, q.Scope = key+extra, Runtime
	}
	q.Sets = set(file, q.Table)
	return q
}

// setupItem adds a requirement of one of the lists.
func (r *reader) setupItem(q Requirement, extra, text string, at itemPlaces) {
	n := len(r.out.Requirements)
	r.specifier(q, text, at, nil)
	_, condition, ok := strings.Cut(extra, ":")
	if !ok || n == len(r.out.Requirements) {
		return
	}
	added := &r.out.Requirements[n]
	if added.Marker != nil {
		condition = "(" + condition + ") and (" + added.Marker.String() + ")"
	}
	m, err := pep508.ParseMarker(condition)
	if err != nil {
		span, _ := at.place(0, 0)
		r.fail(q.File, span.Start, "the condition of "+label(q.Table)+" is no marker: "+err.Error())
		return
	}
	added.Marker = m
}

// setupConfig reads a setup.cfg.
func (r *reader) setupConfig(f *source) {
	all, err := setupcfg.Parse([]byte(f.text))
	var fault *setupcfg.Error
	if errors.As(err, &fault) {
		r.fail(f.name, linePosition(fault.Line), fault.Msg)
		return
	}
	for _, item := range all.Items {
		at := itemPlaces{f, item.Line, item.Start, item.Exact}
		if item.Key == setupcfg.PythonRequires {
			r.setupPython(f.name, item.Text, at)
		} else {
			r.setupItem(r.setupList(f.name, item.Key, item.Extra), item.Extra, item.Text, at)
		}
	}
	for _, file := range all.Files {
		q := r.setupList(f.name, file.Key, file.Extra)
		r.lineFile(beside(f.name, file.Path), q, linePosition(file.Line), f.name, true)
	}
}

// setupScript reads the literal lists of a setup.py, and says what only running
// it would tell.
func (r *reader) setupScript(f *source) {
	all, err := setuppy.Parse([]byte(f.text))
	var fault *setuppy.Error
	if errors.As(err, &fault) {
		r.fail(f.name, linePosition(fault.Line), fault.Msg)
		return
	}
	for _, item := range all.Items {
		at := itemPlaces{f, item.Line, item.Start, item.Exact}
		if item.Key == setuppy.PythonRequires {
			r.setupPython(f.name, item.Text, at)
			continue
		}
		q := r.setupList(f.name, item.Key, item.Extra)
		q.Quote = at.quote()
		r.setupItem(q, item.Extra, item.Text, at)
	}
	for _, u := range all.Unprovable {
		at := linePosition(u.Line)
		what := u.Key
		if what == "" {
			what = "what this file declares"
		}
		r.note(f.name, Span{at, at}, Unprovable, u.Key, what+" is not known without running the file, which is never done: "+u.Reason)
	}
}

// setupPython is python_requires.
func (r *reader) setupPython(file, text string, at places) {
	span, _ := at.place(0, len(text))
	s, err := pep440.ParseSpecifiers(text)
	if err != nil {
		r.fail(file, span.Start, "python_requires is no specifier: "+err.Error())
		return
	}
	r.out.Python = append(r.out.Python, Python{file, span, text, s.Set()})
}
