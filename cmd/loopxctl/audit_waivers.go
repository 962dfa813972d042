package main

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/plain"
)

const draftHead = `#!/bin/sh
# A draft: this file lifts nothing. Each blocker is to be mended, or signed for.
#
# 1. Mend what can be mended, and run "loopxctl audit --write-waivers" again.
# 2. Write why the rest has to stay, between the quotes that are empty. What has
#    no reason is not signed.
# 3. Run it as the reviewer, with sh, where loopxctl audit was run. The one key in
#    the SSH agent signs, or KEY=~/.ssh/id_ed25519; it lasts EXPIRES=30d.
set -eu
left=0
sign() {
	reason=$1
	shift
	if [ -z "$reason" ]; then
		left=$((left + 1))
		return
	fi
	"$@" --reason "$reason" --expires "${EXPIRES:-30d}" ${KEY:+--key "$KEY"}
}
`

const draftTail = `
if [ "$left" -gt 0 ]; then
	echo "$left without a reason: not signed" >&2
fi
`

// draft is the script by which reviewers sign for the blockers of a fleet, and
// the number of these.
func (c *auditCommand) draft(a *report.Audit, root *base) (script []byte, n int) {
	var b strings.Builder
	b.WriteString(draftHead)
	if rules := a.HostRules(); rules != "" {
		fmt.Fprintf(&b, "\n# Refused hosts can be settled for all files, by a build argument; write upgrade\n"+
			"# or another https address in place of keep where there is TLS:\n#   LOOPX_HOSTS=%s\n", comment(rules))
	}
	check := &checkCommand{program: c.program, operator: c.operator, acceptance: c.acceptance, root: root}
	seen := map[ack.Subject]bool{}
	for _, f := range a.Files {
		for i, finding := range f.Findings {
			if !finding.Blocks() || seen[f.Subject(i)] {
				continue
			}
			seen[f.Subject(i)] = true
			n++
			fmt.Fprintf(&b, "\n# %s:%d: %s: %s\n", comment(f.Name), finding.Location.Start.Line, finding.Rule, comment(finding.Message))
			b.WriteString(signature(check, f.File, i))
		}
	}
	b.WriteString(draftTail)
	return []byte(b.String()), n
}

// signature is the line of the script for one blocker.
func signature(check *checkCommand, f *report.File, i int) string {
	if f.Path == "" {
		return "# It is in no repository, so nobody can sign for it.\n"
	}
	var line strings.Builder
	line.WriteString("sign ''")
	for _, word := range check.createCommand(f, i) {
		quoted, ok := plain.ShellWord(word)
		if !ok {
			return "# Its command cannot be written here: see \"loopxctl ack create --help\".\n"
		}
		line.WriteString(" " + quoted)
	}
	return line.String() + "\n"
}

// comment is a text of a Dockerfile as a part of a comment of the script.
func comment(text string) string { return plain.Text(policy.Line(text)) }
