package bootstrap

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// Decisions of [Result].
const (
	// Written is a text, of which nothing was built.
	Written = "written"
	// Built is an image that has all commands.
	Built = "built"
	// Blocked is a build that failed, or an image that lacks a command.
	Blocked = "blocked"
)

// Result is what is printed; its JSON is a document of `loopxctl schema`.
type Result struct {
	SchemaVersion int       `json:"schema_version"`
	Command       string    `json:"command"`
	Decision      string    `json:"decision"`
	Blocker       *Blocker  `json:"blocker,omitempty"`
	SourceImage   string    `json:"source_image"`
	SourceDigest  string    `json:"source_digest,omitempty"`
	User          string    `json:"user"`
	UserKnown     bool      `json:"user_known"`
	Packages      []string  `json:"packages"`
	Commands      []Command `json:"commands"`
	TargetImage   string    `json:"target_image,omitempty"`
	ImageID       string    `json:"image_id,omitempty"`
	Output        string    `json:"output,omitempty"`
	Dockerfile    string    `json:"dockerfile,omitempty"`
}

// Blocker is the first thing that is wrong.
type Blocker struct {
	Kind    string `json:"kind"` // command or build
	Command string `json:"command,omitempty"`
	Package string `json:"package,omitempty"`
	Message string `json:"message"`
}

// Command is one that the image must have.
type Command struct {
	Name    string `json:"name"`
	Package string `json:"package,omitempty"`
	Found   *bool  `json:"found,omitempty"` // nil where no image was looked at
	Path    string `json:"path,omitempty"`
}

// NewResult is the result of a text, and of its build with the error it ended
// with; b.Found and b.Secured are nil where there was none.
func NewResult(b *Build, err error) *Result {
	r := &Result{
		SchemaVersion: 1, Command: "bootstrap", Decision: Written,
		SourceImage: b.Spec.Source, SourceDigest: b.SourceDigest, User: b.Spec.User, UserKnown: b.Spec.UserKnown,
		Packages: b.Spec.Packages, Commands: []Command{}, Dockerfile: string(b.Secured),
	}
	for _, name := range b.Spec.Commands {
		c := Command{Name: name}
		c.Package, _ = b.Spec.packageOf(name)
		if path, looked := b.Found[name]; looked {
			found := path != ""
			c.Found, c.Path = &found, path
		}
		r.Commands = append(r.Commands, c)
	}
	switch {
	case err != nil:
		r.Decision, r.Blocker = Blocked, b.blocker(err)
	case b.Found != nil:
		r.Decision = Built
	}
	return r
}

// blocker is what err says. What a command's absence is called by a daemon is not
// read: the answer to the check is.
func (b *Build) blocker(err error) *Blocker {
	for _, name := range b.Spec.Commands {
		if path, looked := b.Found[name]; looked && path == "" {
			m := b.Spec.missing(name)
			return &Blocker{Kind: "command", Command: m.Command, Package: m.Package, Message: m.Error()}
		}
	}
	return &Blocker{Kind: "build", Message: policy.Redact(err.Error())}
}

// Text writes the result for people. The error is w's.
func (r *Result) Text(w io.Writer) error {
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Commands {
		switch {
		case c.Found == nil:
			fmt.Fprintf(rows, "%s\tnot looked for\n", plain.Text(c.Name))
		case *c.Found:
			fmt.Fprintf(rows, "%s\t%s\n", plain.Text(c.Name), plain.Text(c.Path))
		default:
			fmt.Fprintf(rows, "%s\tmissing\n", plain.Text(c.Name))
		}
	}
	err := rows.Flush()
	last := r.Decision
	if r.Blocker != nil {
		last += ": " + r.Blocker.Message
	}
	_, lastErr := fmt.Fprintln(w, plain.Line(last))
	return errors.Join(err, lastErr)
}
