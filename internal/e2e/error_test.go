package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestErrorsArePrintedAsStocks compares what docker buildx prints about a
// failed build: the lines of the Dockerfile with its marks, and the error.
func TestErrorsArePrintedAsStocks(t *testing.T) {
	stock, ours := testbed.StockImage(t), testbed.FrontendImage(t)
	testbed.Fetchers(t, "bookworm")
	for name, c := range map[string]struct {
		dockerfile string
		want       []string // parts of what is printed
	}{
		"failing RUN": {
			"FROM debian:bookworm-fetchers\n\nRUN echo http://HOST/ >/dev/null; \\\n  exit 3\nUSER me\n",
			[]string{
				"Dockerfile:4\n",
				"   4 | >>> RUN echo http://HOST/ >/dev/null; \\\n   5 | >>>   exit 3\n   6 |     USER me\n",
				"did not complete successfully: exit code: 3\n",
			},
		},
		"failing heredoc": {
			"FROM debian:bookworm-fetchers\nRUN <<EOF\nset -e\nexit 4\nEOF\n",
			[]string{"   3 | >>> RUN <<EOF\n   4 | >>> set -e\n   5 | >>> exit 4\n   6 | >>> EOF\n", "exit code: 4\n"},
		},
		"missing file": {
			"FROM scratch\nCOPY no-such-file /\n",
			[]string{"   3 | >>> COPY no-such-file /\n", `"/no-such-file": not found`},
		},
		"unknown instruction": {
			"FROM scratch\nRUNN curl http://HOST/\n",
			[]string{"   3 | >>> RUNN curl http://HOST/\n", "dockerfile parse error on line 3: unknown instruction: RUNN (did you mean RUN?)"},
		},
		"unknown flag": {
			"FROM scratch\nADD --sum=1 http://HOST/add /\n",
			[]string{"   3 | >>> ADD --sum=1 http://HOST/add /\n", "dockerfile parse error on line 3: unknown flag: --sum"},
		},
		"unterminated heredoc": {
			"FROM scratch\nRUN <<EOF\ncurl http://HOST/\n",
			[]string{"   3 | >>> RUN <<EOF\n   4 | >>> curl http://HOST/\n", "unterminated heredoc"},
		},
		"bad ADD": {
			"FROM scratch\nADD http://HOST/add\n",
			[]string{"   3 | >>> ADD http://HOST/add\n", "dockerfile parse error on line 3: ADD requires at least two arguments"},
		},
		"no stage": {
			"ARG X=http://HOST/\n",
			[]string{"dockerfile contains no stages to build\n"},
		},
		"unknown base": {
			"FROM scratch AS here\nFROM there AS there\n",
			[]string{"   3 | >>> FROM there AS there\n", "docker.io/library/there:latest: not found\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{})
			fail := func(frontend string) string {
				log := callOf(t, syntax(frontend, h.expand(c.dockerfile))).fails(t, "build", "--no-cache", ".")
				return failure(strings.ReplaceAll(log, frontend, "FRONTEND"))
			}
			want, got := fail(stock), fail(ours)
			checkEqual(t, "what is printed", want, got)
			for _, part := range c.want {
				checkContains(t, got, h.expand(part))
			}
		})
	}
}

// failure is what buildx prints about a failed build after its progress,
// without ids of the daemon.
func failure(log string) string {
	// The first line after the progress; without an output there is a hint before it.
	_, end, _ := strings.Cut(log, "load image into docker use --load\n")
	return regexp.MustCompile(`\b[0-9a-z]{25}::[0-9a-z]{25}\b`).ReplaceAllString(end, "ID")
}

// TestMovedRunFailsOnTheUsersLine: the marks stand on the user's own text when
// a fetch fails that was moved, and the error shows what ran.
func TestMovedRunFailsOnTheUsersLine(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{})
	c := callOf(t, syntax(testbed.FrontendImage(t), h.expand("FROM debian:bookworm-fetchers\nRUN true \\\n  && curl -fsS http://HOST/missing\n")))
	log := c.fails(t, "build", "--no-cache", withCA(t, h.CA), ".")
	checkContains(t, log,
		"Dockerfile:3\n",
		h.expand("   3 | >>> RUN true \\\n   4 | >>>   && curl -fsS http://HOST/missing\n"),
		h.expand(`process "/bin/sh -c true   && curl -fsS https://HOST/missing" did not complete successfully: exit code: 22`))
	h.checkOverTLS(t, "/missing")
}

// TestUntrustedServerIsNoClearText: a certificate that nobody vouches for
// fails the build, by every means, and nothing falls back to clear text.
func TestUntrustedServerIsNoClearText(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	ours := testbed.FrontendImage(t)
	for name, step := range map[string]string{
		"ADD":            "ADD http://HOST/add /add",
		"ADD repository": "ADD http://HOST/repo.git /repo",
		"curl":           "RUN curl -fsS http://HOST/curl",
		"wget":           "RUN wget -q http://HOST/wget",
		"git":            "RUN git clone -q http://HOST/repo.git",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{Repos: repos, CA: testbed.NewCA(t, "unknown")})
			callOf(t, h.expand("FROM debian:bookworm-fetchers\n"+step+"\n")).fails(t, "build", by(ours), "--no-cache", ".")
			h.checkOverTLS(t)
		})
	}
}
