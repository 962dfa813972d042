package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const rewriteLong = `Rewrite prints the Dockerfile with its fetches moved to TLS. Only addresses
change; every other byte, and the number of lines, stays.

FILE is ./Dockerfile if it is not given; - is standard input. Several files
can be given with --in-place, --check, --diff or --format json.

The result must not pass for safe if it is not. What is refused, what cannot
be edited, and each RUN that runs apt on sources that the text does not show
(they are in the base image) is listed on standard error and makes the exit
code 1. The text still goes to standard output then, but -o and -i write
nothing. --apt=ignore accepts the sources of the base image, a host rule or
LOOPX_MODE=audit the rest; so does a reviewer who signs for a blocker, as for
"loopxctl check".

A RUN that fetches over TLS needs a CA bundle in its image. The frontend lends
it one; a rewritten text cannot, so install ca-certificates first where the
base image has none.

--apt-mirror is the base URL for Debian's main archive (the same as --mirror
debian=URL), --security-mirror the one for Debian's security archive (the same
as --mirror debian-security=URL). Ubuntu has mirrors of its own: --mirror
ubuntu=URL; "loopxctl hosts" lists the archives.`

const rewriteExample = `  # Show what would change
  loopxctl rewrite --diff

  # Write a second file for a builder that knows no "# syntax=" line
  loopxctl rewrite -o Dockerfile.secure Dockerfile

  # In CI: fail if a Dockerfile names a fetch that could travel over TLS
  git ls-files '*Dockerfile*' | xargs loopxctl rewrite --check --apt=ignore

  # Edit the files themselves, with a security mirror and a rule for one host
  loopxctl rewrite -i --security-mirror https://mirror.example/debian-security \
      --host builds.example=https://builds.example:8443 */Dockerfile`

type rewriteCommand struct {
	*program
	operator
	acceptance
	output               string
	inPlace, diff, check bool
	format, color, apt   *oneOf
}

func newRewrite(p *program) *cobra.Command {
	c := &rewriteCommand{program: p, acceptance: newAcceptance(p)}
	cmd := &cobra.Command{
		Use:               "rewrite [FILE|-]...",
		Short:             "Print or write a Dockerfile whose fetches travel over TLS",
		Long:              rewriteLong,
		Example:           rewriteExample,
		ValidArgsFunction: completeDockerfiles,
		RunE:              p.does(c.run),
	}
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "", "write to `FILE`, whole or not at all; - is standard output")
	flags.BoolVarP(&c.inPlace, "in-place", "i", false, "write to the files themselves, whole or not at all")
	flags.BoolVar(&c.diff, "diff", false, "show the change as a unified diff instead of the text")
	flags.BoolVar(&c.check, "check", false, "write nothing; list the files that would change and exit 1 if there is one")
	c.apt = addOneOf(cmd, "apt", "what to do about apt sources that the text does not show", "refuse", "ignore")
	c.format = addFormat(cmd)
	c.color = addColor(cmd)
	c.operator.declare(cmd)
	c.acceptance.declare(cmd)
	return cmd
}

func (c *rewriteCommand) run(cmd *cobra.Command, args []string) (int, error) {
	names, err := c.names(cmd, args)
	if err != nil {
		return 0, err
	}
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	policy := report.Policy{Text: true, Audit: cfg.Route.Mode == route.Audit, IgnoreApt: c.apt.value == "ignore"}
	r, err := c.plan(cmd.Context(), "rewrite", names, cfg, policy)
	if err != nil {
		return 0, err
	}
	if _, err := c.judge(cmd.Context(), r, c.format.value == "json", false); err != nil {
		return 0, err
	}
	for _, f := range r.Files {
		c.write(f)
	}
	return c.verdict(r), c.print(r)
}

// names are the inputs, if the command line makes sense and the output can be
// written.
func (c *rewriteCommand) names(cmd *cobra.Command, args []string) ([]string, error) {
	names, err := inputs(args)
	switch {
	case err != nil:
		return nil, err
	case c.output == "" && cmd.Flags().Changed("output"):
		return nil, errors.New("--output needs the name of a file; - is standard output")
	}
	if err := c.conflict(names); err != nil {
		return nil, err
	}
	return names, c.checkOutput(names)
}

