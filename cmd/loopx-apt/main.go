// Command loopx-apt is apt's acquire method for http and https: apt starts it
// in a build step and talks to it over stdin and stdout. See package aptmethod.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/sandbox"
)

// exitUsage is for a person who starts it.
const exitUsage = 2

// memoryLimit is what the garbage collector tries to stay below; what the
// process needs in all is about a third more.
const memoryLimit = 40 << 20

// grace is how long a signal leaves for files to be dated.
const grace = 2 * time.Second

// usage has no release in it: the program is part of cache keys, and one that
// does the same is to have the same bytes.
const usage = `loopx-apt is apt's acquire method for http:// and https://. The LoopX frontend
mounts it into build steps that may run apt, and apt starts it there and talks
to it; it does nothing for people.
`

func main() {
	if len(os.Args) > 1 || isTerminal(os.Stdin) {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(exitUsage)
	}
	plainly()
	// A pipe that apt has closed is an error like others.
	signal.Ignore(syscall.SIGPIPE)
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		time.Sleep(grace)
		os.Exit(aptmethod.ExitFailed)
	})
	code := aptmethod.Serve(ctx, aptmethod.Options{
		In: os.Stdin, Out: os.Stdout, Stderr: os.Stderr,
		Argv0:   os.Args[0],
		Environ: os.Getenv,
		Client:  func(cfg fetch.Config) (fetch.Getter, error) { return fetch.New(cfg) },
		Sandbox: func(conf *aptconf.Conf) error { return sandbox.Drop(conf, sandbox.Passwd) },
	})
	stop()
	os.Exit(code)
}

// plainly starts the program anew if the image sets GODEBUG: that variable of Go's
// may loosen TLS, show what is sent, or end the program at an MD5, and part of it
// is read before main. It returns if there is no such variable, or if a new start
// is not to be had; what can still be changed is then as without it.
func plainly() {
	if os.Getenv("GODEBUG") == "" || os.Unsetenv("GODEBUG") != nil {
		return
	}
	if self, err := os.Executable(); err == nil {
		_ = syscall.Exec(self, os.Args, os.Environ())
	}
}

// isTerminal reports whether f is a terminal or another device, which apt never
// gives.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
