package notice

import (
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
	"github.com/loopx/loopx-frontend/policy/notice/aptline"
	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/rewrite"
)

// project is what the Dockerfiles hold that notices can be about.
type project struct {
	// uses are what stages install, by the name of the package.
	uses map[string][]*use
	// roots are the stages that are built from an image whose packages are known.
	roots  []*stage
	images []imageUse
	unread []Unread
	broken []Unread
	files  map[string]*file
}

// file is a Dockerfile.
type file struct {
	name, text string
	starts     []int // the offset of each line
	stages     []*stage
}

// stage is one of a file, with what it has of the stage that it is built from.
type stage struct {
	*file
	rewrite.Stage
	// image is the one that it is built from in the end, base what is known of it.
	image string
	base  *Base
	os    distro.OS
	// heirs are the stages that are built from it.
	heirs []string
	facts
}

// facts are what instructions so far have done to apt.
type facts struct {
	snapshots []snapshot
	// preferences: a file of apt's preferences is written, which may hold packages
	// at a version.
	preferences bool
	// upgraded: all that is installed is moved to the newest version.
	upgraded bool
	holds    map[string]bool
	installs map[string]bool
}

// use is a package that a stage installs by name.
type use struct {
	*stage
	aptline.Package
	tool  string
	place Place
}

// imageUse is an image that a stage names.
type imageUse struct {
	image string
	from  bool
	place Place
}

// readProject reads the Dockerfiles.
func readProject(in *Input) *project {
	p := &project{uses: map[string][]*use{}, files: map[string]*file{}}
	for _, d := range in.Dockerfiles {
		p.read(in, d)
	}
	return p
}

func (p *project) read(in *Input, d Dockerfile) {
	f := &file{name: d.Name, text: string(d.Text)}
	for i := range f.text {
		if i == 0 || f.text[i-1] == '\n' {
			f.starts = append(f.starts, i)
		}
	}
	o, err := rewrite.NewOutline(d.Text, rewrite.Config{BuildArgs: in.BuildArgs})
	if err != nil {
		bad := Unread{Place: Place{File: d.Name}, Why: "this is no Dockerfile: " + err.Error()}
		if e, ok := errors.AsType[*rewrite.ParseError](err); ok {
			bad.Line = e.Line
		}
		p.broken = append(p.broken, bad)
		return
	}
	p.files[f.name] = f
	commands := map[int][]rewrite.Command{}
	for _, c := range o.Commands {
		at := o.StageAt(c.Range.Start.Offset)
		commands[at] = append(commands[at], c)
	}
	for i := range o.Stages {
		p.open(in, f, &o, i)
		for _, c := range commands[i] {
			p.command(f.stages[i], c)
		}
	}
}

// open adds a stage.
func (p *project) open(in *Input, f *file, o *rewrite.Outline, i int) {
	s := &stage{file: f, Stage: o.Stages[i], image: o.Stages[i].Image}
	s.holds, s.installs = map[string]bool{}, map[string]bool{}
	end := len(f.text)
	if i+1 < len(o.Stages) {
		end = o.Stages[i+1].Range.Start.Offset
	}
	if s.Base >= 0 {
		from := f.stages[s.Base]
		s.image, s.base, s.os, s.facts = from.image, from.base, from.os, from.facts
		s.holds, s.installs = maps.Clone(from.holds), maps.Clone(from.installs)
		s.snapshots = slices.Clone(from.snapshots)
		for at := s.Base; at >= 0; at = f.stages[at].Base {
			f.stages[at].heirs = append(f.stages[at].heirs, s.Name)
		}
	} else {
		s.base = in.baseOf(s.image)
		if s.os = distro.OfImage(s.image); s.base != nil && s.base.OS.System != "" {
			s.os = s.base.OS
		}
		if s.base != nil && len(s.base.Packages) > 0 {
			p.roots = append(p.roots, s)
		}
		p.image(s, s.image, s.Range, true)
	}
	for _, u := range s.Uses {
		p.image(s, u.Image, u.Range, false)
	}
	f.stages = append(f.stages, s)
	s.written(f.text[s.Range.Start.Offset:end])
}

func (p *project) image(s *stage, image string, at rewrite.Range, from bool) {
	p.images = append(p.images, imageUse{image, from, s.place(at.Start.Offset, at.End.Offset)})
}

// command adds what a RUN installs.
func (p *project) command(s *stage, c rewrite.Command) {
	res := runline.Read(c)
	at := s.place(c.Range.Start.Offset, c.Range.End.Offset)
	if text := s.text[c.Range.Start.Offset:c.Range.End.Offset]; res.Unread != "" && namesApt(text) {
		p.unread = append(p.unread, Unread{Place: at, Why: "what this RUN installs is not read in full: " + res.Unread})
	}
	s.expanded(res.Calls)
	for _, a := range aptline.Read(res.Calls) {
		for _, u := range a.Unknown {
			p.unread = append(p.unread, Unread{Place: s.wordPlace(u.Word, at), Why: a.Tool + ": " + u.Why})
		}
		s.upgraded = s.upgraded || a.Action == aptline.Upgrade
		for _, pkg := range a.Packages {
			switch a.Action {
			case aptline.Hold:
				s.holds[pkg.Name] = true
			case aptline.Unhold:
				delete(s.holds, pkg.Name)
			case aptline.Install:
				s.installs[pkg.Name] = true
				p.add(&use{s, pkg, a.Tool, s.wordPlace(pkg.Word, at)})
			}
		}
	}
}

// add adds a use under the names that it may mean: "vim+" is vim, unless there is
// a package of that name (apt-get(8)).
func (p *project) add(u *use) {
	p.uses[u.Package.Name] = append(p.uses[u.Package.Name], u)
	if name, plus := strings.CutSuffix(u.Package.Name, "+"); plus && !strings.HasSuffix(name, "+") {
		p.uses[name] = append(p.uses[name], u)
	}
}

// namesApt reports whether a text may ask apt for packages.
func namesApt(text string) bool {
	return strings.Contains(text, "install") && (strings.Contains(text, "apt") || strings.Contains(text, "nala"))
}

// wordPlace is where a word stands, or the RUN if it stands nowhere.
func (s *stage) wordPlace(w runline.Word, run Place) Place {
	if w.Start < w.End {
		return s.place(w.Start, w.End)
	}
	if i, j, ok := w.Text.Range(0, w.Text.Len()); ok && i < j {
		return s.place(i, j)
	}
	return run
}

// place is a part of the file, in the stage.
func (s *stage) place(start, end int) Place {
	p := Place{File: s.name, Stage: s.Name}
	p.Line, p.Column = s.position(start)
	p.EndLine, p.EndColumn = s.position(end)
	return p
}

// stage adds the stage that a place of a Dockerfile is in.
func (p *project) stage(at *Place) {
	f := p.files[at.File]
	if f == nil {
		return
	}
	for _, s := range f.stages {
		if s.Range.Start.Line <= at.Line {
			at.Stage, at.Stages = s.Name, s.heirs
		}
	}
}

// position is the line and the column of an offset.
func (f *file) position(offset int) (line, column int) {
	line = sort.SearchInts(f.starts, offset+1)
	if line == 0 {
		return 1, 1
	}
	return line, offset - f.starts[line-1] + 1
}

// at is the place with the stages that are built from its own.
func (u *use) at() Place {
	place := u.place
	place.Stages = u.heirs
	return place
}
