package report

import (
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/rewrite"
)

// Text is the text that Plan is about.
func (f *File) Text() []byte {
	if f.Fixed {
		return f.Output
	}
	return f.Source
}

// Judge makes Findings of Plan, if there is one.
func (f *File) Judge() {
	if f.Plan != nil {
		f.Findings = f.source().Findings()
	}
}

// Subject is what a reviewer signs for, of one of Findings.
func (f *File) Subject(i int) ack.Subject {
	return f.source().Subject(f.Findings[i], f.Plan.Findings[i])
}

func (f *File) source() dockerfile.Source {
	return dockerfile.Source{Name: f.Name, Path: f.Path, Text: f.Text(), Plan: f.Plan}
}

// HasBlocker reports whether a finding is a blocker, be it acknowledged.
func (f *File) HasBlocker() bool {
	if f.Plan != nil {
		for _, finding := range f.Plan.Findings {
			if finding.Severity == rewrite.Blocker {
				return true
			}
		}
	}
	return false
}

// acknowledged is what a reviewer signed for, of one of the plan's findings; nil
// if nobody did.
func (f *File) acknowledged(i int) *lens.Acknowledgement {
	if i < len(f.Findings) {
		return f.Findings[i].Acknowledged
	}
	return nil
}
