package gate_test

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

var _ = flag.Bool("update", false, "there are no goldens here")

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

const (
	commit    = "0123456789abcdef0123456789abcdef01234567"
	ourDigest = "sha256:" + "1111111111111111111111111111111111111111111111111111111111111111"
	baseDig   = "sha256:" + "2222222222222222222222222222222222222222222222222222222222222222"
	imageDig  = "sha256:" + "3333333333333333333333333333333333333333333333333333333333333333"
	otherDig  = "sha256:" + "4444444444444444444444444444444444444444444444444444444444444444"
	indexDig  = "sha256:" + "5555555555555555555555555555555555555555555555555555555555555555"
)

// good is what passes: each case breaks one thing.
func good() *gate.Input {
	run := func(id string, line int, r provenance.Run) provenance.Step {
		return provenance.Step{ID: id, Kind: "exec", File: "Dockerfile", Line: line, Run: &r}
	}
	return &gate.Input{
		Tool: policy.Tool{Name: "loopxctl", Version: "1.0.0"}, Now: now,
		Config: config.Release{Frontends: []string{ourDigest}},
		Tree: gate.Tree{
			Repository: "git.example.com/acme/app", Commit: commit, Tags: []string{"v1.2.3"},
			Pins:     map[string][]string{"docker.io/library/debian": {baseDig}},
			Ran:      []string{"dockerfile", "floors"},
			Declared: true, Database: &osv.Snapshot{Source: "advisories.zip", Newest: now.AddDate(0, 0, -1), Records: 7},
		},
		Images: []gate.Image{{
			Ref: "registry.example.com/app:1", Digest: indexDig,
			Platforms: []gate.Platform{{
				Name: "linux/amd64", Digest: imageDig, Attestation: otherDig,
				Report: &buildreport.Report{Frontend: "1.0.0", Hosts: "2026-05-01", Mode: "enforce", Apt: "auto", Checks: "on"},
				Build: &provenance.Build{
					Version: "v1", Mode: provenance.Max, Revision: commit,
					Subjects:  []provenance.Subject{{Name: "pkg:docker/app@1", Digest: imageDig}},
					Frontend:  provenance.Frontend{Name: "gateway.v0", Ref: "loopx/frontend:1", Digest: ourDigest},
					BuildArgs: map[string]string{"VERSION": "1"},
					Materials: []provenance.Material{
						{URI: "pkg:docker/loopx/frontend@1", Kind: provenance.KindImage, Ref: "docker.io/loopx/frontend:1", Digest: ourDigest},
						{URI: "pkg:docker/debian@12", Kind: provenance.KindImage, Ref: "docker.io/library/debian:12", Digest: baseDig},
						{URI: "https://downloads.example.org/x", Kind: provenance.KindHTTP, Scheme: "https", Digest: otherDig},
					},
					Steps: []provenance.Step{
						run("step1", 2, provenance.Run{
							Args: shell("apt-get update"), Network: "sandbox", Env: []string{"PATH=/bin", "APT_CONFIG=/dev/.loopx/apt/apt.conf"},
							Guard: &provenance.Guard{Apt: true, Image: "loopx/frontend:1@" + ourDigest, Digest: ourDigest},
						}),
						run("step2", 3, provenance.Run{Args: shell("curl -fsS https://downloads.example.org/x -o /x"), Network: "sandbox"}),
						run("step3", 4, provenance.Run{Args: shell("make"), Network: "none"}),
						{ID: "step0", Kind: "source", Source: &provenance.Source{URI: "docker-image://docker.io/library/debian:12", Scheme: "docker-image", Recorded: 1}},
					},
				},
			}},
		}},
	}
}

func shell(text string) []string { return []string{"/bin/sh", "-c", text} }

// stopped are the checks that stop the release, with their status.
func stopped(v gate.Verdict) []string {
	var all []string
	for _, c := range v.Checks {
		if c.Status.Stops() {
			all = append(all, c.Name+" "+string(c.Status))
		}
	}
	return all
}

func blocker(class policy.Class) lens.Shadowed {
	return lens.Apply(policy.Finding{
		Rule: "ClearTextRefused", Class: class, Severity: policy.Blocker, Message: "http://very-private.example.com is refused",
		Location: &policy.Location{File: "Dockerfile", Start: policy.Position{Line: 3}},
	})
}

func build(in *gate.Input) *provenance.Build      { return in.Images[0].Platforms[0].Build }
func platform(in *gate.Input) *gate.Platform      { return &in.Images[0].Platforms[0] }
func reported(in *gate.Input) *buildreport.Report { return platform(in).Report }

