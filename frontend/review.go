package frontend

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/solver/pb"
)

// Finding is one thing to tell of a build.
type Finding struct {
	llbpass.Finding
	// Fingerprint names the finding where a reviewer may sign for it, "" where
	// it is not of the Dockerfile's text: what a base image brings.
	Fingerprint string
	// Acknowledged is what a reviewer signed for, nil if nobody did.
	Acknowledged *lens.Acknowledgement
	// Review says what became of an acknowledgement that does not count, "" if
	// there is none.
	Review string
}

// textRules are the rules of rewrite.Rules that a build tells by the text of the
// Dockerfile. The pass tells the others of what is built, or they are advice, or
// about editing the text.
func textRules() []string {
	return []string{
		"VerificationOff", "SignatureOff", "CredentialInFile", "CredentialInVariable",
		"CurlPipeShell", "ValidityOff", "KeyAutoImport", "UnquotedRequirement", "MisplacedDirective",
	}
}

// review is what the text of the Dockerfile says about a build. It is read once,
// and acknowledgements only if there is a blocker.
type review struct {
	gateway *gateway

	mu     sync.Mutex
	text   *reviewed // nil until the text was read
	signed bool      // the acknowledgements were asked for
}

// reviewed is a Dockerfile with its findings. Of the plan's, only those of lines
// that take part in the build are judged.
type reviewed struct {
	info     *pb.SourceInfo
	plan     *rewrite.Plan
	target   string
	built    []int // lines of steps, where the text doesn't show that they take part
	needed   func(line int) bool
	told     map[int]bool // the findings of the text, by their place in the plan
	findings []lens.Shadowed
	source   dockerfile.Source
	outcomes []ack.Outcome // nil before the acknowledgements are asked for
	problem  string        // why none could be read, "" if they could
}

// judge returns the findings of a pass as those of the build. They come with
// those of the text that were not told: the first time, and where a definition
// has steps of further stages. def is what the pass ran on, nil if all
// definitions are solved.
func (r *review) judge(ctx context.Context, def *pb.Definition, found []llbpass.Finding) ([]Finding, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gateway.reporter.cfg.quiet {
		return asFound(found), nil
	}
	if r.text == nil {
		if err := r.read(ctx, def); err != nil || r.text == nil {
			return asFound(found), err
		}
	}
	r.text.include(def)
	untold := r.text.untold()
	if !r.signed && slices.ContainsFunc(slices.Concat(asFound(found), r.text.own(untold)), blocks) {
		r.signed = true
		if err := r.text.verify(ctx, r.gateway); err != nil {
			return nil, err
		}
	}
	all := make([]Finding, len(found), len(found)+len(untold))
	for i, f := range found {
		all[i] = r.text.matched(f)
	}
	for _, i := range untold {
		r.text.told[i] = true
	}
	return append(all, r.text.own(untold)...), nil
}

// done reports whether the text was read.
func (r *review) done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text != nil
}

func asFound(found []llbpass.Finding) []Finding {
	all := make([]Finding, len(found))
	for i, f := range found {
		all[i] = Finding{Finding: f}
	}
	return all
}

// blocks reports whether a finding stops a build that is not an audit.
func blocks(f Finding) bool { return f.Severity == rewrite.Blocker && f.Acknowledged == nil }

// read reads the Dockerfile. It leaves text nil if def is not made of it.
func (r *review) read(ctx context.Context, def *pb.Definition) error {
	info, err := r.dockerfile(ctx, def)
	if err != nil || info == nil {
		return err
	}
	cfg := r.gateway.reporter.cfg
	plan, err := rewrite.New(info.Data, rewrite.Config{Route: cfg.route, BuildArgs: cfg.buildArgs})
	if err != nil {
		return err
	}
	r.text = newReviewed(info, plan, r.gateway.opts.Opts)
	return nil
}

func newReviewed(info *pb.SourceInfo, plan *rewrite.Plan, opts map[string]string) *reviewed {
	t := &reviewed{info: info, plan: plan, target: opts[keyTarget], told: map[int]bool{}}
	t.needed = plan.Needed(t.target)
	t.source = dockerfile.Source{Name: info.Filename, Path: dockerfilePath(opts, info.Filename), Text: info.Data, Plan: plan}
	t.findings = t.source.Findings()
	return t
}

// keyTarget is BuildKit's option for the stage to build.
const keyTarget = "target"

