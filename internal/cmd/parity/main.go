// Command parity runs BuildKit's own Dockerfile tests against two frontend
// images, BuildKit's and this project's, and compares what they come to. The
// tests are those of the BuildKit release that go.mod names; each has a buildkitd
// of its own, in a network with nothing but loopback. scripts/parity runs it, and
// docs/parity.md tells what it does and what it found.
//
// It needs root, and what `make setup` leaves. The tests run in namespaces of
// their own, which end with this process, however that happens.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

// Exit codes.
const (
	exitEqual   = 0
	exitBehind  = 1 // a test that stock passes does not pass on ours
	exitTrouble = 2 // usage, or the tests could not be run
)

func main() {
	if filepath.Base(os.Args[0]) == registryName {
		os.Exit(registryMain(os.Args[1:], os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are those of the command line.
type options struct {
	match    string
	only     string
	parallel int
	checks   string
	apt      string
}

// buildArgs are those of every request to ours.
func (o options) buildArgs() map[string]string {
	return map[string]string{checksArg: o.checks, aptArg: o.apt}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("parity", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.match, "run", "", "run only the tests whose name matches this `expression`, e.g. 'TestAdd|TestOnBuild'")
	flags.StringVar(&o.only, "only", "", "run only this `frontend`: stock or ours")
	flags.IntVar(&o.parallel, "parallel", 2, "`number` of tests, and so of buildkitds, at a time")
	flags.StringVar(&o.checks, "checks", "", "build arg LOOPX_CHECKS of every request to ours, e.g. `off`")
	flags.StringVar(&o.apt, "apt", "", "build arg LOOPX_APT of every request to ours: `all` guards every RUN")
	if err := flags.Parse(args); err != nil {
		return exitTrouble
	}
	if !slices.Contains([]string{"", stock, ours}, o.only) {
		fmt.Fprintf(stderr, "parity: -only %s: not %s or %s\n", o.only, stock, ours)
		return exitTrouble
	}
	behind, err := compare(ctx, o, stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "parity:", err)
		return exitTrouble
	case behind:
		return exitBehind
	}
	return exitEqual
}

// compare runs the tests on each frontend and prints a row for each, then what
// differs. behind is as in report.
func compare(ctx context.Context, o options, stdout, stderr io.Writer) (behind bool, err error) {
	s, err := prepare(ctx, stderr)
	if err != nil {
		return false, err
	}
	defer s.close()
	for _, e := range excluded() {
		fmt.Fprintf(stdout, "excluded: %s: it %s\n", e.test, e.reason)
	}
	rows := map[string]results{}
	for _, f := range s.frontends() {
		if o.only != "" && o.only != f.name {
			continue
		}
		if rows[f.name], err = s.test(ctx, f, o, stderr); err != nil {
			return false, fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprintf(stdout, "%s: %s\n", f.name, rows[f.name])
	}
	if o.only != "" {
		return false, nil
	}
	return report(stdout, intended(o), rows[stock], rows[ours]), nil
}
