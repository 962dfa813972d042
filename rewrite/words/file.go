package words

import (
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// fileUse returns the role of a URL in text that is written to a file. Which
// files configure a package manager is in their manuals; the names are those
// found in public Dockerfiles.
func fileUse(name string) use {
	switch {
	case isAptSource(name):
		return use{role: route.AptSource, reason: "apt source written to " + name, tool: "apt"}
	case isPackageConfig(name):
		return use{role: route.PackageConfig, reason: "configuration written to " + name, properties: path.Ext(name) == ".properties"}
	case name == "/dev/stdout", name == "/dev/stderr", name == "/dev/tty", name == "/dev/null":
		return use{role: route.Print, reason: "printed"}
	}
	return use{role: route.Print, reason: "written to " + name, build: isBuildFile(name)}
}

func isAptSource(name string) bool {
	return strings.Contains(name, "sources.list") ||
		strings.Contains(name, "/apt/") && (strings.HasSuffix(name, ".list") || strings.HasSuffix(name, ".sources"))
}

// configDirs hold configuration of a package manager, whatever its name.
var configDirs = []string{
	"/etc/apk/repositories", "/etc/yum.repos.d/", "/etc/yum/", "/etc/dnf/", "/etc/zypp/", "/etc/pacman.d/", "/etc/opkg/", "/etc/xbps.d/",
	"/usr/share/xbps.d/", ".gradle/init.d/", "/condarc.d/",
}

// configNames are configuration of a package manager wherever they stand.
// make.conf is Portage's, gpg.conf and dirmngr.conf name key servers.
var configNames = setOf(`pip.conf pip.ini .npmrc npmrc .yarnrc .yarnrc.yml .gemrc gemrc .condarc condarc .mambarc yum.conf dnf.conf
	pacman.conf mirrorlist .Rprofile Rprofile.site .pypirc .pydistutils.cfg pydistutils.cfg uv.toml bunfig.toml .bunfig.toml .bowerrc
	opkg.conf .nix-channels NuGet.Config nuget.config chocolatey.config MyConfig.pm gpg.conf dirmngr.conf Gemfile requirements.txt
	.gitmodules init.gradle init.gradle.kts gradle-wrapper.properties maven-wrapper.properties ivysettings.xml`)

// configIn are names that configure a package manager in a folder of its own,
// whose path holds one of the words, in lower case.
var configIn = map[string]string{
	"config.toml": ".cargo /cargo/", "config": ".cargo /cargo/ /pip/ .bundle/ /bundle/", "config.json": "composer", "rc": "/pnpm/",
	"settings.xml": "m2 maven mvn", "maven.config": ".mvn/", "profiles.clj": ".lein/", "Config.pm": "/cpan/",
	"repositories": ".sbt /apk/ /r/", "repos.conf": "rstudio", "rsession.conf": "rstudio", "make.conf": "portage",
}

func isPackageConfig(name string) bool {
	base := path.Base(name)
	inDir := func(dir string) bool { return strings.Contains(name, dir) }
	switch {
	case configNames[base], strings.HasSuffix(base, ".repo"), slices.ContainsFunc(configDirs, inDir):
		return true
	case base == "make.conf" && name == "/etc/make.conf":
		return true
	case strings.HasPrefix(base, "config") && strings.HasSuffix(base, ".lua"):
		return inDir("luarocks")
	}
	low := strings.ToLower(name)
	for dir := range strings.FieldsSeq(configIn[base]) {
		if strings.Contains(low, dir) {
			return true
		}
	}
	return false
}

// isBuildFile reports whether a build may fetch from addresses in the file,
// among much else that it holds.
func isBuildFile(name string) bool {
	base := path.Base(name)
	return buildNames[base] || buildEndings[path.Ext(base)]
}

var (
	buildNames = setOf(`package.json bower.json composer.json Makefile makefile GNUmakefile CMakeLists.txt setup.py setup.cfg pyproject.toml
		Cargo.toml pom.xml Dockerfile configure
		package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock composer.lock Gemfile.lock poetry.lock environment.yml environment.yaml`)
	buildEndings = setOf(".sh .mk .cmake .gradle .kts .sbt .gemspec .bash")
)
