package llbpass

import (
	"github.com/containerd/platforms"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// step records what was done to v.
func (r *run) step(v *vertex, name, apt string, moved []buildreport.Move) {
	if apt == "" && len(moved) == 0 {
		return
	}
	s := buildreport.Step{Name: route.RedactText(name), Platform: platformName(v.op.GetPlatform()), Apt: apt, Fetches: moved}
	infos := r.graph.in.GetSource().GetInfos()
	for _, loc := range r.graph.locationsOf(v) {
		if i := int(loc.SourceIndex); i >= 0 && i < len(infos) && len(loc.Ranges) > 0 {
			s.File, s.Line = infos[i].GetFilename(), int(loc.Ranges[0].GetStart().GetLine())
			break
		}
	}
	r.steps = append(r.steps, s)
}

// moves turns fetches that moved into what a report says of them.
func moves(fetches []words.Fetch) []buildreport.Move {
	var out []buildreport.Move
	for _, f := range fetches {
		out = append(out, move(f.URL, f.Decision))
	}
	return out
}

func move(url string, d route.Decision) buildreport.Move {
	return buildreport.Move{From: route.Redact(url), To: route.Redact(d.To), Action: d.Action.String(), Rule: d.Rule}
}

// platformName is a platform in containerd's notation.
func platformName(p *pb.Platform) string {
	if p.GetOS() == "" {
		return ""
	}
	return platforms.Format(p.Spec())
}
