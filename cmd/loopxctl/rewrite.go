package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
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
change, and what a RUN is lent stands on its own line; every other byte, and the
number of lines, stays (but for --apt=persist).

FILE is ./Dockerfile if it is not given; - is standard input. Several files
can be given with --in-place, --check, --diff or --format json; with -r also
folders, and --output then names a folder that mirrors the tree.

apt's sources are in the base image, where no edit reaches them. With --apt=mount,
the default, each RUN that runs apt gets a --mount of the frontend's image, and a
line of sh before its command: the builder needs docker/dockerfile 1.2 or buildah.
A RUN that now fetches over TLS gets certificate authorities by the same way. With
--apt=persist, for builders without mounts, lines are inserted by which the image
keeps certificate authorities and sources over TLS. Both take what they lend from
--frontend-image, which is named by its digest; a release knows its own.

The result must not pass for safe if it is not. What is refused, what cannot
be edited, and each RUN that runs apt and has no place for what it would be lent
is listed on standard error and makes the exit code 1; --apt=refuse lists each RUN
whose sources the text does not show. The text still goes to standard output then,
but -o and -i write nothing. --apt=ignore accepts the sources of the base image, a
host rule or LOOPX_MODE=audit the rest; so does a reviewer who signs for a blocker,
as for "loopxctl check".

--apt-mirror is the base URL for Debian's main archive (the same as --mirror
debian=URL), --security-mirror the one for Debian's security archive (the same
as --mirror debian-security=URL). Ubuntu has mirrors of its own: --mirror
ubuntu=URL; "loopxctl hosts" lists the archives.`

const rewriteExample = `  # Show what would change
  loopxctl rewrite --diff

  # Write a second file for a builder that knows no "# syntax=" line
  loopxctl rewrite --security-mirror https://mirror.example/debian-security --output Dockerfile.secure

  # The same for a builder without RUN --mount
  loopxctl rewrite --apt=persist -o Dockerfile.secure

  # In CI: fail if a Dockerfile names a fetch that could travel over TLS
  loopxctl rewrite -r --check --apt=ignore

  # A copy of a tree of Dockerfiles, for a builder that knows no "# syntax=" line
  loopxctl rewrite -r -o secure services

  # Edit the files themselves, with a security mirror and a rule for one host
  loopxctl rewrite -i --security-mirror https://mirror.example/debian-security \
      --host builds.example=https://builds.example:8443 */Dockerfile`

type rewriteCommand struct {
	*program
	operator
	acceptance
	fleet
	output               string
	frontendImage        string
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
	c.apt = addOneOf(cmd, "apt", "what to do for apt, whose sources are in the base image: lend RUNs what the frontend gives, by mounts; have the image keep it; refuse the file; or leave apt as it is", aptMount, aptPersist, aptRefuse, aptIgnore)
	flags.StringVar(&c.frontendImage, "frontend-image", "", "`REFERENCE@sha256:…` of the frontend's image, which holds what RUNs are lent (also by "+given.Variable+")")
	complete(cmd, "frontend-image", cobra.NoFileCompletions)
	c.fleet.declare(cmd)
	c.format = addLinesFormat(cmd)
	c.color = addColor(cmd)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	c.acceptance.declare(cmd)
	return cmd
}

func (c *rewriteCommand) run(cmd *cobra.Command, args []string) (int, error) {
	files, err := c.inputs(cmd, args)
	if err != nil {
		return 0, err
	}
	c.of, c.within = args, c.dir
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	if cfg.Carry, err = c.carry(cfg.Route); err != nil {
		return 0, err
	}
	if err := c.lackingAny(cmd.Context(), files, cfg); err != nil {
		return 0, err
	}
	g := &pass{
		program: c.program, command: "rewrite", fleet: &c.fleet, cfg: cfg, files: files,
		policy: report.Policy{Text: true, Audit: cfg.Route.Mode == route.Audit, IgnoreApt: c.apt.value == aptIgnore},
		lines:  c.format.value == jsonLines, accept: &c.acceptance, shown: c.format.value == "json", prepare: lacking, write: c.write,
	}
	r, err := g.run(cmd.Context())
	if err != nil {
		return unwritten(err)
	}
	return g.verdict(c.check), c.print(r, &g.tally)
}

// inputs are the files that are meant, if the command line makes sense and the
// output can be written.
func (c *rewriteCommand) inputs(cmd *cobra.Command, args []string) ([]*report.File, error) {
	if c.output == "" && cmd.Flags().Changed("output") {
		return nil, errors.New("--output needs the name of a file; - is standard output")
	}
	without := ""
	if c.recursive {
		if err := c.checkMirror(args); err != nil {
			return nil, err
		}
		without = c.output
	}
	files, err := c.files(c.program, args, without)
	if err != nil {
		return nil, err
	}
	if err := c.conflict(files); err != nil {
		return nil, err
	}
	c.aim(files)
	return files, c.checkOutput(files)
}

// aim says where the text of each file goes.
func (c *rewriteCommand) aim(files []*report.File) {
	for _, f := range files {
		switch {
		case c.inPlace:
			f.Target = f.Name
		case c.toFile() && c.recursive:
			f.Target = filepath.Join(c.output, filepath.FromSlash(f.Below))
		case c.toFile():
			f.Target = c.output
		}
	}
}

