// Command loopx-frontend is the entry point of the frontend image: BuildKit
// starts it, it answers one request over the gateway's protocol on stdin and
// stdout, and ends.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/gateway/grpcclient"
	"github.com/moby/buildkit/util/appcontext"
	"github.com/moby/buildkit/util/bklog"
	_ "github.com/moby/buildkit/util/grpcutil/encoding/proto" // the codec that the daemon speaks
	"github.com/moby/buildkit/util/stack"

	"github.com/loopx/loopx-frontend/frontend"
)

// Set by the linker (-X main.version=…); they name the program in --version and
// in the stack traces of errors.
var (
	version  = "devel"
	revision = "unknown"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(run(appcontext.Context(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process. A failed build has told the daemon its error
// by the time RunFromEnvironment returns; the line on stderr is for the daemon's
// log, and the exit code for a daemon that could not be told.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("loopx-frontend", flag.ContinueOnError)
	flags.SetOutput(stderr)
	show := flags.Bool("version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if *show {
		fmt.Fprintf(stdout, "loopx-frontend %s %s\n", version, revision)
		return exitDone
	}
	stack.SetVersionInfo(version, revision)
	f := frontend.Frontend{Version: version, Policy: os.DirFS(frontend.PolicyDir)}
	if err := grpcclient.RunFromEnvironment(ctx, recovered(f.Build)); err != nil {
		bklog.L.Logger.SetOutput(stderr)
		bklog.L.Errorf("fatal error: %v", err)
		return exitFailed
	}
	return exitDone
}

// recovered turns a panic of build into an error, which the user sees in place
// of an exit code. The stack goes to the daemon's log.
func recovered(build client.BuildFunc) client.BuildFunc {
	return func(ctx context.Context, c client.Client) (res *client.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				bklog.L.Errorf("panic: %v\n%s", p, debug.Stack())
				res, err = nil, fmt.Errorf("loopx-frontend %s: internal error: %v", version, p)
			}
		}()
		return build(ctx, c)
	}
}
