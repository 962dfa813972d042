package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// Variable is one LOOPX_* variable, as JSON shows it. Value is without
// userinfo and empty if the variable is not set.
type Variable struct {
	Name    string `json:"name"`
	Set     bool   `json:"set"`
	Value   string `json:"value,omitempty"`
	Archive string `json:"archive,omitempty"`
	Sets    string `json:"sets"`
	Example string `json:"example"`
}

// Variables is the answer of "loopxctl variables".
type Variables []Variable

// variablesDocument is the public shape of [Variables.JSON].
type variablesDocument struct {
	SchemaVersion int        `json:"schema_version"`
	Command       string     `json:"command"`
	Variables     []Variable `json:"variables"`
}

// JSON writes the list as one document.
func (v Variables) JSON(w io.Writer) error {
	return plain.Encode(w, variablesDocument{SchemaVersion, "variables", each(v, func(x Variable) Variable { return x })})
}

// Text writes three lines for each variable.
func (v Variables) Text(w io.Writer, p paint.Painter) error {
	var b strings.Builder
	for _, x := range v {
		value := p.Faint("is not set")
		if x.Set {
			value = "= " + p.Green(safe(x.Value))
		}
		fmt.Fprintf(&b, "%s %s\n", p.Bold(x.Name), value)
		field(&b, p, "sets", x.Sets)
		field(&b, p, "example", x.Example)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
