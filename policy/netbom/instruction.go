package netbom

import (
	"bytes"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// maxText is how much of an instruction is shown, in bytes.
const maxText = 160

// file is a Dockerfile as provenance has it.
type file struct {
	name   string
	lines  []instruction // by line
	stages []stage       // by line
	// written are the addresses of the file's text that move, by where to.
	written map[string][]address
}

// instruction is one of a file.
type instruction struct {
	line, end int
	text      string
}

type stage struct {
	line int
	name string
}

// address is one that is written in a file.
type address struct {
	line   int
	url    string
	mirror bool
}

// newFile reads a file; of one that BuildKit's parser refuses it knows the name
// alone.
func newFile(f provenance.File, routes route.Config, args map[string]string) *file {
	out := &file{name: f.Name, written: map[string][]address{}}
	ast, err := parser.Parse(bytes.NewReader(f.Data))
	if err != nil {
		return out
	}
	for _, n := range ast.AST.Children {
		out.lines = append(out.lines, instruction{n.StartLine, n.EndLine, oneLine(n.Original)})
	}
	config := rewrite.Config{Route: routes, BuildArgs: args}
	if outline, err := rewrite.NewOutline(f.Data, config); err == nil {
		for _, s := range outline.Stages {
			out.stages = append(out.stages, stage{s.Range.Start.Line, s.Name})
		}
	}
	if plan, err := rewrite.New(f.Data, config); err == nil {
		for _, a := range plan.Fetches {
			if to := route.Redact(a.Decision.To); to != "" {
				out.written[to] = append(out.written[to], address{
					a.Range.Start.Line, route.Redact(a.URL), a.Decision.Action == route.Mirror,
				})
			}
		}
	}
	return out
}

// at returns the instruction on a line, and the stage that it is in.
func (f *file) at(line int) (in instruction, stageName string, ok bool) {
	i, found := slices.BinarySearchFunc(f.lines, line, func(in instruction, line int) int { return in.line - line })
	if !found {
		i--
	}
	if i < 0 || line > f.lines[i].end {
		return instruction{}, "", false
	}
	n, _ := slices.BinarySearchFunc(f.stages, line+1, func(s stage, line int) int { return s.line - line })
	if n > 0 {
		stageName = f.stages[n-1].name
	}
	return f.lines[i], stageName, true
}

// asked returns what is written in an instruction for an address that was
// fetched, ok is false if nothing else is.
func (f *file) asked(in instruction, from string) (a address, ok bool) {
	for _, a := range f.written[from] {
		if in.line <= a.line && a.line <= in.end && a.url != from {
			return a, true
		}
	}
	return address{}, false
}

// oneLine makes one line of an instruction, without secrets, and cuts it.
func oneLine(text string) string {
	text = strings.ToValidUTF8(policy.Line(text), "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
