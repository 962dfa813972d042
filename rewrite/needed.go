package rewrite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Needed returns whether a line of the file takes part in a build of target:
// the name or the index of a stage, "" for the last. Lines outside of all
// stages always do. built are lines that are known to take part: a trigger of a
// base image may copy from a stage that nothing in the file does.
//
// A stage takes part if the target is it, is made FROM it, or copies or mounts
// from it, directly or not. Where the name of a stage is not known before the
// build, each stage does; so do all if target is none, which BuildKit refuses.
func (p *Plan) Needed(target string, built ...int) func(line int) bool {
	stages := p.stages()
	roots := []int{len(stages) - 1}
	if target != "" {
		roots[0] = stageNamed(stages, len(stages), target)
	}
	for _, line := range built {
		if i := stageAt(stages, line); i >= 0 {
			roots = append(roots, i)
		}
	}
	need := make([]bool, len(stages))
	for _, i := range roots {
		if i < 0 || !mark(stages, need, i) {
			return func(int) bool { return true }
		}
	}
	return func(line int) bool {
		at := stageAt(stages, line)
		return at < 0 || need[at]
	}
}

// stageAt returns the stage that a line is in, -1 if it is before the first.
func stageAt(stages []node, line int) int {
	i, found := slices.BinarySearchFunc(stages, line, func(n node, line int) int { return n.line - line })
	if found {
		return i
	}
	return i - 1
}

// node is a stage of the graph of stages.
type node struct {
	line int // of FROM
	name string
	from []string // names, as far as they are known
	// triggers are names in ONBUILD: they are looked up where the triggers run.
	triggers []string
	open     bool // a name is not known
}

// mark marks stage i and what it is made from. It is false if that is not known.
func mark(stages []node, need []bool, i int) bool {
	if need[i] {
		return true
	}
	need[i] = true
	for _, name := range stages[i].from {
		if j := stageNamed(stages, i, name); j >= 0 && !mark(stages, need, j) {
			return false
		}
	}
	for _, name := range stages[i].triggers {
		if j := stageNamed(stages, len(stages), name); j >= 0 && !mark(stages, need, j) {
			return false
		}
	}
	return !stages[i].open
}

// stageNamed returns the last of the first n stages that has the name or the
// index, -1 if none has: then it is an image.
func stageNamed(stages []node, n int, name string) int {
	for i := n - 1; i >= 0; i-- {
		if strings.EqualFold(stages[i].name, name) && name != "" {
			return i
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < n {
		return i
	}
	return -1
}

func (p *Plan) stages() []node {
	var list []node
	for _, s := range p.scopes {
		x := expansion{env: &environ{s.env}, escape: p.escape}
		if c, ok := s.in.cmd.(*instructions.Stage); ok {
			list = append(list, node{line: s.in.node.StartLine, name: c.Name})
			list[len(list)-1].add(x, c.BaseName)
		} else if len(list) > 0 {
			list[len(list)-1].add(x, sources(s.in.cmd)...)
			list[len(list)-1].trigger(x, s.in)
		}
	}
	return list
}

// add adds what a stage is made from.
func (n *node) add(x expansion, names ...string) {
	for _, name := range names {
		text, ok := x.expand(textmap.Synthetic(name))
		if !ok || strings.Contains(text.String(), "${") {
			n.open = true
			continue
		}
		n.from = append(n.from, text.String())
	}
}

// trigger adds what ONBUILD copies or mounts from. It runs in whatever is made
// FROM the stage, and counts for the stage itself: that can only be a stage too
// many.
func (n *node) trigger(x expansion, in *instruction) {
	if t := triggered(in); t != nil {
		var at node
		at.add(x, sources(t.cmd)...)
		n.triggers = append(n.triggers, at.from...)
		n.open = n.open || at.open
	}
}

// sources are the stages or images that an instruction copies or mounts from.
func sources(cmd any) []string {
	var all []string
	switch c := cmd.(type) {
	case *instructions.CopyCommand:
		all = append(all, c.From)
	case *instructions.RunCommand:
		for _, m := range instructions.GetMounts(c) {
			all = append(all, m.From)
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}