// TestJudge breaks one thing at a time, and holds that just the check which is
// about it stops the release, and names it.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		spoil func(*gate.Input)
		want  string // the check and its status, "" for a gate that passes
		says  string // in the reason, the details or what to do
	}{
		{"nothing", func(*gate.Input) {}, "", ""},

		{"a file that can't be read", func(in *gate.Input) {
			in.Tree.Problems = []report.Problem{{File: "b/Dockerfile", Line: 1, Message: "no FROM"}}
		}, "scan unprovable", "b/Dockerfile:1: no FROM"},
		{"no check was made", func(in *gate.Input) { in.Tree.Ran = nil }, "scan unprovable", "no check was made"},
		{"a blocker", func(in *gate.Input) { in.Tree.Findings = []lens.Shadowed{blocker(policy.Correctness)} }, "blockers fail", "Dockerfile:3: http://very-private.example.com"},
		{"a private blocker", func(in *gate.Input) { in.Tree.Findings = []lens.Shadowed{blocker(policy.SecurityPrivacy)} }, "blockers fail", "[ClearTextRefused]"},
		{"a blocker that is signed for", func(in *gate.Input) {
			f := blocker(policy.Correctness)
			f.Acknowledged = &lens.Acknowledgement{Owner: "a@example.com"}
			in.Tree.Findings = []lens.Shadowed{f}
		}, "", ""},
		{"a failed validation", func(in *gate.Input) {
			in.Tree.Validations = []policy.Check{{Name: "unit tests", Status: policy.Failed}}
		}, "blockers fail", "unit tests: the validation is failed"},
		{"an acknowledgement that ends soon", func(in *gate.Input) {
			in.Tree.Acknowledgements = []gate.Acknowledgement{
				{Place: "a:9", Rule: "R", Principal: "a@example.com", Expires: now.AddDate(0, 0, 40), DaysLeft: 40},
				{Place: "a:3", Rule: "R", Principal: "b@example.com", Expires: now.AddDate(0, 0, 14), DaysLeft: 14},
			}
		}, "acknowledgements fail", "a:3: R by b@example.com, until 2026-06-15 (14 days left)"},
		{"one that lasts", func(in *gate.Input) {
			in.Tree.Acknowledgements = []gate.Acknowledgement{{Expires: now.AddDate(0, 0, 15), DaysLeft: 15}}
		}, "", ""},
		{"old advisories", func(in *gate.Input) { in.Tree.Database.Newest = now.AddDate(0, 0, -8) }, "advisories fail", "8 days old, and may be 7 days"},
		{"advisories of tomorrow", func(in *gate.Input) { in.Tree.Database.Newest = now.AddDate(0, 0, 1) }, "advisories unprovable", "2026-06-02T12:00:00Z, which is to come"},
		{"a clock that is slow by a minute", func(in *gate.Input) { in.Tree.Database.Newest = now.Add(time.Minute) }, "", ""},
		{"no advisory", func(in *gate.Input) { in.Tree.Database.Records = 0 }, "advisories unprovable", "holds no advisory"},
		{"advisories of no age", func(in *gate.Input) { in.Tree.Database.Newest = time.Time{} }, "advisories unprovable", "not known"},
		{"no advisories", func(in *gate.Input) { in.Tree.Database = nil }, "advisories unprovable, notices unprovable", "no advisories"},
		{"no advisories and nothing that they are about", func(in *gate.Input) { in.Tree.Database, in.Tree.Declared = nil, false }, "", ""},
		{"a notice that affects", func(in *gate.Input) {
			in.Tree.Notices = gate.NoticeRun{Since: now.AddDate(0, 0, -7), Records: []gate.Notice{{ID: "CVE-2026-1", Subject: "urllib3", Places: []string{"requirements.txt:1", "x"}, Affected: true, Todo: "raise it to 2.6.0"}}}
		}, "notices fail", "CVE-2026-1: urllib3 in requirements.txt:1 and 1 more: raise it to 2.6.0"},
		{"one of which nothing is known", func(in *gate.Input) {
			in.Tree.Notices.Records = []gate.Notice{{ID: "CVE-2026-1", Subject: "openssl", Unproved: "the suite is not known"}}
		}, "notices unprovable", "the suite is not known"},
		{"one that is dealt with", func(in *gate.Input) { in.Tree.Notices.Records = []gate.Notice{{ID: "CVE-2026-1"}} }, "", ""},
		{"notices that could not be evaluated", func(in *gate.Input) { in.Tree.Notices.Problem = "disk full" }, "notices unprovable", "disk full"},
		{"a changed file", func(in *gate.Input) { in.Tree.Changed = []string{"b: untracked", "a: changed"} }, "clean fail", "a: changed"},
		{"no tag", func(in *gate.Input) { in.Tree.Tags = nil }, "tag fail", "commit 0123456789ab has no tag"},
		{"another tag", func(in *gate.Input) { in.Config.Tag = "release-*" }, "tag fail", "v1.2.3"},
		{"no tag is asked for", func(in *gate.Input) { in.Tree.Tags, in.Config.Untagged = nil, true }, "", ""},

		{"a broken image", func(in *gate.Input) { in.Images[0].Broken = otherDig + " has another content than its digest says" }, "image.provenance fail", otherDig},
		{"no platform", func(in *gate.Input) { in.Images[0].Platforms = nil }, "image.provenance fail", "no image"},
		{"no provenance", func(in *gate.Input) {
			platform(in).Build, platform(in).Unbound = nil, "the image has no provenance"
		}, "image.provenance unprovable", "the image has no provenance"},
		{"an attestation of another image", func(in *gate.Input) { platform(in).Unbound = "its attestation manifest is of " + otherDig }, "image.provenance fail", otherDig},
		{"provenance of another image", func(in *gate.Input) { build(in).Subjects[0].Digest = otherDig }, "image.provenance fail", otherDig},
		{"provenance of two images", func(in *gate.Input) {
			build(in).Subjects = append(build(in).Subjects, provenance.Subject{Digest: otherDig})
		}, "image.provenance fail", otherDig},
		{"provenance of nothing", func(in *gate.Input) { build(in).Subjects = nil }, "image.provenance unprovable", "--tag"},
		{"no signature where one is required", func(in *gate.Input) { in.Config.RequireSigned = true }, "image.signature fail", "no signature is given"},
		{"a signature that does not count", func(in *gate.Input) {
			in.Images[0].Signature = gate.Signature{Asked: true, Why: "the key is not among the signers"}
		}, "image.signature fail", "the key is not among the signers"},
		{"a signature", func(in *gate.Input) {
			in.Config.RequireSigned = true
			in.Images[0].Signature = gate.Signature{Asked: true, By: "release@example.com"}
		}, "", ""},

		{"no report", func(in *gate.Input) {
			platform(in).Report, platform(in).WhyNoReport = nil, "the image has no report"
		}, "image.report unprovable", "LOOPX_REPORT=attest"},
		{"a report with a blocker", func(in *gate.Input) {
			reported(in).Findings = []buildreport.Finding{{Rule: "ClearTextRefused", Severity: "blocker", File: "Dockerfile", Line: 3, Message: "http://x/ is refused"}}
		}, "image.report fail", "Dockerfile:3: http://x/ is refused [ClearTextRefused]"},
		{"a report with a blocker that nobody signs for any more", func(in *gate.Input) {
			reported(in).Findings = []buildreport.Finding{{Rule: "R", Severity: "blocker", File: "Dockerfile", Line: 3, Message: "m", AcknowledgedBy: "a@example.com", AcknowledgedUntil: "2026-05-31"}}
		}, "image.report fail", "Dockerfile:3: m [R] (a@example.com signed for it until 2026-05-31)"},
		{"a report with a blocker that is signed for today", func(in *gate.Input) {
			reported(in).Findings = []buildreport.Finding{{Severity: "blocker", AcknowledgedBy: "a@example.com", AcknowledgedUntil: "2026-06-01"}}
		}, "", ""},
		{"another commit", func(in *gate.Input) { build(in).Revision = strings.Repeat("a", 40) }, "image.commit fail", "commit aaaaaaaaaaaa"},
		{"changes that are not committed", func(in *gate.Input) { build(in).Revision = commit + "-dirty" }, "image.commit fail", "not committed"},
		{"no commit", func(in *gate.Input) { build(in).Revision = "" }, "image.commit unprovable", "names no commit"},
		{"no commit is asked for", func(in *gate.Input) { build(in).Revision, in.Config.AnyCommit = "", true }, "", ""},

		{"a foreign frontend", func(in *gate.Input) {
			build(in).Frontend = provenance.Frontend{Name: "gateway.v0", Ref: "docker/dockerfile:1", Digest: otherDig}
			build(in).Materials[0].Digest = ourDigest
		}, "image.frontend fail", "docker/dockerfile:1 (" + otherDig + ")"},
		{"the daemon's frontend", func(in *gate.Input) { build(in).Frontend = provenance.Frontend{Name: "dockerfile.v0"} }, "image.frontend fail", "the daemon's own dockerfile.v0"},
		{"a frontend without a digest", func(in *gate.Input) { build(in).Frontend.Digest = "" }, "image.frontend fail", "not recorded"},
		{"a frontend in the client", func(in *gate.Input) { build(in).Frontend = provenance.Frontend{} }, "image.frontend unprovable", "by itself"},
		{"a foreign input", func(in *gate.Input) {
			build(in).Inputs = map[string]provenance.Frontend{"base": {Name: "dockerfile.v0"}}
		}, "image.frontend fail", "named context base"},

		{"a foreign input of an input", func(in *gate.Input) {
			build(in).Inputs = map[string]provenance.Frontend{"base": build(in).Frontend, "base/deep": {Name: "dockerfile.v0"}}
		}, "image.frontend fail", "named context base/deep"},
		{"an input that is not recorded", func(in *gate.Input) {
			build(in).Frontend.Attrs = map[string]string{"context:base": "input:0-base"}
		}, "image.frontend unprovable", "base"},
		{"an input of an input that is not recorded", func(in *gate.Input) {
			f := build(in).Frontend
			f.Attrs = map[string]string{"context:deep": "input:0-deep"}
			build(in).Frontend.Attrs = map[string]string{"context:base": "input:0-base", "context:x": "docker-image://x"}
			build(in).Inputs = map[string]provenance.Frontend{"0-base": f}
		}, "image.frontend unprovable", "0-base/deep"},
		{"inputs that are recorded", func(in *gate.Input) {
			f := build(in).Frontend
			f.Attrs = map[string]string{"context:deep": "input:0-deep"}
			build(in).Inputs = map[string]provenance.Frontend{"0-base": f, "0-base (root)": {Attrs: f.Attrs}, "0-base/0-deep": build(in).Frontend}
			build(in).Frontend.Attrs = map[string]string{"context:base": "input:0-base"}
		}, "", ""},
		{"a frontend that handed on to ours", func(in *gate.Input) {
			build(in).Root = &provenance.Frontend{Name: "gateway.v0", Ref: "evil/frontend:1", Digest: otherDig}
		}, "image.frontend fail", "evil/frontend:1 (" + otherDig + ")"},
		{"one that did for an input", func(in *gate.Input) {
			build(in).Inputs = map[string]provenance.Frontend{"base": build(in).Frontend, "base (root)": {Name: "gateway.v0", Ref: "evil/frontend:1"}}
		}, "image.frontend fail", "evil/frontend:1"},
		{"a syntax line", func(in *gate.Input) { build(in).Root = &provenance.Frontend{Name: "dockerfile.v0"} }, "", ""},
		{"a client that asks by itself", func(in *gate.Input) { build(in).Root = &provenance.Frontend{} }, "", ""},

		{"an input in audit", func(in *gate.Input) {
			f := build(in).Frontend
			f.Attrs = map[string]string{"build-arg:LOOPX_MODE": "audit"}
			build(in).Inputs = map[string]provenance.Frontend{"base": f}
		}, "image.settings fail", "named context base: LOOPX_MODE=audit"},
		{"audit with blanks", func(in *gate.Input) { build(in).BuildArgs["LOOPX_MODE"] = " audit " }, "image.settings fail", "LOOPX_MODE=audit"},
		{"all hosts of a top-level domain", func(in *gate.Input) { build(in).BuildArgs["LOOPX_HOSTS"] = "*.com=keep" }, "image.settings fail", "*.com"},
		{"all hosts of a private one", func(in *gate.Input) { build(in).BuildArgs["LOOPX_HOSTS"] = "*.internal=keep" }, "", ""},
		{"LOOPX_APT=off", func(in *gate.Input) { build(in).BuildArgs["LOOPX_APT"] = "off" }, "image.settings fail", "LOOPX_APT=off"},
		{"LOOPX_CHECKS=off", func(in *gate.Input) { build(in).BuildArgs["LOOPX_CHECKS"] = "off" }, "image.settings fail", "LOOPX_CHECKS=off"},
		{"audit", func(in *gate.Input) { build(in).BuildArgs["LOOPX_MODE"] = "audit" }, "image.settings fail", "LOOPX_MODE=audit"},
		{"a host that is kept", func(in *gate.Input) { build(in).BuildArgs["LOOPX_HOSTS"] = "downloads.example.org=keep" }, "image.settings fail", "downloads.example.org"},
		{"a private host that is kept", func(in *gate.Input) { build(in).BuildArgs["LOOPX_HOSTS"] = "10.0.0.1=keep" }, "", ""},
		{"a host that is refused", func(in *gate.Input) { build(in).BuildArgs["LOOPX_HOSTS"] = "downloads.example.org=refuse" }, "", ""},
		{"a rule that can't be read", func(in *gate.Input) { build(in).BuildArgs["LOOPX_HOSTS"] = "=" }, "image.settings fail", "LOOPX_HOSTS"},
		{"apt off by the report", func(in *gate.Input) { reported(in).Apt = "off" }, "image.settings fail", "LOOPX_APT=off"},
		{"audit by the report", func(in *gate.Input) { reported(in).Mode = "audit" }, "image.settings fail", "LOOPX_MODE=audit"},
		{"checks off by the report", func(in *gate.Input) { reported(in).Checks = "off" }, "image.settings fail", "LOOPX_CHECKS=off"},
		{"an old report", func(in *gate.Input) { reported(in).Checks = "" }, "image.settings fail", "too old"},
		{"a kept host by the report", func(in *gate.Input) {
			reported(in).Rules = []route.HostRule{{Host: "*.example.org", Action: "keep"}}
		}, "image.settings fail", "*.example.org"},

		{"nothing by an address", func(in *gate.Input) { build(in).Materials = build(in).Materials[:2] }, "", ""},
		{"clear text", func(in *gate.Input) {
			build(in).Materials[2].URI, build(in).Materials[2].Scheme = "http://downloads.example.org/x", "http"
		}, "image.materials fail", "http://downloads.example.org/x (" + otherDig + ")"},
		{"clear text that the materials leave out", func(in *gate.Input) {
			build(in).Steps = append(build(in).Steps, provenance.Step{ID: "step9", Source: &provenance.Source{URI: "http://downloads.example.org/y", Scheme: "http"}})
		}, "image.materials fail", "http://downloads.example.org/y"},
		{"clear text that is signed for", func(in *gate.Input) {
			build(in).Materials[2].URI, build(in).Materials[2].Scheme = "http://downloads.example.org/x", "http"
			reported(in).Findings = []buildreport.Finding{{Severity: "blocker", Message: "http://downloads.example.org/x is fetched in clear text: no", AcknowledgedBy: "a@example.com", AcknowledgedUntil: "2026-12-31"}}
		}, "", ""},
		{"another address that is signed for", func(in *gate.Input) {
			build(in).Materials[2].URI, build(in).Materials[2].Scheme = "http://downloads.example.org/x", "http"
			reported(in).Findings = []buildreport.Finding{{Severity: "blocker", Message: "http://downloads.example.org/xy is fetched in clear text: no", AcknowledgedBy: "a@example.com", AcknowledgedUntil: "2026-06-01"}}
		}, "image.materials fail", "http://downloads.example.org/x"},
		{"git in clear text", func(in *gate.Input) {
			build(in).Materials[2] = provenance.Material{URI: "git://git.example.org/x", Kind: provenance.KindGit, Scheme: "git"}
		}, "image.materials fail", "git://git.example.org/x"},
		{"a material of no known kind", func(in *gate.Input) {
			build(in).Materials[2] = provenance.Material{URI: "carrier-pigeon:x", Kind: provenance.KindOther}
		}, "image.materials unprovable", "carrier-pigeon:x"},

		{"a base that is not pinned", func(in *gate.Input) { in.Tree.Pins = nil }, "image.bases unprovable", "docker.io/library/debian:12"},
		{"another base", func(in *gate.Input) { build(in).Materials[1].Digest = otherDig }, "image.bases fail", otherDig},
		{"a base without a digest", func(in *gate.Input) { build(in).Materials[1].Digest = "" }, "image.bases fail", "no digest"},
		{"a base that the configuration has", func(in *gate.Input) {
			in.Tree.Pins, in.Config.Bases = nil, map[string][]string{"docker.io/library/debian": {otherDig, baseDig}}
		}, "", ""},
		{"any base", func(in *gate.Input) { in.Tree.Pins, in.Config.AnyBase = nil, true }, "", ""},
		{"any base, but no frontend between", func(in *gate.Input) {
			in.Tree.Pins, in.Config.AnyBase = nil, true
			build(in).Materials = append(build(in).Materials, provenance.Material{URI: "pkg:docker/evil@1", Kind: provenance.KindImage, Ref: "docker.io/evil/frontend:1", Digest: otherDig})
		}, "image.bases unprovable", "docker.io/evil/frontend:1"},
		{"any base, but not another than is pinned", func(in *gate.Input) {
			in.Config.AnyBase, build(in).Materials[1].Digest = true, otherDig
		}, "image.bases fail", otherDig},
		{"a layout of the client's", func(in *gate.Input) {
			build(in).Materials = append(build(in).Materials, provenance.Material{URI: "pkg:oci/x", Kind: provenance.KindLayout})
		}, "image.bases unprovable", "pkg:oci/x"},

		{"apt without a guard", func(in *gate.Input) { build(in).Steps[0].Run.Guard = nil }, "image.network unprovable", "Dockerfile:2: runs apt-get, and has no guard"},
		{"a guard of certificates", func(in *gate.Input) { build(in).Steps[0].Run.Guard.Apt = false }, "image.network unprovable", "Dockerfile:2: runs apt-get"},
		{"a foreign guard", func(in *gate.Input) { build(in).Steps[0].Run.Guard.Digest = otherDig }, "image.network unprovable", "not from an allowed frontend"},
		{"apt that is told of other methods", func(in *gate.Input) {
			build(in).Steps[0].Run.Args = shell("apt-get -o Dir::Bin::methods=/m update")
		}, "image.network unprovable", "Dockerfile:2"},
		{"apt behind sudo", func(in *gate.Input) { build(in).Steps[0].Run.Args = shell("sudo apt-get update") }, "image.network unprovable", "sudo takes the guard away"},
		{"apt behind sudo, with its cover", func(in *gate.Input) {
			build(in).Steps[0].Run.Args = shell("sudo apt-get update")
			build(in).Steps[0].Run.Mounts = []provenance.Mount{{Type: "bind", Dest: "/etc/apt/apt.conf.d/zz-loopx", ReadOnly: true}}
		}, "", ""},
		{"a variable of the author's, with its cover", func(in *gate.Input) {
			r := build(in).Steps[0].Run
			r.Env, r.Guard.Apt, r.Guard.Selector = []string{"APT_CONFIG=/etc/mine"}, false, "/loopx/apt/linux_amd64"
			r.Mounts = []provenance.Mount{{Type: "bind", Dest: "/etc/apt/apt.conf.d/zz-loopx", ReadOnly: true}}
		}, "", ""},
		{"apt in another root", func(in *gate.Input) { build(in).Steps[0].Run.Args = shell("chroot /r apt-get update") }, "image.network unprovable", "Dockerfile:2"},
		{"a program that may do anything", func(in *gate.Input) { build(in).Steps[2].Run.Network = "sandbox" }, "image.network unprovable", "make may run apt, and has no guard"},
		{"the host's network", func(in *gate.Input) {
			build(in).Proxy, build(in).Steps[2].Run.Network = &provenance.Proxy{}, "host"
		}, "image.network unprovable", "make may run apt"},
		{"the proxy network", func(in *gate.Input) {
			build(in).Proxy, build(in).Steps[2].Run.Network = &provenance.Proxy{}, "sandbox"
			build(in).Steps[0].Run.Guard = nil
		}, "", ""},
		{"a request that the proxy did not record", func(in *gate.Input) {
			build(in).Proxy = &provenance.Proxy{Incomplete: []provenance.Incomplete{{Command: "curl", Method: "POST", URI: "https://x.example.org/", Reason: "method_not_materializable"}}}
		}, "image.network unprovable", "curl: POST https://x.example.org/"},
		{"one that went on in clear text", func(in *gate.Input) {
			build(in).Proxy = &provenance.Proxy{Incomplete: []provenance.Incomplete{{URI: "https://x.example.org/", Final: "http://y.example.org/"}}}
		}, "image.network fail", "https://x.example.org/"},
		{"the guard is not enough", func(in *gate.Input) { in.Config.RequireProxyNetwork = true }, "image.network unprovable", "not the proxy network"},
		{"a command in clear text", func(in *gate.Input) {
			build(in).Steps[1].Run.Args = shell("curl http://downloads.example.org/x -o /x")
		}, "image.network fail", "Dockerfile:3: http://downloads.example.org/x is fetched in clear text"},
		{"one that is signed for", func(in *gate.Input) {
			build(in).Steps[1].Run.Args = shell("curl http://downloads.example.org:8080/x -o /x")
			reported(in).Findings = []buildreport.Finding{{Severity: "blocker", Message: "http://downloads.example.org:8080/x is fetched in clear text: port", AcknowledgedBy: "a@example.com", AcknowledgedUntil: "2026-06-01"}}
		}, "", ""},
		{"all rights on the machine", func(in *gate.Input) {
			build(in).Proxy = &provenance.Proxy{}
			build(in).Steps[2].Run.Insecure = true
		}, "image.network unprovable", "Dockerfile:4: it had all rights"},
		{"a build in the build", func(in *gate.Input) {
			build(in).Steps = append(build(in).Steps, provenance.Step{ID: "step9", Kind: "build"})
		}, "image.network unprovable", "step9: it is a build of its own"},
		{"clear text behind a secret's name", func(in *gate.Input) {
			r := build(in).Steps[1].Run
			r.Args, r.Env = shell("curl -fsS $API_TOKEN -o /x"), []string{"API_TOKEN=***"}
			r.Raw = &provenance.Run{Args: r.Args, Env: []string{"API_TOKEN=http://downloads.example.org/hunter2"}}
		}, "image.network fail", "Dockerfile:3: an address that is not shown"},
		{"a connection of the shell's, by a variable", func(in *gate.Input) {
			r := build(in).Steps[1].Run
			r.Args, r.Env = shell("cat <$P"), []string{"P=/dev/tcp/downloads.example.org/80"}
		}, "image.network unprovable", "Dockerfile:3: it opens a connection by itself"},
		{"apt behind a secret's name", func(in *gate.Input) {
			r := build(in).Steps[1].Run
			r.Args = shell("password=***; true")
			r.Raw = &provenance.Run{Args: shell("password=$(apt-get update); true")}
		}, "image.network unprovable", "Dockerfile:3: runs apt-get, and has no guard"},
		{"a script that is not recorded", func(in *gate.Input) {
			build(in).Steps[1].Run = &provenance.Run{Args: []string{"/dev/pipes/EOF"}, Network: "sandbox", Mounts: []provenance.Mount{{Dest: "/dev/pipes/"}}}
		}, "image.network unprovable", "Dockerfile:3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := good()
			tc.spoil(in)
			v := gate.Judge(*in)
			var want []string
			if tc.want != "" {
				want = strings.Split(tc.want, ", ")
			}
			if diff := cmp.Diff(want, stopped(v)); diff != "" {
				t.Fatalf("stopped (-want +got):\n%s", diff)
			}
			if v.Pass != (want == nil) {
				t.Errorf("pass is %v", v.Pass)
			}
			i := slices.IndexFunc(v.Checks, func(c gate.Check) bool { return c.Status.Stops() })
			if i < 0 {
				return
			}
			c := v.Checks[i]
			if text := strings.Join(append(append([]string{c.Reason, c.Todo}, c.Details...), c.Private...), "\n"); !strings.Contains(text, tc.says) {
				t.Errorf("%q is not in:\n%s", tc.says, text)
			} else if strings.Contains(text, "hunter2") {
				t.Errorf("a secret is told:\n%s", text)
			}
			if c.Todo == "" {
				t.Error("it does not say what to do")
			}
		})
	}
}

