package docs_test

import (
	"crypto/x509"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

var variable = regexp.MustCompile(`\bLOOPX_[A-Z0-9_]*[A-Z0-9]\b`)

// known are the variables of the product: those that both the frontend and
// loopxctl read, and those that the frontend reads alone.
func known() []string {
	names := []string{"LOOPX_APT", "LOOPX_CHECKS", "LOOPX_DOCKERFILE", "LOOPX_REPORT", "LOOPX_REPOSITORY"}
	for _, v := range route.Variables() {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	return names
}

// TestVariables holds that docs/configuration.md names every variable and no
// other.
func TestVariables(t *testing.T) {
	text := strings.Join(readPage(t, "docs/configuration.md").lines, "\n")
	got := variable.FindAllString(text, -1)
	slices.Sort(got)
	if diff := cmp.Diff(known(), slices.Compact(got)); diff != "" {
		t.Errorf("variables (-code +docs/configuration.md):\n%s", diff)
	}
}

// TestVariablesElsewhere holds that no page names a variable that nothing reads.
func TestVariablesElsewhere(t *testing.T) {
	names := append(known(),
		"LOOPX_CACHE",                             // of make, see internal/testbed/setup
		"LOOPX_BUILDKITD", "LOOPX_FRONTEND_IMAGE", // of loopxctl build
		"LOOPX_ORGANISATION") // of loopxctl
	for _, p := range pages(t) {
		for i, line := range p.lines {
			for _, name := range variable.FindAllString(line, -1) {
				if !slices.Contains(names, name) {
					t.Errorf("%s:%d: nothing reads %s", p.path, i+1, name)
				}
			}
		}
	}
}

var environmentVariable = regexp.MustCompile("`([A-Z]+_[A-Z_]+)`")

// TestTrustVariables holds that docs/configuration.md names the variables by
// which programs find the certificates, and the folder.
func TestTrustVariables(t *testing.T) {
	p := readPage(t, "docs/configuration.md")
	text := p.in(sectionOf(t, p, "Certificate authorities"))
	var got, want []string
	for _, m := range environmentVariable.FindAllStringSubmatch(text, -1) {
		got = append(got, m[1])
	}
	withOperator := cabundle.Bundle{}.With([]*x509.Certificate{{Raw: []byte("the operator's")}})
	tools := []string{"curl", "wget", "git", "pip", "npm"} // one for each way
	for _, v := range withOperator.Variables(tools, func(string) bool { return false }) {
		want = append(want, v.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables (-frontend/cabundle +docs/configuration.md):\n%s", diff)
	}
	if !strings.Contains(text, "`"+cabundle.Dir+"`") {
		t.Errorf("the section does not name %s", cabundle.Dir)
	}
}
