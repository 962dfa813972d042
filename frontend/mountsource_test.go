package frontend

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/solver/pb"
	"google.golang.org/protobuf/proto"
)

const runsApt = "FROM debian\nRUN apt-get update\n"

// mounts returns where the RUNs of a definition have something mounted.
func mounts(t *testing.T, def *pb.Definition) []string {
	t.Helper()
	var dests []string
	for _, raw := range def.Def {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			t.Fatal(err)
		}
		for _, m := range op.GetExec().GetMounts() {
			dests = append(dests, m.Dest)
		}
	}
	return dests
}

func TestAptIsGuarded(t *testing.T) {
	g := newFake(runsApt, nil)
	mustBuild(t, g)
	if got := mounts(t, g.built()[0]); !slices.Contains(got, mount.Dir) || slices.Contains(got, mount.OperatorDir) {
		t.Errorf("mounts at %v", got)
	}
	g = newFake(runsApt, map[string]string{"build-arg:LOOPX_DEBIAN_MIRROR": "https://mirror.example.org/debian"})
	mustBuild(t, g)
	if got := mounts(t, g.built()[0]); !slices.Contains(got, mount.OperatorDir) {
		t.Errorf("with a mirror, mounts at %v", got)
	}
}

func TestAptOff(t *testing.T) {
	g := newFake(runsApt, map[string]string{"build-arg:LOOPX_APT": "off"})
	mustBuild(t, g)
	if got := mounts(t, g.built()[0]); slices.Contains(got, mount.Dir) {
		t.Errorf("mounts at %v", got)
	}
	if len(g.warnings) != 1 || !strings.HasPrefix(g.warnings[0].msg, "LOOPX_APT: what apt fetches ") {
		t.Errorf("warnings %v", g.warnings)
	}
}

func TestAptBadValue(t *testing.T) {
	_, err := Build(t.Context(), newFake(runsApt, map[string]string{"build-arg:LOOPX_APT": "no"}))
	if err == nil || !strings.Contains(err.Error(), `LOOPX_APT: "no" is neither auto, all nor off`) {
		t.Errorf("error %v", err)
	}
}

// TestOldDaemon: where the daemon does not say which image the frontend runs
// from, the name in the syntax line counts only if the image holds the method
// that this frontend was built with. That it does is for a real daemon to show.
func TestOldDaemon(t *testing.T) {
	const source = "registry.example.org/loopx-frontend:1"
	key := mount.Key("linux/amd64")
	file := strings.TrimPrefix(mount.ImageDir, "/") + "/apt/" + key + "/" + mount.MethodPath
	for name, tc := range map[string]struct {
		opts  map[string]string
		files map[string]string
		err   string
	}{
		"no name":        {nil, nil, "this daemon does not say which image the frontend runs from"},
		"bad name":       {map[string]string{"source": "not one"}, nil, `failed to find the frontend's own image "not one"`},
		"no method":      {map[string]string{"source": source}, nil, "the image " + source + " is not the one that this frontend runs from, it holds no apt method"},
		"another method": {map[string]string{"source": source}, map[string]string{file: "another"}, "the image " + source + " holds another apt method than this frontend was built with"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFake(runsApt, tc.opts)
			g.old = true
			g.every = tc.files
			_, err := Build(t.Context(), g)
			var refused *RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %s", err, tc.err)
			}
		})
	}
}

// TestOldDaemonShowsWarnings: a daemon without warnings has vertices.
func TestOldDaemonShowsWarnings(t *testing.T) {
	g := newFake("FROM debian\nRUN mkdir /x\n", map[string]string{"build-arg:LOOPX_MOD": "audit"})
	g.old = true
	mustBuild(t, g)
	want := "[internal] warning: build arg LOOPX_MOD is not a variable of the LoopX frontend (did you mean LOOPX_MODE?)"
	if len(g.warnings) > 0 || !slices.Contains(g.shown, want) {
		t.Errorf("warnings %v, vertices %q", g.warnings, g.shown)
	}
}

func TestVersionIsShown(t *testing.T) {
	title := "[internal] loopx-frontend 1.2 (hosts as of " + route.DataDate() + ")"
	for opt, want := range map[string][]string{"build-arg:X": {title}, "build-arg:LOOPX_CHECKS": nil} {
		g := newFake("FROM debian\nRUN mkdir /x\n", map[string]string{opt: "off"})
		if _, err := (Frontend{Version: "1.2"}).Build(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.shown, want) {
			t.Errorf("%s: %q", opt, g.shown)
		}
	}
}

// TestImageForOtherPlatforms: an image may have been made for some platforms.
func TestImageForOtherPlatforms(t *testing.T) {
	root := t.TempDir()
	key := mount.Key("linux/amd64")
	if err := os.MkdirAll(filepath.Join(root, mount.ImageDir, "apt", key), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := hasFolder(root, key); err != nil {
		t.Error(err)
	}
	err := hasFolder(root, mount.Key("linux/arm/v7"))
	if err == nil || err.Error() != "the frontend's image was made without an apt method for linux/arm/v7" {
		t.Errorf("error %v", err)
	}
}
