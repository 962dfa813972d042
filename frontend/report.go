package frontend

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/frontend/gateway/client"
)

// ReportKey is the key of the report in a build's metadata. The daemon hands on
// what begins with "frontend.", so that it stands in the file that
// docker buildx build --metadata-file writes.
const ReportKey = "frontend.loopx.report"

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
	// Mirrors and Rules are the operator's.
	Mirrors map[string][]string `json:"mirrors,omitempty"`
	Rules   []route.HostRule    `json:"rules,omitempty"`
	// OperatorCA is true if the operator gave certificate authorities.
	OperatorCA bool `json:"operatorCA"`
	// Notes are what the operator was told of the configuration.
	Notes []string `json:"notes,omitempty"`
	// Steps are those that were changed, by file and line.
	Steps []llbpass.Step `json:"steps"`
	// Findings by file and line.
	Findings []ReportFinding `json:"findings"`
}

// ReportFinding is one finding.
type ReportFinding struct {
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

// record gathers what the passes of one request did. Platforms run side by
// side, and an SBOM scanner's input comes by again: equal entries are one.
type record struct {
	mu       sync.Mutex
	steps    []llbpass.Step
	findings []ReportFinding
}

func (r *record) addSteps(steps []llbpass.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range steps {
		if !slices.ContainsFunc(r.steps, s.Equal) {
			r.steps = append(r.steps, s)
		}
	}
}

func (r *record) addFindings(findings []Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range findings {
		finding := ReportFinding{
			Rule: f.Rule, Severity: string(f.Severity), Message: f.Message,
			File: f.Source.GetFilename(), Line: startLine(f.Ranges), Fingerprint: f.Fingerprint,
		}
		if a := f.Acknowledged; a != nil {
			finding.AcknowledgedBy, finding.AcknowledgedUntil, finding.Reason = a.Owner, a.Expires, a.Reason
		}
		if !slices.Contains(r.findings, finding) {
			r.findings = append(r.findings, finding)
		}
	}
}

// write adds the report to the result of a build.
func (r *record) write(res *client.Result, rep Report) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Steps = sortedBy(r.steps, func(s llbpass.Step) (string, int, string) { return s.File, s.Line, s.Platform + "\x00" + s.Name })
	rep.Findings = sortedBy(r.findings, func(f ReportFinding) (string, int, string) { return f.File, f.Line, f.Rule + "\x00" + f.Message })
	data, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	res.AddMeta(ReportKey, data)
	return nil
}

// sortedBy returns list, never nil, in the order of file, line and the rest.
func sortedBy[T any](list []T, key func(T) (string, int, string)) []T {
	list = append([]T{}, list...)
	slices.SortStableFunc(list, func(a, b T) int {
		fileA, lineA, restA := key(a)
		fileB, lineB, restB := key(b)
		return cmp.Or(strings.Compare(fileA, fileB), cmp.Compare(lineA, lineB), strings.Compare(restA, restB))
	})
	return list
}
