package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// organisationImage makes an organisation's image of ours, by the example's
// Dockerfile, from the example's folder with files over it, and pushes it.
func organisationImage(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	const example = "../../examples/organisation-image/image"
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		writeFile(t, filepath.Join(dir, path), []byte(text))
	}
	ref := testbed.Registry(t).Ref(name)
	call{dir: dir}.build(t, "build", "--push", "--tag="+ref,
		"--build-context=localhost:5000/loopx-frontend:dev=docker-image://"+testbed.FrontendImage(t), ".")
	return ref
}

// TestConfigLocked has the ways in which a project, a Dockerfile, or whoever calls
// a build could weaken a locked image. All are refused, with the reason.
func TestConfigLocked(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	const (
		clear  = "FROM debian:bookworm-fetchers\nRUN curl -fsS ftp://HOST/curl -o /curl\n"
		plain  = "FROM debian:bookworm-fetchers\nRUN curl -fsS http://HOST/curl -o /curl\n"
		locked = `the organisation's frontend image locks its configuration \(/etc/loopx/loopx\.yaml:\d+\), which may only be tightened:\n  `
		// refused is the way in which blockers stop a build that has no audit.
		refused = `1 fetch can't be moved to TLS:\n  Dockerfile:\d+: .*ftp`
		authors = "; this is for the project's authors to take out\n"
		caller  = "; this is for whoever calls the build to take out\n"
		contact = "An exception is for whoever maintains the organisation's image: platform@example.com"
	)
	ours := organisationImage(t, "locked/frontend:1", nil)
	signers := folder(t, map[string]string{"allowed_signers": "me@example.org ssh-ed25519 AAAA\n"})
	for name, way := range map[string]struct {
		dockerfile string
		project    string
		args       []string
		want       string // a regular expression
	}{
		// What a Dockerfile can try.
		"apt's own method":      {dockerfile: "FROM debian:bookworm-fetchers\nRUN apt-get -o Dir::Bin::methods::http=/usr/lib/apt/methods/http update\n", want: `1 finding stops this build:\n  Dockerfile:2: .*\[GuardTampering`},
		"ARG in the Dockerfile": {dockerfile: "ARG LOOPX_MODE=audit\n" + strings.Replace(clear, "\n", "\nARG LOOPX_MODE=audit\n", 1), want: refused},
		"ENV in the Dockerfile": {dockerfile: strings.Replace(clear, "\n", "\nENV LOOPX_MODE=audit LOOPX_HOSTS=HOST=keep\n", 1), want: refused},
		"a foreign syntax line": {dockerfile: syntax(foreign, clear), want: refused},
		"a check line":          {dockerfile: "# check=skip=all\n" + clear, want: refused},
		"a comment of ours":     {dockerfile: strings.Replace(clear, "RUN", "# loopx:ignore=ClearTextRefused\nRUN", 1), want: refused},
		// What the project's file can try.
		"the project's keep":      {project: "hosts:\n  HOST: keep\n", want: locked + `loopx\.yaml:2 keeps fetches from HOST in clear text` + authors + contact},
		"the project's mirror":    {project: "mirrors:\n  debian: https://HOST/debian\n", want: locked + `loopx\.yaml:2 names mirrors of archive debian, and those of debian are locked \(/etc/loopx/loopx\.yaml:\d+\)` + authors},
		"the project's apt":       {project: "apt: off\n", want: locked + `loopx\.yaml:1 sets apt to off, under which fewer RUNs `},
		"the project's mode":      {project: "mode: audit\n", want: `loopx\.yaml:1:1: mode is never read from a project's file, which the change that is checked could edit`},
		"the project's unlocking": {project: "locked: false\n", want: `loopx\.yaml:1:1: locked is never read from a project's file`},
		// What whoever calls the build can try.
		"audit":              {args: []string{"--build-arg=LOOPX_MODE=audit"}, want: locked + `build arg LOOPX_MODE sets the mode audit, which builds what is refused` + caller + contact},
		"apt off":            {args: []string{"--build-arg=LOOPX_APT=off"}, want: locked + `build arg LOOPX_APT sets apt to off, `},
		"checks off":         {args: []string{"--build-arg=LOOPX_CHECKS=off"}, want: locked + `build arg LOOPX_CHECKS turns the checks of the Dockerfile's text off` + caller},
		"keep":               {args: []string{"--build-arg=LOOPX_HOSTS=HOST=keep"}, want: locked + `build arg LOOPX_HOSTS keeps fetches from HOST in clear text` + caller},
		"another host":       {args: []string{"--build-arg=LOOPX_HOSTS=HOST=https://elsewhere.example"}, want: locked + `build arg LOOPX_HOSTS sends fetches from HOST to https://elsewhere\.example` + caller},
		"past the mirror":    {args: []string{"--build-arg=LOOPX_HOSTS=deb.debian.org=upgrade"}, want: locked + `build arg LOOPX_HOSTS decides fetches from deb\.debian\.org, `},
		"a mirror":           {args: []string{"--build-arg=LOOPX_DEBIAN_MIRROR=https://HOST/debian"}, want: locked + `build arg LOOPX_DEBIAN_MIRROR names mirrors of archive debian`},
		"signers":            {args: []string{"--build-context=loopx-policy=" + signers}, want: locked + `build context loopx-policy holds allowed_signers, and whose signature lifts a blocker is for the image alone to say` + caller},
		"an authority":       {args: []string{withCA(t, testbed.NewCA(t, "mine"))}, want: locked + `build context loopx-ca adds the certificate authority CN=mine to what is trusted` + caller},
		"another repository": {args: []string{"--build-arg=LOOPX_REPOSITORY=example.org/other/app"}, want: locked + `build arg LOOPX_REPOSITORY names a repository, and nothing shows that it is the one that is built`},
		"another Dockerfile": {args: []string{"--build-arg=LOOPX_DOCKERFILE=other/Dockerfile"}, want: locked + `build arg LOOPX_DOCKERFILE names other/Dockerfile, and Dockerfile is built`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{})
			dockerfile := plain
			if way.dockerfile != "" {
				dockerfile = way.dockerfile
			}
			files := map[string]string{"Dockerfile": h.expand(dockerfile)}
			if way.project != "" {
				files["loopx.yaml"] = h.expand(way.project)
			}
			args := []string{"build", "--no-cache", by(ours)}
			for _, arg := range way.args {
				args = append(args, h.expand(arg))
			}
			log := call{dir: folder(t, files)}.fails(t, append(args, ".")...)
			if !regexp.MustCompile(h.expand(way.want)).MatchString(log) {
				t.Errorf("it lacks %q:\n%s", h.expand(way.want), log)
			}
			if strings.Contains(log, "LOOPX_MODE=audit warns instead") {
				t.Errorf("it offers what is locked:\n%s", log)
			}
			h.checkOverTLS(t)
		})
	}
}

