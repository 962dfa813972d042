package daemon

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// ProgramVariable names the buildkitd to start; without it the PATH is searched.
const ProgramVariable = "LOOPX_BUILDKITD"

// Command is the hidden command of the program that calls [Supervise].
const Command = "private-buildkitd"

// runtimes are the programs of which buildkitd needs one. Source: defaultOCIRuntime
// search in BuildKit's executor/runcexecutor.
func runtimes() []string { return []string{"buildkit-runc", "runc"} }

const install = "install BuildKit (https://github.com/moby/buildkit/releases) and runc (`apt-get install runc`)"

// program returns the buildkitd to start, or says what is missing.
func program(env func(string) (string, bool), uid int) (string, error) {
	other := ", or name a builder that runs: " + HostVariable + "=ADDRESS, or DOCKER_HOST"
	named, _ := env(ProgramVariable)
	path, err := exec.LookPath("buildkitd")
	if named != "" {
		path, err = exec.LookPath(named)
	}
	switch {
	case runtime.GOOS != "linux":
		return "", &fault.Error{Message: "a private builder runs on Linux only", Todo: "Name a builder that runs: " + HostVariable + "=ADDRESS, or DOCKER_HOST."}
	case named != "" && err != nil:
		return "", &fault.Error{File: named, Message: "is no program that can be started (" + ProgramVariable + ")", Todo: "Correct the path, or " + install + other + "."}
	case err != nil:
		return "", &fault.Error{Message: "buildkitd is not on the PATH", Todo: "To start a private builder, " + install + other + "."}
	}
	for _, name := range runtimes() {
		if _, err = exec.LookPath(name); err == nil {
			break
		}
	}
	switch {
	case err != nil:
		return "", &fault.Error{Message: "runc is not on the PATH, and buildkitd runs RUNs with it", Todo: "Install it (`apt-get install runc`)" + other + "."}
	case uid != 0:
		return "", &fault.Error{Message: "a private builder needs root", Todo: "Run the command with sudo, or start a rootless BuildKit yourself" + other + "."}
	}
	return path, nil
}

// openPrivate starts a buildkitd of its own and waits until it answers.
func openPrivate(ctx context.Context, r Request) (*Daemon, error) {
	path, err := program(r.Environ, userID())
	if err != nil {
		return nil, err
	}
	s, err := start(path, r.Allow)
	if err != nil {
		return nil, &fault.Error{Message: "buildkitd cannot be started: " + err.Error(), Todo: "A private builder needs root with all capabilities: in a container, run it privileged."}
	}
	d := &Daemon{stop: s.stop}
	if d.Client, err = client.New(ctx, s.address); err == nil {
		if err = s.ready(ctx, d); err == nil {
			return d, nil
		}
		d.Client.Close()
	}
	log := s.log()
	if stopErr := s.stop(); stopErr != nil {
		err = errors.Join(err, stopErr)
	}
	if ctx.Err() != nil {
		return nil, &fault.Error{Message: "cancelled before the private builder was ready"}
	}
	return nil, &fault.Error{
		Message: fmt.Sprintf("the private builder does not come up: %s%s", lastPart(err), log),
		Todo:    "See whether `" + path + " --version` and `runc --version` work here; in a container, run it privileged.",
	}
}
