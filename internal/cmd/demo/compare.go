package main

import (
	"archive/tar"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// compare stops the script if the two images differ in anything but the times
// and contents of files.
func compare(s *script, before, after outcome) {
	a, b := testbed.Registry(s).Image(s, before.image), testbed.Registry(s).Image(s, after.image)
	if x, y := facts(s, a), facts(s, b); !reflect.DeepEqual(x, y) {
		s.Fatalf("configuration or history differ:\n%+v\n%+v", x, y)
	}
	if x, y := files(s, a), files(s, b); !slices.Equal(x, y) {
		s.Fatalf("only in one of the images: %s", strings.Join(onlyInOne(x, y), ", "))
	}
}

// facts are the configuration and the history without times.
func facts(s *script, img v1.Image) []any {
	config, err := img.ConfigFile()
	if err != nil {
		s.Fatalf("%v", err)
	}
	list := []any{config.Config, config.OS, config.Architecture}
	for _, h := range config.History {
		h.Created = v1.Time{}
		list = append(list, h)
	}
	return list
}

// onlyInOne returns what is in a or in b but not in both.
func onlyInOne(a, b []string) []string {
	in := map[string]int{}
	for _, name := range slices.Concat(a, b) {
		in[name]++
	}
	maps.DeleteFunc(in, func(_ string, n int) bool { return n != 1 })
	return slices.Sorted(maps.Keys(in))
}

// files lists the paths in an image, sorted.
func files(s *script, img v1.Image) []string {
	rc := mutate.Extract(img)
	defer rc.Close()
	var names []string
	testbed.EachEntry(s, rc, func(h *tar.Header, _ io.Reader) { names = append(names, h.Name) })
	slices.Sort(names)
	return names
}
