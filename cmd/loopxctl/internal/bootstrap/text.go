package bootstrap

import (
	"fmt"
	"strings"
	"time"
)

// Names of the stages.
const (
	runnerStage = "runner"
	checkStage  = "check"
)

// killAfter is how long apt may take to end once its deadline has passed.
const killAfter = 10 * time.Second

// Dockerfile is the text, in which nothing yet has apt fetch over TLS. Its first stage
// is the source image with the packages; the stage "check" fails where a command
// is missing and is in no image; the last one is the first again.
//
// Only the RUN that needs it is root's. Where the source image's own user is not
// known, the text names none: the RUN of an image that isn't root's then fails.
//
// What is in it comes from a Spec that [New] has checked, so nothing in it needs
// to be quoted.
func (s *Spec) Dockerfile() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# By loopxctl bootstrap: %s, and what a benchmark runner needs in it.\n", s.Source)
	fmt.Fprintf(&b, "\nFROM %s AS %s\n", s.Source, runnerStage)
	switch {
	case !s.UserKnown:
		fmt.Fprintf(&b, "# The user of %s is not known. If it isn't root, the next step fails.\n", s.Source)
	case !s.isRoot():
		b.WriteString("USER root\n")
	}
	s.install(&b)
	if s.UserKnown && !s.isRoot() {
		fmt.Fprintf(&b, "USER %s\n", strings.ReplaceAll(s.User, "$", `\$`))
	}
	if len(s.Commands) == 0 {
		return []byte(b.String())
	}
	fmt.Fprintf(&b, `
# Not in the image: "docker build --target %s" fails where a command is missing.
FROM %s AS %s
RUN for c in %s; do \
      command -v "$c" >/dev/null || { echo "the image has no command $c" >&2; exit 1; }; \
    done

FROM %s
`, checkStage, runnerStage, checkStage, strings.Join(s.Commands, " "), runnerStage)
	return []byte(b.String())
}

// install writes the RUN. In it apt runs in a shell of its own, so that one
// deadline holds for all of its commands. A name that is no package is not taken
// for a pattern, and nothing of the task's image is removed.
func (s *Spec) install(b *strings.Builder) {
	options := fmt.Sprintf("-o Acquire::Retries=%d -o Acquire::http::Timeout=%[2]d -o Acquire::https::Timeout=%[2]d", s.Retries, seconds(s.Timeout))
	fmt.Fprintf(b, `RUN set -eu; \
    deadline='timeout -k %d %d'; \
    command -v timeout >/dev/null || deadline=; \
    DEBIAN_FRONTEND=noninteractive $deadline sh -euc '\
      apt-get %s update; \
      apt-get %s -o APT::Cmd::Pattern-Only=true install -y --no-install-recommends --no-remove %s; \
      apt-get clean'; \
    rm -rf /var/lib/apt/lists/*
`, seconds(killAfter), seconds(s.Deadline), options, options, strings.Join(s.Packages, " "))
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