// checkMirror returns what is wrong with --output of a folder.
func (c *rewriteCommand) checkMirror(args []string) error {
	switch {
	case c.output == "":
		return nil
	case c.output == input.Stdin:
		return errors.New("--output - takes one Dockerfile, and -r takes many: name a folder")
	case len(args) > 1:
		return fmt.Errorf("--output takes the files of one folder, not of %d: run it for each", len(args))
	}
	from := "."
	if len(args) == 1 {
		from = args[0]
	}
	if info, err := os.Stat(from); err == nil && !info.IsDir() {
		return fmt.Errorf("-r with --output takes a folder, and %s is a file", from)
	}
	if info, err := os.Stat(c.output); err == nil && !info.IsDir() {
		return fmt.Errorf("--output %s is a file: with -r, name the folder that the files go to", c.output)
	}
	if realFolder(from) == realFolder(c.output) {
		return fmt.Errorf("--output %s is the folder that is read: use --in-place", c.output)
	}
	return nil
}

// conflict returns what is wrong with the command line as a whole.
func (c *rewriteCommand) conflict(files []*report.File) error {
	many := c.recursive || len(files) > 1
	switch {
	case c.inPlace && c.output != "":
		return errors.New("--in-place and --output exclude each other")
	case c.check && (c.inPlace || c.toFile()):
		return errors.New("--check writes nothing: leave out --in-place and --output")
	case c.diff && c.format.value != "text":
		return fmt.Errorf("--diff and --format %s exclude each other", c.format.value)
	case !c.recursive && len(files) > 1 && c.output != "":
		return fmt.Errorf("--output takes one Dockerfile, not %d; --in-place takes many", len(files))
	case many && c.output == "" && !c.inPlace && !c.check && !c.diff && c.format.value == "text":
		return fmt.Errorf("%s: add --in-place, --diff, --check or --format json", count(len(files), "file", "files"))
	case c.inPlace && hasStdin(files):
		return errors.New("--in-place cannot edit standard input: leave one of them out")
	}
	return nil
}

// checkOutput refuses outputs before any input is read.
func (c *rewriteCommand) checkOutput(files []*report.File) error {
	if isOutput(c.stdout, namesOf(files)) {
		return errors.New("standard output is the input file itself, which the shell empties first: use --in-place or another output")
	}
	if !c.toFile() || c.recursive {
		return nil
	}
	if sameFile(c.output, files[0].Name) {
		return fmt.Errorf("--output %s is the input itself: use --in-place", c.output)
	}
	return replace.Check(c.output)
}

// aptAdvice says what to do about apt that is still fetched in clear text.
func (c *rewriteCommand) aptAdvice() string {
	if c.apt.value == aptMount || c.apt.value == aptPersist {
		return report.UnfitAdvice
	}
	return report.AptAdvice
}

// toFile reports whether -o names a file.
func (c *rewriteCommand) toFile() bool { return c.output != "" && c.output != input.Stdin }

// write puts the text where -o or -i wants it, unless it is blocked.
func (c *rewriteCommand) write(f *report.File) {
	if f.Target == "" || f.Problem != nil || f.Blocked() || c.inPlace && !f.Changed() {
		return
	}
	f.OtherNames = replace.Links(f.Target)
	err := c.makeFolder(f.Target)
	if err == nil {
		err = replace.File(f.Target, f.Output)
	}
	if err != nil {
		f.Problem, _ = errors.AsType[*fault.Error](err)
		return
	}
	f.Written = f.Target
}

// makeFolder makes the folder of a file below --output.
func (c *rewriteCommand) makeFolder(file string) error {
	if !c.recursive || c.inPlace {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fault.Of(file, "cannot be written", err)
	}
	return nil
}

// print writes the answer to stdout and what a person must know to stderr.
func (c *rewriteCommand) print(r *report.Report, tally *report.Tally) error {
	switch c.format.value {
	case jsonLines:
		c.problems(r)
		return nil
	case "json":
		c.problems(r)
		return report.JSON(&c.out, r)
	}
	onOut, onErr := paint.For(c.color.value, c.stdout, c.env), paint.For(c.color.value, c.stderr, c.env)
	for _, f := range r.Files {
		err := errors.Join(
			c.printText(f, onOut),
			report.Findings(&c.notes, f, onErr, unfixed),
			report.HiddenApt(&c.notes, f, onErr),
			report.Unfit(&c.notes, f, onErr),
		)
		if err != nil {
			return err
		}
		if !c.recursive && len(f.HiddenApt()) > 0 {
			c.notes.WriteString(c.aptAdvice())
		}
		c.printOutcome(f)
	}
	c.noteCarried(tally.Lent)
	c.noteLenders(r.Files)
	if !c.recursive {
		c.printCount(r)
		return nil
	}
	if tally.AptRuns > 0 {
		c.notes.WriteString(c.aptAdvice())
	}
	return rulesAndFiles(&c.notes, tally, onErr)
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
	case c.recursive && f.Moved()+f.Lent() == 0 && !f.Blocked():
	case f.Written != "":
		c.note("%s: written, %s moved to TLS%s", f.Written, count(f.Moved(), "address", "addresses"), lentWords(f.Lent()))
		if f.OtherNames > 0 {
			c.note("%s: had %s (hard links), which still hold the old text", f.Written, count(f.OtherNames, "other name", "other names"))
		}
	case !c.inPlace && !c.toFile():
	case f.Blocked():
		c.note("%s: not written, because of the above", cmp.Or(f.Target, f.Name))
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
