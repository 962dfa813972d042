package main

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/report"
)

// projectPage is where this project is.
const projectPage = "https://github.com/loopx/loopx-frontend"

// publication is how findings are printed, and for whom.
type publication struct {
	format, color *oneOf
	public        bool
	private       string // as --private-output has it
}

// declare declares the flags of a command whose JSON the schema of a name
// describes; the first format is the default.
func (o *publication) declare(cmd *cobra.Command, schema string, formats ...string) {
	o.format = addOneOf(cmd, "format", "text for people, JSON ("+describes(schema)+" it), SARIF 2.1.0, workflow commands of GitHub Actions, or JUnit's XML", formats...)
	o.color = addColor(cmd)
	cmd.Flags().BoolVar(&o.public, "public", false, "of findings about security and privacy, print only how many there are and of what family of rules")
	cmd.Flags().StringVar(&o.private, "private-output", "", "with --public: write the whole report, in the same format, to `FILE`, which only you can read")
}

// check returns what is wrong with the flags, given the inputs.
func (o *publication) check(p *program, names []string) error {
	switch {
	case o.private == "":
		return nil
	case !o.public:
		return errors.New("--private-output goes with --public: without it, standard output has the whole report")
	case isOutput(p.stdout, []string{o.private}):
		return errors.New("--private-output names the file that standard output goes to")
	case slices.ContainsFunc(names, func(name string) bool { return name != input.Stdin && sameFile(name, o.private) }):
		return errors.New("--private-output names a file that is read")
	}
	return replace.CheckPrivate(o.private)
}

// write prints r as the flags want it. whole writes the whole report to a
// stream, painted or not.
func (o *publication) write(p *program, r report.Report, whole func(io.Writer, paint.Painter) error) error {
	painter := paint.For(o.color.value, p.stdout, p.env)
	if !o.public {
		return whole(&p.out, painter)
	}
	pointer := "run the same command without --public for the whole report"
	if o.private != "" {
		pointer = "the whole report is in " + o.private
		var b bytes.Buffer
		if err := whole(&b, false); err != nil {
			return err
		}
		if err := replace.Private(o.private, b.Bytes()); err != nil {
			return err
		}
	}
	return report.New(o.format.value, painter).Write(&p.out, report.Public(r, pointer))
}

// thisTool is what makes our reports.
func thisTool() report.Tool {
	return report.Tool{Tool: policy.Tool{Name: policy.ToolName, Version: version()}, URI: projectPage}
}