// TestSight holds of which commands without a guard the text shows all that they
// fetch from.
func TestSight(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]gate.Status{
		"curl -fsSL https://downloads.example.org/x -o /x":                gate.Pass,
		`f=$(mktemp); curl -fsSL https://downloads.example.org/x -o "$f"`: gate.Pass,
		"wget -qO- https://downloads.example.org/x":                       gate.Pass,
		"wget -q https://downloads.example.org/x -Oprime":                 gate.Pass,
		"curl --version": gate.Pass,
		"git clone --depth 1 https://git.example.org/x && git -C x log": gate.Pass,
		"git init x":                 gate.Pass,
		"gpg --dearmor -o /k /k.asc": gate.Pass,
		"gpg --keyserver hkps://keys.example.org --recv-keys 1":         gate.Pass,
		"mkdir x && cp a b && openssl sha256 x":                         gate.Pass,
		"fetch() { curl -fsS https://downloads.example.org/x; }; fetch": gate.Pass,
		"sh -c 'curl -fsS https://downloads.example.org/x'":             gate.Pass,
		"curl -K /cfg -o /x":                                       gate.Unprovable,
		"curl -sK /cfg https://downloads.example.org/x":            gate.Unprovable,
		"curl --config=/cfg https://downloads.example.org/x":       gate.Unprovable,
		`curl -fsS "$(cat /u)" -o /x`:                              gate.Unprovable,
		`curl -fsS "$(cat /u)" https://downloads.example.org/x`:    gate.Unprovable,
		"cat /u | xargs curl -O":                                   gate.Unprovable,
		"wget -i /list":                                            gate.Unprovable,
		"wget -qi /list https://downloads.example.org/x":           gate.Unprovable,
		"wget -r https://downloads.example.org/x":                  gate.Unprovable,
		"git clone --recurse-submodules https://git.example.org/x": gate.Unprovable,
		"git -C x submodule update --init":                         gate.Unprovable,
		"git pull":                                                 gate.Unprovable,
		"gpg --recv-keys 1":                                        gate.Unprovable,
		"apk add curl":                                             gate.Unprovable,
		"dnf install -y curl":                                      gate.Unprovable,
		"ftp ftp.example.org":                                      gate.Unprovable,
		"rsync host::module /x":                                    gate.Unprovable,
		"openssl s_client -connect x.example.org:443":              gate.Unprovable,
		"mount -t nfs host:/b /c":                                  gate.Unprovable,
		"cat </dev/tcp/downloads.example.org/80":                   gate.Unprovable,
		"exec 3<>/dev/tcp/downloads.example.org/80; cat <&3":       gate.Unprovable,
		"if true; then curl -fsS https://downloads.example.org/x; else apk add x; fi": gate.Unprovable,
	} {
		in := good()
		build(in).Steps[1].Run.Args = shell(text)
		v := gate.Judge(*in)
		i := slices.IndexFunc(v.Checks, func(c gate.Check) bool { return c.Name == gate.ImageNetwork })
		if c := v.Checks[i]; c.Status != want {
			t.Errorf("%s: %s, want %s: %v", text, c.Status, want, c.Details)
		}
	}
}

