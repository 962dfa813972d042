package frontend

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/moby/buildkit/frontend/gateway/client"
)

// record gathers what the passes of one request did. Platforms run side by
// side, and an SBOM scanner's input comes by again: equal entries are one.
type record struct {
	mu       sync.Mutex
	steps    []buildreport.Step
	findings []buildreport.Finding
}

func (r *record) addSteps(steps []buildreport.Step) {
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
		finding := buildreport.Finding{
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
func (r *record) write(res *client.Result, rep buildreport.Report) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Steps = sortedBy(r.steps, func(s buildreport.Step) (string, int, string) { return s.File, s.Line, s.Platform + "\x00" + s.Name })
	rep.Findings = sortedBy(r.findings, func(f buildreport.Finding) (string, int, string) { return f.File, f.Line, f.Rule + "\x00" + f.Message })
	data, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	res.AddMeta(buildreport.Key, data)
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
