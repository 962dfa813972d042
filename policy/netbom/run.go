package netbom

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Sentences about what is not recorded of a RUN.
const (
	guardNote = "what apt fetched: each address went over TLS or to the operator's mirror, but for hosts that the operator keeps; " +
		"neither the addresses nor the packages are recorded"
	bareApt = "apt ran without the guard: where its sources point decided how it fetched, and that is not recorded"
	mayApt  = "If it ran apt, the guard served it."
	unseen  = "What else this command fetched is not recorded: provenance holds its text, not its requests."
	inProxy = "It ran in the proxy network, which records the requests of all RUNs together."
)

// run lists what a RUN's command names, and what it may have fetched.
func (l *lister) run(op *provenance.Step) {
	run := op.Run
	if !run.Networked() {
		l.offline++
		return
	}
	step := l.step(op)
	if step == nil {
		step = l.add(elsewhere(ofOthers), Step{Text: oneLine(strings.Join(run.Args, " "))})
	}
	step.Network = run.Network
	res := words.Analyse(run.Words(), l.table)
	use := rewrite.Apt(run.Words(), res)
	fetches := use.Reason != "" || slices.ContainsFunc(res.Commands, words.Fetches)
	if !fetches && len(res.Fetches) == 0 {
		l.silent++
		return
	}
	if l.build.Proxy != nil {
		step.Network = "proxy"
		l.networked = append(l.networked, step)
		return
	}
	step.Guarded = l.guarded(run, step)
	file, in := l.instruction(op)
	for _, f := range res.Fetches {
		l.word(step, f, file, in)
	}
	if run.Masked() && clearAddresses(words.Analyse(run.Unmasked(), l.table)) > clearAddresses(res) {
		l.put(step, Fetch{Kind: KindWord, Asked: "***", From: "***", Over: Clear, Layer: Words, Note: "an address that is not shown, as it may be a secret"})
	}
	switch past := passes(use, run); {
	case step.Guarded && past != "":
		l.put(step, Fetch{Kind: KindPackages, Over: Unknown, Layer: Apt, Note: past})
	case step.Guarded && use.Certain:
		l.put(step, Fetch{Kind: KindPackages, Over: Guard, Layer: Apt, Note: guardNote})
	case step.Guarded && use.Reason != "":
		step.say(mayApt)
	case use.Certain:
		l.put(step, Fetch{Kind: KindPackages, Over: Unknown, Note: bareApt})
	}
	if fetches && !onlyApt(use, res) {
		step.say(unseen)
	}
}

// clearAddresses counts the addresses in clear text that lead to another machine.
func clearAddresses(res words.Result) int {
	n := 0
	for _, f := range res.Fetches {
		scheme, _, _ := strings.Cut(f.URL, "://")
		if overOf(strings.ToLower(scheme)) == Clear && f.Role != route.AptSource && f.Decision.Rule != "loopback" && f.Decision.Rule != "wildcard" {
			n++
		}
	}
	return n
}

// passes says how apt in a guarded RUN goes past the guard; "" if it does not.
func passes(use rewrite.AptUse, run *provenance.Run) string {
	switch {
	case use.Tampering != "":
		return "apt is told to take its methods or configuration from elsewhere than the guard: " + oneLine(use.Tampering) + "; how it fetched is not recorded"
	case use.Lost && !run.Covered():
		return oneLine(strings.Join(use.Drops, ", ")) + " takes the guard away from apt; how it fetched is not recorded"
	case use.Outside != "":
		return oneLine(use.Outside) + "; how it fetched is not recorded"
	}
	return ""
}

// guarded reports whether the frontend's guard was mounted in a RUN. A mount of
// the same form from another image is none.
func (l *lister) guarded(run *provenance.Run, step *Step) bool {
	g, f := run.Guard, l.build.Frontend
	switch {
	case g == nil || !g.Apt:
		return false
	case f.Digest != "" && g.Digest != f.Digest:
		step.say("What is mounted where the guard would be is of another image than the frontend: " + oneLine(g.Image) + ".")
		return false
	case f.Digest == "":
		step.say("The guard is of the image " + oneLine(g.Image) + "; what made the definition is not recorded as an image.")
	}
	return true
}

// onlyApt reports whether apt is all of what a command runs that fetches.
func onlyApt(use rewrite.AptUse, res words.Result) bool {
	return use.Certain && !slices.ContainsFunc(res.Commands, func(name string) bool {
		return words.Fetches(name) && !strings.HasPrefix(name, "apt")
	})
}

