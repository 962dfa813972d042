package rewrite

import (
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// run is RUN: its command is read as the frontend reads the exec op's.
func (p *planner) run(st *stage, in *instruction, c *instructions.RunCommand) {
	body := p.body(in)
	cmd := argv(st.shell, c, body)
	cmd.Env = st.env.vars
	if len(cmd.Args) == 0 {
		return
	}
	lent := separate(in, c, body, cmd)
	cmd = lent.cmd
	res := p.analyse(cmd, p.table)
	if res.Unparsed != "" {
		p.report(unparsedShell(in.span, res.Unparsed))
	}
	for i, f := range res.Fetches {
		res.Fetches[i] = p.fetch(st, in, f, origin(cmd, f), textmap.Text{})
	}
	p.checkCommand(in, cmd, res)
	p.guard(st, in, lent, res)
}

// argv returns the argv that BuildKit puts into the exec op of a RUN, and the
// script that it mounts for a heredoc with a shebang line.
// Source: dispatchRun in BuildKit's dockerfile2llb/convert.go.
func argv(shell []string, c *instructions.RunCommand, b body) words.Input {
	if !c.PrependShell {
		return words.Input{Args: jsonArgs(b.line, c.CmdLine)}
	}
	var text, script textmap.Text
	if len(c.CmdLine) > 0 {
		text, _ = tail(b.line, c.CmdLine[0])
	}
	if len(c.Files) > 0 {
		text, script = inline(text, c.Files, b.docs)
	}
	return words.Input{Args: append(synthetic(shell), text), Script: script}
}

// inline returns the text of a RUN with heredocs: the content of the only one,
// or the path of the file that it becomes if it starts with "#!", or for
// anything else the whole, for the shell to read.
func inline(text textmap.Text, files []instructions.ShellInlineFile, docs []textmap.Text) (cmd, script textmap.Text) {
	if parser.MustParseHeredoc(text.String()) == nil {
		var b textmap.Builder
		b.Init("")
		b.Append(text)
		for i, f := range files {
			b.Insert("\n")
			b.Append(docs[i])
			b.Insert(f.Name)
		}
		return b.Text(), script
	}
	data := docs[0]
	if files[0].Chomp {
		data = chomp(data)
	}
	if strings.HasPrefix(data.String(), "#!") {
		return textmap.Synthetic(path.Join("/dev/pipes", files[0].Name)), data
	}
	return data, script
}

// origin returns the text that holds the URL of a fetch.
func origin(cmd words.Input, f words.Fetch) textmap.Text {
	switch {
	case f.Arg == words.ScriptArg:
		return cmd.Script
	case f.Arg == words.VarArg:
		v, _ := (&environ{cmd.Env}).get(f.Var)
		return v
	case f.Arg >= 0 && f.Arg < len(cmd.Args):
		return cmd.Args[f.Arg]
	}
	return textmap.Text{}
}
