// Package gate decides whether a commit, and the images that were built of it,
// may be released. It is pure: what it judges was read before.
//
// Each condition is a check with a name. A check that could not be made, and a
// claim that nothing proves, is no pass: the gate fails closed.
package gate

import (
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Status is how a check ended.
type Status string

// The ways in which a check ends. Unprovable fails the gate as Fail does: what
// is known is not enough to say that the condition holds.
const (
	Pass          Status = "pass"
	Fail          Status = "fail"
	Unprovable    Status = "unprovable"
	NotApplicable Status = "not_applicable"
)

// Stops reports whether a check that ended so fails the gate. A status that is
// not known does.
func (s Status) Stops() bool { return s != Pass && s != NotApplicable }

// Check is one condition and how it ended. Texts are one line each; what in them
// comes from elsewhere is redacted.
type Check struct {
	// Name is one of [Names].
	Name string
	// Subject is the image and platform that it is about; "" for the tree.
	Subject string
	Status  Status
	// Reason says why it ended so.
	Reason string
	// Todo says what makes it pass; "" if it does.
	Todo string
	// Details name what stands behind the reason, one thing a line, at most
	// [MaxDetails] and a line that counts the rest.
	Details []string
	// Private are further ones that public text does not have: they say what is
	// wrong with security or privacy.
	Private []string
}

// MaxDetails is how many things a check names.
const MaxDetails = 20

// The names of the checks.
const (
	Scan             = "scan"
	Blockers         = "blockers"
	Acknowledgements = "acknowledgements"
	Advisories       = "advisories"
	Notices          = "notices"
	Clean            = "clean"
	Tag              = "tag"

	ImageProvenance = "image.provenance"
	ImageSignature  = "image.signature"
	ImageReport     = "image.report"
	ImageCommit     = "image.commit"
	ImageFrontend   = "image.frontend"
	ImageSettings   = "image.settings"
	ImageMaterials  = "image.materials"
	ImageBases      = "image.bases"
	ImageNetwork    = "image.network"
)

// condition is a name and what it asks.
type condition struct{ name, title string }

var conditions = [...]condition{
	{Scan, "every check of the tree could be made"},
	{Blockers, "no blocker is left that nobody signed for"},
	{Acknowledgements, "no acknowledgement ends soon"},
	{Advisories, "the advisories are recent"},
	{Notices, "every notice since the last passing gate is dealt with"},
	{Clean, "the working tree is what is committed"},
	{Tag, "the commit has its tag"},
	{ImageProvenance, "the image has provenance that is about it"},
	{ImageSignature, "somebody who is trusted signed the image"},
	{ImageReport, "the frontend's report is there, and refuses nothing"},
	{ImageCommit, "the image is built of this commit"},
	{ImageFrontend, "the image is built by an allowed frontend"},
	{ImageSettings, "no setting of the build weakens what the frontend does"},
	{ImageMaterials, "what the build fetched came over TLS"},
	{ImageBases, "the base images are those that are pinned"},
	{ImageNetwork, "no command of the build could fetch unseen"},
}

// Names returns the names of all checks, in their order.
func Names() []string {
	all := make([]string, len(conditions))
	for i, c := range conditions {
		all[i] = c.name
	}
	return all
}

// Title is what a check asks; "" for a name that is none.
func Title(name string) string {
	for _, c := range conditions {
		if c.name == name {
			return c.title
		}
	}
	return ""
}

// Input is what a gate judges.
type Input struct {
	Tool policy.Tool
	// Now is the time of the run.
	Now time.Time
	// Config is section "release" of the configuration.
	Config config.Release
	Tree   Tree
	Images []Image
}

// Verdict is the answer. It is the same for the same input, byte for byte.
type Verdict struct {
	// Pass is true if no check stops the release.
	Pass   bool
	Checks []Check
	Input  Input
}

// Judge makes all checks.
func Judge(in Input) Verdict {
	v := Verdict{Input: in, Checks: in.tree()}
	for i := range in.Images {
		v.Checks = append(v.Checks, in.image(&in.Images[i])...)
	}
	v.Pass = !slices.ContainsFunc(v.Checks, func(c Check) bool { return c.Status.Stops() })
	return v
}

// findings are those of the tree, for the writers of package report.
func (v *Verdict) findings() report.Report {
	return report.Report{
		Command: Command, Tool: report.Tool{Tool: v.Input.Tool}, Rules: v.Input.Tree.Rules,
		Findings: v.Input.Tree.Findings, Problems: v.Input.Tree.Problems,
	}
}
