package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/bootstrap"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/daemon"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/frontend/mount"
)

// declareText declares the flags of the text.
func (c *bootstrapCommand) declareText(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.spec.Source, "source-image", "", "`IMAGE` of the task, which the new one is made from")
	flags.StringArrayVar(&c.spec.Packages, "apt-package", nil, "`PACKAGE` that apt installs, with :ARCHITECTURE or =VERSION behind it; repeatable (default tmux and asciinema)")
	flags.StringArrayVar(&c.spec.Commands, "required-command", nil, "`COMMAND` that the image must have; repeatable (default what the packages bring, as far as that is known)")
	flags.StringVar(&c.spec.User, "user", "", "`USER[:GROUP]` that the source image runs as, and the new one too")
	flags.IntVar(&c.spec.Retries, "apt-retries", bootstrap.Retries, "`NUMBER` of times that apt tries a fetch again")
	flags.DurationVar(&c.spec.Timeout, "apt-timeout", bootstrap.Timeout, "`TIME` after which apt gives a silent connection up")
	flags.DurationVar(&c.spec.Deadline, "deadline", bootstrap.Deadline, "`TIME` for all that apt does, where the image has the program timeout")
	flags.StringVarP(&c.output, "output", "o", "", "write the Dockerfile to `FILE`, whole or not at all; - is standard output")
	flags.StringVar(&c.options.FrontendImage, "frontend-image", "", "`PLACE` of what apt is given: the frontend's image, for a text by its digest; with --execute also an OCI layout or a folder (also by "+given.Variable+")")
	for _, name := range []string{"source-image", "apt-package", "required-command", "user", "apt-retries", "apt-timeout", "deadline"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
}

// declareBuild declares the flags of --execute.
func (c *bootstrapCommand) declareBuild(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &c.options
	flags.BoolVar(&c.execute, "execute", false, "build the image, and look for the required commands in it")
	flags.StringVar(&c.target, "target-image", "", "`NAME[:TAG]` of the image that is built")
	flags.BoolVar(&o.Push, "push", false, "push the image, with docker's credentials")
	flags.BoolVar(&o.Load, "load", false, "put the image into the Docker engine")
	flags.StringArrayVar(&o.Outputs, "export", nil, "`PLACE` of the image, as --output of \"loopxctl build\" has it; repeatable")
	flags.StringVar(&c.platform, "platform", "", "build for this `PLATFORM`, such as linux/arm64")
	flags.StringVar(&o.Builder, "builder", daemon.Auto, "`WHICH` daemon builds: auto, docker, private, or an address such as unix:///run/buildkit/buildkitd.sock")
	flags.StringVar(&o.Network, "network", "default", "network `MODE` of apt's RUN: default, host or none")
	flags.StringArrayVar(&o.CA, "ca", nil, "`FILE` with certificates that apt trusts, beside the public roots; repeatable")
	flags.StringArrayVar(&o.Secrets, "secret", nil, "secret for apt's mirrors, `id=loopx-auth,src=FILE`; repeatable")
	flags.StringVar(&o.MetadataFile, "metadata-file", "", "write the image's metadata, and the frontend's report, to `FILE` as JSON")
	flags.BoolVar(&o.NoCache, "no-cache", false, "run every step again")
	flags.BoolVar(&o.Pull, "pull", false, "ask the registry for a newer source image")
	c.progress = addOneOf(cmd, "progress", "what is shown of the build, on standard error", display.Modes()...)
	complete(cmd, "target-image", cobra.NoFileCompletions)
	complete(cmd, "export", cobra.FixedCompletions([]string{"type=oci,dest=", "type=docker,dest=", "type=image"}, cobra.ShellCompDirectiveDefault|cobra.ShellCompDirectiveNoSpace))
	complete(cmd, "platform", cobra.FixedCompletions(mount.Platforms(), cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "builder", cobra.FixedCompletions([]string{daemon.Auto, daemon.Docker, daemon.Private, "unix://"}, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "network", cobra.FixedCompletions([]string{"default", "host", "none"}, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "secret", cobra.FixedCompletions([]string{"id=" + mount.AuthSecret + ",src="}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// buildFlags are those that mean nothing without --execute.
func buildFlags() []string {
	return []string{"target-image", "push", "load", "export", "platform", "builder", "network", "ca", "secret", "metadata-file", "no-cache", "pull", "progress"}
}
