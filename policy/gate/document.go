package gate

import (
	"io"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/report"
)

// SchemaVersion is that of [Document], which "loopxctl schema release-gate"
// describes. A new field does not change it; one that goes away or changes its
// meaning does.
const SchemaVersion = 1

// Command is what the document calls the command.
const Command = "release-gate"

// The documents below are the public shape of a verdict. Lists are empty where
// there is nothing, never null.
type (
	// Document is a verdict.
	Document struct {
		SchemaVersion int            `json:"schema_version"`
		Command       string         `json:"command"`
		Decision      string         `json:"decision"`
		Time          string         `json:"time"`
		Tool          ToolDocument   `json:"tool"`
		Repository    string         `json:"repository,omitempty"`
		Commit        string         `json:"commit"`
		Tag           string         `json:"tag,omitempty"`
		Since         *SinceDocument `json:"since,omitempty"`
		// Public is true if what is private is left out.
		Public bool            `json:"public"`
		Checks []CheckDocument `json:"checks"`
		Images []ImageDocument `json:"images"`
		report.Documents
	}
	// ToolDocument is what judged.
	ToolDocument struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	// SinceDocument is the last gate that passed.
	SinceDocument struct {
		Time   string `json:"time"`
		Commit string `json:"commit,omitempty"`
	}
	// CheckDocument is one check.
	CheckDocument struct {
		Name    string   `json:"name"`
		Title   string   `json:"title"`
		Subject string   `json:"subject,omitempty"`
		Status  Status   `json:"status"`
		Reason  string   `json:"reason"`
		Todo    string   `json:"todo,omitempty"`
		Details []string `json:"details"`
		// Withheld counts the details that a public document does not have.
		Withheld int `json:"withheld,omitempty"`
	}
	// ImageDocument is one image.
	ImageDocument struct {
		Ref    string `json:"ref"`
		Digest string `json:"digest,omitempty"`
		// Grade is "signed" if somebody who is trusted signed the digest, else
		// "unsigned".
		Grade     string             `json:"grade"`
		SignedBy  string             `json:"signed_by,omitempty"`
		Platforms []PlatformDocument `json:"platforms"`
	}
	// PlatformDocument is the image of one platform.
	PlatformDocument struct {
		Platform    string `json:"platform,omitempty"`
		Digest      string `json:"digest"`
		Attestation string `json:"attestation,omitempty"`
		Frontend    string `json:"frontend,omitempty"`
		Mode        string `json:"mode,omitempty"`
	}
)

// Grades of an image.
const (
	Signed   = "signed"
	Unsigned = "unsigned"
)

// pointer says where what is private can be seen.
const pointer = "run loopxctl release-gate --format json for the whole verdict"

// Document returns the public shape of v; public leaves out what is private.
func (v *Verdict) Document(public bool) Document {
	in := &v.Input
	d := Document{
		SchemaVersion: SchemaVersion, Command: Command, Decision: v.decision(), Time: stamp(in.Now), Public: public,
		Tool:       ToolDocument{in.Tool.Name, in.Tool.Version},
		Repository: policy.Line(in.Tree.Repository), Commit: in.Tree.Commit, Tag: policy.Line(in.Tree.released(in.Config.Tag)),
		Checks: make([]CheckDocument, len(v.Checks)), Images: make([]ImageDocument, len(in.Images)),
	}
	if n := &in.Tree.Notices; !n.Since.IsZero() {
		d.Since = &SinceDocument{stamp(n.Since), n.Commit}
	}
	for i := range v.Checks {
		d.Checks[i] = v.Checks[i].document(public)
	}
	for i := range in.Images {
		d.Images[i] = in.Images[i].document()
	}
	r := v.findings()
	if public {
		r = report.Public(r, pointer)
	}
	d.Documents = report.Document(r)
	return d
}

func (v *Verdict) decision() string {
	if v.Pass {
		return string(Pass)
	}
	return string(Fail)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (c *Check) document(public bool) CheckDocument {
	d := CheckDocument{Name: c.Name, Title: Title(c.Name), Subject: policy.Line(c.Subject), Status: c.Status, Reason: c.Reason, Todo: c.Todo}
	d.Details = append([]string{}, c.Details...)
	if public {
		d.Withheld = len(c.Private)
		return d
	}
	d.Details = append(d.Details, c.Private...)
	return d
}

func (img *Image) document() ImageDocument {
	d := ImageDocument{Ref: policy.Line(img.Ref), Digest: img.Digest, Grade: Unsigned, Platforms: make([]PlatformDocument, len(img.Platforms))}
	if by := img.Signature.By; by != "" {
		d.Grade, d.SignedBy = Signed, policy.Line(by)
	}
	for i := range img.Platforms {
		p := &img.Platforms[i]
		d.Platforms[i] = PlatformDocument{Platform: p.Name, Digest: p.Digest, Attestation: p.Attestation}
		if p.Build != nil {
			d.Platforms[i].Mode = string(p.Build.Mode)
			d.Platforms[i].Frontend = policy.Line(frontendName(p.Build.Frontend))
		}
	}
	return d
}

// JSON writes the document.
func (v *Verdict) JSON(w io.Writer, public bool) error { return plain.Encode(w, v.Document(public)) }
