package dockerfile

import "testing"

func TestIsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Dockerfile":              true,
		"dockerfile":              true,
		"Dockerfile.dev":          true,
		"web.Dockerfile":          true,
		"web.dockerfile":          true,
		"Containerfile":           true,
		"Containerfile.in":        true,
		"Dockerfile.dockerignore": false,
		"Dockerfile-dev":          true,
		"web.containerfile":       true,
		"dockerfile.go":           false,
		"dockerfiles":             false,
		"x.Dockerfile.dev":        false,
		"docker-bake.hcl":         false,
		"README.md":               false,
		"":                        false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("IsName(%q) = %v", name, got)
		}
	}
}
