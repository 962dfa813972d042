package main

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/notice"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/plain"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

const noticeLong = `Notice takes security notices and says which Dockerfiles, stages, manifests and
locks of a project they are about, and what to do: raise a floor, move a pin,
rebuild, wait. A notice is

  an id (CVE-…, GHSA-…, PYSEC-…, DSA-…, USN-…), looked up in the advisory
  database that "floors update" fetched, and else at osv.dev;
  a file, a folder, a zip archive or - with records: OSV, GitHub's advisory API,
  Ubuntu's notices, or the data of Debian's security tracker, all as JSON;
  an https address of such a record.

Records that name each other as aliases are told once. What the files alone don't
tell is a warning that says what would tell: --base-os, --packages, --sbom.

It exits 1 if something is affected, and 3 if a notice or a file could not be
read; the others are told all the same.`

const noticeExample = `  # Are we affected, and what is to be done?
  loopxctl notice GHSA-5rjg-fvgr-3xxf DSA-5764-1

  # Every morning: what came out since the last time
  loopxctl notice --evaluated .loopx/notices.json --offline debian-osv.zip

  # The base image is Debian 12, and this is what its packages are built from
  docker run --rm python:3.12-slim cat /var/lib/dpkg/status >status
  loopxctl notice --base-os python:3.12-slim=debian:12 --packages python:3.12-slim=status DSA-5764-1

  # What is in the image that was built
  loopxctl notice --sbom sbom.spdx.json USN-6986-1

  # For code scanning
  loopxctl notice --format sarif USN-6986-1 >notices.sarif`

type noticeCommand struct {
	*program
	publication
	acceptance
	floorsInput
	noticeRecords
	noticeKnown
	paths              []string
	evaluated, rebuilt string
	all                bool
	signable           []blocker
}

func newNotice(p *program) *cobra.Command {
	c := &noticeCommand{program: p, acceptance: newAcceptance(p)}
	cmd := &cobra.Command{
		Use:     "notice ID|FILE|URL...",
		Short:   "Say which places a security notice is about, and what to do; exit 1 if one is affected",
		Long:    noticeLong,
		Example: noticeExample,
		Args:    atLeastOneNotice,
		RunE:    p.does(c.run),
	}
	c.publication.declare(cmd, "notice", findings.Formats()...)
	c.floorsInput.declare(cmd)
	c.acceptance.declare(cmd)
	c.noticeRecords.declare(cmd)
	c.noticeKnown.declare(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&c.paths, "path", nil, "folder or file of the project that is looked at: `PATH`; unless given, this folder; repeatable")
	flags.StringVar(&c.evaluated, "evaluated", "", "tell only what is new since, or has changed: `FILE` with the records evaluated so far, which is written when all was read")
	flags.StringVar(&c.rebuilt, "rebuilt", "", "when all images were built last without a cache, as 2026-11-30 or RFC 3339: what a rebuild alone mends, and came out before that `TIME`, is mended")
	flags.BoolVar(&c.all, "all", false, "in text: list what is not affected too")
	complete(cmd, "evaluated", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt))
	complete(cmd, "rebuilt", cobra.NoFileCompletions)
	return cmd
}

func atLeastOneNotice(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("name a notice: an id such as CVE-2026-59890, a file that holds records, or an https address")
	}
	return nil
}

func (c *noticeCommand) run(cmd *cobra.Command, args []string) (int, error) {
	if err := c.publication.check(c.program, args); err != nil {
		return 0, err
	}
	in, err := c.input()
	if err != nil {
		return 0, err
	}
	before, err := c.readEvaluated(args)
	if err != nil {
		return 0, err
	}
	p, err := c.look(cmd.Context(), args)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	in.Records = slices.DeleteFunc(slices.Clone(c.records), func(r osv.Record) bool { return before.Knows(&r) })
	c.fill(&in, p)
	r := notice.Check(in)
	all := c.findings(r, p, &in)
	if err := c.accept(cmd.Context(), p, r, all); err != nil {
		return 0, err
	}
	problems := c.problemsOf(r, p)
	if err := c.print(p, r, all, problems); err != nil {
		return 0, err
	}
	if len(problems) > 0 {
		return exitFailed, nil
	}
	if err := c.writeEvaluated(before); err != nil {
		return 0, err
	}
	if slices.ContainsFunc(all, lens.Shadowed.Blocks) {
		return exitBlocked, nil
	}
	return exitClean, nil
}

