package words

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Fetches reports whether the program called name fetches the URLs that it is
// given.
func Fetches(name string) bool { return fetchers[name] }

// fetchers are the programs whose URL arguments are fetched. Some have readers
// of their own besides. docs/fetchers.md lists them.
var fetchers = setOf(`curl wget wget2 git aria2c axel http https httpie xh fetch lftp lynx links elinks w3m lwp-request GET lwp-download
	hg svn bzr cvs darcs rsync repo vcs
	pip pip3 pip2 pipx uv poetry pdm pipenv easy_install pyenv conda mamba micromamba pixi
	npm npx yarn pnpm bun bower deno cnpm nrm yrm corepack n nvm fnm nodeenv node-gyp
	gem jgem bundle bundler ruby-build cargo go rustup rustup-init cabal stack opam luarocks luarocks-admin mix hex rebar3 lein
	composer pecl pear cpan cpanm cpanp cpm carton cpan-outdated perlbrew
	install.r install2.r installBioc.r installGithub.r update.r coursier cs jbang grape
	rpm rpmkeys yum dnf dnf-3 microdnf tdnf zypper rpm-ostree yumdownloader yum-builddep debuginfo-install reposync repoquery
	subscription-manager apk pacman opkg emerge
	apt-get apt aptitude apt-key gpg gpg2 gpgv add-apt-repository apt-add-repository pacman-key
	nix-env nix-channel nix brew helm skopeo crane oras gdown youtube-dl yt-dlp huggingface-cli hf
	debootstrap mmdebstrap multistrap spack sdkmanager fetch-crl ansible-galaxy terraform vagrant
	bitsadmin certutil msiexec choco cinst nuget dotnet winget scoop`)

// readVariables are environment variables that name where programs fetch from,
// by the programs' own documentation. Of the programs the first one is named to
// people.
var readVariables = []struct{ programs, variables string }{
	{"pip pip3 python python3", "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS"},
	{"pipenv", "PIPENV_PYPI_MIRROR PIP_INDEX_URL"},
	{"uv", "UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_INDEX UV_FIND_LINKS UV_PYTHON_INSTALL_MIRROR"},
	{"pyenv", "PYTHON_BUILD_MIRROR_URL"},
	{"conda mamba", "CONDA_CHANNEL_ALIAS CONDA_CHANNELS"},
	{"npm npx yarn pnpm bun corepack", "NPM_CONFIG_REGISTRY npm_config_registry"},
	{"corepack yarn pnpm", "COREPACK_NPM_REGISTRY"},
	{"yarn", "YARN_REGISTRY YARN_NPM_REGISTRY_SERVER"},
	// what scripts of well-known packages read while they are installed
	{"npm npx yarn pnpm", `ELECTRON_MIRROR SASS_BINARY_SITE PUPPETEER_DOWNLOAD_HOST PUPPETEER_DOWNLOAD_BASE_URL PLAYWRIGHT_DOWNLOAD_HOST
		CYPRESS_INSTALL_BINARY CYPRESS_DOWNLOAD_MIRROR CHROMEDRIVER_CDNURL PHANTOMJS_CDNURL SENTRYCLI_CDNURL PRISMA_ENGINES_MIRROR`},
	{"n", "N_NODE_MIRROR"},
	{"nvm", "NVM_NODEJS_ORG_MIRROR"},
	{"fnm", "FNM_NODE_DIST_MIRROR"},
	{"go", "GOPROXY GOSUMDB"},
	{"rustup rustup-init", "RUSTUP_DIST_SERVER RUSTUP_UPDATE_ROOT"},
	{"bundle", "BUNDLE_MIRROR__ALL"},
	{"ruby-build", "RUBY_BUILD_MIRROR_URL"},
	{"mix", "HEX_MIRROR HEX_MIRROR_URL"},
	{"cpanm", "PERL_CPANM_OPT"},
	{"carton", "PERL_CARTON_MIRROR"},
	{"perlbrew", "PERLBREW_CPAN_MIRROR"},
	{"R Rscript", "RENV_CONFIG_REPOS_OVERRIDE"},
	{"julia", "JULIA_PKG_SERVER"},
	{"mvnw", "MVNW_REPOURL"},
	{"coursier cs", "COURSIER_REPOSITORIES"},
	{"brew", "HOMEBREW_BOTTLE_DOMAIN HOMEBREW_API_DOMAIN"},
	{"hf huggingface-cli", "HF_ENDPOINT"},
}

// toolVariables is readVariables by program.
var toolVariables = func() map[string][]string {
	m := map[string][]string{}
	for _, row := range readVariables {
		for tool := range strings.FieldsSeq(row.programs) {
			m[tool] = append(m[tool], strings.Fields(row.variables)...)
		}
	}
	return m
}()

// readers is readVariables by variable: the program that is named.
var readers = func() map[string]string {
	m := map[string]string{}
	for _, row := range readVariables {
		tool, _, _ := strings.Cut(row.programs, " ")
		for v := range strings.FieldsSeq(row.variables) {
			if m[v] == "" {
				m[v] = tool
			}
		}
	}
	return m
}()

// variableReader returns the program that reads a variable of this name, "" for
// none. npm takes every setting from one that starts with npm_config_.
// Source: the page config of npm's documentation.
func variableReader(name string) string {
	if len(name) > len(npmPrefix) && strings.EqualFold(name[:len(npmPrefix)], npmPrefix) && readers[name] == "" {
		return "npm"
	}
	return readers[name]
}

const npmPrefix = "npm_config_"

// environment looks at the variables that the program reads for itself.
func (inv *invocation) environment() {
	read := toolVariables[inv.name]
	for _, v := range read {
		inv.variable(v)
	}
	if !slices.Contains(read, "NPM_CONFIG_REGISTRY") {
		return
	}
	for v := range inv.sh.env {
		if !slices.Contains(read, v) && variableReader(v) == "npm" && !isProxy(v, inv.sh.env[v].String()) {
			inv.variable(v)
		}
	}
}

// variable looks at one variable of the environment that the program reads.
func (inv *invocation) variable(name string) {
	if t, ok := inv.sh.env[name]; ok && strings.Contains(t.String(), "://") {
		w := literalWord(t, source{VarArg, name})
		inv.a().urls(w, use{role: route.Fetch, reason: name + " is read by " + inv.name, tool: inv.name})
	}
}

// known returns the name under which the tables know a program: "pip3.11" is
// pip's, "composer.phar" composer's.
func known(name string) string {
	if reader(name) != nil || Fetches(name) || interpreters[name] != nil {
		return name
	}
	base := strings.TrimRight(strings.TrimSuffix(name, ".phar"), "0123456789.")
	if base = strings.TrimSuffix(base, "-"); Fetches(base) || interpreters[base] != nil {
		return base
	}
	return name
}
