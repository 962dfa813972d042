package review

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/review/steps"
)

// Move is what a change does to a Dockerfile as a file.
type Move struct {
	Path string
	// What is "added", "deleted", "renamed to X", "renamed from X", "mode 100644 to
	// 100755", or "is a link now".
	What string
}

// about tells of the change itself.
func (r *Result) about(in *Input, base, head *side) error {
	a := about{in: in, base: base, head: head, leads: linked(base, head)}
	for _, c := range in.Changed {
		a.file(c)
		r.Named = r.Named || matchesPath(in.rules().SensitivePaths, c.Path)
		if slices.Contains(base.dockerfiles, c.Path) || slices.Contains(head.dockerfiles, c.Path) {
			r.Moved = append(r.Moved, a.moved(c)...)
			a.dockerfile(c)
		}
	}
	r.Entries = a.acknowledge(r.Entries, in)
	for _, f := range a.findings {
		r.About = append(r.About, Finding{Shadowed: f})
	}
	slices.SortStableFunc(r.About, order)
	for _, s := range []*side{base, head} {
		if s.view.failed != nil {
			return s.view.failed
		}
	}
	return nil
}

type about struct {
	own
	in         *Input
	base, head *side
	// leads are what stands behind links in the place of files that decide: their
	// names there, by path.
	leads map[string]string
}

// trustFolder is where the signers of a repository are.
const trustFolder = ".loopx"

// file tells of a file that the gate goes by. Names are compared without their
// case: some file systems do not tell it.
func (a *about) file(c gitread.Change) {
	lower := strings.ToLower(cmp.Or(a.leads[c.Path], c.Path))
	evidence := c.OldID + " " + c.NewID
	switch {
	case c.NewMode == gitread.ModeSubmodule || c.OldMode == gitread.ModeSubmodule:
		a.add(ruleSubmodule, c.Path, 0, "the change "+verb(c)+" this submodule: what is in it is not looked at, "+c.OldID[:12]+" to "+c.NewID[:12], evidence)
	case isTrust(lower):
		a.trust(c, evidence)
	case lower == config.File, lower == ack.Path, strings.HasPrefix(lower, trustFolder+"/"):
		a.add(ruleConfig, c.Path, 0, "the change "+verb(c)+" this file, which does not count for the change itself, and does once it is merged", evidence)
	case a.calls(c):
		a.add(ruleConfig, c.Path, 0, "the change "+verb(c)+" this workflow, which calls the check: what it does for the change is what it says on the target branch alone if it is a required workflow from there", evidence)
	case isScanner(lower):
		a.add(ruleConfig, c.Path, 0, "the change "+verb(c)+" what a scanner reports, or who has to review", evidence)
	case matchesPath(a.in.rules().SensitivePaths, c.Path):
		a.add(ruleConfig, c.Path, 0, "the change "+verb(c)+" this file, which the policy names as sensitive", evidence)
	}
}

// linked are the files of both trees that are read in place of links.
func linked(sides ...*side) map[string]string {
	all := map[string]string{}
	for _, s := range sides {
		for _, name := range []string{config.File, ack.Path, trustFolder + "/" + ack.SignersFile, trustFolder + "/" + ack.RevokedFile, trustFolder + "/" + ack.PolicyFile} {
			if to, err := s.view.Resolve(name); err == nil && to != name {
				all[to] = name
			}
		}
	}
	return all
}

// isTrust reports whether a path is one of those who may sign, or of the rules of
// that, or of their folder as something else.
func isTrust(lower string) bool {
	return lower == trustFolder || slices.Contains([]string{ack.SignersFile, ack.RevokedFile, ack.PolicyFile}, strings.TrimPrefix(lower, trustFolder+"/")) && path.Dir(lower) == trustFolder
}

// trust tells of a change of who may sign. It takes a signature of those who may
// now; where nobody may, there is none to ask for.
func (a *about) trust(c gitread.Change, evidence string) {
	message := "the change " + verb(c) + " who may sign for findings, or the rules of it"
	if a.in.Scan.Trust.Source == "" {
		a.addAs(policy.Warning, ruleTrust, c.Path, 0, message+", where the target branch has nobody who may: these would be the first", evidence)
		return
	}
	a.add(ruleTrust, c.Path, 0, message+": somebody who may sign now has to sign for this", evidence)
}

