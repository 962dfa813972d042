package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// git tells apart what git fetches, what it writes into its configuration, and
// the keys and values there that only match.
func (inv *invocation) git() {
	if inv.has("config") {
		inv.gitConfig()
		return
	}
	u := inv.fetch()
	if inv.has("commit") || inv.has("tag") {
		u = use{role: route.Print, reason: "a message of git"}
	}
	for i, w := range inv.args {
		if i > 0 && inv.args[i-1].s == "-c" {
			inv.gitSetting(w)
			continue
		}
		inv.a().urls(w, inv.argUse(i, u))
	}
}

// gitConfig looks at "git config KEY VALUE".
func (inv *invocation) gitConfig() {
	key := ""
	for _, w := range inv.args {
		switch {
		case strings.HasPrefix(w.s, "-") || w.s == "config":
		case key == "":
			key = w.s
			inv.gitKey(w)
		default:
			inv.gitValue(key, w)
		}
	}
}

// gitSetting looks at the "KEY=VALUE" of git -c.
func (inv *invocation) gitSetting(w word) {
	i := settingEnd(w.s)
	inv.gitKey(w.slice(0, i))
	if i < len(w.s) {
		inv.gitValue(w.s[:i], w.slice(i+1, len(w.s)))
	}
}

// settingEnd is where the key of a setting ends: its last "=" after which no
// key goes on (a URL in a key may hold one).
func settingEnd(s string) int {
	for _, suffix := range []string{".insteadof=", ".pushinsteadof=", ".proxy=", ".sslverify=", ".extraheader="} {
		if i := strings.Index(strings.ToLower(s), suffix); i >= 0 {
			return i + len(suffix) - 1
		}
	}
	if i := strings.IndexByte(s, '='); i >= 0 {
		return i
	}
	return len(s)
}

// gitKey: the URL of url.<base>.insteadOf is what git will ask; a URL in any
// other key selects the settings of that address, so it must match it.
func (inv *invocation) gitKey(w word) {
	low := strings.ToLower(w.s)
	u := matchUse("key of git's configuration")
	if strings.HasPrefix(low, "url.") && strings.HasSuffix(low, "insteadof") {
		u = use{role: route.Word, reason: "base that git asks instead", tool: "git", prefix: true}
	}
	for _, sp := range spans(w.s) {
		if dot := strings.LastIndexByte(w.s, '.'); dot > sp.from {
			sp.to = min(sp.to, dot) // behind it stands the name of the setting
		}
		inv.a().emit(w, sp, u)
	}
}

func (inv *invocation) gitValue(key string, w word) {
	low := strings.ToLower(key)
	switch {
	case strings.HasSuffix(low, "insteadof"):
		inv.a().urls(w, matchUse("address that git replaces"))
	case strings.HasSuffix(low, "proxy"):
		inv.a().urls(w, proxyUse)
	case strings.HasSuffix(low, "extraheader"):
		inv.a().urls(w, headerUse)
	default:
		inv.a().urls(w, use{role: route.PackageConfig, reason: "configuration of git", tool: "git"})
	}
}
