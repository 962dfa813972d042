package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/gate"
)

const gateLong = `Release-gate says whether the commit that is checked out may be released, and the
images that were built of it. It makes every check, names each one that stops the
release and says what to do about it.

Of the tree: all checks could be made; no blocker is left that nobody signed for;
no acknowledgement ends soon; the advisories are recent; every notice since the
last gate that passed is dealt with; the working tree is what is committed, and
the commit has its tag.

Of an image (--image: a reference, or an OCI layout as folder or tar): its SLSA
provenance is there and about it; it is built of this commit, by an allowed
frontend, with nothing turned off; what was fetched came over TLS; its base images
are those that are pinned; and no command had a network outside of the frontend's
guard and BuildKit's proxy network. Build it with --provenance=mode=max and
--build-arg LOOPX_REPORT=attest. BuildKit signs nothing: unless --attest-signers
names whose signatures count, what is attested is the word of whoever may push.

What can't be proved is no pass. The verdict is recorded, so that the next run
knows since when. loopx.yaml has a section "release" for all of this.

Exit codes:
  0  it may be released
  1  a check fails, or a claim can't be proved
  2  the command line or the configuration is wrong
  3  something that is judged could not be read; nothing is recorded`

const gateExample = `  # May this be tagged and released?
  loopxctl release-gate --trusted-ref origin/main

  # And the image that was built of it?
  loopxctl release-gate --image registry.example.com/team/app:1.2.3

  # Before it is pushed
  docker buildx build --provenance=mode=max --build-arg LOOPX_REPORT=attest \
    -t registry.example.com/team/app:1.2.3 -o type=oci,dest=app.tar .
  loopxctl release-gate --image app.tar --summary gate.html --format json >gate.json

  # In a pipeline: the records are in its cache
  loopxctl release-gate --state .cache/loopx --summary "$GITHUB_STEP_SUMMARY"`

type gateCommand struct {
	*program
	scanFlags
	images, metadata, frontends []string
	signatures                  []string
	signers, state, summary     string
	folder                      string // of the project
	recent                      recentNotices
	public, dry                 bool
	format, color               *oneOf
}

// gateFormats are those of the verdict.
func gateFormats() []string { return []string{"text", "json", "markdown", "html"} }

func newReleaseGate(p *program) *cobra.Command {
	c := &gateCommand{program: p, scanFlags: newScanFlags(p)}
	cmd := &cobra.Command{
		Use:               "release-gate",
		Short:             "Say whether a commit and its images may be released",
		Long:              gateLong,
		Example:           gateExample,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.scanFlags.declare(cmd)
	c.declare(cmd)
	return cmd
}

func (c *gateCommand) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&c.images, "image", nil, "`IMAGE` that is to be released: a reference, or an OCI layout (folder or tar); repeatable")
	flags.StringArrayVar(&c.metadata, "metadata", nil, "`FILE` of --metadata-file of the build of an image, for the frontend's report; repeatable")
	flags.StringSliceVar(&c.frontends, "frontend-digest", nil, "`DIGEST` of a frontend that may have built an image, beside those of "+config.File+"; repeatable")
	flags.StringVar(&c.signers, "attest-signers", "", "`FILE` of whose signatures of images count (ssh-keygen(1), ALLOWED SIGNERS)")
	flags.StringArrayVar(&c.signatures, "attest-signature", nil, "`FILE` with a signature of an image's digest, made by ssh-keygen -Y sign -n loopx-attest; repeatable")
	declareState(cmd, &c.state)
	flags.StringVar(&c.summary, "summary", "", "write the summary for people to `FILE` too: HTML if its name ends so, else Markdown")
	flags.BoolVar(&c.public, "public", false, "of what is wrong with security and privacy, print only how much there is; Markdown and HTML never have more")
	flags.BoolVar(&c.dry, "no-record", false, "record nothing: the next run does not count from this one")
	c.format = addOneOf(cmd, "format", "text for people, JSON (\"loopxctl schema release-gate\" describes it), or the summary as Markdown or HTML", gateFormats()...)
	c.color = addColor(cmd)
	complete(cmd, "metadata", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt))
	complete(cmd, "frontend-digest", cobra.NoFileCompletions)
}

