package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// edit is a change to one file of BuildKit's tests.
type edit struct {
	file     string
	old, new string
	times    int // that old stands in file
}

// edits send every request of the tests to the image that is tested. As they
// stand, they ask dockerfile.v0, which is the daemon's own frontend, for outlines,
// targets, lint answers and whatever else goes over a client's gateway, and leave
// out the tests about subrequests when the frontend is an image. Variables of the
// tests' environment with the names of our build args are passed as such in every
// request, unless they are empty.
func edits() []edit {
	const (
		folder = "frontend/dockerfile/"
		skip   = "if _, ok := f.(*%s); %sok {\n\t\tt.Skip(\"only test with client frontend\")"
		solve  = "func (c *grpcClient) Solve(ctx context.Context, creq client.SolveRequest) (res *client.Result, err error) {\n"
	)
	clientOnly, notBuiltin := fmt.Sprintf(skip, "clientFrontend", "!"), fmt.Sprintf(skip, "builtinFrontend", "")
	return []edit{
		{folder + "dockerfile_test.go", `"buildkit_test/" + identity.NewID() + ":latest"`, `"` + testedImage + `"`, 1},
		{folder + "dockerfile_test.go", "\topt.FrontendAttrs[\"source\"] = f.gw\n", "\topt.FrontendAttrs[\"source\"] = f.gw\n" + passArgs("opt.FrontendAttrs"), 1},
		{folder + "dockerfile_test.go", "\treq.FrontendOpt[\"source\"] = f.gw\n", "\treq.FrontendOpt[\"source\"] = f.gw\n" + passArgs("req.FrontendOpt"), 1},
		{folder + "dockerfile_client_test.go", clientOnly, notBuiltin, 1},
		{folder + "dockerfile_outline_test.go", clientOnly, notBuiltin, 4},
		{folder + "dockerfile_targets_test.go", clientOnly, notBuiltin, 2},
		{"frontend/gateway/grpcclient/client.go", solve, solve + `	if creq.Frontend == "dockerfile.v0" {
		opts := map[string]string{"source": "` + testedImage + `"}
		for k, v := range creq.FrontendOpt {
			opts[k] = v
		}
		creq.Frontend, creq.FrontendOpt = "gateway.v0", opts
	` + passArgs("opts") + `	}
`, 1},
	}
}

// Build args that the tests can be run with.
const (
	checksArg = "LOOPX_CHECKS"
	aptArg    = "LOOPX_APT"
)

// passArgs is Go source that puts the build args into a map of frontend options.
func passArgs(options string) string {
	return fmt.Sprintf(`	for _, name := range []string{%q, %q} {
		if v := os.Getenv(name); v != "" {
			%s["build-arg:"+name] = v
		}
	}
`, checksArg, aptArg, options)
}

// testedImage is the name by which the tests know the image. A test expects the
// part before the slash.
const testedImage = "buildkit_test/frontend:latest"

// source is the folder of BuildKit's module: a copy, as the module cache is
// nobody's main module.
func (s *suite) source() string { return filepath.Join(s.dir, "source") }

// copyModule copies BuildKit's module and makes the edits, once.
func (s *suite) copyModule(module string) error {
	if _, err := os.Stat(s.source()); err == nil {
		return nil
	}
	tmp := s.source() + ".tmp"
	if err := errors.Join(os.RemoveAll(tmp), os.CopyFS(tmp, os.DirFS(module))); err != nil {
		return err
	}
	for _, e := range edits() {
		if err := e.apply(tmp); err != nil {
			return err
		}
	}
	return os.Rename(tmp, s.source())
}

func (e edit) apply(root string) error {
	name := filepath.Join(root, filepath.FromSlash(e.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), e.old); n != e.times {
		return fmt.Errorf("%s: a text to edit stands there %d times, not %d; does this BuildKit release differ?\n%s", e.file, n, e.times, e.old)
	}
	return os.WriteFile(name, []byte(strings.ReplaceAll(string(text), e.old, e.new)), 0o644)
}
