package gitread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// git runs git in a folder.
type git struct {
	dir     string
	environ []string // scrubbed
	config  []string // more -c NAME=value
}

// passed are the variables that git sees of our environment: where programs, the
// user's own configuration and objects are. The last ones are those without
// which programs do not start on Windows.
var passed = [...]string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_CEILING_DIRECTORIES",
	"TMPDIR", "SYSTEMROOT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "PROGRAMDATA", "TEMP", "TMP", "PATHEXT",
}

// fixed are the variables that git always has (git(1), "ENVIRONMENT VARIABLES").
// GIT_ALLOW_PROTOCOL wins over all configuration: the only protocol that it
// allows does not exist.
var fixed = [...]string{
	"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=none", "GIT_GRAFT_FILE=/dev/null/none",
}

// settings are the configuration that git always has: no program is run, and
// nothing is believed that stands beside the objects. An empty core.fsmonitor is
// none to every release; "false" is the name of a program to old ones.
var settings = [...]string{
	"core.hooksPath=/dev/null", "core.fsmonitor=", "core.commitGraph=false", "core.useReplaceRefs=false", "core.pager=cat",
	"protocol.allow=never", "diff.external=", "submodule.recurse=false", "gc.auto=0", "maintenance.auto=false",
}

// scrub returns the environment that git has.
func scrub(environ []string) []string {
	var out []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		numbered := strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
		if numbered || slices.ContainsFunc(passed[:], func(p string) bool { return strings.EqualFold(p, name) }) {
			out = append(out, entry)
		}
	}
	return append(out, fixed[:]...)
}

// command is a git command that is not started yet.
func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	all := []string{"--no-pager", "--no-replace-objects", "--no-optional-locks"}
	for _, setting := range slices.Concat(settings[:], g.config) {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Dir, cmd.Env = g.dir, g.environ
	return cmd
}

// run returns what a command prints. The error is an [*Error], or a [status].
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := g.command(ctx, args...)
	out, diag := &limited{left: maxOutput}, &bounded{max: 16 << 10}
	cmd.Stdout, cmd.Stderr = out, diag
	err := cmd.Run()
	switch {
	case err == nil:
		return out.Bytes(), nil
	case out.left < 0:
		return nil, &Error{Message: fmt.Sprintf("git %s prints more than %d MiB", args[0], maxOutput>>20), Err: ErrTooLarge}
	case ctx.Err() != nil:
		return nil, &Error{Message: "git " + args[0] + ": " + ctx.Err().Error()}
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, &status{exit.ExitCode(), args[0], strings.TrimSpace(diag.String())}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, &Error{Message: "there is no program git", Todo: "Install git, or put it into PATH."}
	}
	return nil, &Error{Message: fmt.Sprintf("git %s: %v", args[0], err)}
}

// lines are those that a command prints.
func (g git) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := g.run(ctx, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), nil
}

// fields are what a command prints, with a NUL behind each.
func (g git) fields(ctx context.Context, args ...string) ([]string, error) {
	out, err := g.run(ctx, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	max int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// limited fails when too much is written.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, ErrTooLarge
	}
	return l.Buffer.Write(p)
}
