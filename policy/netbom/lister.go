package netbom

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// lister makes the steps of one build.
type lister struct {
	build  *provenance.Build
	report *buildreport.Report
	table  *route.Table
	files  []*file

	list []*entry
	// byPlace are the steps of instructions, and those that several fetches
	// share.
	byPlace map[place]*Step
	// shown are the materials that a step has.
	shown map[int]bool
	// users are the steps, by the id of one whose result they take.
	users map[string]int

	// seen are the fetches of each step.
	seen map[seen]bool
	// reports are the moves of the frontend's report, by where to.
	reports map[string][]reported

	// networked are the RUNs in the proxy network that may have fetched.
	networked []*Step
	offline   int
	silent    int
}

// seen is a fetch of a step.
type seen struct {
	step  *Step
	fetch Fetch
}

// reported is a move of the frontend's report, and the file of its step.
type reported struct {
	address
	file string
}

// place is an instruction of a file, by the file's index; or one of the others,
// which come behind them.
type place struct{ file, line int }

// Places of steps that no line names.
const (
	ofFrontend = iota
	ofMaterials
	ofProxy
	ofReport
	ofOthers
)

// elsewhere is the place of steps that no line names.
func elsewhere(which int) place { return place{math.MaxInt, which} }

// entry is a step and where it stands.
type entry struct {
	at   place
	step Step
}

func newLister(b *provenance.Build, report *buildreport.Report) *lister {
	l := &lister{build: b, report: report, byPlace: map[place]*Step{}, shown: map[int]bool{}, users: map[string]int{}, seen: map[seen]bool{}, reports: map[string][]reported{}}
	config := l.config()
	table, err := route.NewTable(config)
	if err != nil { // from a foreign report or build arg
		config = route.Config{}
		table, _ = route.NewTable(config)
	}
	l.table = table
	for _, f := range b.Files {
		l.files = append(l.files, newFile(f, config, b.BuildArgs))
	}
	if report != nil {
		for _, s := range report.Steps {
			for _, m := range s.Fetches {
				l.reports[m.To] = append(l.reports[m.To], reported{address{s.Line, m.From, m.Action == "mirror"}, s.File})
			}
		}
	}
	for i := len(b.Steps) - 1; i >= 0; i-- {
		for _, in := range b.Steps[i].Inputs {
			id, _, _ := strings.Cut(in, ":")
			l.users[id] = i
		}
	}
	return l
}

// config is the operator's part of the decisions: what the report says, or else
// what the build args say.
func (l *lister) config() route.Config {
	if r := l.report; r != nil {
		return route.Config{Mirrors: r.Mirrors, Hosts: r.Rules}
	}
	config, _, err := route.FromEnv(func(name string) (string, bool) {
		value, ok := l.build.BuildArgs[name]
		return value, ok
	})
	if err != nil {
		return route.Config{}
	}
	return config
}

// steps lists what the definition's ops fetched.
func (l *lister) steps() {
	for i := range l.build.Steps {
		s := &l.build.Steps[i]
		switch {
		case s.Source != nil:
			l.source(s)
		case s.Run != nil:
			l.run(s)
		}
	}
}

// step returns the step for an op: that of its instruction, or of the one that
// takes its result.
func (l *lister) step(s *provenance.Step) *Step {
	for range 2 {
		if s.FileIndex >= 0 && s.FileIndex < len(l.files) {
			f := l.files[s.FileIndex]
			if in, stage, ok := f.at(s.Line); ok {
				return l.at(place{s.FileIndex, in.line}, Step{Stage: stage, Text: in.text, File: f.name, Line: in.line})
			}
			return l.at(place{s.FileIndex, s.Line}, Step{Text: s.Kind, File: f.name, Line: s.Line})
		}
		user, ok := l.users[s.ID]
		if !ok {
			break
		}
		s = &l.build.Steps[user]
	}
	return nil
}

// at returns the step of a place, which is template where there is none yet.
func (l *lister) at(p place, template Step) *Step {
	s := l.byPlace[p]
	if s == nil {
		s = l.add(p, template)
		l.byPlace[p] = s
	}
	return s
}

// add adds a step.
func (l *lister) add(p place, template Step) *Step {
	if template.Fetches == nil {
		template.Fetches, template.Unknown = []Fetch{}, []string{}
	}
	e := &entry{p, template}
	l.list = append(l.list, e)
	return &e.step
}

// instruction is the instruction of a step, of no lines if it is of none.
func (l *lister) instruction(op *provenance.Step) (*file, instruction) {
	if op.FileIndex >= 0 && op.FileIndex < len(l.files) {
		if in, _, ok := l.files[op.FileIndex].at(op.Line); ok {
			return l.files[op.FileIndex], in
		}
	}
	return &file{}, instruction{}
}

// put adds a fetch to a step, each once.
func (l *lister) put(s *Step, f Fetch) {
	if key := (seen{s, f}); !l.seen[key] {
		l.seen[key] = true
		s.Fetches = append(s.Fetches, f)
	}
}

// say adds a sentence about what is not known, each once.
func (s *Step) say(sentence string) {
	if !slices.Contains(s.Unknown, sentence) {
		s.Unknown = append(s.Unknown, sentence)
	}
}

// done returns the steps that have something to tell, in the files' order.
func (l *lister) done() []Step {
	slices.SortStableFunc(l.list, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.line, b.at.line))
	})
	steps := []Step{}
	for _, e := range l.list {
		if len(e.step.Fetches) > 0 || len(e.step.Unknown) > 0 {
			steps = append(steps, e.step)
		}
	}
	return steps
}

// unknown is what can't be known of the build as a whole.
func (l *lister) unknown() []string {
	var out []string
	b := l.build
	if b.Mode != provenance.Max {
		out = append(out, "The provenance is of mode min: it names no RUN, so what they fetched is not known. Build with --provenance=mode=max.")
	}
	if b.Frontend.Ref != "" && b.Frontend.Digest == "" {
		out = append(out, "No material is the image of the frontend, "+b.Frontend.Ref+".")
	}
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		if f := b.Inputs[name]; f.Ref != "" && f.Digest == "" {
			out = append(out, fmt.Sprintf("No material is the image of the frontend %s, which built the named context %s.", oneLine(f.Ref), oneLine(name)))
		}
	}
	if len(b.Locals) > 0 {
		out = append(out, fmt.Sprintf("The client sent folders of its own: %s. Where their content is from is not known.", strings.Join(b.Locals, ", ")))
	}
	return out
}
