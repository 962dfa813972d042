package frontend

import (
	"context"
	"fmt"
	"strings"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/solver/errdefs"
	"github.com/moby/buildkit/solver/pb"
)

// foreignSyntax returns an error on the syntax line of a Dockerfile that names
// a frontend for something else than Dockerfiles, nil if there is none.
//
// A syntax line is never followed: where the request did not come by one, the
// file is built as a Dockerfile. A caller who wants the stock frontend's answers
// (LOOPX_CHECKS=off) learns that the line was not followed, where the stock
// frontend would have followed it, by the failure that it also gets for a
// frontend that can't be found.
func foreignSyntax(ctx context.Context, g *gateway) error {
	if _, ok := g.Client.BuildOpts().Opts[keyCmdline]; ok || !g.reporter.cfg.quiet {
		return nil
	}
	bc, err := dockerui.NewClient(g)
	if err != nil {
		return err
	}
	src, err := bc.ReadEntrypoint(ctx, "Dockerfile")
	if err != nil {
		return err
	}
	ref, _, loc, ok := parser.DetectSyntax(src.Data)
	if !ok || forDockerfiles(ref) {
		return nil
	}
	return atSource(fmt.Errorf("the frontend %s is not followed: take the syntax line out, or build with that frontend", ref),
		src.SourceMap, loc)
}

// forDockerfiles reports whether the last part of the image's path says that it
// is a frontend for Dockerfiles, as docker/dockerfile and its kin do.
func forDockerfiles(ref string) bool {
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	return strings.HasPrefix(name, "dockerfile") || strings.HasPrefix(name, "loopx-frontend")
}

// atSource returns err with the place that clients print under it.
func atSource(err error, sm *llb.SourceMap, at []parser.Range) error {
	s := &errdefs.Source{Info: &pb.SourceInfo{
		Data: sm.Data, Filename: sm.Filename, Language: sm.Language, Definition: sm.Definition.ToPB(),
	}}
	for _, r := range at {
		s.Ranges = append(s.Ranges, &pb.Range{
			Start: &pb.Position{Line: int32(r.Start.Line), Character: int32(r.Start.Character)},
			End:   &pb.Position{Line: int32(r.End.Line), Character: int32(r.End.Character)},
		})
	}
	return errdefs.WithSource(err, s)
}