// TestMin holds which claims provenance of mode=min leaves unproved.
func TestMin(t *testing.T) {
	t.Parallel()
	in := good()
	b := build(in)
	b.Mode, b.Steps, b.BuildArgs = provenance.Min, nil, nil
	if diff := cmp.Diff([]string{"image.network unprovable"}, stopped(gate.Judge(*in))); diff != "" {
		t.Errorf("with a report: %s", diff)
	}
	platform(in).Report = nil
	if diff := cmp.Diff([]string{"image.report unprovable", "image.settings unprovable", "image.network unprovable"}, stopped(gate.Judge(*in))); diff != "" {
		t.Errorf("without: %s", diff)
	}
	in.Config.Frontends = nil
	if got := stopped(gate.Judge(*in)); !slices.Contains(got, "image.frontend unprovable") {
		t.Errorf("no frontend is allowed: %q", got)
	}
}

// TestReportBeside holds that the report of a file lifts nothing.
func TestReportBeside(t *testing.T) {
	t.Parallel()
	in := good()
	build(in).Materials[2].URI, build(in).Materials[2].Scheme = "http://downloads.example.org/x", "http"
	reported(in).Findings = []buildreport.Finding{{Severity: "blocker", Message: "http://downloads.example.org/x is fetched in clear text: no", AcknowledgedBy: "a@example.com", AcknowledgedUntil: "2026-06-01"}}
	platform(in).Beside = true
	if diff := cmp.Diff([]string{"image.materials fail"}, stopped(gate.Judge(*in))); diff != "" {
		t.Error(diff)
	}
}