func (c *gateCommand) run(cmd *cobra.Command, _ []string) (int, error) {
	ctx := cmd.Context()
	if err := c.checkFlags(); err != nil {
		return 0, err
	}
	in, err := c.input(ctx)
	if err != nil {
		return 0, err
	}
	v := gate.Judge(*in)
	if err := c.print(&v); err != nil {
		return 0, err
	}
	if err := c.record(ctx, &v); err != nil {
		return 0, err
	}
	if !v.Pass {
		return exitBlocked, nil
	}
	return exitClean, nil
}

// checkFlags returns what is wrong with the command line.
func (c *gateCommand) checkFlags() error {
	for _, text := range c.frontends {
		if d := digest.Digest(text); d.Validate() != nil || d.Algorithm() != digest.SHA256 {
			return fmt.Errorf("--frontend-digest: %q is no digest: write sha256: and 64 hexadecimal digits", text)
		}
	}
	switch {
	case len(c.images) == 0 && len(c.metadata)+len(c.signatures) > 0:
		return errors.New("--metadata and --attest-signature are about an image: name it with --image")
	case len(c.signatures) > 0 && c.signers == "":
		return errors.New("--attest-signature needs --attest-signers FILE: whose signatures count")
	case c.summary != "" && isOutput(c.stdout, []string{c.summary}):
		return errors.New("--summary names the file that standard output goes to")
	}
	for i, name := range c.images {
		if name == "" {
			return errors.New("--image names nothing: is a variable of the pipeline empty?")
		}
		if slices.Contains(c.images[:i], name) {
			return fmt.Errorf("--image: %s is named twice", printable(name))
		}
	}
	for _, name := range c.sarif {
		f, err := openReport(name)
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// input reads all that is judged.
func (c *gateCommand) input(ctx context.Context) (*gate.Input, error) {
	if err := c.remember(ctx); err != nil {
		return nil, err
	}
	s, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	in := &gate.Input{Tool: thisTool().Tool, Now: s.Now, Config: s.Config.Release}
	in.Config.Frontends = slices.Concat(in.Config.Frontends, c.frontends, builtIn())
	if in.Config.AdvisoryAge == 0 {
		in.Config.AdvisoryAge = s.Config.Database.Oldest()
	}
	t := gateTree{gateCommand: c, scanned: s, to: &in.Tree, age: in.Config.Age()}
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	in.Images, err = c.readImages(ctx, s)
	return in, err
}

// builtIn is the digest of the frontend that this program was released with, if
// it was.
func builtIn() []string {
	if _, pinned, ok := strings.Cut(given.Image, "@"); ok {
		return []string{pinned}
	}
	return nil
}

// print writes the verdict, and the summary beside it.
func (c *gateCommand) print(v *gate.Verdict) error {
	if c.summary != "" {
		var b bytes.Buffer
		format := "markdown"
		if ext := strings.ToLower(filepath.Ext(c.summary)); ext == ".html" || ext == ".htm" {
			format = "html"
		}
		if err := c.write(&b, v, format); err != nil {
			return err
		}
		if err := replace.File(c.summary, b.Bytes()); err != nil {
			return err
		}
	}
	return c.write(&c.out, v, c.format.value)
}

func (c *gateCommand) write(w io.Writer, v *gate.Verdict, format string) error {
	switch format {
	case "json":
		return v.JSON(w, c.public)
	case "markdown":
		return v.Markdown(w)
	case "html":
		return v.HTML(w)
	}
	return v.Text(w, paint.For(c.color.value, c.stdout, c.env), c.public)
}