// conflict returns what is wrong with the command line as a whole.
func (c *rewriteCommand) conflict(names []string) error {
	switch {
	case c.inPlace && c.output != "":
		return errors.New("--in-place and --output exclude each other")
	case c.check && (c.inPlace || c.toFile()):
		return errors.New("--check writes nothing: leave out --in-place and --output")
	case c.diff && c.format.value == "json":
		return errors.New("--diff and --format json exclude each other")
	case len(names) > 1 && c.output != "":
		return fmt.Errorf("--output takes one Dockerfile, not %d; --in-place takes many", len(names))
	case len(names) > 1 && !c.inPlace && !c.check && !c.diff && c.format.value == "text":
		return fmt.Errorf("%d files: add --in-place, --diff, --check or --format json", len(names))
	case c.inPlace && slices.Contains(names, input.Stdin):
		return errors.New("--in-place cannot edit standard input: leave one of them out")
	}
	return nil
}

// checkOutput refuses outputs before any input is read.
func (c *rewriteCommand) checkOutput(names []string) error {
	if isOutput(c.stdout, names) {
		return errors.New("standard output is the input file itself, which the shell empties first: use --in-place or another output")
	}
	if !c.toFile() {
		return nil
	}
	if sameFile(c.output, names[0]) {
		return fmt.Errorf("--output %s is the input itself: use --in-place", c.output)
	}
	return replace.Check(c.output)
}

// toFile reports whether -o names a file.
func (c *rewriteCommand) toFile() bool { return c.output != "" && c.output != input.Stdin }

// write puts the text where -o or -i wants it, unless it is blocked.
func (c *rewriteCommand) write(f *report.File) {
	target := c.output
	if c.inPlace {
		target = f.Name
	}
	if !c.inPlace && !c.toFile() || f.Problem != nil || f.Blocked() || c.inPlace && !f.Changed() {
		return
	}
	f.OtherNames = replace.Links(target)
	if err := replace.File(target, f.Output); err != nil {
		f.Problem, _ = errors.AsType[*fault.Error](err)
		return
	}
	f.Written = target
}

// print writes the answer to stdout and what a person must know to stderr.
func (c *rewriteCommand) print(r *report.Report) error {
	if c.format.value == "json" {
		c.problems(r)
		return report.JSON(&c.out, r)
	}
	onOut, onErr := paint.For(c.color.value, c.stdout, c.env), paint.For(c.color.value, c.stderr, c.env)
	for _, f := range r.Files {
		err := errors.Join(
			c.printText(f, onOut),
			report.Findings(&c.notes, f, onErr, unfixed),
			report.HiddenApt(&c.notes, f, onErr),
		)
		if err != nil {
			return err
		}
		c.printOutcome(f)
	}
	c.printCount(r)
	return nil
}

func (c *rewriteCommand) printText(f *report.File, p paint.Painter) error {
	switch {
	case f.Problem != nil:
		return nil
	case c.diff:
		exact, err := report.Diff(&c.out, f, p)
		if !exact {
			c.note("%s: passwords or control characters are hidden in the diff, so it cannot be applied; use --in-place", f.Name)
		}
		return err
	case c.check && f.Changed():
		fmt.Fprintln(&c.out, plain.Text(f.Name))
	case c.check, c.inPlace, c.toFile():
	default:
		c.out.Write(f.Output)
	}
	return nil
}

// printOutcome says what became of the file that -o or -i names.
func (c *rewriteCommand) printOutcome(f *report.File) {
	switch {
	case f.Problem != nil:
		c.fail(f.Problem, "")
	case f.Written != "":
		c.note("%s: written, %s moved to TLS", f.Written, count(f.Moved(), "address", "addresses"))
		if f.OtherNames > 0 {
			c.note("%s: had %s (hard links), which still hold the old text", f.Written, count(f.OtherNames, "other name", "other names"))
		}
	case !c.inPlace && !c.toFile():
	case f.Blocked():
		c.note("%s: not written, because of the above", cmp.Or(c.output, f.Name))
	case !f.Changed():
		c.note("%s: nothing to change", f.Name)
	}
}

// printCount sums up --check, whose list on stdout is for programs.
func (c *rewriteCommand) printCount(r *report.Report) {
	changed := 0
	for _, f := range r.Files {
		if f.Changed() {
			changed++
		}
	}
	if c.check && changed > 0 {
		c.note("%d of %s would change; --diff shows how", changed, count(len(r.Files), "file", "files"))
	}
}

// unfixed are the findings that the rewritten text still has.
func unfixed(f rewrite.Finding) bool {
	return len(f.Edits) == 0 && f.Severity != rewrite.Advisory
}

func (c *rewriteCommand) verdict(r *report.Report) int {
	code := exitClean
	for _, f := range r.Files {
		switch {
		case f.Problem != nil:
			return exitFailed
		case f.Blocked(), c.check && f.Changed():
			code = exitBlocked
		}
	}
	return code
}
