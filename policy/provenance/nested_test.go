package provenance_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite"
)

// TestNested: the builds that went into a build, and into those, as docker buildx
// bake makes them, and what led to a frontend.
func TestNested(t *testing.T) {
	t.Parallel()
	b, err := provenance.Parse([]byte(`{"buildDefinition": {"buildType": "x", "externalParameters": {"request": {
		"frontend": "gateway.v0", "args": {"source": "ours:1", "context:base": "input:0-base"},
		"root": {"request": {"frontend": "gateway.v0", "args": {"source": "evil:1"}}},
		"inputs": {"0-base": {"request": {
			"frontend": "gateway.v0", "args": {"source": "ours:1", "build-arg:LOOPX_MODE": "audit"},
			"root": {"request": {"args": {"source": "ours:1"}}},
			"inputs": {"0-deep": {"request": {"frontend": "dockerfile.v0"}}, "1-lost": {}}
		}}}
	}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if b.Root == nil || b.Root.Ref != "evil:1" {
		t.Errorf("root: %+v", b.Root)
	}
	want := []string{"0-base", "0-base (root)", "0-base/0-deep", "0-base/1-lost"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(b.Inputs))); diff != "" {
		t.Error(diff)
	}
	base := b.Inputs["0-base"]
	if diff := cmp.Diff(map[string]string{"LOOPX_MODE": "audit"}, base.BuildArgs()); diff != "" {
		t.Error(diff)
	}
	if got := b.Inputs["0-base/0-deep"].Name; got != "dockerfile.v0" {
		t.Errorf("the input's input is of %q", got)
	}
}

// TestNestedDeep: what is too deep is there, and is of no frontend.
func TestNestedDeep(t *testing.T) {
	t.Parallel()
	const deep = 100
	text := strings.Repeat(`{"request":{"frontend":"gateway.v0","inputs":{"x":`, deep) + "{}" + strings.Repeat("}}}", deep)
	b, err := provenance.Parse([]byte(`{"buildDefinition":{"externalParameters":{"request":{"inputs":{"x":` + text + `}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(b.Inputs))
	if last := names[len(names)-1]; len(names) != 33 || b.Inputs[last].Name != "" || b.Inputs[names[31]].Name != "gateway.v0" {
		t.Errorf("%d inputs, the last of %q", len(names), b.Inputs[last].Name)
	}
}

// TestUnmasked: a secret is masked where it may be shown, and not where the command
// is analysed; of a command without one there is no second copy.
func TestUnmasked(t *testing.T) {
	t.Parallel()
	script := base64.StdEncoding.EncodeToString([]byte("#!/bin/sh\nTOKEN=hunter2\n"))
	b, err := provenance.Parse(fmt.Appendf(nil, `{"buildDefinition": {"buildType": "x", "internalParameters": {"buildConfig": {"llbDefinition": [
		{"id": "a", "op": {"Op": {"exec": {"meta": {"args": ["sh", "-c", "true"], "env": ["API_TOKEN=hunter2"]}}}}},
		{"id": "b", "op": {"Op": {"exec": {"meta": {"args": ["sh", "-c", "true"], "env": ["A=b"]}}}}},
		{"id": "c", "op": {"Op": {"file": {"actions": [{"Action": {"mkfile": {"path": "/EOF", "data": %q}}}]}}}},
		{"id": "d", "op": {"Op": {"exec": {"meta": {"args": ["/dev/pipes/EOF"]}, "mounts": [{"dest": "/dev/pipes/"}]}}}, "inputs": ["c:0"]},
		{"id": "last", "op": {"Op": null}}
	]}}}}`, script))
	if err != nil || len(b.Steps) != 4 {
		t.Fatalf("%+v, %v", b, err)
	}
	env := b.Steps[0].Run
	if got := env.Words().Env[0].Value.String(); got != "***" {
		t.Errorf("shown: %q", got)
	}
	if got := env.Unmasked().Env[0].Value.String(); got != "hunter2" || !env.Masked() {
		t.Errorf("analysed: %q", got)
	}
	if b.Steps[1].Run.Masked() {
		t.Error("a command without a secret is masked")
	}
	heredoc := b.Steps[3].Run
	if shown, raw := heredoc.Words().Script.String(), heredoc.Unmasked().Script.String(); strings.Contains(shown, "hunter2") || !strings.Contains(raw, "hunter2") {
		t.Errorf("shown %q, analysed %q", shown, raw)
	}
	if got := heredoc.Unmasked().Args[0].String(); got != "/dev/pipes/EOF" {
		t.Errorf("the command is %q", got)
	}
}

// TestCovered: only what can't be written to covers apt where it sees no variable.
func TestCovered(t *testing.T) {
	t.Parallel()
	for dest, want := range map[string]bool{rewrite.AptConfFile: true, rewrite.SudoersFile: true, "/etc/apt/apt.conf": false} {
		for _, readOnly := range []bool{true, false} {
			r := provenance.Run{Mounts: []provenance.Mount{{Type: "bind", Dest: dest, ReadOnly: readOnly}}}
			if got := r.Covered(); got != (want && readOnly) {
				t.Errorf("%s, read-only %t: %t", dest, readOnly, got)
			}
		}
	}
}