// verb is what a change does to a file.
func verb(c gitread.Change) string {
	switch c.Status {
	case "A":
		return "adds"
	case "D":
		return "deletes"
	}
	return "edits"
}

// calls reports whether a file is a workflow that calls the check, or did.
func (a *about) calls(c gitread.Change) bool {
	if !steps.IsWorkflow(c.Path) && path.Base(c.Path) != ".pre-commit-config.yaml" {
		return false
	}
	for _, s := range []*side{a.base, a.head} {
		if data, err := s.view.ReadFile(c.Path); err == nil && bytes.Contains(bytes.ToLower(data), []byte("loopx")) {
			return true
		}
	}
	return false
}

var scanner = regexp.MustCompile(`(?:^|/)(?:codeowners|\.hadolint\.ya?ml|hadolint\.ya?ml|\.trivyignore(?:\.ya?ml)?|trivy\.ya?ml|\.semgrepignore|\.gitleaks\.toml|\.gitleaksignore|` +
	`\.checkov\.ya?ml|\.snyk|osv-scanner\.toml|\.grype\.ya?ml|\.secrets\.baseline)$`)

// isScanner reports whether a file says what scanners overlook, or who reviews.
func isScanner(lower string) bool { return scanner.MatchString(lower) }

// matchesPath reports whether a file is one of the patterns of a policy.
func matchesPath(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return config.Exception{File: pattern}.Covers("", name)
	})
}

// moved is what happens to a Dockerfile as a file.
func (a *about) moved(c gitread.Change) []Move {
	switch {
	case c.Status == "A", c.Status == "D":
		return []Move{{c.Path, a.renamed(c)}}
	case c.NewMode == gitread.ModeLink:
		return []Move{{c.Path, "is a link now"}}
	case c.ModeChanged():
		return []Move{{c.Path, "mode " + c.OldMode + " to " + c.NewMode}}
	}
	return nil
}

// renamed says where a file of the same text has gone to, or come from.
func (a *about) renamed(c gitread.Change) string {
	for _, o := range a.in.Changed {
		switch {
		case c.Status == "D" && o.Status == "A" && o.NewID == c.OldID:
			return "renamed to " + o.Path
		case c.Status == "A" && o.Status == "D" && o.OldID == c.NewID:
			return "renamed from " + o.Path
		}
	}
	if c.Status == "A" {
		return "added"
	}
	return "deleted"
}

// silencer is a comment by which a linter or a scanner is told to be quiet, ours
// included.
var silencer = regexp.MustCompile(`(?i)#.*\b(?:loopx:ignore|check\s*=|hadolint\s+(?:global\s+)?ignore|trivy:ignore|checkov:skip|kics-scan|nosec|nosemgrep|gitleaks:allow|pragma:\s*allowlist|dockle:ignore|snyk:ignore)`)

// dockerfile tells of comments that silence a check, and of another frontend.
func (a *about) dockerfile(c gitread.Change) {
	before, _ := a.base.view.ReadFile(c.Path) // not there: no comments
	after, _ := a.head.view.ReadFile(c.Path)
	known := map[string]int{}
	for _, line := range silencers(before) {
		known[line.text]++
	}
	for _, line := range silencers(after) {
		if known[line.text]--; known[line.text] < 0 {
			a.add(ruleSilenced, c.Path, line.number, "the change adds a comment that silences a check: "+line.text, line.text)
		}
	}
	old, _, _, _ := parser.DetectSyntax(before)
	now, _, where, _ := parser.DetectSyntax(after)
	if old != now && len(after) > 0 && (len(before) > 0 || now != "") {
		line := 0
		if len(where) > 0 {
			line = where[0].Start.Line
		}
		a.add(ruleSyntax, c.Path, line, fmt.Sprintf("the file names the frontend %q that builds it, and named %q before", now, old), old+"\n"+now)
	}
}

// numbered is a line of a file.
type numbered struct {
	number int
	text   string
}

func silencers(text []byte) []numbered {
	var all []numbered
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if silencer.Match(line) {
			all = append(all, numbered{n, policy.Line(string(line))})
		}
	}
	return all
}
