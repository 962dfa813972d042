package policy

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range Classes() {
		if got, err := ParseClass(string(c)); err != nil || got != c {
			t.Errorf("%s: %s, %v", c, got, err)
		}
	}
	for _, s := range Severities() {
		if got, err := ParseSeverity(string(s)); err != nil || got != s {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	_, err := ParseClass("Security")
	want := `"Security" is no class; write one of: correctness, security_privacy, api_contract, validation, ` +
		`complexity, efficiency, error_supervision, documentation, release_compatibility`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = ParseSeverity("high")
	if want := `"high" is no severity; write one of: blocker, warning, advisory`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = ParseStatus("ok")
	if want := `"ok" is no status; write one of: passed, failed, skipped`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = ParseClass(strings.Repeat("ä", 1000))
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("a long word is told whole: %v", err)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status   Status
		required bool
		want     bool
	}{
		{Passed, true, false},
		{Failed, true, true},
		{Failed, false, true},
		{Skipped, true, true},
		{Skipped, false, false},
		{"unknown", false, true},
	} {
		if got := (Check{Status: tc.status, Required: tc.required}).Blocks(); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}
