package queue

import (
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// commands get the evidence about a pull request: its commits by the names that
// GitHub gives them, and the review of exactly these. No command checks anything
// out.
func commands(p *PullRequest, remote string) []string {
	words := func(list ...string) string {
		var text strings.Builder
		for _, w := range list {
			word, ok := plain.ShellWord(w)
			if !ok {
				return ""
			}
			text.WriteString(" " + word)
		}
		return text.String()
	}
	base, head := "refs/heads/"+p.Base, "refs/pull/"+strconv.Itoa(p.Number)+"/head"
	fetch, target := words("--no-tags", remote, base, head), words("refs/remotes/"+remote+"/"+p.Base)
	if fetch == "" || target == "" {
		return nil
	}
	return []string{
		"git fetch" + fetch,
		"loopxctl review --base " + p.BaseOID + " --head " + p.HeadOID + " --target" + target,
	}
}
