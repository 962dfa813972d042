package steps

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// target is one of a bake file
// (https://docs.docker.com/build/bake/reference/#target).
type target struct {
	name                        string
	line                        int
	context, dockerfile, inline *value // nil where it is not said
	inherits                    []string
}

// value is a text of a bake file, which is not known if it depends on variables.
type value struct {
	text  string
	known bool
	line  int
}

// bake reads a bake file.
func (f *finder) bake(name string, data []byte) {
	targets, why := parseHCL(data)
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		targets, why = parseJSON(data)
	}
	if why != "" {
		f.add(Step{Kind: Bake, File: name, Why: why})
		return
	}
	byName := map[string][]target{}
	for _, t := range targets {
		byName[t.name] = append(byName[t.name], t)
	}
	for _, t := range targets {
		f.target(name, t, byName)
	}
}

// target adds the step of a target, with what it inherits.
func (f *finder) target(name string, t target, byName map[string][]target) {
	full := inherited(t, byName, 0)
	s := Step{Kind: Bake, File: name, Line: t.line, Name: t.name}
	p := place{folders: []string{folder(name)}, inContext: true, defaults: dockerNames()}
	if dir := folder(name); dir != "" {
		p.folders = append(p.folders, "") // where bake is mostly called
	}
	if v := full.inline; v != nil {
		if !v.known {
			s.Why = whyVariable
		} else {
			s.Inline = &Inline{Text: v.text, Line: v.line}
		}
		f.add(s)
		return
	}
	for _, v := range []*value{full.context, full.dockerfile} {
		if v != nil && !v.known {
			s.Text, s.Why = v.text, whyVariable
			f.add(s)
			return
		}
	}
	if full.context != nil {
		p.context = strings.TrimPrefix(full.context.text, "cwd://")
	}
	if full.dockerfile != nil {
		p.file, s.Text = full.dockerfile.text, full.dockerfile.text
		if rest, ok := strings.CutPrefix(p.file, "cwd://"); ok {
			p.file, p.inContext = rest, false
		}
	}
	f.resolve(&s, p)
	f.add(s)
}

// maxInherits bounds chains of targets, which could go in a circle.
const maxInherits = 20

// inherited is a target with the values of those that it inherits from; the last
// one of them wins.
func inherited(t target, byName map[string][]target, depth int) target {
	if depth > maxInherits {
		return t
	}
	for _, name := range slices.Backward(t.inherits) {
		for _, parent := range slices.Backward(byName[name]) {
			parent = inherited(parent, byName, depth+1)
			for _, v := range []struct{ to, from **value }{
				{&t.context, &parent.context}, {&t.dockerfile, &parent.dockerfile}, {&t.inline, &parent.inline},
			} {
				if *v.to == nil {
					*v.to = *v.from
				}
			}
		}
	}
	return t
}

// parseHCL reads a file in HCL. One that is larger than [maxHCL] is not read: the
// parser goes as deep as its text is nested.
func parseHCL(data []byte) (all []target, why string) {
	if len(data) > maxHCL {
		return nil, "is larger than 32 KiB"
	}
	file, diags := hclsyntax.ParseConfig(data, "", hcl.InitialPos)
	if diags.HasErrors() || file == nil {
		return nil, whyParse
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return nil, whyParse
	}
	for _, block := range body.Blocks {
		if block.Type != "target" || len(block.Labels) != 1 {
			continue
		}
		t := target{name: block.Labels[0], line: block.DefRange().Start.Line}
		fields := block.Body.Attributes
		t.context, t.dockerfile, t.inline = constant(fields["context"]), constant(fields["dockerfile"]), constant(fields["dockerfile-inline"])
		if a := fields["inherits"]; a != nil {
			t.inherits = constants(a.Expr)
		}
		all = append(all, t)
	}
	return all, ""
}

// constant is the value of an attribute; nil if there is none.
func constant(a *hclsyntax.Attribute) *value {
	if a == nil {
		return nil
	}
	v := valueOf(a.AsHCLAttribute())
	if strings.Contains(v.text, "\n") {
		v.line = heredocLine(a)
	}
	return v
}

// valueOf is the value of an attribute of either form; nil if there is none.
func valueOf(a *hcl.Attribute) *value {
	if a == nil {
		return nil
	}
	v := &value{text: a.Name, line: a.Range.Start.Line}
	if text, ok := asText(a.Expr); ok {
		v.text, v.known = text, true
	}
	return v
}

// heredocLine is where the text of a heredoc begins: in the line behind its sign.
func heredocLine(a *hclsyntax.Attribute) int {
	if a.Expr.Range().Start.Line > a.SrcRange.Start.Line {
		return a.Expr.Range().Start.Line
	}
	return a.SrcRange.Start.Line + 1
}

// asText is the value of an expression without variables and functions.
func asText(e hcl.Expression) (string, bool) {
	if len(e.Variables()) > 0 {
		return "", false
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

// constants are the constant strings of a list.
func constants(e hcl.Expression) []string {
	list, diags := hcl.ExprList(e)
	if diags.HasErrors() {
		return nil
	}
	var all []string
	for _, item := range list {
		if text, ok := asText(item); ok {
			all = append(all, text)
		}
	}
	return all
}

// parseJSON reads a file in JSON as bake does, where a text may hold templates of
// HCL, a list stands for several blocks, and a name that is there twice counts twice
// (https://github.com/hashicorp/hcl/blob/main/json/spec.md).
func parseJSON(data []byte) (all []target, why string) {
	switch {
	case !json.Valid(data): // or nested deeper than the parser may go
		return nil, whyParse
	case len(data) > maxHCL && bytes.ContainsAny(data, "$%\\"): // templates are as deep as HCL is
		return nil, "is larger than 32 KiB"
	}
	file, diags := hcljson.Parse(data, "")
	if diags.HasErrors() || file == nil {
		return nil, whyParse
	}
	content, _, diags := file.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "target", LabelNames: []string{"name"}}}})
	if diags.HasErrors() {
		return nil, whyParse
	}
	for _, block := range content.Blocks {
		fields, _, diags := block.Body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{
			{Name: "context"}, {Name: "dockerfile"}, {Name: "dockerfile-inline"}, {Name: "inherits"},
		}})
		if diags.HasErrors() {
			return nil, whyParse
		}
		t := target{name: block.Labels[0], line: block.LabelRanges[0].Start.Line}
		t.context = valueOf(fields.Attributes["context"])
		t.dockerfile = valueOf(fields.Attributes["dockerfile"])
		if t.inline = valueOf(fields.Attributes["dockerfile-inline"]); t.inline != nil {
			t.inline.line = 0 // its line breaks are none of the file
		}
		if a := fields.Attributes["inherits"]; a != nil {
			t.inherits = constants(a.Expr)
		}
		all = append(all, t)
	}
	return all, ""
}

// bakeFiles has the files read that a command or an action names. bake reads
// compose files too.
func (f *finder) bakeFiles(by Step, files, folders []string) {
	for _, name := range files {
		kind := Bake
		if ext := strings.ToLower(path.Ext(name)); ext == ".yml" || ext == ".yaml" {
			kind = Compose
		}
		f.named(by.File, kind, by.Line, by.Name, strings.TrimPrefix(name, "cwd://"), folders)
	}
}
