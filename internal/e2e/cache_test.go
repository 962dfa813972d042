package e2e

import (
	"crypto/rand"
	"regexp"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestCacheIsSharedWithStock: steps that need nothing are in one cache with
// those of the stock image, whichever built first.
func TestCacheIsSharedWithStock(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	frontends := map[string]string{"stock": testbed.StockImage(t), "ours": testbed.FrontendImage(t)}
	for first, second := range map[string]string{"stock": "ours", "ours": "stock"} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			c := call{dir: folder(t, map[string]string{
				"file": rand.Text(),
				"Dockerfile": `FROM debian:bookworm-fetchers
COPY file /
RUN cp /file /copy && echo http://localhost:8080/ >/address
RUN --mount=type=cache,target=/cache sha256sum /file >/sum
`,
			})}
			checkEqual(t, "steps cached at first", 0, cached(c.build(t, "build", by(frontends[first]), ".")))
			checkEqual(t, "steps cached then", 3, cached(c.build(t, "build", by(frontends[second]), ".")))
		})
	}
}

// cached counts the steps after FROM that were not run again.
func cached(log string) int {
	return len(regexp.MustCompile(`(?m)^#\d+ \[(?:\S+ )?[2-9]/\d\] (?:RUN|COPY|ADD) .*\n#\d+ CACHED$`).FindAllString(log, -1))
}

// TestMovedStepsAreCached: a second build with the same CA runs nothing, and a
// build with another CA runs again what was given it.
func TestMovedStepsAreCached(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	ours := testbed.FrontendImage(t)
	h := newHost(t, testbed.MirrorOptions{})
	c := call{dir: folder(t, map[string]string{
		"file":       rand.Text(),
		"Dockerfile": h.expand("FROM debian:bookworm-fetchers\nCOPY file /\nRUN cp /file /copy\nRUN curl -fsS http://HOST/curl -o /curl\n"),
	})}
	checkEqual(t, "steps cached at first", 0, cached(c.build(t, "build", by(ours), withCA(t, h.CA), ".")))
	h.checkOverTLS(t, "/curl")
	checkEqual(t, "steps cached with the same CA", 3, cached(c.build(t, "build", by(ours), withCA(t, h.CA), ".")))
	h.checkOverTLS(t)

	more := h.CA.Dir(t)
	writeFile(t, more+"/more.crt", testbed.NewCA(t, "more").PEM)
	checkEqual(t, "steps cached with one CA more", 2, cached(c.build(t, "build", by(ours), "--build-context=loopx-ca="+more, ".")))
	h.checkOverTLS(t, "/curl")
}

// TestCacheOutlivesTheFrontend: another release of the frontend that gives a
// guarded RUN the same finds it in the cache.
func TestCacheOutlivesTheFrontend(t *testing.T) {
	t.Parallel()
	testbed.Base(t, "bookworm")
	const offline = "apt-get update -o Dir::Etc::sourcelist=- -o Dir::Etc::sourceparts=-"
	c := call{dir: folder(t, map[string]string{
		"file":       rand.Text(),
		"Dockerfile": "FROM debian:bookworm-slim\nCOPY file /\nRUN " + offline + "\nRUN su - -c '" + offline + "'\n",
	})}
	checkEqual(t, "steps cached at first", 0, cached(c.build(t, "build", by(testbed.FrontendImage(t)), ".")))
	log := c.build(t, "build", by(testbed.FrontendImage(t, "linux/amd64", "linux/arm64")), ".")
	checkEqual(t, "steps cached then", 3, cached(log))
	checkContains(t, log, "RUN "+offline+" (apt over TLS)")
}
