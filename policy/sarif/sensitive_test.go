package sarif

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy"
)

// TestSensitive holds that nothing keeps the tag from being seen: not how many tags
// there are, nor how it is spelt, nor that it is a property of its own.
func TestSensitive(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`"x",`, 2*maxTags)
	for bag, want := range map[string]bool{
		`{"tags":["private_or_security_sensitive"]}`:                    true,
		`{"tags":[` + many + `"private_or_security_sensitive"]}`:        true,
		`{"tags":[` + many + `"Private-or-Security-Sensitive"]}`:        true,
		`{"tags":"private or security sensitive"}`:                      true,
		`{"private_or_security_sensitive":true}`:                        true,
		`{"private_or_security_sensitive":"yes"}`:                       true,
		`{"private_or_security_sensitive":["because"]}`:                 true,
		`{"private_or_security_sensitive":false}`:                       false,
		`{"private_or_security_sensitive":"False"}`:                     false,
		`{"private_or_security_sensitive":null}`:                        false,
		`{"tags":[` + many + `"private"]}`:                              false,
		`{"tags":["private_or_security_sensitive_not"]}`:                false,
		`{"private_or_security_sensitive":true,"tags":[` + many + `1]}`: true,
	} {
		var p Properties
		if err := json.Unmarshal([]byte(bag), &p); err != nil {
			t.Fatal(err)
		}
		f := policy.Finding{Tags: inspect(&p).tags}
		if f.Sensitive() != want {
			t.Errorf("%s: %v", bag, f.Sensitive())
		}
	}
}
