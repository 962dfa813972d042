package rewrite

import (
	"iter"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/checks"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// checked reports what package checks found in an instruction.
func (p *planner) checked(in *instruction, found []checks.Finding) {
	for _, f := range found {
		span := in.span
		if i, j, ok := f.At.Range(0, f.At.Len()); ok {
			span = p.file.src.span(i, j)
		}
		p.reportCheck(span, f)
	}
}

func (p *planner) reportCheck(span Range, f checks.Finding) {
	out := ruleNamed(f.Rule).at(span, route.RedactText(f.Message))
	out.Fix = f.Fix
	p.report(out)
}

// checkCommand runs the checks of a command, whose text in the file is there.
func (p *planner) checkCommand(in *instruction, cmd words.Input, res words.Result) {
	c := checks.NewCommand(cmd, res)
	c.Closed = checks.ClosedArchive(p.file.src.text)
	p.checked(in, checks.InCommand(c))
}

// checkFile runs the checks of a file that a heredoc makes.
func (p *planner) checkFile(in *instruction, name string, content textmap.Text) {
	p.checked(in, checks.InFile(checks.File{Path: name, Content: content, Closed: checks.ClosedArchive(p.file.src.text)}))
}

// checkText runs the checks that look at the text of any instruction.
func (p *planner) checkText(in *instruction) {
	switch strings.ToLower(in.node.Value) {
	case command.Run, command.Env, command.Arg, command.Copy, command.Add:
	default:
		// Its text is mapped only if there is something to show.
		if len(checks.InText(checks.Text{Instruction: in.name, Text: textmap.Synthetic(in.node.Original)})) == 0 {
			return
		}
	}
	b := p.body(in)
	for _, t := range append([]textmap.Text{b.line}, b.docs...) {
		p.checked(in, checks.InText(checks.Text{Instruction: strings.TrimPrefix(in.name, "ONBUILD "), Text: t}))
	}
}

// checkVariables runs the checks of the values of ENV or ARG.
func (p *planner) checkVariables(in *instruction, pairs []pair) {
	for _, kv := range pairs {
		if kv.given {
			v := checks.Variable{Name: kv.name, Value: kv.value}
			p.checked(in, checks.InVariable(v))
		}
	}
}

// checkBase runs the checks of the image that FROM names, unless it is a stage.
func (p *planner) checkBase(in *instruction, c *instructions.Stage) {
	line := p.body(in).line
	i := strings.Index(line.String(), c.BaseName)
	if i < 0 {
		return
	}
	x := expansion{env: &p.global, escape: p.file.escape}
	image, ok := x.expand(line.Slice(i, i+len(c.BaseName)))
	if _, stage := p.stages[strings.ToLower(image.String())]; ok && !stage {
		p.checked(in, checks.InBase(image))
	}
}

// checkSource runs the checks of an https source of ADD.
func (p *planner) checkSource(in *instruction, c *instructions.AddCommand, o operand) {
	if strings.HasPrefix(o.text.String(), "https://") && !isGit(o.text.String()) {
		p.checked(in, checks.InSource(checks.Source{Pinned: c.Checksum != "", At: o.raw}))
	}
}

// checkComments runs the checks of the comment lines between instructions.
func (p *planner) checkComments() {
	src := p.file.src
	directives := p.file.directives()
	for c := range p.comments() {
		text := textmap.Identity(src.text[c.start:c.end])
		for _, f := range checks.InComment(checks.Comment{Top: directives[c.line], Text: text}) {
			p.reportCheck(src.span(c.start, c.end), f)
		}
	}
}

// directives returns the lines that BuildKit reads as parser directives.
func (f *dockerfile) directives() map[int]bool {
	text := strings.TrimPrefix(f.src.text, bom)
	first := 0
	if strings.HasPrefix(text, "#!") {
		_, text, _ = strings.Cut(text, "\n")
		first = 1
	}
	var p parser.DirectiveParser
	list, _ := p.ParseAll([]byte(text)) // BuildKit has accepted the file
	out := map[int]bool{}
	for _, d := range list {
		out[first+d.Location[0].Start.Line] = true
	}
	return out
}

// comment is a comment line between instructions.
type comment struct {
	line       int // from 1
	start, end int // its text in the file, without blanks around it
	next       int // the index of the instruction below it
}

// comments yields the comment lines between instructions, in their order.
func (p *planner) comments() iter.Seq[comment] {
	src, list := p.file.src, p.file.list
	return func(yield func(comment) bool) {
		next := 0
		for n := 1; n <= len(src.start); n++ {
			if next < len(list) && n >= list[next].node.StartLine {
				n = list[next].node.EndLine
				next++
				continue
			}
			i, j, _ := src.line(n)
			i, j = src.trim(i, j, true)
			if i < j && src.text[i] == '#' && !yield(comment{n, i, j, next}) {
				return
			}
		}
	}
}
