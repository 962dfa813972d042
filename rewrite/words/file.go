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
		return use{role: route.PackageConfig, reason: "configuration written to " + name}
	case name == "/dev/stdout", name == "/dev/stderr", name == "/dev/tty", name == "/dev/null":
		return use{role: route.Print, reason: "printed"}
	}
	return use{role: route.Print, reason: "written to " + name}
}

func isAptSource(name string) bool {
	return strings.Contains(name, "sources.list") ||
		strings.Contains(name, "/apt/") && (strings.HasSuffix(name, ".list") || strings.HasSuffix(name, ".sources"))
}

// configDirs hold configuration of a package manager, whatever its name.
var configDirs = []string{
	"/etc/apk/repositories", "/etc/yum.repos.d/", "/etc/zypp/repos.d/", "/etc/pacman.d/", "/etc/dnf/", "/etc/opkg/", "/etc/xbps.d/",
	"/usr/share/xbps.d/",
}

// configNames are configuration of a package manager wherever they stand.
// settings.xml is Maven's, repositories sbt's, make.conf Portage's, gpg.conf and
// dirmngr.conf name key servers.
var configNames = setOf(`pip.conf pip.ini .npmrc npmrc .yarnrc .yarnrc.yml .gemrc gemrc .condarc condarc .mambarc yum.conf dnf.conf
	pacman.conf mirrorlist .Rprofile Rprofile.site .pypirc .pydistutils.cfg pydistutils.cfg uv.toml bunfig.toml .bowerrc opkg.conf
	.nix-channels NuGet.Config nuget.config MyConfig.pm gpg.conf dirmngr.conf Gemfile requirements.txt .gitmodules`)

func isPackageConfig(name string) bool {
	base := path.Base(name)
	inDir := func(dir string) bool { return strings.Contains(name, dir) }
	switch {
	case configNames[base], strings.HasSuffix(base, ".repo"), slices.ContainsFunc(configDirs, inDir):
		return true
	case base == "config.toml" || base == "config":
		return inDir(".cargo") || inDir("/cargo/") || inDir("/pip/")
	case base == "settings.xml":
		return inDir("m2") || inDir("maven")
	case base == "repositories":
		return inDir(".sbt") || inDir("/apk/")
	case base == "config.json":
		return inDir("composer")
	case base == "make.conf":
		return inDir("portage") || name == "/etc/make.conf"
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
		Cargo.toml pom.xml Dockerfile configure`)
	buildEndings = setOf(".sh .mk .cmake .gradle .sbt .gemspec .bash")
)
