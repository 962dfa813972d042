package rewrite

import (
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// definition is a value of ENV or ARG as it stands in the file.
type definition struct {
	stage string
	in    *instruction
	name  string
	value textmap.Text
}

// define remembers a value, for kept.
func (p *planner) define(st *stage, in *instruction, kv pair) {
	d := definition{in: in, name: kv.name, value: kv.value}
	if st != nil {
		d.stage = st.name
	}
	p.definitions = append(p.definitions, d)
}

// kept lists the URLs of the values that no command of the build was seen to
// fetch: the container has them when it runs.
func (p *planner) kept() {
	for _, d := range p.definitions {
		for _, sp := range urls(d.value.String()) {
			i, j, ok := d.value.Range(sp[0], sp[1])
			if !ok || p.seen(i, j) {
				continue
			}
			role, reason := route.Runtime, "value of "+d.name+", which no command of the build fetches"
			if strings.HasSuffix(strings.ToLower(d.name), "_proxy") {
				role, reason = route.Proxy, "a proxy's address"
			}
			p.keepURL(&stage{name: d.stage}, d.in, d.value, sp, role, reason)
		}
	}
}

// seen reports whether a fetch of a variable's value lies in the bytes [i, j).
func (p *planner) seen(i, j int) bool {
	return slices.ContainsFunc(p.fetches, func(f located) bool {
		return f.Range.Start.Offset < j && i < f.Range.End.Offset
	})
}

// runtime is CMD, ENTRYPOINT or HEALTHCHECK: what runs in the container is not
// the build's, but a person may want to know.
func (p *planner) runtime(st *stage, in *instruction) {
	if !strings.Contains(in.node.Original, "//") && !strings.Contains(in.node.Original, `\/`) {
		return
	}
	b := p.body(in)
	texts := []textmap.Text{b.line}
	if args := values(in.node); in.node.Attributes["json"] {
		if in.is(command.Healthcheck) && len(args) > 0 {
			args = args[1:]
		}
		texts = jsonArgs(b.line, args)
	}
	for _, t := range texts {
		p.keep(st, in, t, route.Runtime, "runs in the container")
	}
}

// label is LABEL or MAINTAINER: text for people.
func (p *planner) label(st *stage, in *instruction) {
	if strings.Contains(in.node.Original, "://") {
		p.keep(st, in, p.body(in).line, route.Print, "text of "+in.name)
	}
}

// keep lists the URLs of a text that is not the build's to fetch.
func (p *planner) keep(st *stage, in *instruction, t textmap.Text, role route.Role, reason string) {
	for _, sp := range urls(t.String()) {
		p.keepURL(st, in, t, sp, role, reason)
	}
}

func (p *planner) keepURL(st *stage, in *instruction, t textmap.Text, sp [2]int, role route.Role, reason string) {
	f := words.Fetch{URL: t.String()[sp[0]:sp[1]], Role: role, Reason: reason}
	f.Start, f.End, _ = t.Range(sp[0], sp[1])
	f.Decision = p.table.Route(f.URL, route.Context{Role: role})
	p.fetch(st, in, f, t, textmap.Text{})
	if role != route.Runtime || in.is(command.Env) || in.is(command.Arg) {
		return
	}
	if d := p.table.Route(f.URL, route.Context{Role: route.Word}); d.Action != route.Keep {
		p.report(runtimeClearText(p.fetches[len(p.fetches)-1].Range, f.URL, in.name))
	}
}

// urls returns the half-open ranges of what looks like a URL in s: a scheme,
// "://", and all up to a blank, a quote or a bracket that ends it.
func urls(s string) [][2]int {
	var out [][2]int
	for at := 0; ; {
		n := strings.Index(s[at:], "://")
		if n < 0 {
			return out
		}
		i, j := at+n, at+n+len("://")
		for i > at && schemeByte(s[i-1]) {
			i--
		}
		if k := strings.IndexAny(s[j:], " \t\r\n\"'`<>|\\;,)]"); k >= 0 {
			j += k
		} else {
			j = len(s)
		}
		if i < at+n && j > at+n+len("://") {
			out = append(out, [2]int{i, j})
		}
		at = max(j, at+n+len("://"))
	}
}

func schemeByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || digit(c) || strings.IndexByte("+-.", c) >= 0
}
