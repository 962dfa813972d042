package e2e

import (
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// fetches is a Dockerfile that fetches by every means, each in clear text.
const fetches = `FROM debian:bookworm-fetchers
ADD http://HOST/add /add
RUN curl -fsS http://HOST/curl -o /curl
RUN wget -q http://HOST/wget -O /wget
RUN git clone -q http://HOST/repo.git /repo
RUN grep -q ADD /add && grep -q curl /curl && grep -q wget /wget && grep -q git /repo/README
`

// TestEveryWayToCallIt builds the same Dockerfile by each of the ways in which
// a client can name a frontend image.
func TestEveryWayToCallIt(t *testing.T) {
	ours := testbed.FrontendImage(t)
	testbed.Fetchers(t, "bookworm")
	docker := func(line string, flags ...string) func(*testing.T, *host) testbed.Output {
		return func(t *testing.T, h *host) testbed.Output {
			c := call{dir: folder(t, map[string]string{"Dockerfile": line + h.expand(fetches)})}
			return c.buildx(t, append([]string{"build", "--no-cache", withCA(t, h.CA), "."}, flags...)...)
		}
	}
	buildctl := func(line string, flags ...string) func(*testing.T, *host) testbed.Output {
		return func(t *testing.T, h *host) testbed.Output {
			dir := folder(t, map[string]string{"Dockerfile": line + h.expand(fetches)})
			return testbed.Buildctl(t, dir, nil, append([]string{
				"build", "--progress=plain", "--no-cache", "--local=context=.", "--local=dockerfile=.",
				"--local=loopx-ca=" + h.CA.Dir(t), "--opt=context:loopx-ca=local:loopx-ca",
			}, flags...)...)
		}
	}
	for name, run := range map[string]func(*testing.T, *host) testbed.Output{
		"syntax line":                 docker(syntax(ours, "")),
		"syntax line, by another tag": docker(syntax("docker/dockerfile:1", ""), "--build-context=docker/dockerfile:1=docker-image://"+ours),
		"BUILDKIT_SYNTAX":             docker("", by(ours)),
		"BUILDKIT_SYNTAX, foreign":    docker(syntax(foreign, ""), by(ours)),
		"buildctl dockerfile":         buildctl(syntax(ours, ""), "--frontend=dockerfile.v0"),
		"buildctl gateway":            buildctl("", "--frontend=gateway.v0", "--opt=source="+ours),
		"buildctl gateway, foreign":   buildctl(syntax(foreign, ""), "--frontend=gateway.v0", "--opt=source="+ours),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{Repos: repos})
			got := run(t, h)
			if got.Code != 0 {
				t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
			}
			h.checkOverTLS(t, "/add", "/curl", "/repo.git", "/wget")
			checkContains(t, got.Stderr,
				h.expand("ADD http://HOST/add /add (1 fetch over TLS)\n"),
				h.expand("RUN curl -fsS http://HOST/curl -o /curl (1 fetch over TLS)\n"),
				h.expand("RUN wget -q http://HOST/wget -O /wget (1 fetch over TLS)\n"),
				h.expand("RUN git clone -q http://HOST/repo.git /repo (1 fetch over TLS)\n"))
		})
	}
}

// TestStockFetchesInClearText is what the other tests rest on: the same
// Dockerfile fetches in clear text by the stock image, and the servers see it.
func TestStockFetchesInClearText(t *testing.T) {
	t.Parallel()
	stock := testbed.StockImage(t)
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{Repos: repos})
	c := call{dir: folder(t, map[string]string{"Dockerfile": syntax(stock, h.expand(fetches))})}
	c.build(t, "build", "--no-cache", withCA(t, h.CA), ".")
	checkEqual(t, "in clear text", []string{"/add", "/curl", "/repo.git", "/wget"}, h.clear())
	checkEqual(t, "over TLS", nil, h.overTLS())
}

// TestForeignSyntaxWouldFail: the foreign line of the tests above can't be
// followed, and is by the stock image.
func TestForeignSyntaxWouldFail(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"Dockerfile": syntax(foreign, "FROM scratch\nCOPY Dockerfile /\n")})
	got := testbed.Buildctl(t, dir, nil, "build", "--progress=plain", "--frontend=gateway.v0",
		"--opt=source="+testbed.StockImage(t), "--local=context=.", "--local=dockerfile=.")
	if got.Code != 1 {
		t.Errorf("exit code %d", got.Code)
	}
	checkContains(t, got.Stderr, "failed to resolve source metadata for "+foreign)
}

// TestBake: a bake file sets the frontend for many targets, one of them built
// on another.
func TestBake(t *testing.T) {
	t.Parallel()
	h := newHost(t, testbed.MirrorOptions{})
	c := call{
		env: []string{"FRONTEND=" + testbed.FrontendImage(t)},
		dir: folder(t, map[string]string{
			"docker-bake.hcl": `
variable "FRONTEND" {}
group "default" {
  targets = ["one", "two", "upon"]
}
target "_fleet" {
  args     = { BUILDKIT_SYNTAX = FRONTEND }
  no-cache = true
  output   = ["type=cacheonly"]
}
target "one" {
  inherits   = ["_fleet"]
  dockerfile = "one.Dockerfile"
}
target "two" {
  inherits   = ["_fleet"]
  dockerfile = "two.Dockerfile"
}
target "upon" {
  inherits   = ["_fleet"]
  contexts   = { base = "target:one" }
  dockerfile = "upon.Dockerfile"
}
`,
			"one.Dockerfile":  h.expand("FROM scratch\nADD http://HOST/add /add\n"),
			"two.Dockerfile":  syntax(foreign, h.expand("FROM scratch\nADD http://HOST/curl /curl\n")),
			"upon.Dockerfile": h.expand("FROM base\nCOPY --from=base /add /again\nADD http://HOST/wget /wget\n"),
		}),
	}
	log := c.build(t, "bake")
	h.checkOverTLS(t, "/add", "/curl", "/wget")
	checkContains(t, log, h.expand("ADD http://HOST/wget /wget (1 fetch over TLS)\n"))
}
