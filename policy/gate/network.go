package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// network checks each RUN of the build that had a network. What it fetches is
// accounted for if the daemon's proxy network recorded it, if apt in it was
// guarded, or if its text shows that it fetches nothing but over TLS.
//
// The text is read as the frontend reads it, with no host rules and mirrors, so
// that the frontend's own word is not needed.
func (j *judge) network() Check {
	b := j.platform.Build
	if b.Mode != provenance.Max {
		return unproved(ImageNetwork, atMax, "the provenance has mode=%s, and does not say which commands were run", b.Mode)
	}
	table, err := route.NewTable(route.Config{})
	if err != nil {
		return unproved(ImageNetwork, "", "the table of hosts can't be read: %v", err)
	}
	r := runs{judge: j, table: table}
	for i := range b.Steps {
		switch s := &b.Steps[i]; {
		case s.Run != nil:
			r.add(s)
		case s.Source == nil && (s.Kind == "build" || s.Kind == ""):
			r.unseen = append(r.unseen, place(s)+"it is a build of its own, whose commands are not recorded")
		}
	}
	r.incomplete()
	switch {
	case len(r.plain) > 0:
		return failed(ImageNetwork, "Build it with an allowed frontend and no host rule that keeps clear text, or mend the command.",
			"%s in clear text, or may be given it", number(len(r.plain), "command fetches", "commands fetch")).with(slices.Concat(r.plain, r.unseen))
	case len(r.unseen) > 0:
		return unproved(ImageNetwork, "Give the command no network (RUN --network=none), or build it in BuildKit's proxy network (loopxctl build --proxy-network).",
			"of %s it is not known what was fetched", number(len(r.unseen), "command", "commands")).with(r.unseen)
	case r.total == 0:
		return passed(ImageNetwork, "the build ran no command")
	}
	return passed(ImageNetwork, "%s: %d without a network, %d in the proxy network, %d guarded, %d that can be read as a whole",
		number(r.total, "command", "commands"), r.offline, r.proxied, r.guarded, r.read)
}

// runs sorts commands by what is known of their fetches.
type runs struct {
	*judge
	table                                  *route.Table
	total, offline, proxied, guarded, read int
	// plain fetch in clear text, and of unseen nothing is known.
	plain, unseen []string
}

func (r *runs) add(s *provenance.Step) {
	r.total++
	run := s.Run
	if run.Insecure {
		r.unseen = append(r.unseen, place(s)+"it had all rights on the machine (--security=insecure), which no network and no guard holds")
		return
	}
	if !run.Networked() {
		r.offline++
		return
	}
	if r.platform.Build.Proxy != nil && run.Network == "sandbox" {
		r.proxied++
		return
	}
	plain := r.clear(run)
	for _, line := range plain {
		r.plain = append(r.plain, place(s)+line)
	}
	if len(plain) > 0 {
		return
	}
	switch why := r.unaccounted(run); {
	case why != "":
		r.unseen = append(r.unseen, place(s)+why)
	case guarded(run):
		r.guarded++
	default:
		r.read++
	}
}

// clear are what a command fetches in clear text, and nobody signed for.
func (r *runs) clear(run *provenance.Run) []string {
	told := words.Analyse(run.Words(), r.table).Fetches
	plain := slices.DeleteFunc(clearFetches(told), func(line string) bool { return r.accepted(line) != "" })
	if len(plain) == 0 && r.hidden(run, told) {
		plain = append(plain, "an address that is not shown, as it may be a secret, is fetched in clear text")
	}
	return plain
}

// unaccounted says why it is not known what a command with a network of its own
// fetched, as a clause; "" if it is.
func (r *runs) unaccounted(run *provenance.Run) string {
	cmd := run.Unmasked()
	whole := words.Analyse(cmd, r.table)
	apt := rewrite.Apt(cmd, whole)
	switch {
	case r.Config.RequireProxyNetwork:
		return "it had a network, and not the proxy network"
	case apt.Tampering != "":
		return "apt in it is told to take its methods or configuration from elsewhere: " + apt.Tampering
	case apt.Reason != "" && run.Guard == nil:
		return apt.Reason + ", and has no guard"
	case apt.Lost && !run.Covered():
		return strings.Join(apt.Drops, ", ") + " takes the guard away from apt"
	case apt.Outside != "":
		return apt.Outside
	case guarded(run) && r.trusted(run.Guard):
		return ""
	case guarded(run):
		return "what guards apt is not from an allowed frontend, but from " + cmp.Or(run.Guard.Image, "no image")
	case apt.Reason != "":
		return apt.Reason + ", and has no guard"
	case unread(run):
		return "it is a script that is not recorded, and has no guard"
	}
	if why := unshown(cmd, whole); why != "" {
		return why + ", and it was not in the proxy network"
	}
	return ""
}

// hidden reports whether a command fetches in clear text at more addresses than
// those that are told, because they are masked.
func (r *runs) hidden(run *provenance.Run, told []words.Fetch) bool {
	return run.Masked() && len(clearFetches(words.Analyse(run.Unmasked(), r.table).Fetches)) > len(clearFetches(told))
}

// guarded reports whether a command has the frontend's guard of apt, whoever's it
// is: by the variable that names its configuration, or by a file that apt reads
// without it.
func guarded(run *provenance.Run) bool {
	return run.Guard != nil && (run.Guard.Apt || strings.HasPrefix(run.Guard.Selector, "/loopx/apt/") && run.Covered())
}

// trusted reports whether a guard is from an allowed frontend.
func (r *runs) trusted(g *provenance.Guard) bool {
	return slices.Contains(r.Config.Frontends, g.Digest)
}

// unread reports whether a command is a heredoc that begins with a shebang, whose
// text is not recorded (BuildKit's dockerfile2llb mounts it at /dev/pipes).
func unread(run *provenance.Run) bool {
	return run.Script == "" && slices.ContainsFunc(run.Mounts, func(m provenance.Mount) bool { return strings.HasPrefix(m.Dest, "/dev/pipes") })
}

// incomplete adds the requests that the proxy network let through unrecorded.
func (r *runs) incomplete() {
	proxy := r.platform.Build.Proxy
	if proxy == nil {
		return
	}
	for _, in := range proxy.Incomplete {
		line := fmt.Sprintf("%s: %s %s is not recorded (%s)", cmp.Or(in.Command, in.Step), in.Method, in.URI, in.Reason)
		for _, uri := range []string{in.URI, in.Final} {
			if strings.HasPrefix(strings.ToLower(uri), "http:") {
				r.plain = append(r.plain, line)
			}
		}
		r.unseen = append(r.unseen, line)
	}
}

// clearFetches are the addresses that a command fetches and that the frontend
// would have moved or refused. The text of an apt source is none: it is fetched
// by apt, which is guarded or not.
func clearFetches(all []words.Fetch) []string {
	var out []string
	for _, f := range all {
		if f.Role != route.AptSource && f.Decision.Action != route.Keep {
			out = append(out, route.Redact(f.URL)+" "+f.Decision.State(f.URL))
		}
	}
	return out
}

// place names a command: "Dockerfile:3: ".
func place(s *provenance.Step) string {
	if s.File != "" && s.Line > 0 {
		return fmt.Sprintf("%s:%d: ", s.File, s.Line)
	}
	return s.ID + ": "
}
