package area

import (
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestAreas(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][]Area{
		"README.md":                        nil,
		"src/requirements.py.md":           {Dependencies},
		"app/Dockerfile":                   {Images},
		"app/web.Containerfile":            {Images},
		"docker-compose.prod.yml":          {Images},
		"app/.dockerignore":                {Images},
		".github/workflows/a/b.yml":        {Pipeline},
		"docs/.github/workflows":           nil,
		".GitHub/Workflows/ci.yml":         {Pipeline},
		".loopx/acknowledgements.json":     {Policy},
		"docs/CODEOWNERS":                  {Policy},
		"a/pyproject.toml":                 {Dependencies},
		"deploy/tls.KEY":                   {Credentials},
		".env":                             {Credentials},
		"environment.md":                   nil,
		"policy/allowed_signers":           {Policy},
		"vendor/github.com/x/y/action.yml": {Pipeline},
	} {
		if diff := cmp.Diff(want, Of([]string{"README.md", path})); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
