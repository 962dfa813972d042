package e2e

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// wheel is a package of Python's that holds nothing.
func wheel(t *testing.T, name, version string) []byte {
	t.Helper()
	info := name + "-" + version + ".dist-info/"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{name + "/__init__.py", ""},
		{info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", name + "/__init__.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n"},
	} {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// index is a package index with some versions of a project, as PEP 503 has it.
func index(t *testing.T, name string, versions ...string) http.Handler {
	t.Helper()
	files := map[string][]byte{}
	var page strings.Builder
	page.WriteString("<!DOCTYPE html>\n")
	for _, v := range versions {
		file := name + "-" + v + "-py3-none-any.whl"
		files[file] = wheel(t, name, v)
		page.WriteString(fmt.Sprintf("<a href=\"/packages/%s#sha256=%x\">%[1]s</a>\n", file, sha256.Sum256(files[file])))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[path.Base(r.URL.Path)]
		switch {
		case r.URL.Path == "/simple/"+name+"/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page.String())
		case ok:
			_, _ = w.Write(data) // a client that hangs up fails the build
		default:
			http.NotFound(w, r)
		}
	})
}

// TestFloorsExample builds the documentation's stage of the example. Of the
// versions that an index has, the requirement that passes lets the floor in and
// neither the one below it nor the one above the cap; all of it over TLS.
func TestFloorsExample(t *testing.T) {
	testbed.Base(t, "bookworm")
	ours, archive := testbed.FrontendImage(t), testbed.Archive(t)
	pypi := testbed.NewMirror(t, testbed.MirrorOptions{
		Names: []string{"pypi.org"}, Handler: index(t, "setuptools", "82.0.1", "83.0.0", "84.0.0"),
	})
	log := call{dir: "../../examples/python-service"}.build(t, "build", by(ours), "--no-cache", "--target=docs", withCA(t, pypi.CA), ".")
	checkContains(t, log, "Successfully installed setuptools-83.0.0")
	checkEqual(t, "from the index in clear text", nil, paths(pypi.ClearHits()))
	checkEqual(t, "from the archive in clear text", nil, paths(archive.ClearHits()))
	checkEqual(t, "from the index over TLS", []string{"/packages/setuptools-83.0.0-py3-none-any.whl", "/simple/setuptools/"}, paths(pypi.TLSHits()))
}

// TestFloorsRedirect: what the check says of a bound without quotes is what a
// shell does: the build is green, and the version is below the bound. What fix
// makes of it asks for the bound.
func TestFloorsRedirect(t *testing.T) {
	testbed.Base(t, "bookworm")
	ours, loopxctl := testbed.FrontendImage(t), testbed.Loopxctl(t)
	testbed.Archive(t)
	dir := folder(t, map[string]string{
		"wheels/demo-1.0-py3-none-any.whl": string(wheel(t, "demo", "1.0")),
		"loopx.yaml":                       "floors: {demo: 2}\n",
		"Dockerfile": `FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
RUN python3 -m venv /venv
COPY wheels /wheels
RUN cd /tmp && /venv/bin/pip install --no-index --find-links=/wheels demo>=2
RUN ls /tmp && /venv/bin/pip list
`,
	})
	floors := func(verb string) (string, int) {
		cmd := exec.CommandContext(t.Context(), loopxctl, "floors", verb, "--no-database")
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
		out, _ := cmd.CombinedOutput() // the exit code tells
		return string(out), cmd.ProcessState.ExitCode()
	}

	out, code := floors("check")
	checkEqual(t, "exit code", 1, code)
	checkContains(t, out, `the shell takes > as a redirect: the installer sees "demo"`)
	log := call{dir: dir}.build(t, "build", by(ours), withCA(t, testbed.DefaultCA(t)), ".")
	checkContains(t, log, " =2\n", " demo       1.0\n")

	out, code = floors("fix")
	checkEqual(t, "exit code", 0, code)
	text, err := os.ReadFile(filepath.Join(dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	checkContains(t, string(text), `"demo>=2"`)
	if _, code := floors("check"); code != 0 {
		t.Errorf("after the fix: exit code %d\n%s", code, out)
	}
	log = call{dir: dir}.fails(t, "build", by(ours), withCA(t, testbed.DefaultCA(t)), ".")
	if !strings.Contains(log, "No matching distribution found for demo>=2") {
		t.Errorf("pip does not see the bound:\n%s", log)
	}
}
