// Package mount says what the frontend mounts into a RUN: the folder in the
// frontend's own image, the files in it, and where a RUN sees them. The image
// is made from it, and the pass over LLB points at it. It does no I/O.
//
// The content is versioned data: it is part of the cache keys of RUNs, so the
// same source gives the same bytes, and a release that does not change it keeps
// its digest. See Lock.
package mount

import (
	"strings"

	"github.com/containerd/platforms"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
)

// Paths in a RUN. /dev is a tmpfs of the container's own, so that a mount there
// leaves no mount point behind in the image.
const (
	// Dir is where the folder of the frontend's image is mounted, read-only.
	Dir = cabundle.Dir
	// OperatorDir is where the operator's own part is mounted, if there is any.
	OperatorDir = cabundle.OperatorDir
	// RouteFile holds the operator's route.Config as JSON.
	RouteFile = OperatorDir + "/" + RouteName
	RouteName = "route.json"
	// AuthFile is where the secret AuthSecret is mounted: credentials for
	// mirrors, in the format of apt_auth.conf(5). It lies beside Dir, which is
	// read-only.
	AuthFile = "/dev/.loopx-auth.conf"
	// AuthSecret is the id of that secret.
	AuthSecret = "loopx-auth"
	// AptConfig is the value of APT_CONFIG in a guarded RUN.
	AptConfig = Dir + "/apt/apt.conf"
	// Method is apt's acquire method for http and https.
	Method = Dir + "/apt/method"
)

// Paths in the frontend's image. Each folder is mounted as a whole, so that
// what one RUN does not need is not part of its cache key.
const (
	// ImageDir holds all of it.
	ImageDir = "/loopx"
	// CASelector is the folder for a RUN that needs certificates only.
	CASelector = ImageDir + "/ca"
	// RunLink is a symbolic link, in the manifest of each platform, to the folder
	// for its RUNs: for a text that names the image and no platform.
	RunLink = ImageDir + "/run"
)

// Files below Dir that are mounted one by one, for commands that drop the
// environment: see AptFallback and Sudoers.
const (
	fallbackName = "/apt/zz-loopx"
	sudoersName  = "/apt/sudoers"
)

// Targets of these mounts.
const (
	// FallbackTarget is read last of apt's own configuration files.
	FallbackTarget = "/etc/apt/apt.conf.d/zz-loopx"
	// SudoersTarget makes sudo keep APT_CONFIG.
	SudoersTarget = "/etc/sudoers.d/zz-loopx"
)

// Apt is what the image holds for the RUNs of one platform.
type Apt struct {
	// Selector is the folder that is mounted at Dir.
	Selector string
	// Fallback and Sudoers are the files for FallbackTarget and SudoersTarget.
	Fallback, Sudoers string
}

// AptFor returns the folder for RUNs of a platform; ok is false for one that
// the image has no method for. The method is the target's own: under emulation
// the daemon's emulator runs every program of the RUN.
func AptFor(p *pb.Platform) (a Apt, ok bool) {
	key, ok := platformKey(p)
	if !ok {
		return Apt{}, false
	}
	dir := AptDir(key)
	return Apt{Selector: dir, Fallback: dir + fallbackName, Sudoers: dir + sudoersName}, true
}

// AptDir is the folder in the image for the platform with a key (see Key).
func AptDir(key string) string { return ImageDir + "/apt/" + key }

// platformKey is the name of a platform's folder.
func platformKey(p *pb.Platform) (key string, ok bool) {
	if p.GetOS() == "" {
		return "", false
	}
	spec := platforms.Normalize(p.Spec())
	for _, have := range Platforms() {
		if h := platforms.MustParse(have); h.OS == spec.OS && h.Architecture == spec.Architecture && variantRuns(h.Variant, spec.Variant) {
			return Key(have), true
		}
	}
	return "", false
}

// variantRuns reports whether a program for have runs on a CPU that is want:
// variants ("v6", "v7") are ordered, and "" is any.
func variantRuns(have, want string) bool { return have == "" || want == "" || have <= want }

// Platforms are those that the image has a method for, in containerd's
// notation: all that Docker's official images of Debian and Ubuntu exist for.
// Of two that run on one CPU, the better comes first.
func Platforms() []string {
	return []string{
		"linux/386", "linux/amd64", "linux/arm64", "linux/arm/v7", "linux/arm/v5",
		"linux/mips64le", "linux/ppc64le", "linux/riscv64", "linux/s390x",
	}
}

// Key turns a platform into the name of its folder: "linux_arm_v7".
func Key(platform string) string { return strings.ReplaceAll(platform, "/", "_") }
