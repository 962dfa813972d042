package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// cniPlugins are the programs that give each RUN a network of its own, in the
// version of BuildKit v0.34's Dockerfile (CNI_VERSION).
func cniPlugins() []string {
	const module, version = "github.com/containernetworking/plugins/plugins/", "@v1.9.1"
	return []string{module + "main/bridge" + version, module + "main/loopback" + version, module + "ipam/host-local" + version}
}

// cniConfig is BuildKit's hack/fixtures/cni.json without masquerading: there is
// no network to reach.
const cniConfig = `{
	"cniVersion": "1.0.0",
	"name": "buildkit",
	"type": "bridge",
	"bridge": "buildkit0",
	"isDefaultGateway": true,
	"ipam": {"type": "host-local", "ranges": [[{"subnet": "10.10.0.0/16"}]]}
}
`

func (s *suite) cniDir() string { return filepath.Join(s.dir, "cni") }

// makeNetwork compiles the plugins, once.
func (s *suite) makeNetwork(ctx context.Context) error {
	if _, err := os.Stat(s.cniDir()); err == nil {
		return nil
	}
	tmp := s.cniDir() + ".tmp"
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o755)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, "cni.json"), []byte(cniConfig), 0o644); err != nil {
		return err
	}
	for _, plugin := range cniPlugins() {
		if err := goInstall(ctx, tmp, plugin); err != nil {
			return err
		}
	}
	return os.Rename(tmp, s.cniDir())
}

// goInstall compiles a program, named with its version, into dir.
func goInstall(ctx context.Context, dir, program string) error {
	cmd := exec.CommandContext(ctx, "go", "install", program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go install %s: %w\n%s", program, err, out)
	}
	return nil
}

// daemonScript is the buildkitd that the tests start: it adds to the
// configuration that they wrote. (v0.34.2 does not read --oci-cni-config-path.)
func (s *suite) daemonScript(daemon string) string {
	return fmt.Sprintf(`#!/bin/sh
for word; do
	case $word in --config=*) cat >>"${word#--config=}" <<'EOF' ;; esac
[worker.oci]
  cniConfigPath = %[2]q
  cniBinaryPath = %[3]q
EOF
done
exec '%[1]s' "$@"
`, daemon, filepath.Join(s.cniDir(), "cni.json"), s.cniDir())
}
