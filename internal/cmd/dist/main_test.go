package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

// Two runs make the same bytes, whatever the time, the time zone and the folder.
func TestTwoRuns(t *testing.T) {
	host := "linux/" + runtime.GOARCH
	args := []string{
		"-version", "v1.2.3", "-image", "registry.example.com/team/loopx-frontend:1",
		"-platforms", host, "-frontends", host, "-targets", host,
	}
	first, second := filepath.Join(t.TempDir(), "dist"), filepath.Join(t.TempDir(), "elsewhere")
	for _, out := range []string{first, second} {
		t.Setenv("TZ", map[string]string{first: "UTC", second: "Asia/Tokyo"}[out])
		if err := run(t.Context(), append(args, "-out", out), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	was := read(t, first)
	if diff := cmp.Diff(sums(was), sums(read(t, second))); diff != "" {
		t.Errorf("two runs (-first +second):\n%s", diff)
	}
	name := "loopxctl_v1.2.3_linux_" + runtime.GOARCH
	want := []string{
		"SHA256SUMS", "THIRD-PARTY-LICENSES.txt", "loopx-frontend_v1.2.3.digest", "loopx-frontend_v1.2.3.oci.tar",
		"loopx_v1.2.3.cdx.json", name + ".tar.gz",
	}
	var got []string
	for _, f := range was {
		got = append(got, f.name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	checkArchive(t, filepath.Join(first, name+".tar.gz"), name)
	checkBOM(t, filepath.Join(first, "loopx_v1.2.3.cdx.json"))
}

// checkArchive checks what is in an archive, and that the program knows its
// version and the image.
func checkArchive(t *testing.T, path, folder string) {
	t.Helper()
	files := untar(t, path)
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "THIRD-PARTY-LICENSES.txt", "docs/air-gap.md", "docs/schema/loopx.schema.json",
		"completions/loopxctl.bash", "completions/_loopxctl", "completions/loopxctl.fish", "completions/loopxctl.ps1",
	} {
		if !strings.Contains(string(files[folder+"/"+name]), "loopx") && name != "LICENSE" && !strings.HasPrefix(name, "THIRD") {
			t.Errorf("%s: not there, or not about loopx", name)
		}
		delete(files, folder+"/"+name)
	}
	binary := files[folder+"/loopxctl"]
	for _, part := range []string{"v1.2.3", "registry.example.com/team/loopx-frontend:1@sha256:"} {
		if !bytes.Contains(binary, []byte(part)) {
			t.Errorf("the program does not hold %q", part)
		}
	}
	delete(files, folder+"/loopxctl")
	for name := range files {
		if !strings.HasPrefix(name, folder+"/docs/") {
			t.Errorf("%s is in the archive", name)
		}
	}
}

func untar(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the files of a folder, by name.
func read(t *testing.T, dir string) []file {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []file
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file{e.Name(), 0o644, data})
	}
	return all
}

func sums(files []file) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		all[f.name] = digestOf(f.data)
	}
	return all
}

// A zip archive has the modes and the times of its files, and none before 1980.
func TestZip(t *testing.T) {
	files := []file{{"loopxctl.exe", 0o755, []byte("MZ")}, {"docs/a.md", 0o644, nil}}
	for at, want := range map[time.Time]time.Time{
		time.Unix(0, 0).UTC():                          time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 11, 30, 18, 0, 2, 0, time.UTC): time.Date(2026, 11, 30, 18, 0, 2, 0, time.UTC),
	} {
		var first, second bytes.Buffer
		if err := errors.Join(writeZip(&first, "x", files, at), writeZip(&second, "x", files, at)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Error("two archives differ")
		}
		r, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
		if err != nil {
			t.Fatal(err)
		}
		var modes []fs.FileMode
		for _, f := range r.File {
			modes = append(modes, f.Mode())
			if !f.Modified.Equal(want) {
				t.Errorf("%s: %v, want %v", f.Name, f.Modified, want)
			}
		}
		if !slices.Equal(modes, []fs.FileMode{0o755, 0o644}) || r.File[1].Name != "x/docs/a.md" {
			t.Errorf("%v, %q", modes, r.File[1].Name)
		}
	}
}

// A folder with other files is not removed, and what is wrong is told before
// anything is compiled.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-out", dir}, dir + " holds other files than a release"},
		{[]string{"-version", "1/2"}, `-version "1/2"`},
		{[]string{"-version", "-x"}, `-version "-x"`},
		{[]string{"-platforms", "linux"}, `"linux" is no platform`},
		{[]string{"-platforms", "linux/amd64,"}, `"" is no platform`},
		{[]string{"-image", "registry.example.com/x@sha256:abc"}, "-image"},
		{[]string{"-image", "registry.example.com/Upper"}, "-image"},
		{[]string{"more"}, `"more" is not a flag`},
		{[]string{"-no-such-flag"}, "flag provided but not defined"},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.args, err, test.want)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if err := run(t.Context(), nil, io.Discard); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "thesis.txt")); err != nil {
		t.Error(err)
	}
}

// A module without terms stops the release.
func TestLicenceFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENSE.txt": true, "License.md": true, "LICENCE": true, "COPYING": true, "NOTICE": true,
		"PATENTS": true, "LICENSE-APACHE": true, "licenses.go": false, "license_test.go": false, "README.md": false,
	} {
		if got := licenceFile.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, err := licenceTexts(map[string]string{"example.org/x v1.0.0": t.TempDir()}); err == nil || !strings.Contains(err.Error(), "example.org/x v1.0.0 has no licence file") {
		t.Errorf("got %v", err)
	}
}
