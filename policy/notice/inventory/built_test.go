package inventory

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBuilt holds facts of the table that people know.
func TestBuilt(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"debian libssl3": {"openssl"}, "debian libssl3t64": {"openssl"}, "ubuntu libssl3": {"openssl"}, "ubuntu libssl3t64": {"openssl"},
		"debian libc6": {"glibc"}, "debian curl": {"curl"}, "debian libcurl4": {"curl"}, "ubuntu python3.12": {"python3.12"},
		"debian g++": {"gcc-defaults"}, "debian zlib1g": {"zlib"}, "ubuntu nowhere": nil, "alpine curl": nil,
	} {
		system, binary, _ := strings.Cut(name, " ")
		if diff := cmp.Diff(want, Built(system, binary)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestTable holds the form of the table: sorted, each row of its three columns,
// no name twice.
func TestTable(t *testing.T) {
	t.Parallel()
	last, comments := "", 0
	for line := range strings.Lines(builtTable) {
		if strings.HasPrefix(line, "#") {
			comments++
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || !slices.Contains([]string{"*", "debian", "ubuntu"}, f[0]) {
			t.Fatalf("%q is no row", line)
		}
		names := strings.Split(f[2], " ")
		if key := f[1] + "\t" + f[0]; key <= last || !slices.IsSorted(names) || len(slices.Compact(names)) != len(strings.Fields(f[2])) {
			t.Errorf("%.60q is out of order, or has a name twice", line)
		} else {
			last = key
		}
	}
	if comments == 0 {
		t.Error("the table does not say what it is made of, and when")
	}
}
