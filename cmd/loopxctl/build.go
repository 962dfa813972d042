package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/daemon"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/policy/config"
)

const buildLong = `build builds a Dockerfile as "docker build" does, with the LoopX frontend in this
process: no frontend image is pulled, and the Dockerfile needs no "# syntax="
line. CONTEXT is a folder, the address of a git repository or an archive, or "-"
for an archive or a Dockerfile on standard input.

The daemon that builds is, by --builder auto, that of BUILDKIT_HOST; else the
Docker engine's own BuildKit (DOCKER_HOST, or its usual socket); else a buildkitd
that is started for this build and ends with it, which needs root, buildkitd and
runc. Ctrl-C cancels the build and cleans up; a second one ends the program at once.

What RUNs are given (apt's method and certificates) comes from --frontend-image:
the reference of the frontend's image, or the OCI layout that "make image OCI=DIR"
writes in a checkout of its source, which needs no network. Without it a folder
loopx-frontend beside the program is used, or the image that the program was built
with.

Exit codes: 1 if the build fails or --check found something; 3 if there is no
daemon, or a file can't be read.`

const buildExample = `  # Build, and put the image where the Docker engine has its own
  loopxctl build -t app:dev --load .

  # Build from the company's mirror, with its own certificate authority, and push
  loopxctl build --mirror debian=https://mirror.example/debian --ca corp.crt \
    -t registry.example/app:1 --push .

  # Every request of every RUN over TLS or refused, opaque scripts included
  loopxctl build --proxy-network -t app:dev .

  # Check only
  loopxctl build --check .

  # Offline: what RUNs are given from a folder, the result as files
  loopxctl build --frontend-image ./loopx-frontend -o out .`

func newBuild(p *program) *cobra.Command {
	var o builder.Options
	var op operator
	var check bool
	cmd := &cobra.Command{
		Use:     "build [CONTEXT]",
		Short:   "Build a Dockerfile with the frontend, on BuildKit, the Docker engine or a private daemon",
		Long:    buildLong,
		Example: buildExample,
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	op.declare(cmd)
	progress := declareBuild(cmd, &o)
	cmd.Flags().BoolVar(&check, "check", false, "the same as --call check")
	cmd.RunE = p.does(func(cmd *cobra.Command, args []string) (int, error) {
		o.Context = "."
		if len(args) > 0 {
			o.Context = args[0]
		}
		if check {
			o.Call = "check"
		}
		in, err := p.forBuild(&op, &o)
		if err != nil {
			return exitUsage, err
		}
		o.Route, o.InForce, o.BuildArgs = in.operator, in.Route, in.buildArgs
		o.Progress, o.Version, o.Env = display.Mode(progress.value), version(), p.env
		return p.build(cmd.Context(), o)
	})
	return cmd
}

// forBuild is what is in force for a build. The frontend puts the files and the
// operator's word together by itself: here it is for what a build does without it,
// which of a context that is no folder does without the project's file.
func (p *program) forBuild(op *operator, o *builder.Options) (*inForce, error) {
	if info, err := os.Stat(o.Context); err == nil && info.IsDir() {
		op.named = filepath.Join(o.Context, config.File)
		if _, err := os.Lstat(op.named); err != nil {
			op.named = noConfig
		}
	} else {
		op.named = noConfig
	}
	o.Organisation = os.DirFS(p.organisationFolder())
	return p.inForce(op)
}

// runBuild runs a build until it ends or is interrupted. The error is that of
// [builder.Run].
func (p *program) runBuild(ctx context.Context, o builder.Options) error {
	// BuildKit's and containerd's libraries write notes for daemons to standard error.
	logrus.SetLevel(logrus.ErrorLevel)
	ctx, stop := interruptible(ctx)
	defer stop()
	return builder.Run(ctx, o, builder.Streams{In: p.stdin, Out: p.stdout, Err: p.stderr})
}

// build runs a build. One that fails has said why.
func (p *program) build(ctx context.Context, o builder.Options) (int, error) {
	err := p.runBuild(ctx, o)
	if _, failed := errors.AsType[*builder.Failed](err); failed {
		return exitBlocked, nil
	}
	return exitClean, err
}

// exitInterrupted is the exit code of a program that a signal ended: 128 and the
// number of SIGINT.
const exitInterrupted = 130

// interruptible returns a context that the first Ctrl-C cancels; the second ends
// the program. A private daemon ends with it.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel(errors.New("interrupted"))
		case <-done:
			return
		}
		select {
		case <-signals:
			os.Exit(exitInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// newPrivateDaemon is a part of `build` that runs as a process of its own.
func newPrivateDaemon(p *program) *cobra.Command {
	return &cobra.Command{
		Use: daemon.Command, Hidden: true, DisableFlagParsing: true, Short: "A part of loopxctl build",
		Example: "  loopxctl build --builder private .",
		RunE:    p.does(func(_ *cobra.Command, args []string) (int, error) { return exitClean, daemon.Supervise(args) }),
	}
}
