package sarif

import (
	"os"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy"
)

// TestDocumented holds that docs/policy.md names each tag with its class, and
// each word that says security.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range tagClasses {
		found := false
		for line := range strings.Lines(string(page)) {
			found = found || strings.HasPrefix(line, "| a tag `") && strings.Contains(line, "`"+tag.tag+"`") && strings.HasSuffix(line, "| `"+string(tag.class)+"` |\n")
		}
		if !found {
			t.Errorf("docs/policy.md does not lead the tag %s to %s", tag.tag, tag.class)
		}
	}
	for _, word := range securityWords {
		if !strings.Contains(strings.ToLower(string(page)), strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(word, "ies"), "graphy"), "s")) {
			t.Errorf("docs/policy.md does not name %s", word)
		}
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, rule string
		tags       []string
		security   bool
		want       policy.Class
	}{
		{"ESLint", "no-unused", nil, false, policy.Correctness},
		{"ESLint", "no-unused", nil, true, policy.SecurityPrivacy},
		{"eslint", "plugin/security.eval", nil, false, policy.SecurityPrivacy},
		{"golangci-lint", "gosec", nil, false, policy.SecurityPrivacy},
		{"golangci-lint", "insecurity", nil, false, policy.Correctness},
		{"ESLint", "x", []string{"Performance"}, false, policy.Efficiency},
		{"ESLint", "x", []string{"style", "correctness"}, false, policy.Correctness},
		{"Trivy", "x", []string{"style"}, false, policy.Complexity},
		{"Trivy", "x", []string{"other"}, false, policy.SecurityPrivacy},
		{"", "", nil, false, policy.SecurityPrivacy},
		{"hadolint", "DL3002", nil, false, policy.SecurityPrivacy},
		{"hadolint", "DL3007", nil, false, policy.ReleaseCompatibility},
		{"hadolint", "DL3048", nil, false, policy.Documentation},
		{"hadolint", "DL1001", nil, false, policy.Complexity},
		{"hadolint", "DL9999", nil, false, policy.Correctness},
	} {
		if got := classify(tc.tool, tc.rule, tc.tags, tc.security); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

func TestIsSecurityTag(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]bool{
		"security": true, "Security": true, "external/cwe/cwe-079": true, "CWE-79: Cross-site scripting": true, "cwe:22": true,
		"OWASP-A03:2021 - Injection": true, "CVE-2030-0001": true, "secret": true, "security-audit": true,
		"maintainability": false, "insecure": false, "cwe": false, "": false, "HIGH": false,
	} {
		if got := isSecurityTag(tag); got != want {
			t.Errorf("%q: %v", tag, got)
		}
	}
}

// TestFind holds how a result finds its rule.
func TestFind(t *testing.T) {
	t.Parallel()
	set := func(ids ...string) component {
		c := component{byID: map[string]int{}}
		for i, id := range ids {
			c.rules = append(c.rules, rule{id: id, description: id})
			c.byID[id] = i
		}
		return c
	}
	r := &run{driver: set("a", "b"), extensions: []component{set("c", "a/1")}}
	for _, tc := range []struct {
		id               string
		index, component int
		want             string
	}{
		{"a", -1, -1, "a"},
		{"b", 1, -1, "b"},
		{"", 1, -1, "b"},
		{"", 0, 0, "c"},
		{"b", 0, -1, "b"}, // the index is of another rule
		{"b", 99, 99, "b"},
		{"b/part/2", -1, -1, "b"},
		{"b/part", 1, -1, "b"},
		{"c", -1, -1, "c"},
		{"a/1", -1, -1, "a/1"},
		{"bb", 1, -1, ""},
		{"", -1, -1, ""},
		{"", -5, -5, ""},
	} {
		if got := r.find(&pending{id: tc.id, index: tc.index, component: tc.component}); got.id != tc.want {
			t.Errorf("%+v: %q", tc, got.id)
		}
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	if got := fill("{0} and {1}, not {2}", []string{"{1}", "b"}); got != "{1} and b, not {2}" {
		t.Error(got)
	}
}
