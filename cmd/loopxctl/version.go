package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// release is the version of a program that `make dist` built. Set by the linker
// (-X main.release=…).
var release string

// version is that of the release, else the module's, as the Go command stamped it
// into the binary.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return cmp.Or(info.Main.Version, "(devel)")
}

// buildkitVersion is that of the BuildKit whose parser is built in.
func buildkitVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/moby/buildkit" {
			return dep.Version
		}
	}
	return "unknown"
}

// versionDocument is the JSON form of "loopxctl version".
type versionDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Command       string `json:"command"`
	Version       string `json:"version"`
	DataDate      string `json:"data_date"`
	BuildKit      string `json:"buildkit"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
}

func newVersion(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the version of loopxctl, of its host data and of the BuildKit in it",
		Example:           "  loopxctl version\n  loopxctl version --format json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	format := addFormat(cmd, commonSchema)
	cmd.RunE = p.does(func(*cobra.Command, []string) (int, error) {
		doc := versionDocument{
			SchemaVersion: report.SchemaVersion, Command: "version",
			Version: version(), DataDate: route.DataDate(), BuildKit: buildkitVersion(),
			Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		}
		if format.value == "json" {
			return exitClean, plain.Encode(&p.out, doc)
		}
		fmt.Fprintf(&p.out, "loopxctl   %s\nhost data  %s\nBuildKit   %s\nGo         %s %s\n",
			doc.Version, doc.DataDate, doc.BuildKit, doc.Go, doc.Platform)
		return exitClean, nil
	})
	return cmd
}
