package rewrite

import (
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// isApt reports whether a program fetches through apt. Source:
// the packages apt, aptitude, apt-file, software-properties-common and
// unattended-upgrades of Debian and Ubuntu.
func isApt(name string) bool {
	switch name {
	case "apt", "apt-get", "aptitude", "apt-file", "apt-fast",
		"add-apt-repository", "apt-add-repository",
		"unattended-upgrade", "unattended-upgrades":
		return true
	}
	return false
}

// guard records what a RUN needs at the point of fetch.
func (p *planner) guard(st *stage, in *instruction, cmd words.Input, res words.Result) {
	shown := st.apt.run(cmd)
	g := Guard{Range: in.span, Stage: st.name, Shown: shown}
	g.Reason, g.Certain = runsApt(commands(cmd, res))
	if g.Reason != "" {
		g.Needs = "apt"
	}
	if slices.ContainsFunc(res.Fetches, needsCA) {
		if g.Needs == "" {
			g.Needs, g.Reason = "ca", "fetches over TLS"
		} else {
			g.Needs = "both"
		}
	}
	if g.Needs != "" {
		p.guards = append(p.guards, g)
	}
}

// needsCA reports whether the RUN itself fetches over TLS what it fetched in
// clear text. An apt source that it writes is fetched when apt runs.
func needsCA(f words.Fetch) bool { return moved(f) && f.Role != route.AptSource }

// commands are the programs that the text itself names. The shell that
// BuildKit starts for the shell form, or a script's interpreter, is among them
// only if the text names it again.
func commands(cmd words.Input, res words.Result) []string {
	_, _, inFile := cmd.Args[0].Range(0, cmd.Args[0].Len())
	text := shellText(cmd)
	if inFile || len(res.Commands) == 0 {
		return res.Commands
	}
	if cmd.Script.Len() > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	started := res.Commands[0]
	if slices.ContainsFunc(strings.Fields(text), func(w string) bool { return path.Base(w) == started }) {
		return res.Commands
	}
	return res.Commands[1:]
}

// runsApt says why the programs run apt, or may, and whether that is certain.
// A certain reason wins.
func runsApt(programs []string) (reason string, certain bool) {
	for _, name := range programs {
		if isApt(name) {
			return "runs " + name, true
		}
		if reason == "" {
			reason = mayRunApt(name)
		}
	}
	return reason, false
}

// mayRunApt says why a program may run apt although its name doesn't say so,
// or returns "".
func mayRunApt(name string) string {
	switch name {
	case "$":
		return "the command is a variable and may run apt"
	case "make":
		return "make may run apt"
	case "source", ".":
		return "the file that is sourced may run apt"
	case "sh", "bash", "dash", "ash", "zsh", "ksh":
		return "the script that " + name + " runs may run apt"
	}
	if strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash") {
		return name + " may run apt"
	}
	return ""
}
