package words

import (
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// configWords are the words that make a program write its configuration, which
// stays in the image; "*" stands for every command of it.
var configWords = map[string]string{
	"npm": "config set", "cnpm": "config set", "yarn": "config", "pnpm": "config set", "nrm": "add", "yrm": "add",
	"pip": "config", "pip3": "config", "uv": "config", "poetry": "config source",
	"conda": "config", "mamba": "config", "micromamba": "config",
	"bundle": "config", "bundler": "config", "composer": "config repo repository", "pear": "config-set", "pecl": "config-set",
	"luarocks": "config", "opam": "repo repository", "go": "env", "helm": "repo", "nix-channel": "*",
	"yum-config-manager": "*", "dnf": "config-manager", "dnf-3": "config-manager", "subscription-manager": "config", "setup-apkrepos": "*",
	"choco": "source sources config", "nuget": "sources config", "dotnet": "nuget", "scoop": "bucket", "winget": "source",
}

// configurable is a program with a command for its configuration. An address
// that is removed from there, or that names what another replaces, must match.
// Everything else is fetched.
func (inv *invocation) configurable() {
	u := inv.fetch()
	for word := range strings.FieldsSeq(configWords[inv.name]) {
		if word == "*" || inv.has(word) {
			u = inv.configures()
		}
	}
	if u.role == route.PackageConfig && slices.ContainsFunc(inv.args, removes) {
		u = inv.configKey()
	}
	for i, w := range inv.args {
		if u.role == route.PackageConfig && strings.HasPrefix(w.s, "mirror.") {
			inv.a().urls(w, inv.configKey())
			continue
		}
		inv.a().urls(w, inv.argUse(i, u))
	}
}

// configures is the use of a URL that the program writes into its
// configuration.
func (inv *invocation) configures() use {
	return use{role: route.PackageConfig, reason: "configuration of " + inv.name, tool: inv.name}
}

// configKey is the use of a URL that selects what is in the configuration.
func (inv *invocation) configKey() use { return matchUse("key of " + inv.name + "'s configuration") }

func removes(w word) bool {
	switch strings.ToLower(w.s) {
	case "--remove", "--remove-key", "--unset", "--disable", "unset", "delete", "rm", "remove", "disable":
		return true
	}
	return false
}

func (inv *invocation) has(arg string) bool {
	return slices.ContainsFunc(inv.args, func(w word) bool { return w.s == arg })
}

// zypper takes a repository's or a service's address where it adds one. The
// other commands for them take it in place of the name, so it must match.
// Source: zypper(8).
func (inv *invocation) zypper() {
	u := inv.fetch()
	for _, w := range inv.args {
		switch w.s {
		case "ar", "addrepo", "as", "addservice":
			u = inv.configures()
		case "rr", "removerepo", "mr", "modifyrepo", "nr", "renamerepo", "rs", "removeservice", "ms", "modifyservice", "ref", "refresh",
			"refs", "refresh-services":
			u = inv.configKey()
		default:
			continue
		}
		break
	}
	inv.plain(u)
}

// gem sources writes gem's configuration; --remove names a source in it, which
// must match. What -p names is a proxy.
func (inv *invocation) gem() {
	put := inv.fetch()
	if inv.has("sources") || inv.has("source") {
		put = inv.configures()
	}
	for i, w := range inv.args {
		opt, _, glued := strings.Cut(w.s, "=")
		if !glued && i > 0 {
			opt = inv.args[i-1].s
		}
		u := inv.argUse(i, put)
		switch {
		case opt == "-p":
			u = proxyUse
		case (opt == "--remove" || opt == "-r") && put.role == route.PackageConfig:
			u = inv.configKey()
		}
		inv.a().urls(w, u)
	}
}

// ini edits one value of a configuration file: "crudini --set FILE SECTION KEY
// VALUE" puts it in, and the file says what for.
func (inv *invocation) ini() {
	for _, w := range inv.args {
		if u := fileUse(inv.sh.path(w.s)); u.role == route.PackageConfig && inv.has("--set") {
			inv.plain(u)
			return
		}
	}
	inv.foreign()
}

// maven fetches from the addresses of some properties, by the documentation of
// the plugins that read them. What others are for is not known.
func (inv *invocation) maven() {
	for i, w := range inv.args {
		name, _, _ := strings.Cut(w.s, "=")
		u := inv.argUse(i, wordUse("argument of "+inv.name))
		if mavenProperties[strings.TrimPrefix(name, "-D")] {
			u = inv.fetch()
		}
		inv.a().urls(w, u)
	}
}

var mavenProperties = setOf(`maven.repo.remote remoteRepositories repoUrl archetypeCatalog archetypeRepository`)

// aptRepository takes a whole source line, the URL of one or the name of a PPA.
// Source: add-apt-repository(1).
func (inv *invocation) aptRepository() {
	u := use{role: route.AptSource, reason: "argument of " + inv.name, tool: "apt"}
	if inv.has("--remove") || inv.has("-r") {
		u = matchUse("source to remove")
	}
	for i, w := range inv.args {
		switch server, ok := inv.keyserverAt(i); {
		case ok:
			inv.fromKeyserver(server)
		case strings.HasPrefix(w.s, "ppa:") && u.role == route.AptSource:
			inv.a().ppa(w)
		default:
			inv.a().urls(w, inv.argUse(i, u))
		}
	}
}

// ppa lists the name of a personal package archive, at the last part of it that
// has a place: in a loop that is what differs.
func (a *analyser) ppa(w word) {
	w.use()
	at := 0
	for i, p := range w.pieces {
		if !p.opaque {
			at = i
		}
	}
	p := w.pieces[at]
	f := Fetch{
		URL: w.s, Role: route.AptSource, Reason: "argument of add-apt-repository", Tool: "apt", Decision: ppaDecision,
		Arg: p.arg, Var: p.name,
	}
	f.Start, f.End, _ = p.text.Range(0, p.text.Len())
	a.out.Fetches = append(a.out.Fetches, f)
}

// ppaDecision is the decision for the name of a PPA. Source: ppa.py of
// software-properties, which asks https://launchpad.net/api in every release.
var ppaDecision = route.Decision{
	Action: route.Keep, Rule: "already-tls",
	Why: "add-apt-repository asks Launchpad over https; the source that it writes is apt's, whatever its scheme",
}

// keyserver looks for --keyserver, whose value may lack the scheme, and
// leaves the rest to the rule for fetchers.
func (inv *invocation) keyserver() {
	for i, w := range inv.args {
		if server, ok := inv.keyserverAt(i); ok {
			inv.fromKeyserver(server)
			continue
		}
		inv.a().urls(w, inv.argUse(i, inv.fetch()))
	}
}

// keyserverAt returns the key server that argument i names.
func (inv *invocation) keyserverAt(i int) (server word, ok bool) {
	w := inv.args[i]
	if rest, cut := strings.CutPrefix(w.s, "--keyserver="); cut {
		return w.slice(len(w.s)-len(rest), len(w.s)), true
	}
	if i == 0 {
		return word{}, false
	}
	opt := inv.args[i-1].s
	return w, opt == "--keyserver" || opt == "-k" && strings.HasSuffix(inv.name, "apt-repository")
}

func (inv *invocation) fromKeyserver(server word) {
	if server.s != "" {
		inv.a().emit(server, span{0, len(server.s)}, use{role: route.Keyserver, reason: "key server of " + inv.name, tool: inv.name})
	}
	server.use()
}

// configFiles are the options by which a program is told to read a file as its
// configuration.
var configFiles = map[string]string{
	"mvn": "-s --settings -gs --global-settings", "mvnw": "-s --settings -gs --global-settings",
	"gradle": "-I --init-script", "gradlew": "-I --init-script", "conda": "-f --file", "mamba": "-f --file", "micromamba": "-f --file --rc-file",
	"npm": "--userconfig --globalconfig", "yum": "-c --config", "dnf": "-c --config", "microdnf": "-c --config", "tdnf": "-c --config",
	"zypper": "-c --config", "apk": "--repositories-file", "cpan": "-j", "gem": "--config-file",
}

// readsConfig reports whether argument i is a file that the program reads as its
// configuration.
func (inv *invocation) readsConfig(i int) bool {
	opt, _, glued := strings.Cut(inv.args[i].s, "=")
	if !glued && i > 0 {
		opt = inv.args[i-1].s
	}
	return slices.Contains(strings.Fields(configFiles[inv.name]), opt)
}

// ownFile finds, among the arguments of an interpreter, the file of a program
// that is known by its own name: php composer.phar, ruby -S gem.
func (inv *invocation) ownFile(codeFlags map[string]bool) (rest []word, ok bool) {
	for i, w := range inv.args {
		switch {
		case codeFlags[w.s] || w.s == "-m":
			return nil, false
		case strings.HasPrefix(w.s, "-") || strings.Contains(w.s, "="):
		default:
			return inv.args[i:], Fetches(known(path.Base(w.s)))
		}
	}
	return nil, false
}
