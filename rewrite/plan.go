package rewrite

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// planner makes one Plan.
type planner struct {
	file    *dockerfile
	cfg     Config
	table   *route.Table
	analyse analyser

	global environ           // the ARGs before the first FROM
	stages map[string]*stage // the closed stages by name, in lower case
	outer  map[*instruction]*instruction
	bodies map[*instruction]body

	fetches     []located
	candidates  []candidate
	definitions []definition
	guards      []Guard
	scopes      []scope
	// oldSyntax says that the syntax line names a frontend without mounts.
	oldSyntax string
	// blocks are the lines for apt that the text has, inserts the edits that make
	// such: the only ones that add lines.
	blocks  []block
	inserts []Edit
}

// located is a fetch with the instruction that uses its URL.
type located struct {
	Fetch
	in *instruction
}

// candidate is a finding whose edits are not settled yet, with the fetch that
// it is about, if any.
type candidate struct {
	Finding
	fetch *words.Fetch
}

// New plans the edits of a Dockerfile. src is not changed.
//
// It returns a *ParseError exactly where BuildKit's parser fails, with its
// text, and a *route.ConfigError if cfg.Route has a bad value.
func New(src []byte, cfg Config) (*Plan, error) {
	return plan(src, cfg, words.Analyse)
}

// analyser is words.Analyse.
type analyser func(words.Input, *route.Table) words.Result

func plan(src []byte, cfg Config, analyse analyser) (*Plan, error) {
	table, err := route.NewTable(cfg.Route)
	if err != nil {
		return nil, err
	}
	file, err := parse(newSource(string(src)))
	if err != nil {
		return nil, err
	}
	p := newPlanner(file, cfg, table, analyse)
	if cfg.Carry != nil {
		p.oldSyntax = oldSyntax(src)
	}
	p.walk()
	p.kept()
	p.checkComments()
	return p.finish(), nil
}

func newPlanner(file *dockerfile, cfg Config, table *route.Table, analyse analyser) *planner {
	return &planner{
		file: file, cfg: cfg, table: table, analyse: analyse,
		stages: map[string]*stage{},
		outer:  map[*instruction]*instruction{},
		bodies: map[*instruction]body{},
		blocks: findBlocks(file.src, file.escape),
	}
}

// finish puts the parts in their order.
func (p *planner) finish() *Plan {
	edits, findings := settle(p.file.src.text, p.candidates, p.fetches)
	edits = lendAll(p.file.src.text, edits, p.guards)
	edits = append(edits, p.inserts...)
	slices.SortStableFunc(edits, compareEdits)
	findings = p.silence(findings)
	fetches := make([]Fetch, len(p.fetches))
	for i, f := range p.fetches {
		fetches[i] = f.Fetch
	}
	slices.SortStableFunc(fetches, func(a, b Fetch) int { return a.Range.Start.Offset - b.Range.Start.Offset })
	slices.SortStableFunc(p.guards, func(a, b Guard) int { return a.Range.Start.Offset - b.Range.Start.Offset })
	return &Plan{
		Edits: edits, Findings: findings, Guards: p.guards, Fetches: fetches,
		src: []byte(p.file.src.text), scopes: p.scopes, escape: p.file.escape,
		naming: sync.OnceValue(func() map[string][]int { return naming(p.scopes) }),
	}
}

// Bytes returns the file with all edits made.
func (p *Plan) Bytes() []byte {
	out, _ := textmap.Apply(string(p.src), p.Edits)
	return []byte(out)
}

// body returns the mapped text of an instruction. Where it can't be rebuilt it
// is BuildKit's text without a source: it is read, and nothing is edited.
func (p *planner) body(in *instruction) body {
	if b, ok := p.bodies[in]; ok {
		return b
	}
	b, ok := p.rebuild(in)
	if !ok {
		p.report(maskMismatch(in.span))
		b = body{line: textmap.Synthetic(in.node.Original)}
		for _, doc := range in.node.Heredocs {
			b.docs = append(b.docs, textmap.Synthetic(doc.Content))
		}
	}
	p.bodies[in] = b
	return b
}

func (p *planner) rebuild(in *instruction) (b body, ok bool) {
	if !in.trigger {
		return p.file.body(in.node)
	}
	b, ok = p.file.body(p.outer[in].node)
	if !ok {
		return b, false
	}
	b.line, ok = tail(b.line, in.node.Original)
	return b, ok
}

func (p *planner) report(f Finding) { p.candidates = append(p.candidates, candidate{Finding: f}) }

func compareFindings(a, b Finding) int {
	return cmp.Or(
		a.Range.Start.Offset-b.Range.Start.Offset,
		a.Range.End.Offset-b.Range.End.Offset,
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Message, b.Message),
	)
}
