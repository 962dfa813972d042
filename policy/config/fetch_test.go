package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// fetch is what a project may say about fetches.
const fetch = `apt: all
mirrors:
  debian: https://Mirror.example/debian/
  debian-security: [https://a.example/debian-security, default]
keyserver: keys.example
hosts:
  Nexus.example:8443: upgrade
  "*.corp.example": keep
  "[2001:db8::1]": refuse
  ftp.example: https://mirror.example/ftp/
`

const organisation = `locked: true
contact: platform@example.com
mode: audit
checks: off
repository: git@git.example.com:team/app.git
` + fetch

func TestFetch(t *testing.T) {
	t.Parallel()
	c, err := config.ParseOrganisation("loopx.yaml", []byte(organisation))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Fetch{
		Locked: true, Contact: "platform@example.com", Mode: route.Audit, Checks: config.ChecksOff, Repository: "git.example.com/team/app", Apt: config.AptAll,
		Mirrors: map[string][]string{
			"debian": {"https://mirror.example/debian"}, "debian-security": {"https://a.example/debian-security", "default"}, "keyserver": {"hkps://keys.example"},
		},
		Hosts: []route.HostRule{
			{Host: "nexus.example:8443", Action: "upgrade"},
			{Host: "*.corp.example", Action: "keep"},
			{Host: "[2001:db8::1]", Action: "refuse"},
			{Host: "ftp.example", Action: "https://mirror.example/ftp"},
		},
		Lines: map[string]int{
			config.LockKey: 1, config.ModeKey: 3, config.ChecksKey: 4, config.RepositoryKey: 5, config.AptKey: 6,
			config.MirrorKey("debian"): 8, config.MirrorKey("debian-security"): 9, config.MirrorKey("keyserver"): 10,
			config.HostKey("nexus.example:8443"): 12, config.HostKey("*.corp.example"): 13, config.HostKey("[2001:db8::1]"): 14, config.HostKey("ftp.example"): 15,
		},
	}
	if diff := cmp.Diff(want, c.Fetch); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFetchErrors has what is wrong, by whose file it is, with the place and the
// first words of each message.
func TestFetchErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"mode: audit", "1:1: mode is never read from a project's file, which the change that is checked could edit: it belongs in /etc/loopx/loopx.yaml"},
		{"apt: all\nlocked: false", "2:1: locked is never read from a project's file"},
		{"checks: off", "1:1: checks is never read"},
		{"repository: a/b", "1:1: repository is never read"},
		{"contact: me", "1:1: contact is never read"},
		{"apt: some", `1:6: "some" is neither auto, all nor off; write auto`},
		{"mirrors: {debain: 'https://m.example'}", `1:11: "debain" is no key here (did you mean debian?)`},
		{"mirrors: {keyserver: 'https://m.example'}", `1:11: "keyserver" is no key here`},
		{"mirrors:\n  debian: http://m.example/debian", `2:11: "http://m.example/debian" is not an https URL; write https://`},
		{"mirrors: {debian: 'https://u:hunter2@m.example/debian'}", `1:19: "https://***@m.example/debian" holds a user or a password`},
		{"mirrors: {debian: 'https://m.example/debian?token=1'}", `1:19: "https://m.example/debian?token=1" holds a query`},
		{"mirrors: {debian: [default, default]}", `1:19: "default" is listed twice`},
		{"mirrors: {debian: []}", `1:19: "" names no mirror`},
		{"mirrors: {debian: [{}]}", "1:20: this is no text"},
		{"mirrors: []", "1:10: mirrors is no mapping"},
		{"keyserver: ftp://k.example", `1:12: "ftp://k.example" is not an hkps URL`},
		{"hosts: [a.example]", "1:8: hosts is no mapping"},
		{"hosts: {a.example: ignore}", `1:9: "a.example=ignore" has an action that is not an https URL; write upgrade, keep, refuse`},
		{"hosts: {a.example: 'https://u:hunter2@b.example'}", `1:9: "a.example=https://***@b.example" has an action that holds a user or a password`},
		{"hosts: {'u:hunter2@a.example': keep}", `1:9: "***@a.example=keep" has more than a host`},
		{"hosts: {a.example: keep, A.example: refuse}", `1:26: "a.example" is already in line 1, in another spelling`},
		{"hosts: {'[::1]': keep, '[0:0::1]': refuse}", `1:8: "[0:0::1]=refuse" contradicts the rule [0:0::1]=keep`},
		{"hosts: {a.example: }", "1:20: the value is empty"},
		{"hosts: {a.example: &x keep}", "1:20: anchors (&) and aliases (*) are not allowed"},
	} {
		_, err := config.Parse("loopx.yaml", []byte(tc.text))
		if err == nil || !strings.HasPrefix(err.Error(), "loopx.yaml:"+tc.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q:\n    %v\nwant\n    %s", tc.text, err, tc.want)
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"mode: loud", `1:7: "loud" is no mode; write enforce or audit`},
		{"checks: maybe", `1:9: "maybe" is neither on nor off; write on or off`},
		{"locked: yes", "1:9: this is neither true nor false"},
		{"repository: https://u:hunter2@x", `1:13: "https://***@x" is no repository`},
		{"floors: {}", "1:1: floors is of a project: it belongs in loopx.yaml at the root of the build context"},
	} {
		_, err := config.ParseOrganisation("o.yaml", []byte(tc.text))
		if err == nil || !strings.HasPrefix(err.Error(), "o.yaml:"+tc.want) {
			t.Errorf("%q:\n    %v\nwant\n    %s", tc.text, err, tc.want)
		}
	}
}
