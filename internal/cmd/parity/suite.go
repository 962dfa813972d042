package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// Names of the two frontends.
const (
	stock = "stock"
	ours  = "ours"
)

// suite is what the runs stand on.
type suite struct {
	dir  string // in the cache, kept
	work string // gone at the end

	unlock func() // lets another process use dir
}

// frontend is an image to test.
type frontend struct {
	name    string
	archive string // an OCI archive
}

// prepare brings everything to the point where a run can start. What does not
// depend on this checkout is kept in the cache.
func prepare(ctx context.Context, w io.Writer) (*suite, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("the tests start buildkitd, which needs root: run scripts/parity")
	}
	cache, err := setup.CacheDir()
	if err != nil {
		return nil, err
	}
	module, version, err := buildkit(ctx)
	if err != nil {
		return nil, err
	}
	s := &suite{dir: filepath.Join(cache, "parity", version+"-"+recipe())}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	if s.unlock, err = setup.Lock(filepath.Join(s.dir, "lock")); err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "parity: BuildKit %s, %s; output of the tests in %s\n", version, runtime.Version(), s.dir)
	if err := s.make(ctx, module, w); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// make makes what the runs need, step by step.
func (s *suite) make(ctx context.Context, module string, w io.Writer) (err error) {
	if s.work, err = os.MkdirTemp("", "parity-"); err != nil {
		return err
	}
	if err := s.copyModule(module); err != nil {
		return err
	}
	fmt.Fprintln(w, "parity: compiling the tests, both frontends and what the tests need")
	for _, step := range []func(context.Context) error{s.compileTests, s.makeFrontends, s.linkPrograms, s.makeNetwork} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "parity: base images of Debian packages")
	return s.makeStandIns(ctx)
}

func (s *suite) close() {
	os.RemoveAll(s.work)
	s.unlock()
}

// recipe returns a digest of what decides the content of the cache's folder,
// next to BuildKit's version.
func recipe() string {
	sum := sha256.Sum256(fmt.Append(nil, edits(), standInRecipe(), cniPlugins(), cniConfig))
	return hex.EncodeToString(sum[:4])
}

// buildkit returns the folder and the version of the BuildKit module that go.mod
// names.
func buildkit(ctx context.Context) (dir, version string, err error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", "github.com/moby/buildkit").Output()
	if err != nil {
		return "", "", fmt.Errorf("download BuildKit's module: %w", err)
	}
	var module struct{ Dir, Version string }
	err = json.Unmarshal(out, &module)
	return module.Dir, module.Version, err
}

// testBinary is the compiled package of the tests.
func (s *suite) testBinary() string { return filepath.Join(s.dir, "dockerfile.test") }

// compileTests compiles the tests with BuildKit's own go.mod. The go command
// knows whether there is anything to do.
func (s *suite) compileTests(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", s.testBinary(), "./frontend/dockerfile")
	cmd.Dir = s.source()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile BuildKit's tests: %w\n%s", err, out)
	}
	return nil
}

func (s *suite) frontends() []frontend {
	return []frontend{
		{name: stock, archive: filepath.Join(s.work, stock+".tar")},
		{name: ours, archive: filepath.Join(s.work, ours+".tar")},
	}
}

// makeFrontends builds both images the same way, from the modules of this
// checkout's go.mod. Ours has what the RUNs in the tests are given.
func (s *suite) makeFrontends(ctx context.Context) error {
	root, err := setup.Root()
	if err != nil {
		return err
	}
	method, err := image.Method(root)
	if err != nil {
		return err
	}
	folders, err := image.Targets{Method: method, Platforms: targets()}.Folders(ctx)
	if err != nil {
		return err
	}
	all := s.frontends()
	return errors.Join(
		s.makeFrontend(ctx, all[0], image.Stock(root), image.Spec{Labels: image.FrontendLabels()}),
		s.makeFrontend(ctx, all[1], image.Frontend(root, "parity", "unknown"), image.Spec{
			Labels:  image.Labels("parity", "unknown"),
			Folders: folders,
		}),
	)
}

// makeFrontend compiles the program and writes the image of spec with it.
func (s *suite) makeFrontend(ctx context.Context, f frontend, program image.Program, spec image.Spec) error {
	binary := filepath.Join(s.work, f.name)
	if err := program.Compile(ctx, hostPlatform(), binary); err != nil {
		return err
	}
	spec.Binaries = map[string]string{hostPlatform(): binary}
	spec.Entrypoint = "/bin/frontend"
	spec.Created = time.Unix(0, 0).UTC()
	index, err := spec.Index()
	if err != nil {
		return err
	}
	return image.WriteArchive(f.archive, index)
}

func hostPlatform() string { return "linux/" + runtime.GOARCH }

// targets are the platforms of the tests' RUNs: this machine's, and the two that
// tests of multi-platform builds name.
func targets() []string { return []string{hostPlatform(), "linux/amd64", "linux/arm64"} }

// bin is the folder of the programs that the tests look for in PATH.
func (s *suite) bin() string { return filepath.Join(s.work, "bin") }

func (s *suite) linkPrograms(context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	daemon, err := setup.Tool("buildkitd")
	if err != nil {
		return err
	}
	control, err := setup.Tool("buildctl")
	if err != nil {
		return err
	}
	return errors.Join(
		os.Mkdir(s.bin(), 0o755),
		os.Symlink(self, filepath.Join(s.bin(), registryName)),
		os.WriteFile(filepath.Join(s.bin(), "buildkitd"), []byte(s.daemonScript(daemon)), 0o755),
		os.Symlink(control, filepath.Join(s.bin(), "buildctl")),
	)
}
