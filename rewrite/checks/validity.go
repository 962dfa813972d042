package checks

import "strings"

var validityOff = Rule{
	Name: "ValidityOff", Severity: warning, Class: validation,
	Description: "apt is told to accept any repository's index after its date.",
	Why: "The date keeps an attacker, or a mirror that is not updated, from serving an old index with old holes for ever. " +
		"Take the option out, or set it for the one archive that is closed: [check-valid-until=no] on its line.",
	Bad:  "FROM debian:bookworm-slim\nRUN echo 'Acquire::Check-Valid-Until \"false\";' >/etc/apt/apt.conf.d/10valid\n",
	Good: "FROM debian:bookworm-slim\nRUN echo 'deb [check-valid-until=no] https://archive.debian.org/debian stretch main' >/etc/apt/sources.list\n",

	command: validityCommand,
	file:    validityFile,
}

// validitySettings is the option for all archives.
// Source: apt.conf(5), Acquire::Check-Valid-Until.
var validitySettings = []setting{
	spelled("check-valid-until", `Acquire::Check-Valid-Until(?:[\s=]|\\?["'])+(?:false|0|no|off|without|disable)\b`, "Check-Valid-Until", "apt"),
	spelled("check-date", `Acquire::Check-Date(?:[\s=]|\\?["'])+(?:false|0|no|off|without|disable)\b`, "Check-Date", "apt"),
}

func validityMessage(what string) string {
	return what + " is off for all archives of apt, so an old index is accepted for ever; " +
		"take it out, or write [check-valid-until=no] on the line of the archive that is closed"
}

// ClosedArchive reports whether a Dockerfile names an archive of releases or of
// days that are over: the indexes there are not signed anew.
func ClosedArchive(text string) bool {
	for _, host := range []string{"archive.debian.org", "snapshot.debian.org", "old-releases.ubuntu.com", "snapshot.ubuntu.com"} {
		if strings.Contains(text, host) {
			return true
		}
	}
	return false
}

func validityCommand(c *Command) []Finding {
	if c.Closed {
		return nil
	}
	var out places
	inCalls(c, aptOptions, func(name, word string) { out.add(c.place(name, word), validityMessage("Check-Valid-Until")) })
	inScripts(c, validitySettings, func(s *script, span [2]int, g setting) { out.add(s.Slice(span[0], span[1]), validityMessage(g.what)) })
	return out.findings
}

var aptOptions = []switches{{"apt apt-get aptitude", setOption(aptOption(isOff, "::check-valid-until", "::check-date"))}}

func validityFile(f File) []Finding {
	if f.Closed {
		return nil
	}
	var out places
	inContent(f, validitySettings, func(span [2]int, g setting) { out.add(f.Content.Slice(span[0], span[1]), validityMessage(g.what)) })
	return out.findings
}
