package frontend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/moby/buildkit/solver/errdefs"
	"github.com/moby/buildkit/solver/pb"
)

// RefusedError ends a build whose Dockerfile has blockers: fetches that can't
// be moved to TLS, apt that can't be guarded, verification that is switched off,
// credentials in the text. It holds all of them.
type RefusedError struct {
	Findings []Finding
	// Dockerfile is its path from the root of the repository.
	Dockerfile string
}

// Error lists the findings, each with its line and the ways out.
func (e *RefusedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (LOOPX_MODE=audit warns instead):", e.title())
	for _, f := range e.Findings {
		b.WriteString("\n  ")
		if f.Source != nil && len(f.Ranges) > 0 {
			fmt.Fprintf(&b, "%s:%d: ", f.Source.Filename, startLine(f.Ranges))
		}
		fmt.Fprintf(&b, "%s [%s]", f.Message, strings.TrimSpace(f.Rule+" "+policy.ShortFingerprint(f.Fingerprint)))
		if f.Review != "" {
			fmt.Fprintf(&b, "; %s", f.Review)
		}
	}
	b.WriteString(e.wayOut())
	return b.String()
}

// wayOut says how a reviewer accepts what is not mended.
func (e *RefusedError) wayOut() string {
	for _, f := range e.Findings {
		if f.Fingerprint != "" {
			return fmt.Sprintf("\nWhat is not mended, a reviewer can sign for: loopxctl ack create --file %s --finding %s --reason '…' --expires 30d",
				e.Dockerfile, policy.ShortFingerprint(f.Fingerprint))
		}
	}
	return ""
}

// title says what the findings are.
func (e *RefusedError) title() string {
	n := len(e.Findings)
	other := slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.Rule != llbpass.ClearTextRefused })
	switch {
	case other && n == 1:
		return "1 finding stops this build"
	case other:
		return fmt.Sprintf("%d findings stop this build", n)
	case n == 1:
		return "1 fetch can't be moved to TLS"
	}
	return fmt.Sprintf("%d fetches can't be moved to TLS", n)
}

// maxSources bounds the places that a client is asked to print: each carries
// the whole file.
const maxSources = 8

// refusal returns the error for the findings with the lines of the user's file
// that clients print under it. dockerfile is the path in its repository.
func refusal(findings []Finding, dockerfile string) error {
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int { return startLine(a.Ranges) - startLine(b.Ranges) })
	findings = slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.Message == b.Message && startLine(a.Ranges) == startLine(b.Ranges)
	})
	err := error(&RefusedError{Findings: findings, Dockerfile: dockerfile})
	var printed []*pb.Range
	for _, f := range findings {
		if f.Source == nil || len(f.Ranges) == 0 || len(printed) == maxSources {
			continue
		}
		if slices.ContainsFunc(printed, func(r *pb.Range) bool { return r.Start.Line == f.Ranges[0].Start.Line }) {
			continue
		}
		printed = append(printed, f.Ranges[0])
		err = errdefs.WithSource(err, &errdefs.Source{Info: f.Source, Ranges: f.Ranges})
	}
	return err
}
