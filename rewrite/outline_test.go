package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite"
)

func TestOutline(t *testing.T) {
	t.Parallel()
	const src = `ARG SUITE=bookworm
FROM debian:${SUITE}-slim AS base
FROM --platform=$BUILDPLATFORM Base AS tools
COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /uv
COPY --from=base /a /a
COPY --from=0 /b /b
RUN --mount=type=bind,from=alpine:3.22,target=/x true
ARG V=1
COPY --from=img:$V /c /c
FROM unknown:${TAG}
ONBUILD COPY --from=later /d /d
FROM tools
`
	o, err := rewrite.NewOutline([]byte(src), rewrite.Config{BuildArgs: map[string]string{"SUITE": "trixie"}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range o.Stages {
		fmt.Fprintf(&b, "%d %s base %d image %q", s.Range.Start.Line, s.Name, s.Base, s.Image)
		for _, u := range s.Uses {
			fmt.Fprintf(&b, " %d:%s", u.Range.Start.Line, u.Image)
		}
		b.WriteString("\n")
	}
	want := `2 base base -1 image "debian:trixie-slim"
3 tools base 0 image "" 4:ghcr.io/astral-sh/uv:0.9 7:alpine:3.22 9:img:1
10 2 base -1 image "unknown:${TAG}" 11:later
12 3 base 1 image ""
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]int{"ARG SUITE": -1, "FROM debian": 0, "ARG V": 1, "FROM tools": 3} {
		if got := o.StageAt(strings.Index(src, text)); got != want {
			t.Errorf("%s is in stage %d, want %d", text, got, want)
		}
	}
	if len(o.Commands) != 1 || o.Commands[0].Stage != "tools" {
		t.Errorf("commands: %v", o.Commands)
	}
}
