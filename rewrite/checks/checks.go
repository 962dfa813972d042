// Package checks looks for what makes a build unsafe although its addresses
// are fine: certificate and signature checks that are switched off, files that
// are run as they come, credentials in the text. It is pure: what an instruction
// says goes in, findings come out.
package checks

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Severities, as package rewrite spells them.
const (
	blocker  = "blocker"
	warning  = "warning"
	advisory = "advisory"
)

// Classes, as package policy spells them. What is of security_privacy blocks
// everywhere, so it is for the blockers alone.
const (
	securityPrivacy      = "security_privacy"
	validation           = "validation"
	correctness          = "correctness"
	releaseCompatibility = "release_compatibility"
)

// Rule is one check. The functions are nil where a rule has nothing to say.
type Rule struct {
	Name     string
	Severity string // blocker, warning or advisory
	Class    string // one of package policy's
	// Description is one line; Why says in two sentences what can happen and
	// what to do instead.
	Description, Why string
	// Bad and Good are Dockerfiles with and without a finding.
	Bad, Good string
	// Fixed is Bad after its fix, "" for a rule that has none.
	Fixed string

	command  func(*Command) []Finding
	variable func(Variable) []Finding
	file     func(File) []Finding
	text     func(Text) []Finding
	base     func(textmap.Text) []Finding
	add      func(Source) []Finding
	comment  func(Comment) []Finding
}

// all is the list of the checks, worst first.
var all = []*Rule{
	&verificationOff,
	&signatureOff,
	&credentialInFile,
	&credentialInVariable,
	&curlPipeShell,
	&validityOff,
	&keyAutoImport,
	&unquotedRequirement,
	&misplacedDirective,
	&aptKey,
	&downloadNotVerified,
	&addNotVerified,
	&endOfLifeBase,
}

// Rules returns the checks, worst first.
func Rules() []Rule {
	out := make([]Rule, len(all))
	for i, r := range all {
		out[i] = *r
	}
	return out
}

// Finding is one place that a rule is about.
type Finding struct {
	Rule string // its name
	// At is the text that it is about; without a source it is about the whole
	// instruction.
	At textmap.Text
	// Message is one line that says what to do. No value that may be a secret
	// is in it.
	Message string
	// Fix are edits of the source of At, taken whole or not at all.
	Fix []textmap.Edit
}

// found is a finding; whoever runs the rule adds its name.
func found(t textmap.Text, message string) Finding { return Finding{At: t, Message: message} }

// run asks each rule that has the function which of returns.
func run[T any](of func(*Rule) func(T) []Finding, t T) []Finding {
	var out []Finding
	for _, r := range all {
		f := of(r)
		if f == nil {
			continue
		}
		for _, finding := range f(t) {
			finding.Rule = r.Name
			out = append(out, finding)
		}
	}
	return out
}

// Command is what a RUN executes, or a script that a heredoc holds.
type Command struct {
	// Texts are the argv that is executed, and the script that it names if
	// there is one.
	Texts []textmap.Text
	// Calls is the answer of words.Analyse for it.
	Calls []words.Call
	// Closed is true if the Dockerfile fetches from an archive whose indexes
	// are past their date: see ClosedArchive.
	Closed bool

	scripts []*script
	found   map[string][]textmap.Text // places that were not handed out yet
}

// NewCommand returns the command with its texts read.
func NewCommand(in words.Input, res words.Result) *Command {
	c := &Command{Calls: res.Calls, found: map[string][]textmap.Text{}}
	for _, t := range append(in.Args[:len(in.Args):len(in.Args)], in.Script) {
		if t.Len() > 0 {
			c.Texts = append(c.Texts, t)
		}
		if strings.ContainsAny(t.String(), " \n") {
			c.scripts = append(c.scripts, newScript(t))
		}
	}
	return c
}

// Variable is NAME=VALUE of ENV or ARG.
type Variable struct {
	Name  string
	Value textmap.Text // before variables in it are replaced
}

// File is what a heredoc of COPY or ADD makes.
type File struct {
	Path    string // the destination as written
	Content textmap.Text
	Closed  bool // as in Command
}

// Text is the whole text of an instruction: its line, or one of its heredocs.
// Of ENV and ARG the variables are looked at, each as a Variable.
type Text struct {
	Instruction string // in upper case: "RUN", "ENV", …
	textmap.Text
}

// Source is what ADD fetches over http or https.
type Source struct {
	// Pinned is true if there is a --checksum.
	Pinned bool
	// At is the address as written.
	At textmap.Text
}

// Comment is a comment line that stands between instructions.
type Comment struct {
	// Top is true if nothing but parser directives stands before it.
	Top  bool
	Text textmap.Text
}

// InCommand runs the checks of a command.
func InCommand(c *Command) []Finding {
	return run(func(r *Rule) func(*Command) []Finding { return r.command }, c)
}

// InVariable runs the checks of a value of ENV or ARG.
func InVariable(v Variable) []Finding {
	return run(func(r *Rule) func(Variable) []Finding { return r.variable }, v)
}

// InFile runs the checks of a file that a heredoc makes.
func InFile(f File) []Finding {
	return run(func(r *Rule) func(File) []Finding { return r.file }, f)
}

// InText runs the checks that look at the text of any instruction.
func InText(t Text) []Finding {
	return run(func(r *Rule) func(Text) []Finding { return r.text }, t)
}

// InBase runs the checks of the image that FROM names, with its variables
// replaced.
func InBase(image textmap.Text) []Finding {
	return run(func(r *Rule) func(textmap.Text) []Finding { return r.base }, image)
}

// InSource runs the checks of what ADD fetches.
func InSource(s Source) []Finding {
	return run(func(r *Rule) func(Source) []Finding { return r.add }, s)
}

// InComment runs the checks of a comment.
func InComment(c Comment) []Finding {
	return run(func(r *Rule) func(Comment) []Finding { return r.comment }, c)
}
