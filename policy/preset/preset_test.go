package preset_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/scan"
)

// TestBuiltin holds what the presets are without a word from the project.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	all := preset.Builtin()
	if diff := cmp.Diff([]string{"security", "dependency-sweeper"}, preset.IDs(all)); diff != "" {
		t.Fatal(diff)
	}
	for _, p := range all {
		next := p.Cadence.Next(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		if next.Local != "2026-12-07T06:00" || next.Zone != "UTC" {
			t.Errorf("%s: %+v is no Monday at 06:00", p.ID, next)
		}
		if p.Title == "" || p.Maturity == "" || p.Mode == "" || len(p.Checks) == 0 || len(p.Triggers) == 0 || p.Disabled {
			t.Errorf("%+v lacks a part", p)
		}
		if s := p.Safety(); s.Executes != "nothing" || s.Network != "none" || (s.Writes == "never") != (p.Updates == nil) {
			t.Errorf("%s: %+v", p.ID, s)
		}
	}
	want := []string{
		"loopxctl preset run security --trigger weekly",
		"loopxctl preset run security --trigger notice --notice FILE",
		"loopxctl preset run security --trigger release",
		"loopxctl preset due",
		"loopxctl preset history security",
	}
	if diff := cmp.Diff(want, all[0].Commands()); diff != "" {
		t.Error(diff)
	}
	if preset.Find(all, "other") != nil {
		t.Error("there is a preset called other")
	}
}

// TestChecks holds that the names are those of package scan, and one more.
func TestChecks(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(append(scan.Checks(), preset.Image), preset.Checks()); diff != "" {
		t.Error(diff)
	}
}

func TestEnforces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode        preset.Mode
		trigger     preset.Trigger
		first, want bool
	}{
		{preset.ReportOnly, preset.Weekly, false, false},
		{preset.ReportOnly, preset.Notice, true, false},
		{preset.ReportOnly, preset.Release, true, true},
		{preset.ReportFirst, preset.Weekly, true, false},
		{preset.ReportFirst, preset.Weekly, false, true},
		{preset.ReportFirst, preset.Release, true, true},
		{preset.Enforce, preset.Weekly, true, true},
	} {
		if got := tc.mode.Enforces(tc.trigger, tc.first); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to string
		want     preset.Step
	}{
		{"1.2.3", "1.2.4", preset.Patch},
		{"1.2", "1.2.0.post1", preset.Patch},
		{"1.2.3", "1.3", preset.Minor},
		{"1", "1.0.1", preset.Patch},
		{"1.2.3", "2.0", preset.Major},
		{"0.2.3", "0.2.9", preset.Patch},
		{"0.2.3", "0.3.0", preset.Major},
		{"0.9", "1.0", preset.Major},
		{"1.0", "1!1.0", preset.Major},
	} {
		from, err := pep440.Parse(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := pep440.Parse(tc.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := preset.StepOf(from, to); got != tc.want {
			t.Errorf("%s to %s is %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
	u := preset.Updates{Allow: preset.Patch, Deny: []string{"nvidia-*"}}
	for _, tc := range []struct {
		name string
		step preset.Step
		want string
	}{
		{"requests", preset.Patch, ""},
		{"requests", preset.Minor, "it is a minor step, and the preset allows patch ones"},
		{"requests", preset.Major, "it is a major step, and the preset allows patch ones"},
		{"nvidia-cublas", preset.Patch, `the preset's deny list has "nvidia-*"`},
	} {
		if got := u.Refuses(tc.name, tc.step); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}
