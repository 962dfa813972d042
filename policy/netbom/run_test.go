package netbom_test

import (
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/netbom"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

// guardedRun is a build of one RUN with the frontend's guard.
func guardedRun(r provenance.Run) *provenance.Build {
	const digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	r.Network, r.Guard = "sandbox", &provenance.Guard{Apt: true, Image: "ours:1@" + digest, Digest: digest}
	return &provenance.Build{
		Mode: provenance.Max, Frontend: provenance.Frontend{Name: "gateway.v0", Ref: "ours:1", Digest: digest},
		Steps: []provenance.Step{{ID: "step1", Kind: "exec", FileIndex: -1, Run: &r}},
	}
}

// TestPastTheGuard: where apt goes past the guard, nothing is said to have gone
// through it.
func TestPastTheGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]netbom.Over{
		"apt-get update":                                netbom.Guard,
		"apt-get -o Dir::Bin::methods=/m update":        netbom.Unknown,
		"env -i apt-get update":                         netbom.Unknown,
		"chroot /r apt-get update":                      netbom.Unknown,
		"apt-get -o Acquire::http::Timeout=5 update":    netbom.Guard,
		"APT_CONFIG=/etc/mine apt-get install -y hello": netbom.Unknown,
	} {
		doc := document(guardedRun(provenance.Run{Args: []string{"/bin/sh", "-c", text}}), nil)
		if doc.Totals[want] != 1 || len(doc.Totals) != 1 {
			t.Errorf("%s: %v, want one %s", text, doc.Totals, want)
		}
	}
	covered := provenance.Run{
		Args:   []string{"/bin/sh", "-c", "env -i apt-get update"},
		Mounts: []provenance.Mount{{Type: "bind", Dest: "/etc/apt/apt.conf.d/zz-loopx", ReadOnly: true}},
	}
	if doc := document(guardedRun(covered), nil); doc.Totals[netbom.Guard] != 1 {
		t.Errorf("with its cover: %v", doc.Totals)
	}
}

// TestMaskedAddress: an address that is masked is not told, but what it is is.
func TestMaskedAddress(t *testing.T) {
	t.Parallel()
	args := []string{"/bin/sh", "-c", "curl -fsS $API_TOKEN -o /x"}
	for address, want := range map[string]bool{"http://downloads.example.org/hunter2": true, "https://downloads.example.org/hunter2": false, "http://localhost/hunter2": false} {
		doc := document(guardedRun(provenance.Run{
			Args: args, Env: []string{"API_TOKEN=***"}, Raw: &provenance.Run{Args: args, Env: []string{"API_TOKEN=" + address}},
		}), nil)
		page, err := doc.Page("a test")
		if err != nil {
			t.Fatal(err)
		}
		if doc.ClearText != want || strings.Contains(string(page), "hunter2") {
			t.Errorf("%s: clear text %t\n%s", address, doc.ClearText, page)
		}
	}
}

// TestInputs: of the frontends of builds that went into one it says which are not
// recorded; their RUNs are in its provenance.
func TestInputs(t *testing.T) {
	t.Parallel()
	b := guardedRun(provenance.Run{Args: []string{"/bin/sh", "-c", "apt-get update"}})
	b.Inputs = map[string]provenance.Frontend{"0-base": b.Frontend, "0-base/0-deep": {Name: "gateway.v0", Ref: "docker/dockerfile:1"}}
	unknown := strings.Join(document(b, nil).Images[0].Unknown, "\n")
	if want := "No material is the image of the frontend docker/dockerfile:1, which built the named context 0-base/0-deep."; unknown != want {
		t.Errorf("got %q, want %q", unknown, want)
	}
}