// TestConfigOfAnImage: an image's own authorities are given to RUNs, and a
// project, and whoever calls a build, may tighten what is locked.
func TestConfigOfAnImage(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{})
	ours := organisationImage(t, "locked/frontend:2", map[string]string{"etc/loopx/ca/company.crt": string(h.CA.PEM)})
	files := map[string]string{"Dockerfile": h.expand("FROM debian:bookworm-fetchers\nRUN curl -fsS http://HOST/curl -o /curl\n")}
	c := call{dir: folder(t, files)}
	c.build(t, "build", "--no-cache", by(ours), ".")
	h.checkOverTLS(t, "/curl")
	c.build(t, "build", "--no-cache", by(ours), withCA(t, h.CA), "--build-arg=LOOPX_APT=all", ".")
	h.checkOverTLS(t, "/curl")

	// A RUN that sets APT_CONFIG itself doesn't get past the guard.
	const ownConfiguration = "FROM debian:bookworm-fetchers\nRUN echo 'deb http://HOST/repo ./' >/list && " +
		"APT_CONFIG=/own apt-get update -o Dir::Etc::sourcelist=/list -o Dir::Etc::sourceparts=-; true\n"
	tampering := call{dir: folder(t, map[string]string{"Dockerfile": h.expand(ownConfiguration)})}
	checkContains(t, tampering.build(t, "build", "--no-cache", by(ours), "."), "; true (apt over TLS)\n")
	checkEqual(t, "in clear text", nil, h.clear())
	if len(h.overTLS()) == 0 {
		t.Error("apt asked for nothing")
	}
	h.Reset()

	files["loopx.yaml"] = h.expand("apt: all\nhosts: {HOST: refuse}\n")
	log := call{dir: folder(t, files)}.fails(t, "build", "--no-cache", by(ours), ".")
	checkContains(t, log, h.expand("Dockerfile:2: http://HOST/curl is fetched in clear text"), h.expand("HOST is refused by the operator's host rule"))
	h.checkOverTLS(t)
}

