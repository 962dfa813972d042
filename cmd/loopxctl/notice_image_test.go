package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// noticeImage makes an image: each layer is a list of names and texts, where a name
// alone is a link.
func noticeImage(t *testing.T, layers ...[][2]string) v1.Image {
	t.Helper()
	image := v1.Image(empty.Image)
	for _, files := range layers {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, f := range files {
			h := &tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1])), Typeflag: tar.TypeReg}
			if strings.HasPrefix(f[1], "-> ") {
				h.Typeflag, h.Linkname, h.Size, f[1] = tar.TypeSymlink, f[1][3:], 0, ""
			}
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, f[1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
		if err != nil {
			t.Fatal(err)
		}
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			t.Fatal(err)
		}
	}
	return image
}

// ociLayout writes an image as an OCI layout.
func ociLayout(t *testing.T, image v1.Image) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "layout")
	at, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := at.AppendImage(image); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestNoticeBase reads the release and the packages of a base image: of its layers
// the topmost has its say, and what is taken away is gone.
func TestNoticeBase(t *testing.T) {
	t.Parallel()
	const release, old, mended = "ID=debian\nVERSION_ID=\"12\"\n", "Package: libssl3\nStatus: install ok installed\nSource: openssl\nVersion: 3.0.11-1~deb12u2\n", "Package: libssl3\nStatus: install ok installed\nSource: openssl\nVersion: 3.0.14-1~deb12u2\n"
	base := [][2]string{{"usr/lib/os-release", release}, {"./etc/os-release", "-> ../usr/lib/os-release"}, {"var/lib/dpkg/status", old}}
	dir := t.TempDir()
	record := writeTemp(t, filepath.Join(dir, "dsa.json"), `{"id":"DSA-5764-1","modified":"2024-09-04T00:00:00Z","affected":[{"package":{"ecosystem":"Debian:12","name":"openssl"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"3.0.14-1~deb12u2"}]}]}]}`)
	writeTemp(t, filepath.Join(dir, "app", "Dockerfile"), "FROM python:3.12-slim\n")
	saved := filepath.Join(dir, "saved.tar")
	if err := tarball.WriteToFile(saved, nil, noticeImage(t, base)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path string
		code int
		want string
	}{
		"affected":       {ociLayout(t, noticeImage(t, base)), exitBlocked, "FROM python:3.12-slim libssl3 3.0.11-1~deb12u2  debian 12"},
		"docker save":    {saved, exitBlocked, "libssl3 3.0.11-1~deb12u2"},
		"a layer above":  {ociLayout(t, noticeImage(t, base, [][2]string{{"var/lib/dpkg/status", mended}})), exitClean, "1 unaffected"},
		"taken away":     {ociLayout(t, noticeImage(t, base, [][2]string{{"var/lib/dpkg/.wh.status", ""}})), exitClean, "1 unaffected"},
		"distroless":     {ociLayout(t, noticeImage(t, base[:2], [][2]string{{"var/lib/dpkg/status.d/libssl3", "Package: libssl3\nSource: openssl\nVersion: 3.0.11-1~deb12u2\n"}, {"var/lib/dpkg/status.d/libssl3.md5sums", "x"}})), exitBlocked, "libssl3"},
		"nothing in it":  {ociLayout(t, noticeImage(t, [][2]string{{"etc/passwd", "x"}})), exitFailed, "holds neither an os-release file nor a list of dpkg"},
		"a broken list":  {ociLayout(t, noticeImage(t, base[:2], [][2]string{{"var/lib/dpkg/status", "Version: 1\n"}})), exitFailed, "a stanza names no package"},
		"no layout":      {dir, exitFailed, "is no image that can be read"},
		"no tar":         {record, exitFailed, "unpack the tar of an OCI layout into a folder"},
		"not there":      {filepath.Join(dir, "none"), exitFailed, "no such file"},
		"without a path": {"", exitUsage, "is not IMAGE=PATH"},
	} {
		code, out, diag := loopxctl(t, "", "notice", "--path", filepath.Join(dir, "app"), "--color", "never", "--base", "python:3.12-slim="+tc.path, record)
		if code != tc.code || !strings.Contains(out+diag, tc.want) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, diag)
		}
	}
	// A blob that is missing is no pass.
	broken := ociLayout(t, noticeImage(t, base))
	blobs, err := filepath.Glob(filepath.Join(broken, "blobs", "sha256", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blobs {
		if err := os.Remove(b); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, diag := loopxctl(t, "", "notice", "--path", filepath.Join(dir, "app"), "--base", "python:3.12-slim="+broken, record); code != exitFailed {
		t.Errorf("without its blobs: exit code %d\n%s%s", code, out, diag)
	}
}
