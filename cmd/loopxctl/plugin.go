package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// pluginName is the program's name as a plugin of the docker CLI, which finds it
// as ~/.docker/cli-plugins/docker-loopx and calls it as `docker-loopx loopx …`.
const pluginName = "docker-loopx"

// buildCommands are `build`, what belongs to it, and what the docker CLI calls
// where the program is its plugin.
func buildCommands(p *program) []*cobra.Command {
	all := []*cobra.Command{newBuild(p), newBootstrap(p), newPrivateDaemon(p), newPolicy(p)}
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == pluginName {
		all = append(all, newPluginMetadata(p), newPlugin(p))
	}
	return all
}

// newPlugin is all commands of this program as those of `docker loopx`.
func newPlugin(p *program) *cobra.Command {
	return &cobra.Command{
		Use: "loopx", Hidden: true, DisableFlagParsing: true, Short: "What docker loopx calls",
		Example: "  docker loopx build .",
		RunE: func(cmd *cobra.Command, args []string) error {
			// The CLI passes its own options on, in front of ours.
			if len(args) > 1 && strings.HasPrefix(args[0], "-") {
				return fmt.Errorf("docker's own option %s, before \"loopx\", is not read: name the engine by DOCKER_HOST", args[0])
			}
			root := newRoot(p)
			root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "docker loopx"}
			root.SetArgs(args)
			root.SetIn(p.stdin)
			root.SetOut(&p.out)
			root.SetErr(&p.notes)
			return root.ExecuteContext(cmd.Context())
		},
	}
}

// pluginMetadata is what the CLI asks a plugin, with a command of this name, to
// say of itself. Source: Metadata in cli-plugins/metadata of docker/cli.
type pluginMetadata struct {
	SchemaVersion, Vendor, Version, ShortDescription, URL string
}

func newPluginMetadata(p *program) *cobra.Command {
	return &cobra.Command{
		Use: "docker-cli-plugin-metadata", Hidden: true, Args: cobra.NoArgs, Short: "Tell the docker CLI about this plugin",
		Example: "  docker info",
		RunE: p.does(func(*cobra.Command, []string) (int, error) {
			return exitClean, plain.Encode(&p.out, pluginMetadata{
				SchemaVersion: "0.1.0", Vendor: "LoopX", Version: version(),
				ShortDescription: "Builds whose fetches travel over TLS", URL: projectPage,
			})
		}),
	}
}
