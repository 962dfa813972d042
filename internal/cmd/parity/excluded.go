package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// exclusion is a test that is not run.
type exclusion struct {
	test   string // an expression for its name, by the elements between slashes
	reason string
}

// excluded returns the tests that can't pass on this machine, with any frontend.
func excluded() []exclusion {
	all := []exclusion{{
		"TestReproSourceDateEpoch/.*",
		"compares digests of images that stand on docker.io/amd64/debian:bullseye-20230109-slim",
	}}
	if !allCapabilities() {
		all = append(all, exclusion{
			"TestRunSecurityInsecure/.*/.*/.*=granted",
			"counts on every capability up to number 37, and root of this machine lacks one",
		})
	}
	if _, err := exec.LookPath("ssh-agent"); err != nil {
		all = append(all, exclusion{"TestSSHFileDescriptorsClosed", "needs ssh-agent (package openssh-client)"})
	}
	for _, device := range []string{"/dev/fuse", "/dev/loop-control"} {
		if _, err := os.Stat(device); err != nil {
			all = append(all, exclusion{
				"TestInsecureDevicesWhitelist/.*/.*/.*=granted",
				"needs " + device,
			})
		}
	}
	return all
}

// skipExpression is for -test.skip.
func skipExpression(all []exclusion) string {
	var names []string
	for _, e := range all {
		names = append(names, "TestIntegration/"+e.test)
	}
	return strings.Join(names, "|")
}

// allCapabilities reports whether a process may have the 38 capabilities that
// the tests count.
func allCapabilities() bool {
	const wanted = 1<<38 - 1
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), "\nCapBnd:")
	line, _, _ := strings.Cut(rest, "\n")
	bounding, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	return err == nil && bounding&wanted == wanted
}
