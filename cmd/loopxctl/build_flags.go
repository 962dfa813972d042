package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/daemon"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/frontend/mount"
)

// declareBuild declares the flags, most of them by docker's names.
func declareBuild(cmd *cobra.Command, o *builder.Options) (progress *oneOf) {
	declareImage(cmd, o)
	declareInputs(cmd, o)
	declareOutputs(cmd, o)
	declareRuns(cmd, o)
	flags := cmd.Flags()
	flags.StringVar(&o.Builder, "builder", daemon.Auto, "`WHICH` daemon builds: auto, docker, private, or an address such as unix:///run/buildkit/buildkitd.sock")
	flags.StringVar(&o.FrontendImage, "frontend-image", "", "`PLACE` of what RUNs are given: an image's reference, an OCI layout or a folder (also by "+given.Variable+")")
	flags.StringVar(&o.Call, "call", "build", "`REQUEST` to the frontend: build, check, outline, targets or describe; with ,format=json behind it")
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "show no progress, and print the image's ID")
	complete(cmd, "builder", cobra.FixedCompletions([]string{daemon.Auto, daemon.Docker, daemon.Private, "unix://"}, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "call", cobra.FixedCompletions([]string{"build", "check", "outline", "targets", "describe"}, cobra.ShellCompDirectiveNoFileComp))
	return addOneOf(cmd, "progress", "what is shown of the build, on standard error", display.Modes()...)
}

func declareImage(cmd *cobra.Command, o *builder.Options) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Tags, "tag", "t", nil, "`NAME[:TAG]` of the image; repeatable")
	flags.StringVar(&o.Target, "target", "", "build this `STAGE`")
	flags.StringArrayVar(&o.Platforms, "platform", nil, "build for this `PLATFORM`, such as linux/arm64; repeatable, or a list with commas")
	flags.StringArrayVar(&o.Labels, "label", nil, "label of the image, `NAME=VALUE`; repeatable")
	flags.StringArrayVar(&o.Annotations, "annotation", nil, "annotation of the image, `[TYPE:]NAME=VALUE`; repeatable")
	flags.StringArrayVar(&o.Attests, "attest", nil, "attestation, `type=sbom|provenance[,KEY=VALUE]...`; repeatable")
	flags.StringVar(&o.SBOM, "sbom", "", "`true`, false or attributes: the same as --attest type=sbom")
	flags.StringVar(&o.Provenance, "provenance", "", "`true`, false or attributes such as mode=max: the same as --attest type=provenance")
	complete(cmd, "platform", cobra.FixedCompletions(mount.Platforms(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"sbom", "provenance"} {
		complete(cmd, name, cobra.FixedCompletions([]string{"true", "false"}, cobra.ShellCompDirectiveNoFileComp))
	}
	complete(cmd, "attest", cobra.FixedCompletions([]string{"type=sbom", "type=provenance,mode=max"}, cobra.ShellCompDirectiveNoFileComp))
}

func declareInputs(cmd *cobra.Command, o *builder.Options) {
	flags := cmd.Flags()
	flags.StringVarP(&o.File, "file", "f", "", "the Dockerfile's `NAME` (default CONTEXT/Dockerfile), or - for standard input")
	flags.StringArrayVar(&o.Contexts, "build-context", nil, "one more build context, `NAME=PLACE`: a folder, an address, docker-image://REF or oci-layout://DIR; repeatable")
	flags.StringArrayVar(&o.Secrets, "secret", nil, "secret for RUNs, `id=ID[,src=FILE|,env=NAME]`; repeatable")
	flags.StringArrayVar(&o.SSH, "ssh", nil, "SSH agent or keys for RUNs, `default|ID[=SOCKET|=KEY]`; repeatable")
	flags.StringArrayVar(&o.CA, "ca", nil, "`FILE` with certificates that RUNs trust, beside the public roots; repeatable")
	flags.StringVar(&o.Policy, "policy", "", "`PLACE` of the signers whose acknowledgements count: a folder, or an address")
	flags.StringArrayVar(&o.CacheFrom, "cache-from", nil, "take results from this `CACHE`: an image's reference, or type=TYPE,KEY=VALUE; repeatable")
	complete(cmd, "file", completeDockerfiles)
	complete(cmd, "cache-from", cobra.FixedCompletions([]string{"type=registry,ref=", "type=local,src=", "type=gha"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	complete(cmd, "ssh", cobra.FixedCompletions([]string{"default"}, cobra.ShellCompDirectiveDefault))
	complete(cmd, "secret", cobra.FixedCompletions([]string{"id=" + mount.AuthSecret + ",src=", "id="}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

func declareOutputs(cmd *cobra.Command, o *builder.Options) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Outputs, "output", "o", nil, "`PLACE` of the result: a folder, - for a tar archive, or type=local|tar|oci|docker|image|registry,KEY=VALUE; repeatable")
	flags.BoolVar(&o.Load, "load", false, "put the image into the Docker engine")
	flags.BoolVar(&o.Push, "push", false, "push the image, with docker's credentials")
	flags.StringArrayVar(&o.CacheTo, "cache-to", nil, "write results to this `CACHE`; repeatable")
	flags.StringVar(&o.MetadataFile, "metadata-file", "", "write the result's metadata, and the frontend's report, to `FILE` as JSON")
	flags.StringVar(&o.IIDFile, "iidfile", "", "write the image's ID to `FILE`")
	complete(cmd, "output", cobra.FixedCompletions([]string{
		"type=local,dest=", "type=tar,dest=", "type=oci,dest=", "type=docker,dest=", "type=image", "type=registry", "type=cacheonly",
	}, cobra.ShellCompDirectiveDefault|cobra.ShellCompDirectiveNoSpace))
	complete(cmd, "cache-to", cobra.FixedCompletions([]string{"type=inline", "type=registry,ref=", "type=local,dest=", "type=gha"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

func declareRuns(cmd *cobra.Command, o *builder.Options) {
	flags := cmd.Flags()
	flags.BoolVar(&o.NoCache, "no-cache", false, "run every step again")
	flags.StringArrayVar(&o.NoCacheFilter, "no-cache-filter", nil, "run the steps of this `STAGE` again; repeatable")
	flags.BoolVar(&o.Pull, "pull", false, "ask the registry for newer base images")
	flags.StringVar(&o.Network, "network", "default", "network `MODE` of RUNs: default, host or none")
	flags.BoolVar(&o.ProxyNetwork, "proxy-network", false, "RUNs reach the network by BuildKit's proxy only, which upgrades or refuses every request")
	flags.StringArrayVar(&o.AddHosts, "add-host", nil, "a name in RUNs' /etc/hosts, `HOST:IP`; repeatable")
	flags.StringArrayVar(&o.Allow, "allow", nil, "grant the build an `ENTITLEMENT`: network.host, security.insecure or device; repeatable")
	flags.StringVar(&o.ShmSize, "shm-size", "", "`SIZE` of /dev/shm in RUNs, such as 128m")
	flags.StringVar(&o.CgroupParent, "cgroup-parent", "", "parent `CGROUP` of RUNs")
	complete(cmd, "network", cobra.FixedCompletions([]string{"default", "host", "none"}, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "allow", cobra.FixedCompletions([]string{"network.host", "security.insecure", "device"}, cobra.ShellCompDirectiveNoFileComp))
}
