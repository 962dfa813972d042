package main

import (
	"context"
	"io"
	"path"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/plain"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

const floorsCheckLong = `Check looks at everything that a Python project declares, and says of each
requirement that admits a version below its security floor: which versions, why,
the floor, and what to write instead. A path is a folder or a file; unless given,
this folder.

It exits 1 if a requirement admits what it must not, and 3 if a file could not be
read: what it declares is not known then. What cannot be proved, such as a branch
of a repository, is a warning, unless the policy says otherwise.

A blocker that a reviewer signed for does not count: see "loopxctl ack".
--public keeps what is wrong out of a log that others read.`

const floorsCheckExample = `  # The project in this folder
  loopxctl floors check

  # By an advisory database that was brought here by other means
  loopxctl floors check --database advisories.zip --max-age 14d services/api

  # Every dependency needs a lower bound, and the floors are those of the policy alone
  loopxctl floors check --no-database --require-floor

  # For code scanning
  loopxctl floors check --format sarif >floors.sarif

  # In a pipeline that everybody can read, with the signers of the protected branch
  loopxctl floors check --public --trusted-ref origin/main`

type floorsCheck struct {
	*program
	publication
	acceptance
	floorsInput
	all      bool
	signable []blocker
}

func newFloorsCheck(p *program) *cobra.Command {
	c := &floorsCheck{program: p, acceptance: newAcceptance(p)}
	cmd := &cobra.Command{
		Use:     "check [PATH]...",
		Short:   "List requirements that admit vulnerable versions; exit 1 if one does",
		Long:    floorsCheckLong,
		Example: floorsCheckExample,
		RunE:    p.does(c.run),
	}
	c.publication.declare(cmd, "floors", findings.Formats()...)
	c.floorsInput.declare(cmd)
	c.acceptance.declare(cmd)
	cmd.Flags().BoolVar(&c.all, "all", false, "in text: list what passes too")
	return cmd
}

func (c *floorsCheck) run(cmd *cobra.Command, args []string) (int, error) {
	if err := c.publication.check(c.program, nil); err != nil {
		return 0, err
	}
	p, err := c.read(cmd.Context(), &c.tree, args)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	checked := floors.Check(p.Input)
	all := floorFindings(checked, p.prefix)
	if err := c.accept(cmd.Context(), p, checked, all); err != nil {
		return 0, err
	}
	code := exitClean
	if slices.ContainsFunc(all, lens.Shadowed.Blocks) {
		code = exitBlocked
	}
	if len(checked.Problems()) > 0 {
		code = exitFailed
	}
	return code, c.print(p, checked, all)
}

// floorFindings are those of a report. They name files from the top of the
// repository, so that those of two projects are told apart.
func floorFindings(r *floors.Report, prefix string) []lens.Shadowed {
	all := r.Findings()
	for i := range all {
		f := &all[i]
		if prefix == "" || f.Location == nil {
			continue
		}
		f.Location.File = path.Join(prefix, f.Location.File)
		f.Fingerprint = policy.Fingerprint(f.Finding)
	}
	return all
}

// accept lifts the blockers that a reviewer signed for.
func (c *floorsCheck) accept(ctx context.Context, p *floorsProject, r *floors.Report, all []lens.Shadowed) error {
	for i, subject := range r.Subjects() {
		if all[i].Severity != policy.Blocker {
			continue
		}
		signed := ack.NewSubject(all[i].Finding, "")
		signed.Instruction = subject.Instruction
		c.signable = append(c.signable, blocker{&all[i], signed, false})
	}
	if len(c.signable) == 0 {
		return nil
	}
	return c.lift(ctx, p.top.dir, signable{blockers: c.signable}, c.public)
}

// print writes the report.
func (c *floorsCheck) print(p *floorsProject, r *floors.Report, all []lens.Shadowed) error {
	c.unreadable(r)
	c.whereNamed(p)
	out := c.report(p, r, all)
	return c.publication.write(c.program, out, func(w io.Writer, painter paint.Painter) error {
		switch c.format.value {
		case "text":
			return c.text(w, p, r, all, painter)
		case "json":
			return plain.Encode(w, r.Document("floors check", all))
		}
		return findings.New(c.format.value, painter).Write(w, out)
	})
}

// unreadable tells which files could not be read.
func (p *program) unreadable(r *floors.Report) {
	for _, problem := range r.Problems() {
		p.say("loopxctl: " + problem.String())
	}
}

// whereNamed says what the names of files begin at, if it is not this folder.
func (p *program) whereNamed(project *floorsProject) {
	if real := realFolder("."); real != "" && real != realFolder(project.dir) {
		p.note("loopxctl: note: files are named from %s", printable(project.dir))
	}
}

// report is what the formats for other programs have.
func (c *floorsCheck) report(p *floorsProject, r *floors.Report, all []lens.Shadowed) findings.Report {
	out := findings.Report{
		Command: "floors-public", Tool: thisTool(), Rules: floors.ReportRules(), Findings: all,
		Problems: r.Problems(), Sources: map[string]string{},
	}
	for i, problem := range out.Problems {
		out.Problems[i].File = path.Join(p.prefix, problem.File)
	}
	for _, f := range p.found.Files {
		out.Files = append(out.Files, path.Join(p.prefix, f.Name))
	}
	for _, v := range r.Verdicts {
		name := path.Join(p.prefix, v.File)
		if _, known := out.Sources[name]; known || v.Rule == "" || v.Requirement == nil || manifest.Secretive(v.File) {
			continue
		}
		if text, err := p.ReadFile(v.File); err == nil {
			out.Sources[name] = string(text)
		}
	}
	return out
}

// text writes the report for people, which state of the advisories it went by,
// and the way out.
func (c *floorsCheck) text(w io.Writer, p *floorsProject, r *floors.Report, all []lens.Shadowed, painter paint.Painter) error {
	if err := (floors.Text{Paint: painter, All: c.all}).Write(w, r, all); err != nil {
		return err
	}
	_, err := io.WriteString(w, c.state(p)+c.wayOut(p))
	return err
}

// state says what was checked by.
func (c *floorsCheck) state(p *floorsProject) string {
	var text string
	switch {
	case len(p.found.Files) == 0:
		text = "no file that declares Python dependencies was found\n"
	case p.Config.Name != "":
		text = "policy: " + plain.Text(p.Config.Name) + "\n"
	}
	if p.Database != nil {
		text += "advisories: " + plain.Text(p.Snapshot.Source) + ", " + aboutSnapshot(p.Snapshot, p.Today) + "\n"
	}
	return text
}

// wayOut says how a reviewer accepts the first blocker that is left; "" if none
// is.
func (c *floorsCheck) wayOut(p *floorsProject) string {
	s := signable{blockers: c.signable}
	for _, b := range s.blockers {
		if !b.Blocks() || b.Rule == "FloorMalicious" { // nobody should be led to sign for an attack
			continue
		}
		words := typedCommand{"loopxctl", "ack", "create"}
		words.add("--root", p.top.flag)
		words.add("--repository", c.repository)
		words.add("--rule", b.Rule)
		words.add("--file", b.subject.File)
		words.add("--instruction", b.subject.Instruction)
		words.add("--finding", b.Fingerprint)
		if n := s.alike(b.subject); n > 1 {
			words.add("--occurrences", strconv.Itoa(n))
		}
		return acceptable(words)
	}
	return ""
}
