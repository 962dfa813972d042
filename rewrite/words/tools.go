package words

import (
	"maps"
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
	apt-get apt aptitude apt-key gpg gpg2 gpgv rpmkeys add-apt-repository apt-add-repository pacman-key
	nix-env nix-channel nix brew helm skopeo crane oras gdown youtube-dl yt-dlp huggingface-cli hf
	debootstrap mmdebstrap multistrap spack sdkmanager fetch-crl ansible-galaxy terraform vagrant`)

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

// readers is toolVariables the other way round: the first program, in the order
// of their names, that reads a variable.
var readers = func() map[string]string {
	m := map[string]string{}
	for _, tool := range slices.Sorted(maps.Keys(toolVariables)) {
		for _, v := range toolVariables[tool] {
			if m[v] == "" {
				m[v] = tool
			}
		}
	}
	return m
}()

// environment looks at the variables that the program reads for itself.
func (inv *invocation) environment() {
	for _, v := range toolVariables[inv.name] {
		if t, ok := inv.sh.env[v]; ok && strings.Contains(t.String(), "://") {
			w := literalWord(t, source{VarArg, v})
			inv.a().urls(w, use{role: route.Fetch, reason: v + " is read by " + inv.name, tool: inv.name})
		}
	}
}

// configWords are the words that make a program write its configuration, which
// stays in the image; "*" stands for every command of it.
var configWords = map[string]string{
	"npm": "config set", "yarn": "config", "pnpm": "config set", "pip": "config", "pip3": "config", "conda": "config", "mamba": "config",
	"micromamba": "config", "bundle": "config", "composer": "config", "yum-config-manager": "*", "dnf": "config-manager",
	"zypper": "ar addrepo rr removerepo", "go": "env", "poetry": "config source", "uv": "config", "helm": "repo", "nix-channel": "*",
	"opam": "repo repository", "pear": "config-set", "pecl": "config-set", "luarocks": "config",
}

// configurable is a program with a command for its configuration. An address
// that is removed from there, or that names what another replaces, must match.
// Everything else is fetched.
func (inv *invocation) configurable() {
	u := inv.fetch()
	for word := range strings.FieldsSeq(configWords[inv.name]) {
		if word == "*" || inv.has(word) {
			u = use{role: route.PackageConfig, reason: "configuration of " + inv.name, tool: inv.name}
		}
	}
	if u.role == route.PackageConfig && slices.ContainsFunc(inv.args, removes) {
		u = matchUse("key of " + inv.name + "'s configuration")
	}
	for i, w := range inv.args {
		if u.role == route.PackageConfig && strings.HasPrefix(w.s, "mirror.") {
			inv.a().urls(w, matchUse("key of "+inv.name+"'s configuration"))
			continue
		}
		inv.a().urls(w, inv.argUse(i, u))
	}
}

func removes(w word) bool {
	switch w.s {
	case "--remove", "--remove-key", "--unset", "--disable", "unset", "delete", "rm", "remove", "rr", "removerepo":
		return true
	}
	return false
}

func (inv *invocation) has(arg string) bool {
	return slices.ContainsFunc(inv.args, func(w word) bool { return w.s == arg })
}

// gem sources writes gem's configuration; --remove names a source in it, which
// must match.
func (inv *invocation) gem() {
	put := inv.fetch()
	if inv.has("sources") || inv.has("source") {
		put = use{role: route.PackageConfig, reason: "configuration of gem", tool: "gem"}
	}
	for i, w := range inv.args {
		u := inv.argUse(i, put)
		if i > 0 && (inv.args[i-1].s == "--remove" || inv.args[i-1].s == "-r") && put.role == route.PackageConfig {
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
		value.use()
	}
}
