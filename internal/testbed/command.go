package testbed

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// Output is what a finished program left.
type Output struct {
	Stdout, Stderr string
	// Code is the exit code.
	Code int
}

// Run runs cmd to its end. A nonzero exit is not a failure of the test; a
// program that doesn't start is.
func Run(t TB, cmd *exec.Cmd) Output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("testbed: %s: %v", cmd.Path, err)
	}
	return Output{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

// Buildctl runs buildctl against the daemon, in the folder dir, with env
// ("NAME=value") added to the environment.
func Buildctl(t TB, dir string, env []string, args ...string) Output {
	t.Helper()
	d := Buildkitd(t)
	bin := must[string](t, "buildctl")(setup.Tool("buildctl"))
	cmd := exec.CommandContext(t.Context(), bin, append([]string{"--addr", d.Addr}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	return Run(t, cmd)
}

// Buildx runs `docker buildx args…` against the daemon, in the folder dir, with
// env ("NAME=value") added to the environment.
func Buildx(t TB, dir string, env []string, args ...string) Output {
	t.Helper()
	cmd := BuildxCommand(t, args...)
	cmd.Dir, cmd.Env = dir, append(cmd.Env, env...)
	return Run(t, cmd)
}

// BuildxCommand returns `docker buildx args…` with the daemon as its builder
// (remote driver) and a configuration of its own, ready for a stdin. Where there
// is no docker CLI, buildx is run directly, which it supports.
func BuildxCommand(t TB, args ...string) *exec.Cmd {
	t.Helper()
	config := must[string](t, "configure buildx")(shared.buildxConfig(Buildkitd(t)))
	argv := append(must[[]string](t, "buildx")(buildxArgv()), args...)
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = buildxEnv(config)
	return cmd
}

const builderName = "loopx"

// buildxConfig makes the folder of the docker CLI's and buildx's configuration:
// buildx as a plugin, and a builder for d.
func (b *bed) buildxConfig(d *Daemon) (string, error) {
	return b.buildx.do(func() (string, error) {
		work, err := b.work()
		if err != nil {
			return "", err
		}
		bin, err := setup.Tool("buildx")
		if err != nil {
			return "", err
		}
		config := filepath.Join(work, "docker")
		if err := os.MkdirAll(config+"/cli-plugins", 0o755); err != nil {
			return "", err
		}
		if err := os.Symlink(bin, config+"/cli-plugins/docker-buildx"); err != nil {
			return "", err
		}
		cmd := exec.Command(bin, "create", "--name", builderName, "--driver", "remote", d.Addr)
		cmd.Env = buildxEnv(config)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("buildx create: %w\n%s", err, out)
		}
		return config, nil
	})
}

// buildxArgv returns the words that start buildx: through the docker CLI if
// there is one.
func buildxArgv() ([]string, error) {
	if docker, err := exec.LookPath("docker"); err == nil {
		return []string{docker, "buildx"}, nil
	}
	bin, err := setup.Tool("buildx")
	return []string{bin}, err
}

func buildxEnv(config string) []string {
	return append(os.Environ(), "DOCKER_CONFIG="+config, "BUILDX_CONFIG="+config+"/buildx", "BUILDX_BUILDER="+builderName)
}

// ScrubCA removes the variables that name a CA bundle from the environment, for
// the length of the test. Main does it for a whole package.
func ScrubCA(t TB) {
	t.Helper()
	for _, name := range CAVariables() {
		if value, set := os.LookupEnv(name); set {
			os.Unsetenv(name)
			t.Cleanup(func() { os.Setenv(name, value) })
		}
	}
}

// CAVariables returns the names of the environment variables by which programs
// find, or add, trusted roots.
func CAVariables() []string {
	return []string{
		"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT",
		"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_CAFILE",
		"CARGO_HTTP_CAINFO", "PERL_LWP_SSL_CA_FILE", "PERL_LWP_SSL_CA_PATH", "HTTPLIB2_CA_CERTS",
		"AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
		"CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "WGETRC", "SYSTEM_WGETRC",
	}
}
