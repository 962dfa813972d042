package frontend

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
)

// locked is the configuration of an organisation's image.
const locked = `locked: true
contact: platform@example.org
apt: all
mirrors:
  debian: https://mirror.example.org/debian
  ubuntu: https://mirror.example.org/ubuntu
hosts:
  tools.example.org: refuse
  old.example.org:8080: keep
`

// baked is the folder of an organisation's image.
func baked(files map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// withProject is a build with a loopx.yaml in its context.
func withProject(g *fakeGateway, text string) *fakeGateway {
	if text != "" {
		g.locals["context"] = map[string]string{"loopx.yaml": text}
	}
	return g
}

const fromTLS = "FROM debian\nRUN curl https://downloads.example.org/x\n"

// TestLocked has the ways in which a project, or who calls a build, could weaken
// a locked image. Each is refused before anything of the build is solved, says
// what was weakened by whom, and whom that concerns.
func TestLocked(t *testing.T) {
	const (
		authors = "; this is for the project's authors to take out"
		caller  = "; this is for whoever calls the build to take out"
	)
	for name, tc := range map[string]struct {
		arg, value string // a build arg
		project    string
		files      map[string]string // of the named context loopx-policy
		want       string
	}{
		"audit":     {arg: "LOOPX_MODE", value: "audit", want: "build arg LOOPX_MODE sets the mode audit, which builds what is refused" + caller},
		"apt off":   {arg: "LOOPX_APT", value: "off", want: "build arg LOOPX_APT sets apt to off, under which fewer RUNs have apt served over TLS than under all" + caller},
		"apt auto":  {arg: "LOOPX_APT", value: "auto", want: "build arg LOOPX_APT sets apt to auto, under which "},
		"no checks": {arg: "LOOPX_CHECKS", value: "off", want: "build arg LOOPX_CHECKS turns the checks of the Dockerfile's text off" + caller},
		"keep":      {arg: "LOOPX_HOSTS", value: "a.example.org=keep", want: "build arg LOOPX_HOSTS keeps fetches from a.example.org in clear text" + caller},
		"elsewhere": {arg: "LOOPX_HOSTS", value: "a.example.org=https://b.example.org", want: "build arg LOOPX_HOSTS sends fetches from a.example.org to https://b.example.org" + caller},
		"refused host": {
			arg: "LOOPX_HOSTS", value: "tools.example.org=upgrade", want: "build arg LOOPX_HOSTS allows fetches from tools.example.org, which are refused" + caller,
		},
		"port": {arg: "LOOPX_HOSTS", value: "a.example.org:8443=upgrade", want: "allows fetches from a.example.org:8443, which are refused"},
		"past the mirror by a rule": {
			arg: "LOOPX_HOSTS", value: "deb.debian.org=upgrade", want: "decides fetches from deb.debian.org, which go over TLS without it, to the locked mirror if there is one",
		},
		"mirror": {
			arg: "LOOPX_DEBIAN_MIRROR", value: "https://other.example.org/debian",
			want: "build arg LOOPX_DEBIAN_MIRROR names mirrors of archive debian, and those of debian are locked (/etc/loopx/loopx.yaml:5)" + caller,
		},
		"mirror that another one covers": {
			arg: "LOOPX_UBUNTU_SECURITY_MIRROR", value: "https://other.example.org/ubuntu", want: "names mirrors of archive ubuntu-security, and those of ubuntu are locked",
		},
		"past the mirror by a mirror": {
			arg: "LOOPX_KALI_MIRROR", value: "https://deb.debian.org/debian", want: "names the mirror https://deb.debian.org/debian, which the locked configuration does not fetch from",
		},
		"repository": {
			arg: "LOOPX_REPOSITORY", value: "example.org/other/app", want: "build arg LOOPX_REPOSITORY names example.org/other/app, and example.org/team/app is built: acknowledgements of the other would count" + caller,
		},
		"dockerfile": {
			arg: "LOOPX_DOCKERFILE", value: "other/Dockerfile", want: "build arg LOOPX_DOCKERFILE names other/Dockerfile, and images/Dockerfile is built: ",
		},
		"project's keep":   {project: "hosts:\n  a.example.org: keep\n", want: "loopx.yaml:2 keeps fetches from a.example.org in clear text" + authors},
		"project's mirror": {project: "mirrors: {debian: 'https://other.example.org/debian'}\n", want: "loopx.yaml:1 names mirrors of archive debian, " + "and those of debian are locked (/etc/loopx/loopx.yaml:5)" + authors},
		"project's apt":    {project: "# ours\napt: off\n", want: "loopx.yaml:2 sets apt to off, under which "},
		"signers": {
			files: map[string]string{"allowed_signers": "x"}, want: "build context loopx-policy holds allowed_signers, and whose signature lifts a blocker is for the image alone to say" + caller,
		},
		"revoked keys": {files: map[string]string{"revoked_keys": "x"}, want: "build context loopx-policy holds revoked_keys, and "},
	} {
		for _, request := range []string{"", "frontend.lint"} {
			t.Run(name+" "+request, func(t *testing.T) {
				opts := map[string]string{"vcs:source": "https://example.org/team/app.git", "vcs:localdir:dockerfile": "images"}
				if request != "" {
					opts["requestid"] = request
				}
				if tc.arg != "" {
					opts["build-arg:"+tc.arg] = tc.value
				}
				g := withProject(newFake(fromTLS, opts), tc.project)
				if tc.files != nil {
					g.opts["context:loopx-policy"], g.locals["policy"] = "local:policy", tc.files
				}
				_, err := Frontend{Policy: baked(map[string]string{"loopx.yaml": locked})}.Build(t.Context(), g)
				var weakens *settings.LockError
				if !errors.As(err, &weakens) {
					t.Fatalf("error %v", err)
				}
				for _, want := range []string{
					tc.want, "the organisation's frontend image locks its configuration (/etc/loopx/loopx.yaml:1), which may only be tightened:\n",
					"\nAn exception is for whoever maintains the organisation's image: platform@example.org",
				} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("it lacks %q:\n%v", want, err)
					}
				}
				if len(weakens.Refused) != 1 || len(g.built()) > 0 {
					t.Errorf("refused %v, built %d", weakens.Refused, len(g.built()))
				}
				if _, err := Build(t.Context(), withProject(newFake(fromTLS, opts), tc.project)); err != nil && tc.files == nil {
					t.Errorf("without a lock: %v", err)
				}
			})
		}
	}
}