// findings name files from the top of the repository, as those of the floors do.
func (c *noticeCommand) findings(r *notice.Report, p *floorsProject, in *notice.Input) []lens.Shadowed {
	bills := map[string]bool{}
	for _, b := range in.Bills {
		bills[b.Name] = true
	}
	all := r.Findings()
	for i := range all {
		if f := &all[i]; p.prefix != "" && f.Location != nil && !bills[f.Location.File] {
			f.Location.File = path.Join(p.prefix, f.Location.File)
			f.Fingerprint = policy.Fingerprint(f.Finding)
		}
	}
	return all
}

// problemsOf are what could not be read: the notices, and files of the project.
// They are told on the error stream.
func (c *noticeCommand) problemsOf(r *notice.Report, p *floorsProject) []findings.Problem {
	all := slices.Clone(c.failures)
	for _, problem := range r.Problems() {
		problem.File = path.Join(p.prefix, problem.File)
		all = append(all, problem)
	}
	for _, problem := range all {
		c.say("loopxctl: " + problem.String())
	}
	return all
}

// accept lifts the blockers that a reviewer signed for.
func (c *noticeCommand) accept(ctx context.Context, p *floorsProject, r *notice.Report, all []lens.Shadowed) error {
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
func (c *noticeCommand) print(p *floorsProject, r *notice.Report, all []lens.Shadowed, problems []findings.Problem) error {
	c.whereNamed(p)
	out := c.report(p, r, all, problems)
	return c.publication.write(c.program, out, func(w io.Writer, painter paint.Painter) error {
		switch c.format.value {
		case "text":
			return c.text(w, p, r, all, painter)
		case "json":
			d := r.Document(all)
			d.Summary.Skipped, d.Broken = len(c.records)-c.told, len(problems) > 0
			for _, problem := range c.failures {
				d.Problems = append(d.Problems, notice.ProblemDocument{File: policy.Line(problem.File), Line: problem.Line, Message: policy.Line(problem.Message)})
			}
			return plain.Encode(w, d)
		}
		return findings.New(c.format.value, painter).Write(w, out)
	})
}

// report is what the formats for other programs have. In public, what may be
// affected is told without its place: the class alone does not withhold it.
func (c *noticeCommand) report(p *floorsProject, r *notice.Report, all []lens.Shadowed, problems []findings.Problem) findings.Report {
	out := findings.Report{
		Command: "notice-public", Tool: thisTool(), Rules: notice.ReportRules(), Findings: all, Problems: problems, Sources: map[string]string{},
	}
	if c.public {
		out.Findings = withoutPlaces(all)
	}
	for _, f := range p.found.Files {
		out.Files = append(out.Files, path.Join(p.prefix, f.Name))
	}
	for _, n := range r.Notices {
		for _, a := range n.Answers {
			name := path.Join(p.prefix, a.File)
			if _, known := out.Sources[name]; known || a.Rule() == "" || a.Kind == notice.BillPackage || manifest.Secretive(a.File) {
				continue
			}
			if text, err := p.ReadFile(a.File); err == nil {
				out.Sources[name] = string(text)
			}
		}
	}
	return out
}

// withoutPlaces takes places and texts from what is no blocker: which package may
// be affected by what is as private as what is.
func withoutPlaces(all []lens.Shadowed) []lens.Shadowed {
	out := slices.Clone(all)
	for i := range out {
		if f := &out[i]; f.Severity != policy.Blocker {
			f.Message, f.Evidence, f.Location, f.Fix = "a place that a notice may be about is not known for sure", "", nil, nil
			f.Fingerprint = policy.Fingerprint(f.Finding)
		}
	}
	return out
}

// text writes the report for people, which state of the advisories it went by,
// and the way out.
func (c *noticeCommand) text(w io.Writer, p *floorsProject, r *notice.Report, all []lens.Shadowed, painter paint.Painter) error {
	if err := (notice.Text{Paint: painter, All: c.all, Skipped: len(c.records) - c.told}).Write(w, r, all); err != nil {
		return err
	}
	_, err := io.WriteString(w, c.wayOut(p))
	return err
}

// wayOut says how a reviewer accepts the first blocker that is left; "" if none
// is.
func (c *noticeCommand) wayOut(p *floorsProject) string {
	s := signable{blockers: c.signable}
	for _, b := range s.blockers {
		if !b.Blocks() || b.Rule == notice.RuleMalicious || b.Rule == notice.RuleRebuild {
			continue // nobody should be led to sign for an attack, or for what a rebuild mends
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
