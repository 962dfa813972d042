package words

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentedPrograms holds the list of programs in docs/fetchers.md to the
// tables.
func TestDocumentedPrograms(t *testing.T) {
	page, err := os.ReadFile("../../docs/fetchers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "| what | programs |")
	list, _, _ = strings.Cut(list, "\n\n")
	var got []string
	for i, name := range strings.Split(list, "`") {
		if i%2 == 1 {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(fetchers)), got); diff != "" {
		t.Errorf("docs/fetchers.md lists other programs (-tables +page):\n%s", diff)
	}
}
