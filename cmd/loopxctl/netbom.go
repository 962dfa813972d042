package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/artifact"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/netbom"
	"github.com/loopx/loopx-frontend/policy/plain"
)

const netbomLong = `Netbom lists what a build fetched: each address as it was written and where it
was fetched, over what, with which digest, and what brought it there. It reads
BuildKit's provenance and the frontend's report out of

  a metadata file, of docker buildx build --metadata-file or loopxctl build
  an OCI layout, a folder or the tar of docker buildx build -o type=oci
  an image in a registry; netbom asks that registry, over TLS

Build with --provenance=mode=max: other provenance names no RUN. A metadata file
of docker buildx has it if BUILDX_METADATA_PROVENANCE=max is in the environment.
An image has the frontend's report with --build-arg LOOPX_REPORT=attest; else
name its metadata file with --metadata.

What neither tells is said in words. What was fetched in clear text counts,
whoever decided for it: exit code 1. That an image is signed, or by whom, is not
looked at.`

const netbomExample = `  # A build, and what it fetched
  BUILDX_METADATA_PROVENANCE=max docker buildx build --provenance=mode=max \
      --metadata-file build.json .
  loopxctl netbom build.json

  # An image in a registry, as a page for people
  loopxctl netbom --format html -o netbom.html registry.example.com/app:1

  # An OCI layout with the report of the build that made it
  loopxctl netbom --metadata build.json app.tar`

type netbomCommand struct {
	*program
	format, color    *oneOf
	output, metadata string
}

func newNetbom(p *program) *cobra.Command {
	c := &netbomCommand{program: p}
	cmd := &cobra.Command{
		Use:     "netbom METADATA|OCI-LAYOUT|IMAGE",
		Short:   "List what a build fetched, from where and over what",
		Long:    netbomLong,
		Example: netbomExample,
		Args:    cobra.ExactArgs(1),
		RunE:    p.does(c.run),
	}
	c.format = addOneOf(cmd, "format", "text for people, JSON (\"loopxctl schema netbom\" describes it), or a page that needs no network and no script", "text", "json", "html")
	c.color = addColor(cmd)
	cmd.Flags().StringVarP(&c.output, "output", "o", "", "write to `FILE`, whole or not at all; - is standard output")
	cmd.Flags().StringVar(&c.metadata, "metadata", "", "take the frontend's report from this `FILE` of --metadata-file, of the same build")
	return cmd
}

func (c *netbomCommand) run(cmd *cobra.Command, args []string) (int, error) {
	toFile := c.output != "" && c.output != input.Stdin
	if c.metadata == input.Stdin && args[0] == input.Stdin {
		return 0, errors.New("only one input can be standard input")
	}
	if toFile {
		if sameFile(args[0], c.output) || c.metadata != "" && sameFile(c.metadata, c.output) {
			return 0, errors.New("--output names a file that is read")
		}
		if err := replace.Check(c.output); err != nil {
			return 0, err
		}
	}
	doc, err := c.document(cmd, args[0])
	if err != nil {
		return 0, err
	}
	code := exitClean
	if doc.ClearText {
		code = exitBlocked
	}
	if !toFile {
		return code, c.write(&c.out, doc, paint.For(c.color.value, c.stdout, c.env))
	}
	var b bytes.Buffer
	if err := c.write(&b, doc, false); err != nil {
		return 0, err
	}
	return code, replace.File(c.output, b.Bytes())
}

// document reads the inputs.
func (c *netbomCommand) document(cmd *cobra.Command, name string) (*netbom.Document, error) {
	a, err := artifact.Read(cmd.Context(), c.stdin, name)
	if err != nil {
		return nil, err
	}
	if c.metadata != "" {
		other, err := artifact.Read(cmd.Context(), c.stdin, c.metadata)
		if err != nil {
			return nil, err
		}
		if err := a.TakeReport(other); err != nil {
			return nil, err
		}
	}
	in := netbom.Input{Artifact: netbom.Artifact{Name: a.Name, Kind: string(a.Kind), Digest: a.Digest}, Report: a.Report}
	known := a.Report != nil
	for _, img := range a.Images {
		in.Images = append(in.Images, netbom.InputImage{Platform: img.Platform, Digest: img.Digest, Unbound: img.Unbound, Build: img.Build})
		known = known || img.Build != nil
	}
	if !known {
		return nil, &fault.Error{
			File: a.Name, Message: "tells nothing of its build: it has neither provenance nor the frontend's report",
			Todo: "Build it with --provenance=mode=max.",
		}
	}
	return netbom.New(in), nil
}

// write writes the document in the format of the flags.
func (c *netbomCommand) write(w io.Writer, doc *netbom.Document, p paint.Painter) error {
	switch c.format.value {
	case "json":
		return plain.Encode(w, doc)
	case "html":
		page, err := doc.Page("loopxctl " + version())
		if err != nil {
			return err
		}
		_, err = w.Write(page)
		return err
	}
	return writeNetbom(w, doc, p)
}
