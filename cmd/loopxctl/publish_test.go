package main

import (
	"testing"

	"github.com/loopx/loopx-frontend/policy/report"
)

// TestFormatsExitAlike holds that neither the format nor who reads it changes
// the exit code.
func TestFormatsExitAlike(t *testing.T) {
	t.Parallel()
	for command, inputs := range map[string]map[string]int{
		"check": {
			"FROM a\n":                               exitClean,
			"FROM a\nRUN pip install x>=1\n":         exitClean,
			"FROM a\nRUN curl -k https://a.b.com/\n": exitBlocked,
			"FROM\n":                                 exitFailed,
		},
		"lens": {
			"[]":                                 exitClean,
			`{"type":"efficiency","detail":"x"}`: exitClean,
			`{"type":"security_privacy","detail":"x"}`:         exitBlocked,
			`{"validations":[{"name":"x","status":"failed"}]}`: exitBlocked,
			"{": exitFailed,
		},
	} {
		for in, want := range inputs {
			for _, format := range report.Formats() {
				for _, more := range [][]string{nil, {"--public"}} {
					args := append([]string{command, "--format", format, "-"}, more...)
					if code, _, diag := loopxctl(t, in, args...); code != want {
						t.Errorf("%q %q: exit code %d, want %d; %s", args, in, code, want, diag)
					}
				}
			}
		}
	}
}