// TestConfigOfAProject: loopx.yaml at the root of the build context is in force,
// wherever the context is from; .dockerignore does not hide it, no folder above is
// searched, and a context without one builds.
func TestConfigOfAProject(t *testing.T) {
	ours := testbed.FrontendImage(t)
	const dockerfile = "FROM scratch\nADD http://HOST/add /add\n"
	project := map[string]string{"loopx.yaml": "hosts:\n  HOST: https://HOST/moved\n", ".dockerignore": "*\n", "Dockerfile": dockerfile}
	for name, c := range map[string]struct {
		files   map[string]string
		archive bool
		git     bool
		http    bool
		args    []string
		moved   bool
	}{
		"a folder":          {files: project, args: []string{"."}, moved: true},
		"a folder without":  {files: map[string]string{"Dockerfile": dockerfile}, args: []string{"."}},
		"a folder below":    {files: withBelow(project, dockerfile), args: []string{"-f", "Dockerfile", "sub"}},
		"a folder above":    {files: withBelow(project, dockerfile), args: []string{"-f", "sub/Dockerfile", "."}, moved: true},
		"a tar on stdin":    {files: project, archive: true, args: []string{"-"}, moved: true},
		"a tar without":     {files: map[string]string{"Dockerfile": dockerfile}, archive: true, args: []string{"-"}},
		"a repository":      {files: project, git: true, args: []string{"https://HOST/app.git#main"}, moved: true},
		"one without":       {files: map[string]string{"Dockerfile": dockerfile}, git: true, args: []string{"https://HOST/app.git#main"}},
		"an archive by URL": {files: project, http: true, args: []string{"https://HOST/context.tar"}, moved: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := testbed.MirrorOptions{Files: map[string]string{"/add": "as it is\n", "/moved/add": "moved\n"}}
			name := newName(t)
			files := map[string]string{}
			for path, text := range c.files {
				files[path] = regexp.MustCompile(`\bHOST\b`).ReplaceAllString(text, name)
			}
			if c.git {
				opts.Repos = map[string]map[string]string{"/app.git": files}
			}
			if c.http {
				opts.Files["/context.tar"] = archive(t, files)
			}
			h := newHost(t, opts)
			run := call{dir: folder(t, files)}
			if c.archive {
				run = call{dir: t.TempDir(), stdin: archive(t, files)}
			}
			out := t.TempDir()
			args := []string{"build", "--no-cache", "--output=" + out, by(ours)}
			for _, arg := range c.args {
				args = append(args, h.expand(arg))
			}
			log := run.build(t, args...)
			want := "as it is\n"
			if c.moved {
				want = "moved\n"
			}
			checkFile(t, filepath.Join(out, "add"), want)
			checkEqual(t, "in clear text", nil, h.clear())
			if told := strings.Contains(log, "loopx.yaml:2: clear text to "+h.name+" is kept"); told {
				t.Errorf("told %v:\n%s", told, log)
			}
		})
	}
}

// withBelow is files and a folder below them with a Dockerfile.
func withBelow(files map[string]string, dockerfile string) map[string]string {
	all := maps.Clone(files)
	all["sub/Dockerfile"] = dockerfile
	return all
}
