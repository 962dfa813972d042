// Package sarif has the parts of SARIF 2.1.0 that this project uses, and reads
// the runs of a log as a stream: what is kept of a result is what a finding
// needs. docs/policy.md says how results become findings.
package sarif

import (
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

// Limits of what is kept of a log.
const (
	MaxResults   = 200_000
	maxRules     = 100_000
	maxArtifacts = 1_000_000
	maxText      = 2000 // bytes of a message or a snippet
)

// ReadRuns reads the value of a log's "runs" and adds what it says to out. An
// error is one about the text, mostly a [*jsonstream.Error].
func ReadRuns(r *jsonstream.Reader, out *policy.Intake) error {
	runs := 0
	err := r.Array(func() error {
		one := run{json: r, before: len(out.Findings)}
		line := r.Line()
		if err := r.Object(one.field); err != nil {
			return err
		}
		if one.driver.name == "" {
			return &jsonstream.Error{Line: line, Message: "a run does not name its tool (tool.driver.name)"}
		}
		runs++
		one.finish(runs, out)
		return nil
	})
	if err == nil && runs == 0 {
		return r.Fail("the log has no runs, so nothing was looked at")
	}
	return err
}

// run is one run of a tool, as far as it is read.
type run struct {
	json        *jsonstream.Reader
	before      int // results of earlier runs
	driver      component
	extensions  []component
	computed    bool // it has results, be it none
	results     []*pending
	passed      int // results that say that something is right
	invocations []Invocation
	bases       map[string]ArtifactLocation
	artifacts   []ArtifactLocation
}

func (r *run) field(name string) error {
	switch name {
	case "tool":
		return r.json.Object(r.toolField)
	case "results":
		if c, err := r.json.Next(); err == nil && c == 'n' {
			return r.json.Skip() // null: results were not computed (3.14.23)
		}
		r.computed = true
		return r.json.Array(r.result)
	case "invocations":
		return r.json.Array(r.invocation)
	case "originalUriBaseIds":
		return r.json.Value(&r.bases)
	case "artifacts":
		return r.json.Array(r.artifact)
	case "externalPropertyFileReferences":
		return r.external()
	}
	return r.json.Skip()
}

// external refuses a log that keeps what matters in other files (3.15).
func (r *run) external() error {
	var files map[string]any
	if err := r.json.Value(&files); err != nil {
		return err
	}
	for _, kind := range []string{"results", "invocations"} {
		if _, ok := files[kind]; ok {
			return r.json.Fail("the run keeps its %s in other files; give a log that holds them", kind)
		}
	}
	return nil
}

func (r *run) invocation() error {
	var i Invocation
	if err := r.json.Value(&i); err != nil {
		return err
	}
	r.invocations = append(r.invocations, i)
	return nil
}

func (r *run) artifact() error {
	var a Artifact
	if err := r.json.Value(&a); err != nil {
		return err
	}
	if a.Location == nil {
		a.Location = &ArtifactLocation{}
	}
	if len(r.artifacts) == maxArtifacts {
		return r.json.Fail("a run has more than %d artifacts", maxArtifacts)
	}
	r.artifacts = append(r.artifacts, *a.Location)
	return nil
}

var (
	kinds  = []string{"", "fail", "pass", "open", "review", "informational", "notApplicable"}
	levels = []string{"", "none", "note", "warning", "error"}
)

func (r *run) result() error {
	var raw Result
	line := r.json.Line()
	if err := r.json.Value(&raw); err != nil {
		return err
	}
	switch {
	case !slices.Contains(kinds, raw.Kind):
		return &jsonstream.Error{Line: line, Message: "a result has the kind " + quote(raw.Kind) + ", which SARIF does not have"}
	case !slices.Contains(levels, raw.Level):
		return &jsonstream.Error{Line: line, Message: "a result has the level " + quote(raw.Level) + "; SARIF has error, warning, note and none"}
	case raw.Kind == "pass" || raw.Kind == "notApplicable":
		r.passed++
		return nil
	case r.before+len(r.results) == MaxResults:
		return r.json.Fail("there are more than %d results", MaxResults)
	}
	r.results = append(r.results, keep(raw))
	return nil
}