// TestLockedCA: a certificate authority that the image has adds nothing, and any
// other could answer every fetch.
func TestLockedCA(t *testing.T) {
	ours, other := testCA(t), testCA(t)
	image := Frontend{Policy: baked(map[string]string{"loopx.yaml": "locked: true\n", "ca/ours.crt": ours, "ca/README": "no certificate"})}
	build := func(ca string) (*fakeGateway, error) {
		g := newFake("FROM debian\nRUN curl http://downloads.example.org/x\n", map[string]string{"context:loopx-ca": "local:ca"})
		g.locals["ca"] = map[string]string{"one.crt": ca}
		_, err := image.Build(t.Context(), g)
		return g, err
	}
	g, err := build(ours)
	if err != nil {
		t.Fatal(err)
	}
	if !hasMount(t, g.built()[0], "curl https://downloads.example.org/x") {
		t.Error("the image's own is not given to RUNs")
	}
	if _, err := build(other); err == nil || !strings.Contains(err.Error(), "build context loopx-ca adds the certificate authority CN=corp to what is trusted") {
		t.Errorf("error %v", err)
	}
}

// TestTightening: what the lock leaves open, or what tightens it, counts.
func TestTightening(t *testing.T) {
	opts := map[string]string{
		"build-arg:LOOPX_MODE": "enforce", "build-arg:LOOPX_APT": "all", "build-arg:LOOPX_HOSTS": "b.example.org=refuse,10.0.0.1=upgrade,old.example.org:8080=keep",
		"build-arg:LOOPX_KALI_MIRROR": "https://mirror.example.org/kali", "build-arg:LOOPX_DEBIAN_MIRROR": "https://mirror.example.org/debian",
		"build-arg:LOOPX_REPOSITORY": "https://example.org/team/app", "vcs:source": "git@example.org:team/app.git",
	}
	g := withProject(newFake(fromTLS, opts), "apt: all\nhosts: {downloads.example.org: refuse}\n")
	_, err := Frontend{Policy: baked(map[string]string{"loopx.yaml": locked})}.Build(t.Context(), g)
	var refused *RefusedError
	if !errors.As(err, &refused) || len(refused.Findings) != 1 ||
		!strings.HasPrefix(err.Error(), "1 fetch can't be moved to TLS:\n  Dockerfile:2: https://downloads.example.org/x is refused") {
		t.Errorf("error %v", err)
	}
}

