package manifest

import (
	"cmp"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Read reads the files that were found, as [ReadAll] does, and puts the notes and
// errors of the search before those of the files. An error shows nothing of a file
// whose name is [Secretive].
func (d Discovery) Read(fsys fs.FS, o Options) Reading {
	r := ReadAll(fsys, d.Files, o)
	r.Notes = append(slices.Clone(d.Notes), r.Notes...)
	r.Errors = append(slices.Clone(d.Errors), r.Errors...)
	for _, e := range r.Errors {
		if Secretive(e.File) {
			e.Message = "this is no requirement; nothing is shown of a file whose name is not one of requirements"
		}
	}
	return r
}

// Secretive reports whether a file's name is not one of a file that declares
// dependencies. A change can make any file of the tree be read (-r .git/config),
// and a log must not show what is in it.
func Secretive(name string) bool {
	_, ok := KindOf(name)
	return !ok || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// ReadAll reads the files, several at a time, and puts together what they
// declare: in the order of file names and places, the same however many
// processors there are. A requirements file that another one includes is read
// as a part of that alone; what several include has all of their sets.
func ReadAll(fsys fs.FS, files []Found, o Options) Reading {
	readings := make([]Reading, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				each := o
				each.Kind = files[i].Kind
				readings[i] = Read(fsys, files[i].Name, each)
			}
		})
	}
	workers.Wait()
	included := included(files, readings)
	total := 0
	for _, r := range readings {
		total += len(r.Requirements)
	}
	m := merger{at: make(map[placed]int, total)}
	m.out.Requirements = make([]Requirement, 0, total)
	for i, r := range readings {
		if !isList(files[i].Kind) || !included[files[i].Name] || len(r.Errors) > 0 {
			m.add(r)
		}
	}
	m.sort()
	return m.out
}

func isList(k Kind) bool { return k == RequirementsFile || k == ConstraintsFile }

// included are the files that a requirements file includes.
func included(files []Found, readings []Reading) map[string]bool {
	out := map[string]bool{}
	for i, r := range readings {
		if !isList(files[i].Kind) {
			continue
		}
		for _, name := range r.Follows {
			if name != files[i].Name {
				out[name] = true
			}
		}
	}
	return out
}

// merger puts readings together.
type merger struct {
	out Reading
	at  map[placed]int // the index of a requirement by its place
}

// placed is what makes two requirements one: the same text with the same use.
type placed struct {
	file, table, text string
	start             Position
	scope             Scope
	pre               bool
}

func (m *merger) add(r Reading) {
	for _, q := range r.Requirements {
		key := placed{q.File, q.Table, q.Text, q.Span.Start, q.Scope, q.Pre}
		i, again := m.at[key]
		if !again {
			m.at[key] = len(m.out.Requirements)
			m.out.Requirements = append(m.out.Requirements, q)
			continue
		}
		old := &m.out.Requirements[i]
		old.Sets = union(old.Sets, q.Sets)
		old.Groups = union(old.Groups, q.Groups)
	}
	m.out.Notes = append(m.out.Notes, r.Notes...)
	m.out.Errors = append(m.out.Errors, r.Errors...)
	m.out.Python = append(m.out.Python, r.Python...)
	m.out.Follows = append(m.out.Follows, r.Follows...)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}

// sort orders everything, and drops what is there twice since two files lead to
// it.
func (m *merger) sort() {
	slices.SortStableFunc(m.out.Requirements, func(a, b Requirement) int {
		return cmp.Or(strings.Compare(a.File, b.File), comparePositions(a.Span.Start, b.Span.Start),
			strings.Compare(a.Table, b.Table), strings.Compare(string(a.Scope), string(b.Scope)))
	})
	slices.SortStableFunc(m.out.Notes, func(a, b Note) int {
		return cmp.Or(strings.Compare(a.File, b.File), comparePositions(a.Span.Start, b.Span.Start), strings.Compare(a.Message, b.Message))
	})
	m.out.Notes = slices.Compact(m.out.Notes)
	slices.SortStableFunc(m.out.Errors, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), comparePositions(a.At, b.At), strings.Compare(a.Message, b.Message))
	})
	m.out.Errors = slices.CompactFunc(m.out.Errors, func(a, b *Error) bool { return *a == *b })
	slices.Sort(m.out.Follows)
	m.out.Follows = slices.Compact(m.out.Follows)
}

func comparePositions(a, b Position) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) }
