// Package bakefile writes the file that "docker buildx bake" reads
// (https://docs.docker.com/build/bake/reference/), as JSON or as HCL.
package bakefile

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Template is a string of a bake file, in which ${NAME} is the value of a
// variable.
type Template string

// Literal is the template of a text that is meant as it is.
func Literal(text string) Template {
	return Template(strings.NewReplacer("${", "$${", "%{", "%%{").Replace(text))
}

// File is a bake file. Names are of letters, digits, "_" and "-".
type File struct {
	Variables []Variable
	Groups    []Group
	Targets   []Target
}

// Variable is one that the environment can set.
type Variable struct {
	Name, Default string
	// About says what it is for, in one line; JSON has no place for it.
	About string
}

// Group is a name for several targets, or groups.
type Group struct {
	Name    string
	Targets []string
}

// Target is one build. What is empty is left out.
type Target struct {
	Name                string
	Inherits            []string
	Context, Dockerfile Template
	Args                []Arg
	Platforms           []Template
	Tags                []Template
	CacheFrom, CacheTo  []Template
	// Matrix are the values of the variable platform, for each of which there is a
	// target, called MatrixName.
	Matrix     []Template
	MatrixName Template
}

// Arg is a build argument.
type Arg struct {
	Name  string
	Value Template
}

type (
	jsonFile struct {
		Variable map[string]jsonVariable `json:"variable"`
		Group    map[string]jsonGroup    `json:"group"`
		Target   map[string]jsonTarget   `json:"target"`
	}
	jsonVariable struct {
		Default Template `json:"default"`
	}
	jsonGroup struct {
		Targets []string `json:"targets"`
	}
	jsonTarget struct {
		Name       Template              `json:"name,omitempty"`
		Matrix     map[string][]Template `json:"matrix,omitempty"`
		Inherits   []string              `json:"inherits,omitempty"`
		Context    Template              `json:"context,omitempty"`
		Dockerfile Template              `json:"dockerfile,omitempty"`
		Args       map[string]Template   `json:"args,omitempty"`
		Platforms  []Template            `json:"platforms,omitempty"`
		Tags       []Template            `json:"tags,omitempty"`
		CacheFrom  []Template            `json:"cache-from,omitempty"`
		CacheTo    []Template            `json:"cache-to,omitempty"`
	}
)

// JSON writes f as docker-bake.json.
func (f *File) JSON(w io.Writer) error {
	doc := jsonFile{map[string]jsonVariable{}, map[string]jsonGroup{}, map[string]jsonTarget{}}
	for _, v := range f.Variables {
		doc.Variable[v.Name] = jsonVariable{Literal(v.Default)}
	}
	for _, g := range f.Groups {
		doc.Group[g.Name] = jsonGroup{g.Targets}
	}
	for _, t := range f.Targets {
		doc.Target[t.Name] = newJSONTarget(t)
	}
	return plain.Encode(w, doc)
}

func newJSONTarget(t Target) jsonTarget {
	doc := jsonTarget{
		Name: t.MatrixName, Inherits: t.Inherits, Context: t.Context, Dockerfile: t.Dockerfile,
		Platforms: t.Platforms, Tags: t.Tags, CacheFrom: t.CacheFrom, CacheTo: t.CacheTo,
	}
	if t.Matrix != nil {
		doc.Matrix = map[string][]Template{"platform": t.Matrix}
	}
	for _, a := range t.Args {
		if doc.Args == nil {
			doc.Args = map[string]Template{}
		}
		doc.Args[a.Name] = a.Value
	}
	return doc
}

// HCL writes f as docker-bake.hcl. Texts in it hold no control characters.
func (f *File) HCL(w io.Writer) error {
	var b strings.Builder
	for _, v := range f.Variables {
		fmt.Fprintf(&b, "# %s\nvariable %q {\n  default = %s\n}\n\n", v.About, v.Name, quote(Literal(v.Default)))
	}
	for _, g := range f.Groups {
		fmt.Fprintf(&b, "group %q {\n", g.Name)
		list(&b, "targets", g.Targets)
		b.WriteString("}\n\n")
	}
	for i, t := range f.Targets {
		if i > 0 {
			b.WriteString("\n")
		}
		t.hcl(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Target) hcl(b *strings.Builder) {
	fmt.Fprintf(b, "target %q {\n", t.Name)
	if t.Matrix != nil {
		fmt.Fprintf(b, "  name = %s\n  matrix = {\n    platform = [%s]\n  }\n", quote(t.MatrixName), join(t.Matrix))
	}
	list(b, "inherits", t.Inherits)
	for _, a := range []Arg{{"context", t.Context}, {"dockerfile", t.Dockerfile}} {
		if a.Value != "" {
			fmt.Fprintf(b, "  %s = %s\n", a.Name, quote(a.Value))
		}
	}
	if t.Args != nil {
		b.WriteString("  args = {\n")
		for _, a := range t.Args {
			fmt.Fprintf(b, "    %s = %s\n", a.Name, quote(a.Value))
		}
		b.WriteString("  }\n")
	}
	list(b, "platforms", t.Platforms)
	list(b, "tags", t.Tags)
	list(b, "cache-from", t.CacheFrom)
	list(b, "cache-to", t.CacheTo)
	b.WriteString("}\n")
}

// list writes a list, on one line if it is short.
func list[T ~string](b *strings.Builder, name string, items []T) {
	if items == nil {
		return
	}
	const short = 80 // columns
	if text := join(items); len(name)+len(text) < short {
		fmt.Fprintf(b, "  %s = [%s]\n", name, text)
		return
	}
	fmt.Fprintf(b, "  %s = [\n", name)
	for _, item := range items {
		fmt.Fprintf(b, "    %s,\n", quote(Template(item)))
	}
	b.WriteString("  ]\n")
}

func join[T ~string](items []T) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(Template(item))
	}
	return strings.Join(quoted, ", ")
}

// quote is a template as HCL writes it: a variable's name where it is nothing
// else. Quotes and backslashes in ${…} stay.
func quote(t Template) string {
	if name, ok := strings.CutPrefix(string(t), "${"); ok {
		if name, ok := strings.CutSuffix(name, "}"); ok && IsName(name) {
			return name
		}
	}
	var b strings.Builder
	for rest := string(t); rest != ""; {
		start := strings.Index(rest, "${")
		if start < 0 || start > 0 && rest[start-1] == '$' {
			start = len(rest)
		}
		b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest[:start]))
		rest = rest[start:]
		end := strings.IndexByte(rest, '}') + 1
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
	return `"` + b.String() + `"`
}

// IsName reports whether a text can be the name of a target.
func IsName(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
