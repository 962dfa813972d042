package examples_test

import (
	"archive/tar"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// compareImages checks files in our image, and that all but the contents of
// files is as in the stock frontend's.
func compareImages(t *testing.T, l layers, name string, files map[string]string) {
	t.Helper()
	reg := testbed.Registry(t)
	ours, stock := reg.Image(t, "ours/"+name), reg.Image(t, "stock/"+name)
	if diff := cmp.Diff(config(t, stock), config(t, ours)); diff != "" {
		t.Errorf("%s: configuration and history (-stock +ours):\n%s", name, diff)
	}
	got, want := l.of(t, ours), l.of(t, stock)
	if len(got) != len(want) {
		t.Fatalf("%s: %d layers, the stock frontend makes %d", name, len(got), len(want))
	}
	all := map[string]string{}
	for i := range got {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want[i])), slices.Sorted(maps.Keys(got[i]))); diff != "" {
			t.Errorf("%s: files of layer %d (-stock +ours):\n%s", name, i, diff)
		}
		maps.Copy(all, got[i])
	}
	for path, part := range files {
		if text, ok := all[path]; !ok || !strings.Contains(text, part) {
			t.Errorf("%s: /%s lacks %q: %.200q", name, path, part, text)
		}
	}
}

// config is an image's configuration, history included, without times and
// without the digests of layers, in which files have times.
func config(t *testing.T, img v1.Image) map[string]any {
	t.Helper()
	raw, err := img.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	delete(c, "created")
	delete(c, "rootfs")
	history, ok := c["history"].([]any)
	if !ok || len(history) == 0 {
		t.Fatalf("no history in %s", raw)
	}
	for _, h := range history {
		delete(h.(map[string]any), "created")
	}
	return c
}

// layers are those that were read, by their digests: images share most of them.
type layers map[v1.Hash]files

// files maps the paths of a layer to the text of its regular files.
type files map[string]string

// of returns the layers of an image, lowest first.
func (l layers) of(t *testing.T, img v1.Image) []files {
	t.Helper()
	list, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var all []files
	for _, layer := range list {
		digest, err := layer.Digest()
		if err != nil {
			t.Fatal(err)
		}
		if _, known := l[digest]; !known {
			l[digest] = read(t, layer)
		}
		all = append(all, l[digest])
	}
	return all
}

func read(t *testing.T, layer v1.Layer) files {
	t.Helper()
	rc, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	content := files{}
	testbed.EachEntry(t, rc, func(h *tar.Header, r io.Reader) {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content[h.Name] = string(text)
	})
	return content
}
