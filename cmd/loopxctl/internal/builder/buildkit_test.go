package builder_test

import (
	"archive/tar"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// hosts are the test bed's pair of servers, one for each test.
func newMirror(t *testing.T) (*testbed.Mirror, string) {
	t.Helper()
	name := strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")) + ".example.org"
	return testbed.NewMirror(t, testbed.MirrorOptions{Names: []string{name}, Files: map[string]string{"/file": "content\n"}}), name
}

// apt in an image without a CA bundle, curl and ADD go over TLS; the result is
// files, with the frontend's report beside.
func TestBuildkitd(t *testing.T) { // not parallel: one test at a time has the archive
	testbed.Fetchers(t, "bookworm")
	archive := testbed.Archive(t)
	mirror, host := newMirror(t)
	dir := write(t, map[string]string{
		"Dockerfile": "FROM debian:bookworm-fetchers AS fetch\nARG GREETING\nADD http://" + host + "/file /out/add\n" +
			"RUN apt-get update && apt-get install -y --no-install-recommends hello && curl -fsS -o /out/curl http://" + host + "/file && echo $GREETING >/out/greeting\n" +
			"COPY kept hidden* /out/\nRUN --mount=type=secret,id=word cp /run/secrets/word /out/secret\n" +
			"FROM scratch\nCOPY --from=fetch /out /\n",
		"kept": "kept\n", "hidden": "hidden\n", ".dockerignore": "hidden\n", "word": "secret\n",
		"ca.crt": string(testbed.DefaultCA(t).PEM),
	})
	out, meta := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "meta.json")
	got := onBuildkitd(t, "build", "--frontend-image", givenFolder(t), "--build-arg", "GREETING=hi", "--secret", "id=word,src="+filepath.Join(dir, "word"),
		"--ca", filepath.Join(dir, "ca.crt"), "--no-cache", "-o", out, "--metadata-file", meta, dir)
	want(t, got, 0, "loopx-frontend", "(1 fetch over TLS)")
	for name, text := range map[string]string{"add": "content\n", "curl": "content\n", "greeting": "hi\n", "kept": "kept\n", "secret": "secret\n", "hidden": ""} {
		if data, _ := os.ReadFile(filepath.Join(out, name)); string(data) != text {
			t.Errorf("%s is %q", name, data)
		}
	}
	if clear := append(archive.ClearHits(), mirror.ClearHits()...); len(clear) > 0 || len(archive.TLSHits()) == 0 || len(mirror.TLSHits()) < 2 {
		t.Errorf("in clear text: %v; over TLS: %v", clear, mirror.TLSHits())
	}
	var doc map[string]any
	data, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc); err != nil || doc["frontend.loopx.report"] == nil {
		t.Errorf("%v\n%s", err, data)
	}
}

// A failed build shows the step's output and the lines of the Dockerfile.
func TestFailure(t *testing.T) {
	t.Parallel()
	base := testbed.Base(t, "bookworm")
	dir := write(t, map[string]string{"Dockerfile": "FROM " + base.Ref + "\nRUN echo \"to the \033[31mterminal\" && exit 3\n"})
	got := onBuildkitd(t, "build", "--no-cache", dir)
	want(t, got, 1, "#", "Dockerfile:2\n", "   2 | >>> RUN echo", "ERROR: failed to build: ", "exit code: 3", "------\n > [2/2] RUN echo", `to the \x1b[31mterminal`)
	if strings.Contains(got.Stderr, "\x1b[31m") || got.Stdout != "" {
		t.Errorf("stdout %q, stderr:\n%s", got.Stdout, got.Stderr)
	}
}

// A refused fetch is a failed build, found without a RUN.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"Dockerfile": "FROM debian:bookworm-slim\nRUN curl ftp://example.com/x\n"})
	testbed.Base(t, "bookworm")
	want(t, onBuildkitd(t, "build", dir), 1, "Dockerfile:2\n", "ftp://example.com/x")
	want(t, onBuildkitd(t, "build", "--build-arg", "LOOPX_MODE=audit", "--call", "check", dir), 1, "ftp://example.com/x")
}

func TestCalls(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"Dockerfile": "FROM scratch AS one\nARG NAME=x\nFROM scratch AS two\n",
		"odd/file":   "FROM scratch as one\n",
	})
	want(t, onBuildkitd(t, "build", "--check", dir), 0, "Check complete, no warnings found.\n")
	want(t, onBuildkitd(t, "build", "--check", "-f", filepath.Join(dir, "odd/file"), dir), 1, "Check complete, 1 warning has been found!", "FromAsCasing")
	want(t, onBuildkitd(t, "build", "--call=targets", dir), 0, "TARGET", "two (default)")
	want(t, onBuildkitd(t, "build", "--call=outline", "--target=one", dir), 0, "NAME", "BUILD ARG")
	got := onBuildkitd(t, "build", "--call=targets,format=json", dir)
	if !json.Valid([]byte(got.Stdout)) || got.Code != 0 || got.Stderr != "" {
		t.Errorf("exit code %d, %s%s", got.Code, got.Stdout, got.Stderr)
	}
}

