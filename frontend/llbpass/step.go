package llbpass

import (
	"slices"

	"github.com/containerd/platforms"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
)

// Step is one vertex that the pass changed: a RUN, an ADD, a git source. The
// names in JSON are those of the frontend's report.
type Step struct {
	// Name is the vertex's as the stock frontend gives it but for userinfo,
	// "" if it has none.
	Name string `json:"name,omitempty"`
	// Platform is that of the vertex, "" if it has none: "linux/arm64".
	Platform string `json:"platform,omitempty"`
	// File and Line say where it comes from, "" and 0 if that is not known.
	// Lines count from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Apt says why the step's apt is guarded, "" if it is not.
	Apt string `json:"apt,omitempty"`
	// Fetches are those that moved.
	Fetches []Move `json:"fetches,omitempty"`
}

// Equal reports whether two steps say the same.
func (s Step) Equal(o Step) bool {
	return s.Name == o.Name && s.Platform == o.Platform && s.File == o.File && s.Line == o.Line &&
		s.Apt == o.Apt && slices.Equal(s.Fetches, o.Fetches)
}

// Move is a fetch that goes elsewhere than it was written. From and To are
// without userinfo.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Action is "upgrade" or "mirror".
	Action string `json:"action"`
	// Rule is the decision's.
	Rule string `json:"rule"`
}

// step records what was done to v.
func (r *run) step(v *vertex, name, apt string, moved []Move) {
	if apt == "" && len(moved) == 0 {
		return
	}
	s := Step{Name: route.RedactText(name), Platform: platformName(v.op.GetPlatform()), Apt: apt, Fetches: moved}
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
func moves(fetches []words.Fetch) []Move {
	var out []Move
	for _, f := range fetches {
		out = append(out, move(f.URL, f.Decision))
	}
	return out
}

func move(url string, d route.Decision) Move {
	return Move{From: route.Redact(url), To: route.Redact(d.To), Action: d.Action.String(), Rule: d.Rule}
}

// platformName is a platform in containerd's notation.
func platformName(p *pb.Platform) string {
	if p.GetOS() == "" {
		return ""
	}
	return platforms.Format(p.Spec())
}
