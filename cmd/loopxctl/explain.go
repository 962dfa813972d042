package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const explainLong = `Explain lists every address of the Dockerfile: where it stands, what it is
used for, how it may be fetched and why; then each RUN that needs help at the
point of fetch. With :LINE it tells only of what stands on that line.

Passwords in addresses are hidden. The exit code is 0 whatever was decided;
"loopxctl check" judges.`

const explainExample = `  # Every address of ./Dockerfile
  loopxctl explain

  # Only what stands on line 12
  loopxctl explain Dockerfile:12

  # With a mirror that is not set yet
  loopxctl explain --security-mirror https://mirror.example/debian-security

  # For a program
  loopxctl explain --format json Dockerfile | jq '.files[].fetches[].url'`

type explainCommand struct {
	*program
	operator
	fleet
	format, color *oneOf
}

func newExplain(p *program) *cobra.Command {
	c := &explainCommand{program: p}
	cmd := &cobra.Command{
		Use:               "explain [FILE[:LINE]|-]...",
		Short:             "Say of each address what was decided, and why",
		Long:              explainLong,
		Example:           explainExample,
		ValidArgsFunction: completeDockerfiles,
		RunE:              p.does(c.run),
	}
	c.fleet.declare(cmd)
	c.format = addLinesFormat(cmd)
	c.color = addColor(cmd)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	return cmd
}

func (c *explainCommand) run(cmd *cobra.Command, args []string) (int, error) {
	lines := make([]int, len(args))
	if !c.recursive {
		args, lines = splitLines(args)
	}
	c.of = args
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	files, err := c.files(c.program, args, "")
	if err != nil {
		return 0, err
	}
	g := &pass{
		program: c.program, command: "explain", fleet: &c.fleet, cfg: cfg, files: files,
		policy: report.Policy{Text: true, Audit: cfg.Route.Mode == route.Audit}, lines: c.format.value == jsonLines,
		prepare: func(i int, f *report.File) error {
			if i >= len(lines) {
				return nil
			}
			return onlyLine(f, lines[i])
		},
	}
	r, err := g.run(cmd.Context())
	if err != nil {
		return unwritten(err)
	}
	return failedOr(exitClean, r), c.print(r, &g.tally)
}

func (c *explainCommand) print(r *report.Report, tally *report.Tally) error {
	c.problems(r)
	switch c.format.value {
	case jsonLines:
		return nil
	case "json":
		return report.JSON(&c.out, r)
	}
	painter := paint.For(c.color.value, c.stdout, c.env)
	for _, f := range r.Files {
		if c.recursive && f.Plan != nil && len(f.Plan.Fetches)+len(f.Plan.Guards) == 0 {
			continue // it is counted below
		}
		if err := report.Explain(&c.out, f, painter); err != nil {
			return err
		}
	}
	if !c.recursive {
		return nil
	}
	fmt.Fprintln(&c.out)
	if err := tally.DecisionTable(&c.out, painter); err != nil {
		return err
	}
	_, err := io.WriteString(&c.out, tally.Line())
	return err
}

func splitLines(args []string) (names []string, lines []int) {
	for _, arg := range args {
		name, line := splitLine(arg)
		names, lines = append(names, name), append(lines, line)
	}
	return names, lines
}

// splitLine takes FILE:LINE apart; FILE:LINE:COLUMN, as this program prints
// it, is understood too. A file that has such a name is that file. line is 0
// if there is none.
func splitLine(arg string) (name string, line int) {
	if _, err := os.Stat(arg); err == nil {
		return arg, 0
	}
	name = arg
	for range 2 {
		i := strings.LastIndexByte(name, ':')
		if i < 1 {
			break
		}
		n, err := strconv.Atoi(name[i+1:])
		if err != nil || n < 1 {
			break
		}
		name, line = name[:i], n
	}
	return name, line
}

// onlyLine leaves in f what touches a line; 0 leaves all.
func onlyLine(f *report.File, line int) error {
	if line == 0 || f.Plan == nil {
		return nil
	}
	start, end, ok := lineBounds(f.Source, line)
	if !ok {
		return fmt.Errorf("%s has no line %d", f.Name, line)
	}
	off := func(r rewrite.Range) bool { return line < r.Start.Line || line > r.End.Line }
	plan := *f.Plan
	plan.Fetches = without(plan.Fetches, func(x rewrite.Fetch) bool { return off(x.Range) })
	plan.Guards = without(plan.Guards, func(x rewrite.Guard) bool { return off(x.Range) })
	plan.Findings = without(plan.Findings, func(x rewrite.Finding) bool { return off(x.Range) })
	plan.Edits = without(plan.Edits, func(x rewrite.Edit) bool { return x.Start < start || x.Start > end })
	f.Plan = &plan
	return nil
}

// lineBounds returns the byte offsets of a line, counted from 1.
func lineBounds(src []byte, line int) (start, end int, ok bool) {
	n := 0
	for text := range bytes.Lines(src) {
		if n++; n == line {
			return start, start + len(text), true
		}
		start += len(text)
	}
	return 0, 0, false
}

func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// failedOr is the exit code of a command that judges only its inputs.
func failedOr(code int, r *report.Report) int {
	if r.Failed() {
		return exitFailed
	}
	return code
}