// dockerfile returns the user's Dockerfile as the sources of a definition have
// it. Where that is not plain, since another build's result came in, or there is
// no definition, it is read once more.
func (r *review) dockerfile(ctx context.Context, def *pb.Definition) (*pb.SourceInfo, error) {
	foreign, err := r.gateway.inputs.digests(ctx, r.gateway)
	if err != nil {
		return nil, err
	}
	infos := def.GetSource().GetInfos()
	switch {
	case len(infos) == 1 && len(foreign) == 0:
		return infos[0], nil
	case def != nil && len(infos) == 0:
		return nil, nil
	}
	bc, err := dockerui.NewClient(besides{r.gateway})
	if err != nil {
		return nil, err
	}
	src, err := bc.ReadEntrypoint(ctx, "Dockerfile")
	if err != nil {
		return nil, err
	}
	return &pb.SourceInfo{
		Data: src.Data, Filename: src.Filename, Language: src.Language, Definition: src.SourceMap.Definition.ToPB(),
	}, nil
}

// verify asks which blockers a reviewer signed for.
func (t *reviewed) verify(ctx context.Context, g *gateway) error {
	s, err := g.signatures.read(ctx, g)
	if err != nil {
		return err
	}
	t.problem = s.problem
	if len(s.entries) > 0 {
		t.outcomes = ack.Acknowledge(t.findings, t.source.Subjects(t.findings), s.entries, s.trust, s.now).Findings
	}
	return nil
}

// include counts the stages that a definition has steps of: a trigger of a base
// image can copy from a stage that nothing in the text needs.
func (t *reviewed) include(def *pb.Definition) {
	infos := def.GetSource().GetInfos()
	var more []int
	for _, locations := range def.GetSource().GetLocations() {
		for _, at := range locations.GetLocations() {
			line, i := startLine(at.GetRanges()), int(at.GetSourceIndex())
			if line > 0 && i >= 0 && i < len(infos) && bytes.Equal(infos[i].GetData(), t.info.GetData()) && !t.needed(line) {
				more = append(more, line)
			}
		}
	}
	if len(more) > 0 {
		t.built = append(t.built, more...)
		t.needed = t.plan.Needed(t.target, t.built...)
	}
}

// untold are the findings that the text alone tells of and that were not told,
// by their place in the plan.
func (t *reviewed) untold() []int {
	var all []int
	for i, f := range t.plan.Findings {
		if slices.Contains(textRules(), f.Rule) && !t.told[i] && t.needed(f.Range.Start.Line) {
			all = append(all, i)
		}
	}
	return all
}

// own makes findings of the build of some of the text.
func (t *reviewed) own(which []int) []Finding {
	all := make([]Finding, len(which))
	for n, i := range which {
		f := t.plan.Findings[i]
		all[n] = t.finding(i, llbpass.Finding{
			Rule: f.Rule, Severity: f.Severity, Message: f.Message,
			Source: t.info, Ranges: []*pb.Range{pbRange(f.Range)},
		})
	}
	return all
}

// matched finds a pass's finding in the text. The text may have it several
// times, and only if a reviewer signed for each is it acknowledged: the place of
// an op is that of the command, and of a value in the text that of its ARG. What
// another command does, which the text shows, is never the finding: this one's
// value may come from the base image, where nobody can sign for it.
func (t *reviewed) matched(f llbpass.Finding) Finding {
	out := Finding{Finding: f}
	if f.Source != nil && !bytes.Equal(f.Source.GetData(), t.info.GetData()) {
		return out // another build's file
	}
	for i, planned := range t.plan.Findings {
		if planned.Rule != f.Rule || planned.Message != f.Message || !t.needed(planned.Range.Start.Line) {
			continue
		}
		if line := startLine(f.Ranges); line > 0 && !t.plan.Reaches(planned, line) {
			continue
		}
		if out = t.finding(i, f); out.Acknowledged == nil {
			break
		}
	}
	return out
}

func (t *reviewed) finding(i int, f llbpass.Finding) Finding {
	out := Finding{Finding: f, Fingerprint: t.findings[i].Fingerprint, Acknowledged: t.findings[i].Acknowledged}
	switch {
	case out.Acknowledged != nil:
	case t.problem != "":
		out.Review = t.problem
	case t.outcomes != nil && t.outcomes[i].Entry >= 0:
		out.Review = policy.Line(plain.Text(t.outcomes[i].Why))
	}
	return out
}

// pbRange turns a half-open range with columns from 1 into BuildKit's.
func pbRange(r rewrite.Range) *pb.Range {
	at := lineRange(r)
	return &pb.Range{
		Start: &pb.Position{Line: int32(at.Start.Line), Character: int32(at.Start.Character)},
		End:   &pb.Position{Line: int32(at.End.Line), Character: int32(at.End.Character)},
	}
}