// word lists an address that a command names.
func (l *lister) word(step *Step, w words.Fetch, file *file, in instruction) {
	url := route.Redact(w.URL)
	scheme, _, ok := strings.Cut(url, "://")
	f := Fetch{Kind: KindWord, Asked: url, From: url, Host: hostOf(url), Over: overOf(strings.ToLower(scheme))}
	switch w.Role {
	case route.Fetch, route.Keyserver:
	case route.Word:
		f.Note = "an address in the command; whether it is fetched is not known"
	case route.PackageConfig:
		f.Note = "an address that becomes configuration of a package manager"
	default:
		return
	}
	if !ok {
		f.Over, f.Host = Unknown, ""
	}
	if f.Over == Clear {
		switch w.Decision.Rule {
		case "loopback", "wildcard":
			f.Over = Local
		default:
			f.Note = why(w.Decision)
		}
	}
	l.moved(&f, file, in, Words)
	l.put(step, f)
}

// why says why an address in clear text was fetched as it was.
func why(d route.Decision) string {
	switch d.Action {
	case route.Keep, route.Refuse:
		return d.Why
	}
	return "nothing moved it to TLS"
}

// proxied is the step that has what RUNs fetched through the proxy network: the
// RUN, if only one may have, since the daemon records no more.
func (l *lister) proxied() *Step {
	if len(l.networked) == 1 {
		return l.networked[0]
	}
	return l.at(elsewhere(ofProxy), Step{Text: "RUNs in the proxy network", Network: "proxy"})
}

// incomplete lists the requests that the proxy network could not record.
func (l *lister) incomplete() {
	if l.build.Proxy == nil {
		return
	}
	for _, s := range l.networked {
		if len(l.networked) > 1 {
			s.say(inProxy)
		}
	}
	byID := map[string]*provenance.Step{}
	for i := range l.build.Steps {
		byID[l.build.Steps[i].ID] = &l.build.Steps[i]
	}
	for _, in := range l.build.Proxy.Incomplete {
		var step *Step
		if op := byID[in.Step]; op != nil {
			step = l.step(op)
		}
		if step == nil {
			step = l.proxied()
		}
		from := in.URI
		if in.Final != "" {
			from = in.Final
		}
		scheme, _, _ := strings.Cut(from, "://")
		l.put(step, Fetch{
			Kind: KindRequest, Asked: in.URI, From: from, Host: hostOf(from), Over: overOf(scheme), Layer: Proxy,
			Note: "a " + oneLine(in.Method) + " request, whose answer is not recorded: " + strings.ReplaceAll(oneLine(in.Reason), "_", " "),
		})
	}
}

// moved lists what the report says was moved, for builds whose provenance has no
// steps. Of what is a material of b it tells nothing again.
func moved(report *buildreport.Report, platform string, b *provenance.Build) []Step {
	steps := []Step{}
	if report == nil {
		return steps
	}
	materials := map[string]bool{}
	if b != nil {
		for _, m := range b.Materials {
			materials[m.URI] = true
		}
	}
	for _, s := range report.Steps {
		if s.Platform != "" && platform != "" && s.Platform != platform {
			continue
		}
		step := Step{Text: oneLine(s.Name), File: s.File, Line: s.Line, Guarded: s.Apt != "", Fetches: []Fetch{}, Unknown: []string{}}
		for _, m := range s.Fetches {
			if materials[m.To] {
				continue
			}
			step.Fetches = append(step.Fetches, reportedFetch(s, m))
		}
		if s.Apt != "" {
			step.guardReported(s.Apt)
		}
		if len(step.Fetches) > 0 || len(step.Unknown) > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// guardReported says of a step that the report has as guarded what run says of
// one that provenance has.
func (s *Step) guardReported(reason string) {
	if strings.HasPrefix(reason, "runs ") {
		s.Fetches = append(s.Fetches, Fetch{Kind: KindPackages, Over: Guard, Layer: Apt, Note: guardNote})
		return
	}
	s.say(mayApt)
}

func reportedFetch(s buildreport.Step, m buildreport.Move) Fetch {
	scheme, _, _ := strings.Cut(m.To, "://")
	f := Fetch{Kind: KindWord, Asked: route.Redact(m.From), From: route.Redact(m.To), Host: hostOf(m.To), Over: overOf(scheme), Layer: Words}
	if strings.Contains(s.Name, "] ADD ") {
		f.Kind, f.Layer = string(provenance.KindHTTP), Sources
	}
	if m.Action == "mirror" && f.Over == TLS {
		f.Over = MirrorTLS
	}
	return f
}
