package words

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// fetches reports whether the program called name fetches the URLs that it is
// given.
func fetches(name string) bool { return fetchers[name] }

// fetchers are the programs whose URL arguments are fetched. curl, wget and
// git have readers of their own besides.
var fetchers = setOf(`curl wget wget2 git aria2c axel http https httpie xh fetch lftp lynx links elinks w3m lwp-request GET lwp-download
	hg svn bzr cvs darcs rsync repo vcs
	pip pip3 pip2 pipx uv poetry pdm pipenv easy_install conda mamba micromamba
	npm npx yarn pnpm bun bower deno
	gem bundle bundler cargo go rustup rustup-init cabal stack opam luarocks mix hex rebar3 lein
	composer pecl pear cpan cpanm install2.r installGithub.r
	rpm yum dnf microdnf tdnf zypper apk pacman opkg emerge
	apt-get apt aptitude apt-key gpg gpg2 gpgv rpmkeys add-apt-repository apt-add-repository
	nix-env nix-channel nix brew helm skopeo crane oras gdown youtube-dl yt-dlp huggingface-cli hf
	debootstrap mmdebstrap multistrap spack sdkmanager fetch-crl ansible-galaxy terraform vagrant`)

// interpreters run code given on the command line: the options that it
// follows.
var interpreters = map[string]map[string]bool{
	"python": setOf("-c"), "python2": setOf("-c"), "python3": setOf("-c"), "pypy3": setOf("-c"), "perl": setOf("-e -E -MLWP::Simple"),
	"php": setOf("-r"), "ruby": setOf("-e"), "node": setOf("-e -p --eval"), "nodejs": setOf("-e -p"),
	"R": setOf("-e"), "Rscript": setOf("-e"), "lua": setOf("-e"), "julia": setOf("-e -E"), "r": setOf("-e"),
	"groovy": setOf("-e"), "scala": setOf("-e"), "elixir": setOf("-e"), "erl": setOf("-eval"), "tclsh": setOf("-c"),
}

// toolVariables are environment variables that name where a program fetches
// from, by the program's own documentation.
var toolVariables = map[string][]string{
	"pip":    {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"},
	"pip3":   {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"},
	"python": {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"}, "python3": {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"},
	"uv":     {"UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS"},
	"pipenv": {"PIPENV_PYPI_MIRROR", "PIP_INDEX_URL"},
	"npm":    {"NPM_CONFIG_REGISTRY", "npm_config_registry"}, "npx": {"NPM_CONFIG_REGISTRY", "npm_config_registry"},
	"yarn": {"YARN_REGISTRY", "npm_config_registry", "YARN_NPM_REGISTRY_SERVER"}, "pnpm": {"NPM_CONFIG_REGISTRY", "npm_config_registry"},
	"go":          {"GOPROXY", "GOSUMDB"},
	"rustup":      {"RUSTUP_DIST_SERVER", "RUSTUP_UPDATE_ROOT"},
	"rustup-init": {"RUSTUP_DIST_SERVER", "RUSTUP_UPDATE_ROOT"},
	"bundle":      {"BUNDLE_MIRROR__ALL"},
	"mix":         {"HEX_MIRROR", "HEX_MIRROR_URL"},
	"conda":       {"CONDA_CHANNEL_ALIAS"},
	"nvm":         {"NVM_NODEJS_ORG_MIRROR"},
	"cpanm":       {"PERL_CPANM_OPT"},
	"brew":        {"HOMEBREW_BOTTLE_DOMAIN", "HOMEBREW_API_DOMAIN"},
	"hf":          {"HF_ENDPOINT"}, "huggingface-cli": {"HF_ENDPOINT"},
}

// environmentOf looks at the variables that the program called name reads for
// itself.
func (sh *shellText) environmentOf(name string) {
	for _, v := range toolVariables[name] {
		if t, ok := sh.env[v]; ok && strings.Contains(t.String(), "://") {
			w := word{s: t.String(), pieces: []piece{{text: t, arg: VarArg, name: v}}}
			sh.a.urls(w, use{role: route.Fetch, reason: v + " is read by " + name, tool: name})
		}
	}
}

// variableUse returns the use of the value of a shell variable that its name
// alone gives away.
func variableUse(name string) (use, bool) {
	if proxyWord(name) || strings.Contains(strings.ToLower(name), "proxy_") {
		return use{role: route.Proxy, reason: "value of " + name}, true
	}
	for tool, vars := range toolVariables {
		if slices.Contains(vars, name) {
			return use{role: route.Fetch, reason: name + " is read by " + tool, tool: tool}, true
		}
	}
	return use{}, false
}

// configurable is a program with a "config" command: what that writes stays in
// the image. Everything else is fetched.
func (inv *invocation) configurable() {
	u := inv.fetch()
	switch {
	case inv.has("config") || inv.name == "yum-config-manager" || inv.has("addrepo") || inv.has("ar") || inv.has("config-manager") ||
		inv.name == "go" && inv.has("env"):
		u = use{role: route.PackageConfig, reason: "configuration of " + inv.name, tool: inv.name}
	}
	inv.plain(u)
}

func (inv *invocation) has(arg string) bool {
	return slices.ContainsFunc(inv.args, func(w word) bool { return w.s == arg })
}

// gem sources --remove names a configured source: the name must match.
func (inv *invocation) gem() {
	for i, w := range inv.args {
		u := inv.argUse(i, inv.fetch())
		if i > 0 && (inv.args[i-1].s == "--remove" || inv.args[i-1].s == "-r") && inv.has("sources") {
			u = matchUse("key of gem's configuration")
		}
		inv.a().urls(w, u)
	}
}

// aptRepository takes a whole source line, or the URL of one.
func (inv *invocation) aptRepository() {
	u := use{role: route.AptSource, reason: "argument of " + inv.name, tool: "apt"}
	if inv.has("--remove") || inv.has("-r") {
		u = matchUse("source to remove")
	}
	inv.plain(u)
}

// keyserver looks for --keyserver, whose value may lack the scheme, and
// leaves the rest to the rule for fetchers.
func (inv *invocation) keyserver() {
	for i, w := range inv.args {
		value, ok := w, i > 0 && inv.args[i-1].s == "--keyserver"
		if rest, cut := strings.CutPrefix(w.s, "--keyserver="); cut {
			value, ok = w.slice(len(w.s)-len(rest), len(w.s)), true
		}
		if !ok {
			inv.a().urls(w, inv.argUse(i, inv.fetch()))
			continue
		}
		u := use{role: route.Keyserver, reason: "key server of " + inv.name, tool: inv.name}
		if value.s != "" {
			inv.a().emit(value, span{0, len(value.s)}, u)
		}
		for _, as := range value.from {
			as.used = true
		}
	}
}
