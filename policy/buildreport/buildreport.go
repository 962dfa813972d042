// Package buildreport is the document in which the frontend says what it did to
// a build: the frontend writes it, and what judges a build reads it.
package buildreport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Key is the key of the report in a build's metadata. The daemon hands on what
// begins with "frontend.", so that it stands in the file that
// docker buildx build --metadata-file writes.
const Key = "frontend.loopx.report"

// Predicate is the type of the report's predicate in an in-toto statement: an
// attestation of the image, where the operator asks for one.
const Predicate = "https://github.com/loopx/loopx-frontend/report/v1"

// MaxSize is the largest report that Parse takes, in bytes.
const MaxSize = 16 << 20

// Report says what the frontend did to a build. It is the same for the same
// build, whatever is cached, and holds no userinfo.
type Report struct {
	// Frontend is the version.
	Frontend string `json:"frontend"`
	// Hosts is the date of the embedded tables, YYYY-MM-DD.
	Hosts string `json:"hosts"`
	// Mode is "enforce" or "audit"; Apt is "auto", "all" or "off".
	Mode string `json:"mode"`
	Apt  string `json:"apt"`
	// Checks is "off" if nothing was told but what is refused, else "on"; ""
	// in reports of frontends that did not say it.
	Checks string `json:"checks,omitempty"`
	// ProxyNetwork is true if RUNs were left to BuildKit's proxy network.
	ProxyNetwork bool `json:"proxyNetwork,omitempty"`
	// Files are those of the configuration: the organisation's and the project's.
	Files []string `json:"files,omitempty"`
	// Locked is true if the organisation's file locks what it says.
	Locked bool `json:"locked,omitempty"`
	// Mirrors and Rules are those in force.
	Mirrors map[string][]string `json:"mirrors,omitempty"`
	Rules   []route.HostRule    `json:"rules,omitempty"`
	// OperatorCA is true if the operator gave certificate authorities.
	OperatorCA bool `json:"operatorCA"`
	// Notes are what the operator was told of the configuration.
	Notes []string `json:"notes,omitempty"`
	// Weakened are those of settings that are weaker than what is built in.
	Weakened []string `json:"weakened,omitempty"`
	// Steps are those that were changed, by file and line.
	Steps []Step `json:"steps"`
	// Findings by file and line.
	Findings []Finding `json:"findings"`
}

// Step is one vertex that the frontend changed: a RUN, an ADD, a git source.
type Step struct {
	// Name is the vertex's as the stock frontend gives it but for userinfo,
	// "" if it has none.
	Name string `json:"name,omitempty"`
	// Platform is that of the vertex, "" if it has none: "linux/arm64".
	Platform string `json:"platform,omitempty"`
	// File and Line say where it comes from, "" and 0 if that is not known.
	// Lines count from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Apt says why the step's apt is guarded, "" if it is not.
	Apt string `json:"apt,omitempty"`
	// Fetches are those that moved.
	Fetches []Move `json:"fetches,omitempty"`
}

// Equal reports whether two steps say the same.
func (s Step) Equal(o Step) bool {
	return s.Name == o.Name && s.Platform == o.Platform && s.File == o.File && s.Line == o.Line &&
		s.Apt == o.Apt && slices.Equal(s.Fetches, o.Fetches)
}

// Move is a fetch that goes elsewhere than it was written. From and To are
// without userinfo.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Action is "upgrade" or "mirror".
	Action string `json:"action"`
	// Rule is the decision's.
	Rule string `json:"rule"`
}

// Finding is one finding.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	// Fingerprint names the finding, as in the answers of loopxctl; "" if it is
	// not of the Dockerfile's text.
	Fingerprint string `json:"fingerprint,omitempty"`
	// AcknowledgedBy is who signed for it, AcknowledgedUntil a date, YYYY-MM-DD.
	AcknowledgedBy    string `json:"acknowledgedBy,omitempty"`
	AcknowledgedUntil string `json:"acknowledgedUntil,omitempty"`
	Reason            string `json:"reason,omitempty"`
}

// Parse reads a report. It takes keys that it does not know, of newer
// frontends; the error says what is wrong with the text.
func Parse(data []byte) (*Report, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the frontend's report is larger than %d MiB", MaxSize>>20)
	}
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '{' {
		return nil, errors.New("the frontend's report is no JSON object")
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("the frontend's report can't be read: %w", err)
	}
	if r.Frontend == "" {
		return nil, errors.New("the frontend's report names no frontend")
	}
	return &r, nil
}
