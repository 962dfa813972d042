package rewrite

import (
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// environ holds the variables whose values the file or the operator gives, in
// the order of their definition. A change makes a new list, so what was handed
// out stays as it was.
type environ struct {
	vars []words.Var
}

// get returns a variable's value. known is false if it is not set, or set
// where the text doesn't show it (the base image, the platform).
func (e *environ) get(name string) (value textmap.Text, known bool) {
	for _, v := range e.vars {
		if v.Name == name {
			return v.Value, true
		}
	}
	return textmap.Text{}, false
}

func (e *environ) set(name string, value textmap.Text) {
	i := slices.IndexFunc(e.vars, func(v words.Var) bool { return v.Name == name })
	e.vars = slices.Clone(e.vars)
	if i < 0 {
		e.vars = append(e.vars, words.Var{Name: name, Value: value})
	} else {
		e.vars[i].Value = value
	}
}

// forget makes a variable's value unknown.
func (e *environ) forget(name string) {
	e.vars = slices.DeleteFunc(slices.Clone(e.vars), func(v words.Var) bool { return v.Name == name })
}

// pair is one NAME=value of ENV or ARG, before expansion.
type pair struct {
	name  string
	value textmap.Text
	given bool // false for ARG NAME
}

// envPairs returns the pairs of ENV, whose value in the legacy form is the
// rest of the line.
func envPairs(c *instructions.EnvCommand, line textmap.Text, escape byte) []pair {
	text := make([]string, len(c.Env))
	for i, kv := range c.Env {
		text[i] = kv.Key + "=" + kv.Value
		if kv.NoDelim {
			text[i] = kv.Value
		}
	}
	out := make([]pair, len(c.Env))
	for i, w := range tailWords(line, text, escape) {
		kv := c.Env[i]
		out[i] = pair{kv.Key, w.Slice(w.Len()-len(kv.Value), w.Len()), true}
	}
	return out
}

func argPairs(c *instructions.ArgCommand, line textmap.Text, escape byte) []pair {
	text := make([]string, len(c.Args))
	for i, kv := range c.Args {
		text[i] = kv.Key
		if kv.Value != nil {
			text[i] += "=" + *kv.Value
		}
	}
	out := make([]pair, len(c.Args))
	for i, w := range tailWords(line, text, escape) {
		kv := c.Args[i]
		out[i] = pair{name: kv.Key, given: kv.Value != nil}
		if out[i].given {
			out[i].value = w.Slice(len(kv.Key)+1, w.Len())
		}
	}
	return out
}

// env is ENV: all names and values of one instruction see the environment
// before it.
func (p *planner) env(st *stage, in *instruction, c *instructions.EnvCommand) {
	before := st.env
	x := expansion{env: &before, escape: p.file.escape}
	pairs := envPairs(c, p.body(in).line, p.file.escape)
	p.checkVariables(in, pairs)
	for _, kv := range pairs {
		name, ok := x.expand(textmap.Synthetic(kv.name))
		if !ok || strings.Contains(name.String(), "${") {
			continue
		}
		value, ok := x.expand(kv.value)
		if !ok {
			st.env.forget(name.String())
			continue
		}
		st.env.set(name.String(), value)
		st.image.set(name.String(), value)
		p.define(st, in, kv)
	}
}

// arg is ARG in a stage: each value sees the ones before it, the operator's
// value wins over the default, and a name alone takes the value that an ARG
// before the first FROM gave it.
func (p *planner) arg(st *stage, in *instruction, c *instructions.ArgCommand) {
	pairs := argPairs(c, p.body(in).line, p.file.escape)
	p.checkVariables(in, pairs)
	for _, kv := range pairs {
		global, known := p.global.get(kv.name)
		if _, given := p.cfg.BuildArgs[kv.name]; !given && !kv.given && known {
			st.env.set(kv.name, global)
			continue
		}
		p.setArg(&st.env, kv)
		p.define(st, in, kv)
	}
}

// globalArg is ARG before the first FROM.
func (p *planner) globalArg(in *instruction, c *instructions.ArgCommand) {
	pairs := argPairs(c, p.body(in).line, p.file.escape)
	p.checkVariables(in, pairs)
	for _, kv := range pairs {
		p.setArg(&p.global, kv)
		p.define(nil, in, kv)
	}
}

func (p *planner) setArg(env *environ, kv pair) {
	if v, ok := p.cfg.BuildArgs[kv.name]; ok {
		env.set(kv.name, textmap.Synthetic(v))
		return
	}
	if !kv.given {
		if predefined(kv.name) {
			env.forget(kv.name)
		}
		return
	}
	x := expansion{env: env, escape: p.file.escape}
	if v, ok := x.expand(kv.value); ok {
		env.set(kv.name, v)
	} else {
		env.forget(kv.name)
	}
}

// predefined reports whether BuildKit gives the ARG a value of its own, which
// depends on the platform and the target.
// Source: defaultArgs in BuildKit's dockerfile2llb/platform.go.
func predefined(name string) bool {
	rest, ok := strings.CutPrefix(name, "BUILD")
	if !ok {
		rest, ok = strings.CutPrefix(name, "TARGET")
	}
	return ok && slices.Contains([]string{"PLATFORM", "OS", "OSVERSION", "ARCH", "VARIANT", "STAGE"}, rest)
}
