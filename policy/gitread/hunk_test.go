package gitread_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

// TestLines holds which lines a diff shows, for files whose names and texts look
// like a diff themselves.
func TestLines(t *testing.T) {
	t.Parallel()
	var before strings.Builder
	for i := range 30 {
		fmt.Fprintf(&before, "%d\n", i+1)
	}
	after := strings.Replace(before.String(), "15\n", "new\nnewer\n", 1)
	r := gitbed.New(t)
	hostile := "x\ndiff --git a b\n@@ -1,1 +1,1 @@"
	first := r.Commit("main", "", gitbed.Files{
		"edited": gitbed.Text(before.String()), "gone": gitbed.Text("x\n"), "kind": gitbed.Text("x\n"), "mode": gitbed.Text("x\n"), "attr": gitbed.Text("a\n"), "shorter": gitbed.Text(before.String()),
		".gitattributes": gitbed.Text("attr -diff\n"),
	})
	second := r.Commit("main", first, gitbed.Files{
		"edited": gitbed.Text(after), "gone": nil, "kind": gitbed.Link("y"), "mode": {Mode: "100755", Data: "x\n"}, "attr": gitbed.Text("b\n"),
		hostile: gitbed.Text("@@ -1,9 +1,9 @@\n--- a\n+++ b\ndiff --git x y\n\\ No newline\n\n"), "open": gitbed.Text("no newline"), "empty": gitbed.Text(""),
		"sub": {Mode: "160000", Data: first}, "shorter": gitbed.Text(strings.Replace(before.String(), "2\n", "", 1)), "nul": gitbed.Text("a\x00b\n"),
	})
	repo := open(t, r)
	changed, err := repo.Changed(t.Context(), gitread.Commit(first), gitread.Commit(second))
	if err != nil {
		t.Fatal(err)
	}
	all, err := repo.Lines(t.Context(), gitread.Commit(first), gitread.Commit(second), changed)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, l := range all {
		got[name] = fmt.Sprint(l.Shown, l.Added)
	}
	want := map[string]string{
		"edited": "[12-19] [15-16]", "kind": "[1] [1]", "mode": "[] []", "attr": "[1] [1]", hostile: "[1-6] [1-6]", "open": "[1] [1]", "empty": "[] []",
		"sub": "[1] [1]", "shorter": "[1-4] []", "nul": "[1] [1]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !gitread.Has(all["edited"].Shown, 19) || gitread.Has(all["edited"].Shown, 20) {
		t.Error("Has")
	}
}
