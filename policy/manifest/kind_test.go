package manifest_test

import (
	"testing"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]manifest.Kind{
		"pyproject.toml":               manifest.Project,
		"a/b/pyproject.toml":           manifest.Project,
		"pixi.toml":                    manifest.PixiProject,
		"hatch.toml":                   manifest.HatchProject,
		"uv.toml":                      manifest.UvProject,
		"setup.cfg":                    manifest.SetupConfig,
		"setup.py":                     manifest.SetupScript,
		"Pipfile":                      manifest.PipfileProject,
		"Pipfile.lock":                 manifest.PipfileLock,
		"uv.lock":                      manifest.UvLock,
		"poetry.lock":                  manifest.PoetryLock,
		"pdm.lock":                     manifest.PdmLock,
		"pylock.toml":                  manifest.PyLock,
		"pylock.dev.toml":              manifest.PyLock,
		"requirements.txt":             manifest.RequirementsFile,
		"requirements-dev.txt":         manifest.RequirementsFile,
		"Requirements.txt":             manifest.RequirementsFile,
		"dev-requirements.txt":         manifest.RequirementsFile,
		"test_requirements.txt":        manifest.RequirementsFile,
		"requirements/base.txt":        manifest.RequirementsFile,
		"requirements.in":              manifest.RequirementsFile,
		"a/requirements/x.in":          manifest.RequirementsFile,
		"constraints.txt":              manifest.ConstraintsFile,
		"constraints-3.12.txt":         manifest.ConstraintsFile,
		"upper-constraints.txt":        manifest.ConstraintsFile,
		"requirements/constraints.txt": manifest.ConstraintsFile,
		"Dockerfile":                   manifest.DockerfileKind,
		"Dockerfile.dev":               manifest.DockerfileKind,
		"app.Dockerfile":               manifest.DockerfileKind,
		"app.dockerfile":               manifest.DockerfileKind,
		"Containerfile":                manifest.DockerfileKind,
		"Dockerfile.gpu.dev":           manifest.DockerfileKind,
		"Dockerfile.j2":                "",
		"Dockerfile.md":                "",
		"Dockerfile.d.tmpl":            "",
		"tool.py":                      manifest.Script,
		"pyproject.toml.bak":           "",
		"package.json":                 "",
		"README.txt":                   "",
		"docs/notes.txt":               "",
		"Dockerfile.dockerignore":      "",
		"dockerfiles":                  "",
		"requirements.yml":             "",
		"":                             "",
	} {
		if got, ok := manifest.KindOf(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q (%v), want %q", name, got, ok, want)
		}
	}
}
