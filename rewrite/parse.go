package rewrite

import (
	"errors"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// ParseError says that BuildKit can't read the file. It is returned exactly
// where BuildKit's own parser fails.
type ParseError struct {
	// Line is where BuildKit saw the error, from 1, or 0 if it doesn't say.
	Line int
	// Message is BuildKit's text.
	Message string

	err error
}

// Error returns BuildKit's text.
func (e *ParseError) Error() string { return e.Message }

// Unwrap returns BuildKit's error, which holds all of its locations.
func (e *ParseError) Unwrap() error { return e.err }

func newParseError(err error) *ParseError {
	e := &ParseError{Message: err.Error(), err: err}
	var located *parser.LocationError
	if errors.As(err, &located) && len(located.Locations) > 0 && len(located.Locations[0]) > 0 {
		e.Line = located.Locations[0][0].Start.Line
	}
	return e
}

// instruction is one instruction as BuildKit read it, beside the text it
// stands in.
type instruction struct {
	node *parser.Node
	// cmd is an *instructions.Stage or an instructions.Command.
	cmd any
	// name is the instruction's name in upper case.
	name string
	// trigger is true for the x of ONBUILD x.
	trigger bool
	span    Range
}

// is reports whether the instruction has the name, one of package command's.
func (in *instruction) is(name string) bool { return strings.EqualFold(in.node.Value, name) }

// dockerfile is a parsed file.
type dockerfile struct {
	src    *source
	escape byte // the escape token: a backslash or a backtick
	list   []*instruction
}

// parse reads src with BuildKit's parser. It decides nothing itself: what an
// instruction is, and what is wrong with one, is BuildKit's word.
func parse(src *source) (*dockerfile, error) {
	ast, err := parser.Parse(strings.NewReader(src.text))
	if err != nil {
		return nil, newParseError(err)
	}
	// A nil linter panics on a "# check=" comment before an instruction.
	stages, globals, err := instructions.Parse(ast.AST, linter.New(&linter.Config{}))
	if err != nil {
		return nil, newParseError(err)
	}
	f := &dockerfile{src: src, escape: byte(ast.EscapeToken)}
	commands := inOrder(stages, globals)
	for i, node := range ast.AST.Children {
		f.list = append(f.list, &instruction{
			node: node,
			cmd:  commands[i],
			name: strings.ToUpper(node.Value),
			span: src.lines(node.StartLine, node.EndLine),
		})
	}
	return f, nil
}

// inOrder undoes the grouping of instructions.Parse: the result has one entry
// for each node of the file.
func inOrder(stages []instructions.Stage, globals []instructions.ArgCommand) []any {
	var all []any
	for i := range globals {
		all = append(all, &globals[i])
	}
	for i := range stages {
		all = append(all, &stages[i])
		for _, c := range stages[i].Commands {
			all = append(all, c)
		}
	}
	return all
}

// triggered returns the x of ONBUILD x, or nil if BuildKit will refuse it when
// it is triggered (that is an error of another build).
func triggered(in *instruction) *instruction {
	if !in.is(command.Onbuild) || in.node.Next == nil || len(in.node.Next.Children) != 1 {
		return nil
	}
	node := *in.node.Next.Children[0]
	node.Heredocs = in.node.Heredocs
	node.StartLine, node.EndLine = in.node.StartLine, in.node.EndLine
	cmd, err := instructions.ParseInstruction(&node)
	if err != nil {
		return nil
	}
	return &instruction{
		node:    &node,
		cmd:     cmd,
		name:    "ONBUILD " + strings.ToUpper(node.Value),
		trigger: true,
		span:    in.span,
	}
}
