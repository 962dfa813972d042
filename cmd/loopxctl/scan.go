package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/walk"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/scan"
)

// scanFlags say what the checks of a whole tree go by: the flags of "check",
// "floors check" and "lens" that make sense for all of them.
type scanFlags struct {
	acceptance
	operator
	fleet
	floors floorsInput
	sarif  []string
}

func newScanFlags(p *program) scanFlags { return scanFlags{acceptance: newAcceptance(p)} }

func (s *scanFlags) declare(cmd *cobra.Command) {
	s.acceptance.declare(cmd)
	s.operator.declare(cmd)
	s.declareWalk(cmd)
	s.floors.declareDatabase(cmd)
	flags := cmd.Flags()
	flags.StringVar(&s.floors.config, "config", "", "policy `FILE`, or "+noConfig+"; unless given, "+config.File+" at the root")
	flags.StringArrayVar(&s.sarif, "sarif", nil, "`FILE` with what another tool found, as SARIF 2.1.0; repeatable")
	complete(cmd, "config", cobra.FixedCompletions([]string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt))
	complete(cmd, "sarif", cobra.FixedCompletions([]string{"sarif", "json"}, cobra.ShellCompDirectiveFilterFileExt))
}

// scanned is a folder that is ready for [scan.Run]. It is to be closed.
type scanned struct {
	scan.Input
	// project is the folder, with its policy.
	project *floorsProject
}

// Close releases the folder.
func (s *scanned) Close() error { return s.project.Close() }

// open makes the input of the checks of the root of the repository that we stand
// in, or that --root names.
func (s *scanFlags) open(ctx context.Context) (*scanned, error) {
	s.floors.buildArgs = s.buildArgs
	options, err := s.floors.variables(s.program)
	if err != nil {
		return nil, err
	}
	here := "."
	if s.dir != "" {
		here = s.dir
	}
	root, err := s.floorsRoot(ctx, []string{here}, false)
	if err != nil {
		return nil, err
	}
	s.named, s.of, s.within = s.floors.config, []string{root.dir}, root.dir
	cfg, err := s.configure(&s.operator)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	out := &scanned{project: &floorsProject{floorsRoot: root, options: options}}
	out.Tree, out.Rewrite, out.Manifests, out.Now = root.FS(), cfg, options, now()
	if err := s.fill(ctx, out); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// fill reads what the checks go by, apart from the tree.
func (s *scanFlags) fill(ctx context.Context, out *scanned) (err error) {
	p := out.project
	if err := s.floors.judgedBy(ctx, s.program, p); err != nil {
		return err
	}
	out.Config, out.Database, out.Snapshot = p.Config, p.Database, p.Snapshot
	if out.Dockerfiles, err = s.dockerfiles(p.dir); err != nil {
		return err
	}
	if out.Trust, err = s.trust(ctx, &s.trustFlags, p.top.dir); err != nil {
		return err
	}
	if out.Trust.Source != "" {
		out.Trust.Repository, _ = s.id(ctx, p.top.dir) // without one no entry counts, and says so
	}
	for _, name := range s.sarif {
		out.Reports = append(out.Reports, scan.Report{Name: name, Open: func() (io.ReadCloser, error) { return openReport(name) }})
	}
	return nil
}

// dockerfiles are those below a folder, by their paths from there; none is a
// list that is empty, and not nil.
func (s *scanFlags) dockerfiles(dir string) ([]string, error) {
	found, err := walk.Find([]string{dir}, walk.Options{Include: s.include, Exclude: s.exclude, NoIgnore: s.noIgnore})
	if err != nil {
		return nil, err
	}
	for _, text := range found.Notes {
		s.note("loopxctl: note: %s", text)
	}
	names := []string{}
	for _, f := range found.Files {
		if f.Problem != nil {
			return nil, f.Problem
		}
		names = append(names, f.Path)
	}
	return names, nil
}
