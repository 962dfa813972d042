package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/findingjson"
	"github.com/loopx/loopx-frontend/policy/foreign"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/result"
)

const lensLong = `Lens reads findings and validations as JSON, classifies each, and judges them
together. A finding of the class security_privacy, or with the tag
private_or_security_sensitive, is a blocker through the lens security_release,
whatever severity it came with. It exits 1 if a blocker is open, if a
validation failed, or if one that is required was skipped. A blocker that a
reviewer signed for, with "loopxctl ack create", is not open; --trusted-ref,
--policy or --allowed-signers say whose signatures count.

An input is one finding, an array, one finding a line, or an object with
"findings" and "validations"; "loopxctl schema findings" describes it. With
--sarif it is a SARIF 2.1.0 log, or what "docker build --call=check,format=json"
prints. A suppression in it is shown and lifts no blocker.

An input that is not understood as a whole ends with exit code 3 and no
verdict.`

const lensExample = `  # One finding
  echo '{"type":"security_privacy","detail":"Hard-coded credential detected"}' | loopxctl lens

  # What a scanner and a linter found
  loopxctl lens --sarif trivy.sarif hadolint.sarif

  # For people
  loopxctl lens --format text --sarif trivy.sarif

  # For a log that everybody reads, and for those who mend it
  loopxctl lens --public --private-output full.json --sarif trivy.sarif

  # With what reviewers signed for, by the signers of the protected branch
  loopxctl lens --trusted-ref origin/main --sarif trivy.sarif

  # Docker's own build checks
  docker build --call=check,format=json . | loopxctl lens --sarif

  # The lenses, and what each asks a reviewer
  loopxctl lens --list`

type lensCommand struct {
	*program
	publication
	acceptance
	sarif, list bool
}

func newLens(p *program) *cobra.Command {
	c := &lensCommand{program: p, acceptance: newAcceptance(p)}
	cmd := &cobra.Command{
		Use:               "lens [FILE|-]...",
		Short:             "Classify findings and judge them; exit 1 if one blocks",
		Long:              lensLong,
		Example:           lensExample,
		ValidArgsFunction: c.completeFiles,
		RunE:              p.does(c.run),
	}
	c.publication.declare(cmd, "lens", "json", "text", "sarif", "github", "junit")
	cmd.Flags().BoolVar(&c.sarif, "sarif", false, "the inputs are SARIF 2.1.0, or the JSON of Docker's build checks")
	cmd.Flags().BoolVar(&c.list, "list", false, "list the lenses and their questions")
	c.acceptance.declare(cmd)
	return cmd
}

func (c *lensCommand) completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if c.sarif {
		return []string{"sarif", "json"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return []string{"json", "jsonl", "ndjson"}, cobra.ShellCompDirectiveFilterFileExt
}

func (c *lensCommand) run(cmd *cobra.Command, args []string) (int, error) {
	if c.list {
		if len(args) > 0 || c.sarif {
			return 0, errors.New("--list reads nothing: leave out the files and --sarif")
		}
		return exitClean, c.printList(cmd.Flags().Changed("format") && c.format.value == "json")
	}
	if len(args) == 0 {
		args = []string{input.Stdin}
	}
	names, err := inputs(args)
	if err != nil {
		return 0, err
	}
	if err := c.publication.check(c.program, names); err != nil {
		return 0, err
	}
	all, failed := c.readAll(names)
	if failed {
		return exitFailed, nil
	}
	shadowed := make([]lens.Shadowed, len(all.Findings))
	for i, f := range all.Findings {
		shadowed[i] = lens.Apply(f)
	}
	if err := c.accept(cmd.Context(), shadowed); err != nil {
		return 0, err
	}
	r := result.Judge(shadowed, all.Checks)
	if r.Blocking {
		return exitBlocked, c.print(r)
	}
	return exitClean, c.print(r)
}

// accept lifts the blockers that a reviewer signed for. Nothing is read if there
// is none.
func (c *lensCommand) accept(ctx context.Context, shadowed []lens.Shadowed) error {
	s := ofTools(shadowed)
	if len(s.blockers) == 0 {
		return nil
	}
	return c.lift(ctx, c.tree.root(ctx), s, c.public)
}

// readAll reads every input. What is wrong with one is told, and the others are
// read all the same, so that one run tells of all that fail.
func (c *lensCommand) readAll(names []string) (all policy.Intake, failed bool) {
	for _, name := range names {
		one, err := c.readOne(name)
		if err != nil {
			failed = true
			c.fail(err, "")
			continue
		}
		all.Findings = slices.Concat(all.Findings, one.Findings)
		all.Checks = slices.Concat(all.Checks, one.Checks)
		for _, note := range one.Notes {
			c.note("loopxctl: warning: %s: %s", inputName(name), note)
		}
	}
	return all, failed
}

func inputName(name string) string {
	if name == input.Stdin {
		return input.Shown
	}
	return name
}

// readOne reads one input. The error is a [*fault.Error].
func (c *lensCommand) readOne(name string) (policy.Intake, error) {
	src := io.NopCloser(c.stdin)
	if name != input.Stdin {
		f, err := openReport(name)
		if err != nil {
			return policy.Intake{}, err
		}
		src = f
	}
	defer src.Close()
	read := findingjson.Read
	if c.sarif {
		read = foreign.Read
	}
	in, err := read(src)
	if err != nil {
		return policy.Intake{}, unreadable(inputName(name), err, c.sarif)
	}
	return in, nil
}

// openReport opens a file that is no folder.
func openReport(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		e := fault.Of(name, "cannot be read", err)
		if errors.Is(err, os.ErrNotExist) {
			e = &fault.Error{File: name, Message: "there is no such file"}
		}
		e.Todo = "Name a file with findings, or - for standard input."
		return nil, e
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &fault.Error{File: name, Message: "is a directory", Todo: "Name the files in it."}
	}
	return f, nil
}

// unreadable tells what is wrong with an input, where, and what to do.
func unreadable(name string, err error, sarif bool) error {
	e := &fault.Error{File: name, Message: err.Error()}
	if at, ok := errors.AsType[*jsonstream.Error](err); ok {
		e.Line, e.Message = at.Line, at.Message
	}
	e.Todo = "Nothing was judged. \"loopxctl schema findings\" describes what is read."
	switch {
	case errors.Is(err, findingjson.ErrSARIF):
		e.Todo = "Nothing was judged. Add --sarif."
	case errors.Is(err, findingjson.ErrEmpty):
		e.Todo = "Nothing was judged. If there are no findings, say so: []"
	case sarif:
		e.Todo = "Nothing was judged. Check that the tool ran to its end and wrote SARIF 2.1.0."
	}
	e.Message = strings.ReplaceAll(e.Message, "\n", " ")
	return e
}
