package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
)

func TestReview(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("loopx.yaml", []byte("review:\n  unprovable: error\n  sensitive_paths: [deploy/, './a/*.sh']\n  sensitive_rules: [gitleaks/*, S1]\n  commit_authors: true\n"))
	want := config.Review{
		Unprovable: config.Fail, SensitivePaths: []string{"deploy/", "a/*.sh"}, SensitiveRules: []string{"gitleaks/*", "S1"}, CommitAuthors: true,
	}
	if err != nil || !cmp.Equal(want, c.Review) {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"review: {unprovable: fail}":        `1:22: "fail" is none of: error, warn, allow`,
		"review: {unprovabel: error}":       `1:10: "unprovabel" is no key here (did you mean unprovable?)`,
		"review: {sensitive_paths: [/etc]}": `1:28: "/etc" is no pattern of files`,
		"review: {sensitive_rules: ['[']}":  `1:28: "[" is no pattern of rules`,
		"review: {sensitive_rules: x}":      "1:27: sensitive_rules is no list",
		"review: {commit_authors: yes}":     "1:26: this is neither true nor false",
		"review: []":                        "1:9: review is no mapping",
	} {
		if _, err := config.Parse("loopx.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
