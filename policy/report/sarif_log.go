package report

import (
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/sarif"
)

// sarifSchema is where OASIS publishes the schema of the format.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// The types below are what a log has beside the types of package sarif, which
// are those that are read too. Section numbers are of SARIF 2.1.0.
type (
	// sarifLog is a sarifLog (3.13).
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	// sarifRun is a run (3.14).
	sarifRun struct {
		Tool        sarif.Tool         `json:"tool"`
		Invocations []sarif.Invocation `json:"invocations"`
		ColumnKind  string             `json:"columnKind"`
		Results     []sarifResult      `json:"results"`
	}
	// sarifResult is a result (3.27) with what was not read.
	sarifResult struct {
		sarif.Result
		Fixes      []sarifFix      `json:"fixes,omitempty"`
		Properties sarifProperties `json:"properties"`
	}
	// sarifProperties is the property bag of a result (3.8).
	sarifProperties struct {
		Class    policy.Class `json:"class,omitempty"`
		Lens     lens.Lens    `json:"lens,omitempty"`
		Tool     string       `json:"tool,omitempty"`
		Elevated string       `json:"elevated,omitempty"`
		Claims   string       `json:"claims,omitempty"`
	}
	// sarifFix is a fix (3.55).
	sarifFix struct {
		Description sarif.Message `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	// sarifChange is an artifactChange (3.56).
	sarifChange struct {
		Artifact     sarif.ArtifactLocation `json:"artifactLocation"`
		Replacements []sarifReplacement     `json:"replacements"`
	}
	// sarifReplacement is a replacement (3.57).
	sarifReplacement struct {
		Deleted  sarif.Region   `json:"deletedRegion"`
		Inserted *sarif.Message `json:"insertedContent,omitempty"`
	}
)
