package rewrite

import (
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// guard records what a RUN needs at the point of fetch.
func (p *planner) guard(st *stage, in *instruction, l *lent, res words.Result) {
	cmd := l.cmd
	shown := st.apt.run(cmd)
	if c, ok := in.cmd.(*instructions.RunCommand); ok && instructions.GetNetwork(c) == instructions.NetworkNone {
		return
	}
	apt := Apt(cmd, res)
	g := Guard{Range: in.span, Stage: st.name, Shown: shown, Reason: apt.Reason, Certain: apt.Certain, Opaque: apt.Opaque || apt.Named && !apt.Certain}
	if g.Reason != "" {
		g.Needs = "apt"
		p.unguarded(in, cmd, apt)
	}
	if slices.ContainsFunc(res.Fetches, needsCA) || len(l.variables(nil)) > 0 {
		if g.Needs == "" {
			g.Needs, g.Reason = "ca", "fetches over TLS"
		} else {
			g.Needs = "both"
		}
	}
	if g.Needs != "" {
		p.lend(st, in, l, res, apt, &g)
		p.guards = append(p.guards, g)
	}
}

// needsCA reports whether the RUN itself fetches over TLS what it fetched in
// clear text. An apt source that it writes is fetched when apt runs.
func needsCA(f words.Fetch) bool { return moved(f) && f.Role != route.AptSource }

// unguarded reports where the text itself defeats the guard for apt.
func (p *planner) unguarded(in *instruction, cmd words.Input, apt AptUse) {
	if apt.Tampering != "" {
		p.report(guardTampering(p.option(in, cmd, apt.Tampering), apt.Tampering))
	}
	if _, why := apt.Cover(func(string) string { return "" }); why != "" {
		p.report(aptUnguarded(in.span, apt.Reason, why, RunApart, apt.Lost))
	} else if apt.Outside != "" {
		p.report(aptUnguarded(in.span, apt.Reason, apt.Outside, apt.WayOut, false))
	}
}

// option is where the last word of an option stands in the file, or else the
// instruction.
func (p *planner) option(in *instruction, cmd words.Input, option string) Range {
	word := option[strings.LastIndexByte(option, ' ')+1:]
	for _, t := range append(slices.Clone(cmd.Args), cmd.Script) {
		if at := strings.Index(t.String(), word); at >= 0 && word != "" {
			if i, j, ok := t.Range(at, at+len(word)); ok {
				return p.file.src.span(i, j)
			}
		}
	}
	return in.span
}
