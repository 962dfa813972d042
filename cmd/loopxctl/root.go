package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/moby/buildkit/util/suggest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `loopxctl reads a Dockerfile, decides for every address in it how it may be
fetched, and shows or writes the result. It is the companion of the LoopX
Dockerfile frontend and makes the same decisions; use "loopxctl rewrite" for
builders that know no "# syntax=" line.

It reads only the files that you name (./Dockerfile if you name none) and
opens no network connection, but where a command's help says so. Its configuration
is loopx.yaml of the organisation (in /etc/loopx) and of the project, and the LOOPX_*
variables of the environment; flags win over them ("loopxctl config show").

Exit codes, the same in every format:
  0  clean
  1  something is refused, a finding blocks, or --check found that a file would
     change
  2  the command line or the configuration is wrong
  3  an input could not be read, an output not be written, or a tool or a daemon
     that is needed failed`

const rootExample = `  # What would change, and why?
  loopxctl rewrite --diff --apt=refuse
  loopxctl explain Dockerfile

  # What would stop a build? And all builds below this folder?
  loopxctl check Dockerfile
  loopxctl audit

  # Write a Dockerfile for a builder that knows no "# syntax=" line
  loopxctl rewrite --frontend-image "registry.example.com/loopx-frontend@sha256:$DIGEST" -o Dockerfile.secure`

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:           "loopxctl",
		Short:         "Move the fetches of a Dockerfile to TLS, and explain every decision",
		Long:          rootLong,
		Example:       rootExample,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("loopxctl {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRewrite(p),
		newExplain(p),
		newCheck(p),
		newLens(p),
		newAck(p),
		newFloors(p),
		newNotice(p),
		newHosts(p),
		newConfig(p),
		newVariables(p),
		newSchema(p),
		newVersion(p),
		newAudit(p),
		newBake(p),
		newNetbom(p),
		newPreset(p),
		newReleaseGate(p),
		newReview(p),
	)
	root.AddCommand(buildCommands(p)...)
	strictHelp(root)
	return root
}

// strictHelp makes the commands that cobra adds fail for what they don't know,
// as all others do.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion")
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  loopxctl help rewrite"
			cmd.Run = nil
			cmd.RunE = func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = fmt.Errorf("unknown command %q for %q", rest[0], about.CommandPath())
				}
				if err != nil {
					return err
				}
				about.InitDefaultHelpFlag()
				about.InitDefaultVersionFlag()
				return about.Help()
			}
		case "completion":
			cmd.Example = "  loopxctl completion bash >/etc/bash_completion.d/loopxctl"
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Example = "  loopxctl completion " + shell.Name()
			}
		}
	}
}

// does makes a cobra function of one that returns an exit code.
func (p *program) does(f func(cmd *cobra.Command, args []string) (int, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		code, err := f(cmd, args)
		p.code = code
		return err
	}
}

// fileForCommand adds what to type to the complaint about an unknown command
// that is a file.
func fileForCommand(err error, called *cobra.Command, args []string) error {
	if called.HasParent() || len(args) == 0 {
		return err
	}
	if _, statErr := os.Stat(args[0]); statErr != nil {
		return err
	}
	return fmt.Errorf("%w\nDid you mean loopxctl rewrite %s?", err, args[0])
}

// onlyCommands are the arguments of a command that has others below it, and takes
// none itself: it adds the nearest of them to the complaint about an unknown one.
func onlyCommands(cmd *cobra.Command, args []string) error {
	err := cobra.NoArgs(cmd, args)
	if err == nil {
		return nil
	}
	var names []string
	for _, below := range cmd.Commands() {
		names = append(names, below.Name())
	}
	if near, ok := suggest.Search(args[0], names, true); ok {
		return fmt.Errorf("%w\nDid you mean %s?", err, near)
	}
	return err
}

// flagError adds the nearest flag to the complaint about an unknown one, as
// cobra does for commands.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := suggest.Search(unknown.GetSpecifiedName(), names, true); ok {
		return fmt.Errorf("%w\nDid you mean --%s?", err, near)
	}
	return err
}