// TestPublic holds that no public text has anything of a private finding.
func TestPublic(t *testing.T) {
	t.Parallel()
	in := good()
	in.Tree.Findings = []lens.Shadowed{blocker(policy.SecurityPrivacy), blocker(policy.Correctness)}
	in.Tree.Findings[1].Message, in.Tree.Findings[1].Rule = "told to everybody", "Open"
	in.Tree.Notices.Records = []gate.Notice{{ID: "CVE-2026-4242", Subject: "urllib3", Affected: true}}
	v := gate.Judge(*in)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"json":     func(b *bytes.Buffer) error { return v.JSON(b, true) },
		"text":     func(b *bytes.Buffer) error { return v.Text(b, painter{}, true) },
		"markdown": func(b *bytes.Buffer) error { return v.Markdown(b) },
		"html":     func(b *bytes.Buffer) error { return v.HTML(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"very-private", "ClearTextRefused", "CVE-2026-4242", "CVE"} {
			if strings.Contains(b.String(), secret) {
				t.Errorf("%s has %q:\n%s", name, secret, b.String())
			}
		}
		if !strings.Contains(b.String(), "told to everybody") {
			t.Errorf("%s lacks what is public", name)
		}
	}
	var whole bytes.Buffer
	if err := v.JSON(&whole, false); err != nil || !strings.Contains(whole.String(), "very-private") || !strings.Contains(whole.String(), "CVE-2026-4242") {
		t.Errorf("the whole verdict lacks what is private: %v", err)
	}
}

