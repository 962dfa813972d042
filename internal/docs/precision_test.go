package docs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/checks"
)

// TestPrecision holds that the page counts the labels of the table, that there
// are at least 200, and that no rule was wrong more than one time in twenty.
func TestPrecision(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(repository(t), "rewrite/checks/testdata/precision.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	right, wrong, all := map[string]int{}, map[string]int{}, 0
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 4 || fields[3] != "right" && fields[3] != "wrong" {
			t.Fatalf("%q", line)
		}
		all++
		if fields[3] == "right" {
			right[fields[2]]++
		} else {
			wrong[fields[2]]++
		}
	}
	p := readPage(t, "docs/precision.md")
	var want []string
	for _, r := range checks.Rules() {
		want = append(want, "| ["+r.Name+"](rules.md#"+anchor(r.Name)+") | "+strconv.Itoa(right[r.Name])+" | "+strconv.Itoa(wrong[r.Name])+" |")
		if n := right[r.Name] + wrong[r.Name]; n == 0 || wrong[r.Name]*20 > n {
			t.Errorf("%s: %d of %d findings are wrong", r.Name, wrong[r.Name], n)
		}
	}
	var got []string
	for _, line := range p.lines {
		if strings.HasPrefix(line, "| [") {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-table +page):\n%s", diff)
	}
	if !strings.Contains(strings.Join(p.lines, " "), "in "+strconv.Itoa(all)+" findings") || all < 200 {
		t.Errorf("the page does not say that there are %d findings, or these are too few", all)
	}
}
