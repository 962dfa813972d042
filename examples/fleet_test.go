package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestFleet builds the examples as the fleet that docs/fleets.md has them for, by
// its own commands.
func TestFleet(t *testing.T) {
	ours := testbed.FrontendImage(t)
	testbed.Base(t, "bookworm")
	dir, w := t.TempDir(), newWeb(t)
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	bake := fleetCommand(t, "loopxctl bake ")
	cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t), bake...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("loopxctl %q: %v\n%s", bake, err, out)
	}

	testbed.Buildx(t, "", nil, "prune", "--all", "--force") // what other tests built
	w.reset()
	ca := w.CA.Dir(t)
	args := append(fleetCommand(t, "docker buildx "), "--allow=fs.read="+ca, "--set=*.contexts.loopx-ca="+ca,
		"--set=organisation-image-image.contexts."+syntax+"=docker-image://"+ours, "--set=*.output=type=cacheonly")
	if got := testbed.Buildx(t, dir, []string{"FRONTEND=" + ours}, args...); got.Code != 0 {
		t.Fatalf("docker buildx %q: exit code %d\n%s", args, got.Code, got.Stderr)
	}
	checkNone(t, "in clear text", w.clearText())
	for _, e := range examples() {
		checkAll(t, "over TLS", slices.Concat(slices.DeleteFunc(e.fetches, byMatrix), e.checked, e.apt), w.overTLS())
	}
}

// byMatrix says whether a fetch is made because the bake file of an example has a
// matrix, which a fleet's doesn't.
func byMatrix(address string) bool { return strings.HasSuffix(address, "/lgpl-3.0.txt") }

// fleetCommand returns the arguments of a command in docs/fleets.md, "Try it".
func fleetCommand(t *testing.T, command string) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/fleets.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Try it\n")
	line := regexp.MustCompile(`(?m)^(?:\$ )?` + command + `(.*)$`).FindStringSubmatch(section)
	if line == nil {
		t.Fatalf("docs/fleets.md has no %q", command)
	}
	args, err := shell.Fields(command+line[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if args[0] == "docker" {
		args = args[1:]
	}
	return args[1:]
}
