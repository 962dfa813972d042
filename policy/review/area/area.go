// Package area says which paths of a repository a change of which people should
// look at with care, and what such a path is about. It is pure.
package area

import (
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/dockerfile"
)

// Area is what a sensitive path is about.
type Area string

// The areas.
const (
	// Images is what they are made by.
	Images Area = "images"
	// Pipeline is what runs with the repository's rights.
	Pipeline Area = "pipeline"
	// Policy is what decides whether a change passes.
	Policy Area = "policy"
	// Dependencies is what others' code comes in by.
	Dependencies Area = "dependencies"
	// Credentials is what should not be in a repository.
	Credentials Area = "credentials"
	// Named is what the policy of the project names.
	Named Area = "named"
)

// place says by what a path is one of an area: by its folders, its base name, or
// the end of that. Names are compared in lower case.
type place struct {
	area   Area
	below  []string // folders, from the root
	names  []string
	ends   []string
	starts []string
}

// places are where the areas are. Sources: the documented names of each tool's
// files.
func places() []place {
	return []place{
		{area: Images, starts: []string{"docker-compose", "compose.", "docker-bake"}, names: []string{"makefile", ".dockerignore"}, ends: []string{".dockerignore"}},
		{
			area:  Pipeline,
			below: []string{".github/workflows", ".github/actions", ".circleci", ".buildkite", ".tekton", ".gitlab"},
			names: []string{"action.yml", "action.yaml", ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", ".travis.yml", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "renovate.json", "dependabot.yml"},
		},
		{
			area:  Policy,
			below: []string{".loopx"},
			names: []string{"loopx.yaml", "codeowners", ".gitmodules", ".gitattributes", "security.md", "allowed_signers", "revoked_keys"},
		},
		{
			area: Dependencies,
			names: []string{
				"pyproject.toml", "setup.py", "setup.cfg", "pipfile", "pipfile.lock", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml",
				"package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", ".npmrc", "go.mod", "go.sum", "cargo.toml", "cargo.lock",
				"gemfile", "gemfile.lock", "composer.json", "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts",
			},
			starts: []string{"requirements", "constraints"},
		},
		{
			area:  Credentials,
			names: []string{".env", ".netrc", ".pypirc", ".dockerconfigjson", "id_rsa", "id_ed25519", "id_ecdsa", "credentials", "auth.json", "auth.conf"},
			ends:  []string{".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx"},
		},
	}
}

// Of returns the areas of paths, sorted. [Named] is none of them: what the policy
// names is known to a review.
func Of(paths []string) []Area {
	var found []Area
	for _, p := range places() {
		if slices.ContainsFunc(paths, p.has) {
			found = append(found, p.area)
		}
	}
	slices.Sort(found)
	return found
}

func (p *place) has(file string) bool {
	lower := strings.ToLower(file)
	base := path.Base(lower)
	return p.area == Images && dockerfile.IsName(path.Base(file)) ||
		slices.Contains(p.names, base) ||
		slices.ContainsFunc(p.below, func(dir string) bool { return strings.HasPrefix(lower, dir+"/") }) ||
		slices.ContainsFunc(p.ends, func(end string) bool { return strings.HasSuffix(base, end) }) ||
		slices.ContainsFunc(p.starts, func(start string) bool { return strings.HasPrefix(base, start) })
}