// TestLockedSigners: the named context may bring acknowledgements, and never the
// signers: those of the image count.
func TestLockedSigners(t *testing.T) {
	g := newFake("FROM debian\nRUN curl -k https://downloads.example.org/x\n", map[string]string{"context:loopx-policy": "local:policy"})
	g.locals["policy"] = map[string]string{"acknowledgements.yaml": "version: 1\nacknowledgements: []\n"}
	_, err := Frontend{Policy: baked(map[string]string{"loopx.yaml": "locked: true\n"})}.Build(t.Context(), g)
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("error %v", err)
	}
}

// TestProject: what a project's file says is in force, under what the operator
// says, whatever .dockerignore hides, and a Dockerfile's own words are not asked.
func TestProject(t *testing.T) {
	g := withProject(newFake("ARG LOOPX_APT=off\nFROM debian\nENV LOOPX_APT=off\nRUN apt-get update && curl http://old.example.org/x && curl http://own.example.org/x\n", map[string]string{
		"build-arg:LOOPX_HOSTS": "own.example.org=https://operator.example.org",
	}), "mirrors: {debian: 'https://mirror.example.org/debian'}\nhosts:\n  old.example.org: keep\n  own.example.org: keep\n")
	g.locals["context"][".dockerignore"] = "*"
	res := mustBuild(t, g)
	var got buildreport.Report
	if err := json.Unmarshal(res.Metadata[buildreport.Key], &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"loopx.yaml:3: clear text to old.example.org is kept",
		"LOOPX_HOSTS: what is asked of own.example.org is fetched from https://operator.example.org",
	}
	if diff := cmp.Diff(want, got.Weakened); diff != "" {
		t.Errorf("weakened (-want +got):\n%s", diff)
	}
	told := messages(g)
	slices.Reverse(told) // they are sorted
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if got.Apt != "auto" || got.Locked || !cmp.Equal(got.Files, []string{"loopx.yaml"}) || !cmp.Equal(got.Mirrors, map[string][]string{"debian": {"https://mirror.example.org/debian"}}) {
		t.Errorf("report %+v", got)
	}
}

// TestWeakened: each weakening is told and is in the report, of whatever source.
func TestWeakened(t *testing.T) {
	for name, tc := range map[string]struct {
		opts         map[string]string
		organisation string
		signers      bool
		want         string
		silent       bool
	}{
		"audit":            {opts: map[string]string{"build-arg:LOOPX_MODE": "audit"}, want: "LOOPX_MODE: refused fetches are reported and built all the same"},
		"image's audit":    {organisation: "mode: audit\n", want: "/etc/loopx/loopx.yaml:1: refused fetches are reported and built all the same"},
		"apt off":          {opts: map[string]string{"build-arg:LOOPX_APT": "off"}, want: "LOOPX_APT: what apt fetches is not moved to TLS"},
		"checks off":       {opts: map[string]string{"build-arg:LOOPX_CHECKS": "off"}, want: "LOOPX_CHECKS: the text of the Dockerfile is not checked", silent: true},
		"keep":             {opts: map[string]string{"build-arg:LOOPX_HOSTS": "a.example.org=keep"}, want: "LOOPX_HOSTS: clear text to a.example.org is kept"},
		"elsewhere":        {opts: map[string]string{"build-arg:LOOPX_HOSTS": "*.example.org=https://b.example.org/x"}, want: "LOOPX_HOSTS: what is asked of *.example.org is fetched from https://b.example.org/x"},
		"signers replaced": {opts: map[string]string{"context:loopx-policy": "local:policy"}, signers: true, want: "build context loopx-policy: its signers take the place of those of the frontend's image"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"loopx.yaml": tc.organisation}
			if tc.signers {
				files["allowed_signers"] = "x"
			}
			g := newFake(fromTLS, tc.opts)
			res, err := Frontend{Policy: baked(files)}.Build(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			var got buildreport.Report
			if err := json.Unmarshal(res.Metadata[buildreport.Key], &got); err != nil {
				t.Fatal(err)
			}
			if !cmp.Equal(got.Weakened, []string{tc.want}) || !cmp.Equal(got.Notes, got.Weakened) {
				t.Errorf("report %+v", got)
			}
			if said := cmp.Equal(messages(g), []string{tc.want}); said == tc.silent {
				t.Errorf("warnings %q", messages(g))
			}
		})
	}
}

