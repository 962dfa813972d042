package frontend

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/moby/buildkit/solver/errdefs"
	"github.com/moby/buildkit/solver/pb"
)

// RefusedError ends a build whose Dockerfile has blockers: fetches that can't
// be moved to TLS, apt that can't be guarded, verification that is switched off,
// credentials in the text. It holds all of them.
type RefusedError struct {
	Findings []Finding
	// Dockerfile is its path from the root of the repository.
	Dockerfile string
	// BuildArgs are the names of those that the request has values for and the
	// Dockerfile names: what a reviewer signs for depends on them.
	BuildArgs []string
	// Folder is the build context's folder in the repository, "" for its root,
	// where acknowledgements are.
	Folder string
	// Locked says that no mode can be asked for.
	Locked bool
}

// Error lists the findings, each with its line and the ways out.
func (e *RefusedError) Error() string {
	var b strings.Builder
	b.WriteString(e.title())
	if !e.Locked {
		b.WriteString(" (LOOPX_MODE=audit warns instead)")
	}
	b.WriteString(":")
	for _, f := range e.Findings {
		b.WriteString("\n  ")
		if f.Source != nil && len(f.Ranges) > 0 {
			fmt.Fprintf(&b, "%s:%d: ", plain.Text(f.Source.Filename), startLine(f.Ranges))
		}
		fmt.Fprintf(&b, "%s [%s]", f.Message, strings.TrimSpace(f.Rule+" "+policy.ShortFingerprint(f.Fingerprint)))
		if f.Review != "" {
			fmt.Fprintf(&b, "; %s", f.Review)
		}
	}
	b.WriteString(e.wayOut())
	return b.String()
}

// wayOut says how a reviewer accepts what is not mended. The path is of whoever
// names files: a shell, and a terminal, must take it for what it is.
func (e *RefusedError) wayOut() string {
	i := slices.IndexFunc(e.Findings, func(f Finding) bool { return f.Fingerprint != "" })
	if i < 0 {
		return ""
	}
	const text = "\nWhat is not mended, a reviewer can sign for: loopxctl ack create "
	file := policy.Redact(e.Dockerfile)
	if plain.Text(file) != file {
		return text + "--help"
	}
	if !plainPath.MatchString(file) {
		file = "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	}
	command := text + "--file " + file + " --finding " + policy.ShortFingerprint(e.Findings[i].Fingerprint) + " --reason '…' --expires 30d"
	if len(e.BuildArgs) > 0 {
		command += ", with the build's --build-arg of " + strings.Join(e.BuildArgs, ", ")
	}
	if e.Folder != "" {
		command += fmt.Sprintf("; this build looks for %s in its context, the folder %s, and for %s in the context %s",
			ack.Path, plain.Text(e.Folder), path.Base(ack.Path), contextPolicy)
	}
	return command
}

// plainPath is a path that a shell takes as it is.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// title says what the findings are.
func (e *RefusedError) title() string {
	n := len(e.Findings)
	other := slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.Rule != llbpass.ClearTextRefused })
	switch {
	case other && n == 1:
		return "1 finding stops this build"
	case other:
		return fmt.Sprintf("%d findings stop this build", n)
	case n == 1:
		return "1 fetch can't be moved to TLS"
	}
	return fmt.Sprintf("%d fetches can't be moved to TLS", n)
}

// maxSources bounds the places that a client is asked to print: each carries
// the whole file.
const maxSources = 8

// refusal returns the error for the findings with the lines of the user's file
// that clients print under it.
func refusal(findings []Finding, cfg request) error {
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int { return startLine(a.Ranges) - startLine(b.Ranges) })
	findings = slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.Message == b.Message && startLine(a.Ranges) == startLine(b.Ranges)
	})
	err := error(&RefusedError{Findings: findings, Dockerfile: cfg.dockerfile, BuildArgs: namedArgs(findings, cfg.buildArgs), Folder: cfg.folder, Locked: cfg.settings.Lock != nil})
	var printed []*pb.Range
	for _, f := range findings {
		if f.Source == nil || len(f.Ranges) == 0 || len(printed) == maxSources {
			continue
		}
		if slices.ContainsFunc(printed, func(r *pb.Range) bool { return r.Start.Line == f.Ranges[0].Start.Line }) {
			continue
		}
		printed = append(printed, f.Ranges[0])
		err = errdefs.WithSource(err, &errdefs.Source{Info: f.Source, Ranges: f.Ranges})
	}
	return err
}

// namedArgs are the build args that the Dockerfile of the findings names.
func namedArgs(findings []Finding, buildArgs map[string]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(buildArgs)) {
		if argName.MatchString(name) && slices.ContainsFunc(findings, func(f Finding) bool { return bytes.Contains(f.Source.GetData(), []byte(name)) }) {
			all = append(all, name)
		}
	}
	return all
}

// argName is a name that is printed as it is.
var argName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
