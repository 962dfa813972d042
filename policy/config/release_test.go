package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
)

const (
	oneDigest   = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	otherDigest = "sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

func TestRelease(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("loopx.yaml", []byte(`release:
  tag: v*
  acknowledgements_last: 36h
  advisory_age: 3d
  frontends: `+oneDigest+`
  bases:
    debian: `+oneDigest+`
    registry.example.com/team/base: [`+oneDigest+", "+otherDigest+`]
  require_signed: true
  require_proxy_network: true
  require_pinned_bases: false
  require_commit: false
  require_tag: false
`))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Release{
		Tag: "v*", AcknowledgementDays: 2, AdvisoryAge: 72 * time.Hour, Frontends: []string{oneDigest},
		Bases:         map[string][]string{"docker.io/library/debian": {oneDigest}, "registry.example.com/team/base": {oneDigest, otherDigest}},
		RequireSigned: true, RequireProxyNetwork: true, AnyBase: true, AnyCommit: true, Untagged: true,
	}
	if diff := cmp.Diff(want, c.Release); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if days, age := want.Days(), want.Age(); days != 2 || age != 72*time.Hour {
		t.Errorf("%d days, %v", days, age)
	}
	var none config.Release
	if days, age := none.Days(), none.Age(); days != 14 || age != 7*24*time.Hour {
		t.Errorf("unless it is said: %d days, %v", days, age)
	}
}

func TestReleaseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"release: 3":                                "release is no mapping",
		"release: {tag: '['}":                       `"[" is no pattern of tags`,
		"release: {tag: ''}":                        "the value is empty",
		"release: {frontends: [latest]}":            `"latest" is no digest of an image`,
		"release: {frontends: {a: b}}":              "frontends is no list",
		"release: {bases: [a]}":                     "bases is no mapping",
		"release: {bases: {'debian:12': x}}":        `"debian:12" is no name of an image`,
		"release: {bases: {'Debian': x}}":           `"Debian" is no name of an image`,
		"release: {bases: {debian: 'sha512:1'}}":    `"sha512:1" is no digest of an image`,
		"release: {require_signed: maybe}":          "this is neither true nor false",
		"release: {acknowledgements_last: forever}": `"forever" is no age`,
		"release: {require_signd: true}":            "did you mean require_signed?",
	} {
		_, err := config.Parse("loopx.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