// TestBadFiles: a mistake in a file of the configuration ends the build with its
// line, and nothing is fetched.
func TestBadFiles(t *testing.T) {
	for name, tc := range map[string]struct{ organisation, project, want string }{
		"project's mode":     {project: "mode: audit\n", want: "loopx.yaml:1:1: mode is never read from a project's file"},
		"project's lock":     {project: "locked: false\n", want: "loopx.yaml:1:1: locked is never read from a project's file"},
		"unknown":            {project: "mirors: {}\n", want: `loopx.yaml:1:1: "mirors" is no key here (did you mean mirrors?)`},
		"clear text":         {project: "mirrors:\n  debian: http://mirror.example.org/debian\n", want: `loopx.yaml:2:11: "http://mirror.example.org/debian" is not an https URL`},
		"password":           {project: "mirrors:\n  debian: https://me:hunter2@mirror.example.org/debian\n", want: `loopx.yaml:2:11: "https://***@mirror.example.org/debian" holds a user or a password`},
		"organisation's":     {organisation: "mode: loud\n", want: `/etc/loopx/loopx.yaml:1:7: "loud" is no mode; write enforce or audit`},
		"of a project":       {organisation: "floors: {}\n", want: "/etc/loopx/loopx.yaml:1:1: floors is of a project"},
		"too large, project": {project: strings.Repeat("#", config.MaxFile+1), want: "loopx.yaml: the file is larger than 1048576 bytes"},
		"too large":          {organisation: strings.Repeat("#", config.MaxFile+1), want: "/etc/loopx/loopx.yaml: the file is larger than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			g := withProject(newFake(movable, nil), tc.project)
			_, err := Frontend{Policy: baked(map[string]string{"loopx.yaml": tc.organisation})}.Build(t.Context(), g)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v\nwant  %s", err, tc.want)
			}
			if len(g.built()) > 0 || len(g.resolved) > 0 {
				t.Error("something was fetched")
			}
		})
	}
}

// TestProjectOfOtherContexts: of a remote context the file is read where the
// build reads its files, and requests that decide nothing read none.
func TestProjectOfOtherContexts(t *testing.T) {
	for name, tc := range map[string]struct {
		opts map[string]string
		read bool
	}{
		"git":      {map[string]string{"context": "https://example.org/app.git#main"}, true},
		"http":     {map[string]string{"context": "https://example.org/app.tar"}, true},
		"folder":   {nil, true},
		"check":    {map[string]string{"requestid": "frontend.lint"}, true},
		"outline":  {map[string]string{"requestid": "frontend.outline"}, false},
		"describe": {map[string]string{"requestid": "frontend.subrequests.describe"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := withProject(newFake(fromTLS, tc.opts), "hosts: {a.example.org: ignore}\n")
			g.remote = map[string]string{"context": "no archive"}
			maps.Copy(g.remote, g.locals["context"])
			maps.Copy(g.remote, g.locals["dockerfile"])
			_, err := Build(t.Context(), g)
			if read := err != nil && strings.HasPrefix(err.Error(), "loopx.yaml:1:9: "); read != tc.read {
				t.Errorf("error %v", err)
			}
		})
	}
}