// The build context is a folder, an archive or nothing; the Dockerfile is in it,
// beside it, or on standard input.
func TestInputs(t *testing.T) {
	t.Parallel()
	files := map[string]string{"dockerfile": "FROM scratch\nCOPY a /\n", "a": "from the folder\n", "other/x.Dockerfile": "FROM scratch\nCOPY a /b\n", "other/x.Dockerfile.dockerignore": "*.txt\n"}
	dir := write(t, files)
	for name, tc := range map[string]struct {
		stdin string
		args  []string
		file  string
		text  string
	}{
		"folder":          {"", []string{dir}, "a", "from the folder\n"},
		"file":            {"", []string{"-f", filepath.Join(dir, "other/x.Dockerfile"), dir}, "b", "from the folder\n"},
		"stdin file":      {"FROM scratch\nCOPY a /c\n", []string{"-f", "-", dir}, "c", "from the folder\n"},
		"stdin alone":     {"FROM scratch\nCOPY <<E /d\nhere\nE\n", []string{"-"}, "d", "here\n"},
		"stdin archive":   {archive(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY a /\n", "a": "packed\n"}), []string{"-"}, "a", "packed\n"},
		"archive's other": {archive(t, map[string]string{"sub/D": "FROM scratch\nCOPY a /e\n", "a": "packed\n"}), []string{"-f", "sub/D", "-"}, "e", "packed\n"},
		"named":           {"FROM scratch\nCOPY --from=more a /f\n", []string{"--build-context", "more=" + dir, "-"}, "f", "from the folder\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			cmd := command(t, []string{"BUILDKIT_HOST=" + testbed.Buildkitd(t).Addr}, append([]string{"build", "--progress=quiet", "-o", out}, tc.args...)...)
			cmd.Stdin = strings.NewReader(tc.stdin)
			want(t, testbed.Run(t, cmd), 0)
			if data, _ := os.ReadFile(filepath.Join(out, tc.file)); string(data) != tc.text {
				t.Errorf("%s is %q", tc.file, data)
			}
		})
	}
}

// A repository is the context, and its Dockerfile.
func TestRemoteContext(t *testing.T) {
	t.Parallel()
	host := strings.ToLower(t.Name()) + ".example.org"
	mirror := testbed.NewMirror(t, testbed.MirrorOptions{Names: []string{host}, Repos: map[string]map[string]string{
		"/app.git": {"Dockerfile": "FROM scratch\nCOPY a /\n", "a": "from git\n"},
	}})
	out := t.TempDir()
	want(t, onBuildkitd(t, "build", "-o", out, "http://"+host+"/app.git"), 0)
	if data, _ := os.ReadFile(filepath.Join(out, "a")); string(data) != "from git\n" || len(mirror.ClearHits()) > 0 {
		t.Errorf("%q; in clear text: %v", data, mirror.ClearHits())
	}
}

// The image is pushed with its labels and annotations, its ID is printed, and
// what RUNs are given comes from an OCI layout.
func TestPush(t *testing.T) {
	t.Parallel()
	reg := testbed.Registry(t)
	base := testbed.Base(t, "bookworm")
	dir := write(t, map[string]string{"Dockerfile": "FROM base\nRUN true\n"})
	iid := filepath.Join(t.TempDir(), "iid")
	got := onBuildkitd(t, "build", "-q", "--iidfile", iid, "--build-context", "base=oci-layout://"+base.Layout,
		"--label", "a=b", "--annotation", "manifest:c=d", "--provenance=mode=max", "-t", reg.Ref("built:1"), "--push", dir)
	want(t, got, 0, "sha256:")
	if data, _ := os.ReadFile(iid); string(data)+"\n" != got.Stdout || got.Stderr != "" {
		t.Errorf("iidfile %q, stdout %q, stderr %q", data, got.Stdout, got.Stderr)
	}
	img := reg.Image(t, "built:1")
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.Labels["a"] != "b" || manifest.Annotations["c"] != "d" {
		t.Errorf("labels %v, annotations %v", config.Config.Labels, manifest.Annotations)
	}
}

// archive is a tar archive of files.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	var b strings.Builder
	w := tar.NewWriter(&b)
	for name, body := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(body))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
