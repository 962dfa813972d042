package rewrite

import (
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// oldSyntax says, as two clauses, that a file's syntax line names a Dockerfile
// frontend that knows no RUN --mount, and what to do; "" if it names none. Source:
// docker/dockerfile has it from 1.2 on, and in its experimental channel before.
func oldSyntax(src []byte) string {
	ref, _, loc, ok := parser.DetectSyntax(src)
	if !ok {
		return ""
	}
	tagged, _, _ := strings.Cut(ref, "@")
	name, tag, _ := strings.Cut(tagged, ":")
	if i := strings.LastIndexByte(name, '/'); i < 0 || !strings.HasSuffix(name[:i], "docker") || name[i+1:] != "dockerfile" {
		return ""
	}
	version, _, _ := strings.Cut(tag, "-")
	major, rest, ok := strings.Cut(version, ".")
	if !ok || major != "1" {
		return ""
	}
	rest, _, _ = strings.Cut(rest, ".")
	if minor, err := strconv.Atoi(rest); err != nil || minor >= 2 {
		return ""
	}
	line := 1
	if len(loc) > 0 {
		line = loc[0].Start.Line
	}
	return "the syntax line, line " + strconv.Itoa(line) + ", names " + ref + ", which has no RUN --mount: write docker/dockerfile:1 there"
}
