package manifest

import (
	"errors"

	"github.com/loopx/loopx-frontend/policy/pypi/pep723"
)

// script reads the metadata that a Python script carries in its comments
// (PEP 723). One without is no error.
func (r *reader) script(f *source) {
	block, err := pep723.Find([]byte(f.text))
	var fault *pep723.Error
	if errors.As(err, &fault) {
		r.fail(f.name, f.at(fault.Offset), fault.Msg)
		return
	}
	if block == nil {
		return
	}
	d, ok := r.tomlIn(f, block.Text, block.Offset, true)
	if !ok {
		return
	}
	p := project{reader: r, document: d, first: len(r.out.Requirements)}
	p.list(d, d.root.Get("dependencies"), Requirements, "script.dependencies")
	p.requiresPython(d.root.Get("requires-python"), "requires-python")
	p.uv(d.root.Get("tool", "uv"), "tool.uv.")
}
