package words

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// param expands a variable whose value is known, and leaves "${NAME}" for
// one that is not.
func (d *decoder) param(p *syntax.ParamExp) {
	name := paramName(p)
	switch {
	case name == "":
		d.opaque("x")
	case isValue(p):
		if value, ok := d.value(name); !ok || !d.add(value) {
			d.opaque(name)
		}
	case isDefault(p.Exp):
		if value, ok := d.value(name); ok && d.add(value) {
			return
		}
		if p.Exp.Word != nil {
			d.parts(p.Exp.Word.Parts)
			return
		}
		d.opaque(name)
	case isAlternate(p.Exp):
		d.parts(p.Exp.Word.Parts)
	default:
		d.part(name, p)
	}
}

// part expands a part of a value: what ${x%.tgz} leaves is known, of what
// ${x%/*} and ${x/a/b} leave the host is. Any other part is not followed.
func (d *decoder) part(name string, p *syntax.ParamExp) {
	value, known := d.value(name)
	if !known {
		d.opaque(name)
		return
	}
	if suffix, ok := literalSuffix(p.Exp); ok && d.add(value.slice(0, len(strings.TrimSuffix(value.s, suffix)))) {
		return
	}
	host := hostEnd(value.s)
	switch {
	case d.takesScheme(p):
		d.opaque(name)
		d.sh.a.hold(value, "its value is taken apart at the scheme")
	case host > 0 && (p.Repl != nil || p.Exp != nil && p.Exp.Op == syntax.RemSmallSuffix) && d.add(value.slice(0, host)):
		d.unknown("/${" + name + "}")
	case p.Exp != nil && (p.Exp.Op == syntax.RemSmallPrefix || p.Exp.Op == syntax.RemLargePrefix):
		d.opaque(name) // what is left has no scheme
	default:
		d.opaque(name)
		d.sh.partlyUsed(name, value)
	}
}

// hostEnd is where the host of the URL s ends, 0 if s is no URL with a path.
func hostEnd(s string) int {
	scheme, rest, ok := strings.Cut(s, "://")
	slash := strings.IndexByte(rest, '/')
	if !ok || slash < 0 || !schemes[strings.ToLower(scheme)] {
		return 0
	}
	return len(scheme) + len("://") + slash
}

func (sh *shellText) partlyUsed(name string, value word) {
	if len(value.from) == 0 {
		sh.a.urls(value, use{role: route.Word, reason: "part of " + name})
	}
	for _, as := range value.from {
		as.partly = true
	}
}

// literalSuffix is the text that ${x%text} takes off.
func literalSuffix(e *syntax.Expansion) (string, bool) {
	if e == nil || e.Word == nil || e.Op != syntax.RemSmallSuffix && e.Op != syntax.RemLargeSuffix {
		return "", false
	}
	s := e.Word.Lit()
	return s, s != "" && !strings.ContainsAny(s, `*?[\`)
}

// takesScheme reports whether p takes a value apart in a way that another
// scheme would change: ${x#http://}, ${x/http:/…}, ${x:7}.
func (d *decoder) takesScheme(p *syntax.ParamExp) bool {
	switch {
	case p.Slice != nil:
		return true
	case p.Repl != nil && p.Repl.Orig != nil:
		return strings.Contains(d.raw(p.Repl.Orig).String(), "http")
	case p.Exp != nil && p.Exp.Word != nil:
		return strings.Contains(d.raw(p.Exp.Word).String(), "http")
	}
	return false
}

// value returns the value of name; ok is false if it is not known.
func (d *decoder) value(name string) (value word, ok bool) {
	if n := len(d.sh.args); n > 0 && n <= maxPieces && (name == "@" || name == "*") {
		return joined(expanded(d.sh.args), " "), true
	}
	vals := d.sh.vars[name]
	if i, err := strconv.Atoi(name); err == nil {
		if i < 1 || i > len(d.sh.args) {
			return word{}, false
		}
		vals = d.sh.args[i-1 : i]
	}
	if len(vals) > 0 {
		d.most = max(d.most, len(vals))
		return vals[max(len(vals)-1-d.pick, 0)].expanded(), true
	}
	v, ok := d.sh.env[name]
	if !ok || v.Len() == 0 {
		return word{}, false
	}
	return literalWord(v, source{VarArg, name}), true
}

// add appends a value unless that exceeds the bounds.
func (d *decoder) add(value word) bool {
	d.size += len(value.s)
	if len(d.out.pieces)+len(value.pieces) > maxPieces || len(d.out.from)+len(value.from) > maxPieces || d.size > maxWord {
		return false
	}
	d.flush()
	d.out.pieces = append(d.out.pieces, value.pieces...)
	d.out.from = append(d.out.from, value.from...)
	return true
}

// list returns the values that "$@" or "${name[@]}" stands for; the second
// result is false if p is no list, or one that is not known.
func (sh *shellText) list(p *syntax.ParamExp) ([]word, bool) {
	name := paramName(p)
	all := sh.args
	if index := indexOf(p); index == "@" || index == "*" {
		all = sh.vars[name]
	} else if name != "@" && name != "*" {
		return nil, false
	}
	if len(all) == 0 || len(all) > maxValues || !isValue(p) {
		return nil, false
	}
	return expanded(all), true
}

func expanded(all []*assign) []word {
	values := make([]word, len(all))
	for i, as := range all {
		values[i] = as.expanded()
	}
	return values
}

// indexOf is the "@" in ${name[@]}.
func indexOf(p *syntax.ParamExp) string {
	if w, ok := p.Index.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

// paramName returns the variable of p, "" if p is not about its value.
func paramName(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.IsSet || p.Width || p.Names != 0 {
		return ""
	}
	return p.Param.Value
}

// isValue reports whether p is a variable's value and nothing else.
func isValue(p *syntax.ParamExp) bool {
	return p.Exp == nil && p.Slice == nil && p.Repl == nil && p.Flags == nil && len(p.Modifiers) == 0
}

// isDefault reports whether e is ${x:-w}, ${x-w}, ${x:=w} or ${x=w}.
func isDefault(e *syntax.Expansion) bool {
	if e == nil {
		return false
	}
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

// isAlternate reports whether e is ${x:+w} or ${x+w}.
func isAlternate(e *syntax.Expansion) bool {
	return e != nil && e.Word != nil && (e.Op == syntax.AlternateUnset || e.Op == syntax.AlternateUnsetOrNull)
}
