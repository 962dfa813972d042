// Command setup prepares a bare Debian or Ubuntu machine for the tests and the
// demo: system packages, then the pinned tools, built into the cache. It prints
// the folder of the tools.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

func main() {
	toolsOnly := flag.Bool("tools", false, "leave the system packages alone")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *toolsOnly); err != nil {
		fmt.Fprintln(os.Stderr, "setup:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, toolsOnly bool) error {
	if !toolsOnly {
		if err := setup.InstallPackages(ctx, os.Stderr); err != nil {
			return err
		}
	}
	dir, err := setup.BuildTools(ctx, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Println(dir)
	return nil
}
