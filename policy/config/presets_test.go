package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/preset"
)

func TestPresets(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("loopx.yaml", []byte(`presets:
  security:
    cadence: {cron: "30 7 * * mon-fri", zone: Europe/Berlin}
    mode: policy_report_first
    checks: [dockerfile, lens, advisories, image]
    sarif: [./trivy.sarif, out/hadolint.sarif]
    images: ["registry.example.com/app:1"]
    thresholds: {warnings: 0, advisories: 36h, acknowledgements: 14d}
  dependency-sweeper:
    enabled: false
    cadence: "0 3 1 * *"
    updates: {allow: patch, deny: [Torch, nvidia-*]}
`))
	if err != nil {
		t.Fatal(err)
	}
	all := c.AllPresets()
	s := preset.Find(all, preset.Security)
	want := preset.Thresholds{Advisories: 36 * time.Hour, Acknowledgements: 14 * 24 * time.Hour}
	if s.Cadence.Cron.String() != "30 7 * * mon-fri" || s.Cadence.Zone.String() != "Europe/Berlin" || s.Mode != preset.ReportFirst || s.Thresholds != want || s.Disabled {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"trivy.sarif", "out/hadolint.sarif", "registry.example.com/app:1"}, append(s.Reports, s.Images...)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]preset.Check{preset.Dockerfile, preset.Lens, preset.Advisories, preset.Image}, s.Checks); diff != "" {
		t.Error(diff)
	}
	d := preset.Find(all, preset.Sweeper)
	if !d.Disabled || d.Cadence.Cron.String() != "0 3 1 * *" || d.Cadence.Zone != time.UTC || d.Mode != preset.ReportFirst {
		t.Errorf("%+v", d)
	}
	if diff := cmp.Diff(&preset.Updates{Allow: preset.Patch, Deny: []string{"torch", "nvidia-*"}}, d.Updates); diff != "" {
		t.Error(diff)
	}
	empty, err := config.Parse("loopx.yaml", nil)
	if err != nil || len(empty.AllPresets()) != 2 {
		t.Errorf("%+v, %v", empty, err)
	}
}

// TestPresetErrors: what is wrong is told with its place, and with what to write.
func TestPresetErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"presets: {securty: {}}":                                                     `1:11: "securty" is no key here (did you mean security?); known are: security, dependency-sweeper`,
		"presets: [security]":                                                        `1:10: presets is no mapping: write lines of the form key: value, with one of: security, dependency-sweeper`,
		"presets: {security: {cadence: '0 25 * * 1'}}":                               `1:31: the hour "25" cannot be used: end of range (25) above maximum (23): "25"; it goes from 0 to 23`,
		"presets: {security: {cadence: {zone: Berlin}}}":                             `1:38: "Berlin" is no name of the IANA time zone database (did you mean Europe/Berlin?)`,
		"presets: {security: {cadence: {cron: '@weekly'}}}":                          `1:38: names such as "@weekly" are not read: write the five fields, such as "0 6 * * 1"`,
		"presets: {security: {cadence: {con: '0 6 * * 1'}}}":                         `1:32: "con" is no key here (did you mean cron?); known are: cron, zone`,
		"presets: {security: {mode: enforced}}":                                      `1:28: "enforced" is none of: report_only, policy_report_first, enforce (did you mean enforce?)`,
		"presets: {security: {checks: [dockerfiles]}}":                               `1:31: "dockerfiles" is none of: dockerfile, rewrite, floors, lens, acknowledgements, advisories, image (did you mean dockerfile?)`,
		"presets: {security: {checks: [lens, lens]}}":                                `1:37: "lens" is already in line 1: keep one of them`,
		"presets: {security: {checks: []}}":                                          `1:30: the list of checks is empty: name a check, or write enabled: false`,
		"presets: {security: {checks: [image]}}":                                     `1:21: the checks have image, and no image is named: write images: [registry.example.com/app@sha256:…]`,
		"presets: {security: {images: [a]}}":                                         `1:21: images names some, and the checks do not have image, which verifies them: add it to the checks`,
		"presets: {security: {checks: [floors], sarif: [a]}}":                        `1:21: sarif names files, and the checks do not have lens, which reads them: add it to the checks`,
		"presets: {security: {checks: [dockerfile], thresholds: {advisories: 36h}}}": `1:21: thresholds: advisories says how old the database may be, and the checks have neither advisories nor floors, which look at it: add advisories to the checks`,
		"presets: {security: {sarif: [../a]}}":                                       `1:30: "../a" is no file of the project: write its path from the root, with slashes`,
		"presets: {security: {images: [-x]}}":                                        `1:31: "-x" is no image: write a reference such as registry.example.com/app:1, or the path of an OCI layout`,
		"presets: {security: {images: [a/../../b]}}":                                 `1:31: "a/../../b" leads out of the project: write a reference, or the path of an OCI layout from the root`,
		"presets: {security: {thresholds: {warnings: many}}}":                        `1:45: "many" is no number of warnings: write one from 0 on, or leave the key out to accept any number`,
		"presets: {security: {updates: {allow: minor}}}":                             `1:22: "updates" is no key here; known are: enabled, cadence, mode, checks, sarif, images, thresholds`,
		"presets: {dependency-sweeper: {updates: {allow: major}}}":                   `1:49: "major" is none of: patch, minor`,
		"presets: {dependency-sweeper: {updates: {deny: [a b]}}}":                    `1:49: "a b" is no project's name: letters, digits, - _ . and * for any text are allowed`,
		"presets: {dependency-sweeper: {checks: [advisories]}}":                      `1:31: dependency-sweeper works on the check floors: add it to the checks`,
		"presets: {security: {cadence: \"\\e[31m * * * *\"}}":                        `1:31: the minute "\x1b[31m" cannot be used: write *, a number, a range such as 1-5, a step such as */2, or several with commas`,
	} {
		_, err := config.Parse("f", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "f:"+want) {
			t.Errorf("%s:\n got %v\nwant f:%s", text, err, want)
		}
	}
}