// painter paints nothing.
type painter struct{}

func (painter) Bold(s string) string   { return s }
func (painter) Faint(s string) string  { return s }
func (painter) Red(s string) string    { return s }
func (painter) Green(s string) string  { return s }
func (painter) Yellow(s string) string { return s }

// TestHostile holds that nothing from elsewhere is markup or a command, and that
// no secret is told.
func TestHostile(t *testing.T) {
	t.Parallel()
	const evil = "\x1b[31m<script>alert(1)</script> ::error::x | [a](http://u:hunter2@h/) @everyone ![x](y) \u202e`code`"
	in := good()
	in.Images[0].Ref = "registry.example.com/" + evil
	in.Tree.Repository, in.Tree.Changed = "h/"+evil, []string{evil}
	in.Tree.Tags = []string{evil}
	build(in).Materials[2].URI, build(in).Materials[2].Scheme = "http://"+evil, "http"
	build(in).Frontend.Ref = evil
	v := gate.Judge(*in)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"json":     func(b *bytes.Buffer) error { return v.JSON(b, false) },
		"text":     func(b *bytes.Buffer) error { return v.Text(b, painter{}, false) },
		"markdown": func(b *bytes.Buffer) error { return v.Markdown(b) },
		"html":     func(b *bytes.Buffer) error { return v.HTML(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, bad := range []string{"\x1b", "\u202e", "hunter2", "\n::error"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
		if name == "html" || name == "markdown" {
			bad := []string{"<script", "@everyone", "![x]", "`code`", "[a]", "http://"}
			if name == "html" {
				bad = bad[:1]
			}
			for _, bad := range bad {
				if strings.Contains(text, bad) {
					t.Errorf("%s has %q", name, bad)
				}
			}
		}
	}
}

// TestMany holds that a check names some and counts the rest.
func TestMany(t *testing.T) {
	t.Parallel()
	in := good()
	for i := range 100 {
		in.Tree.Changed = append(in.Tree.Changed, strings.Repeat("x", i+1))
	}
	for _, c := range gate.Judge(*in).Checks {
		if c.Name == gate.Clean && (len(c.Details) != gate.MaxDetails+1 || c.Details[gate.MaxDetails] != "and 80 more") {
			t.Errorf("%d details, the last is %q", len(c.Details), c.Details[len(c.Details)-1])
		}
	}
}

// TestNames holds that each check that is made has a title, and each name is
// made.
func TestNames(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, c := range gate.Judge(*good()).Checks {
		made[c.Name] = true
		if gate.Title(c.Name) == "" {
			t.Errorf("%s has no title", c.Name)
		}
	}
	for _, name := range gate.Names() {
		if !made[name] {
			t.Errorf("%s is not made", name)
		}
	}
}

func TestPins(t *testing.T) {
	t.Parallel()
	got := gate.Pins("FROM debian:12@" + baseDig + " AS a\n# FROM debian@" + otherDig + "\nARG B=registry.example.com/x@" + otherDig +
		"\nCOPY --from=registry.example.com/x@" + imageDig + " / /\nRUN echo sha256:" + otherDig + " debian@sha256:12\n")
	want := map[string][]string{"docker.io/library/debian": {baseDig}, "registry.example.com/x": {otherDig, imageDig}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	gate.MergePins(want, map[string][]string{"docker.io/library/debian": {otherDig, baseDig}})
	if diff := cmp.Diff([]string{baseDig, otherDig}, want["docker.io/library/debian"]); diff != "" {
		t.Error(diff)
	}
}
