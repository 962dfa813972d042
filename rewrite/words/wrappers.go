package words

import (
	"path"
	"strings"
)

// wrappers start the program that their arguments name. The value lists the
// options that take an argument of their own; operands before the program are
// counted by operands.
var wrappers = map[string]string{
	"sudo": "-u -g -h -p -C -T -r -t --user --group --host --prompt --close-from", "doas": "-u -C",
	"env": "-u -C -S --unset --chdir", "time": "-f -o", "nice": "-n", "ionice": "-c -n -p", "nohup": "", "exec": "-a",
	"command": "", "builtin": "", "stdbuf": "-i -o -e", "timeout": "-k -s --kill-after --signal", "setsid": "", "unbuffer": "",
	"xargs": "-a -d -E -I -L -n -P -s", "parallel": "-j", "gosu": "", "su-exec": "", "chroot": "", "busybox": "", "toybox": "",
	"eatmydata": "", "faketime": "-f", "proxychains": "-f", "proxychains4": "-f", "torsocks": "", "fakeroot": "", "linux32": "",
	"linux64": "", "setarch": "", "catchsegv": "", "strace": "-o -e -p", "watch": "-n", "chronic": "", "flock": "-w -E",
	"nsenter": "-t", "unshare": "", "dumb-init": "", "tini": "", "s6-setuidgid": "", "setpriv": "", "capsh": "", "systemd-run": "",
	"dbus-run-session": "", "xvfb-run": "-n -s -e -f",
}

// operands is how many words stand between a wrapper and the program.
var operands = map[string]int{
	"timeout": 1, "gosu": 1, "su-exec": 1, "chroot": 1, "faketime": 1, "setarch": 1, "s6-setuidgid": 1, "flock": 1,
}

// unwrapOne returns the words from the program on that a wrapper starts. For a
// program that is not known as one, and no function of the text, it looks for a
// known program among the words: home-made "retry 5 curl …".
func (a *analyser) unwrapOne(name string, args []word) (rest []word, ok bool) {
	if _, declared := a.funcs[name]; declared {
		return nil, false
	}
	return unwrapOne(name, args)
}

func unwrapOne(name string, args []word) (rest []word, ok bool) {
	options, wrapper := wrappers[name]
	if !wrapper {
		if n := known(name); reader(n) != nil || Fetches(n) || isShell(n) || interpreters[n] != nil {
			return nil, false
		}
		return homeMade(args)
	}
	i := 1
	for i < len(args) {
		s := args[i].s
		switch {
		case len(s) > 1 && s[0] == '-':
			if takesValue(options, s) {
				i++
			}
		case strings.Contains(s, "=") && isName(s[:strings.IndexByte(s, '=')]):
		default:
			i += operands[name]
			return args[min(i, len(args)):], i < len(args)
		}
		i++
	}
	return nil, false
}

// takesValue reports whether the value of option s is the next word; of a
// cluster ("-iu") the last letter counts.
func takesValue(options, s string) bool {
	for o := range strings.FieldsSeq(options) {
		if o == s || len(s) > 2 && s[1] != '-' && len(o) == 2 && o[1] == s[len(s)-1] {
			return true
		}
	}
	return false
}

// homeMade finds the command that a function or script of the author's runs: a
// name that is known, and behind it what only an argument of it can be. Names
// alone may be a list of packages.
func homeMade(args []word) ([]word, bool) {
	if notWrappers[path.Base(args[0].s)] {
		return nil, false
	}
	for i := 1; i+1 < len(args); i++ {
		next := args[i+1].s
		argument := strings.HasPrefix(next, "-") || strings.ContainsAny(next, "/$")
		switch name := args[i].s; name {
		case "curl", "wget", "aria2c", "git", "pip", "pip3", "npm", "gem", "gpg", "sh", "bash":
			if argument || name == "git" && next == "clone" || next == "install" {
				return args[i:], true
			}
		case "apt-get", "apt", "apk", "yum", "dnf":
			if argument || aptCommands[next] {
				return args[i:], true
			}
		}
	}
	return nil, false
}

var aptCommands = setOf("update upgrade dist-upgrade full-upgrade install build-dep source download add makecache")

// notWrappers take names of programs as data.
var notWrappers = setOf(`apt-get apt aptitude apk yum dnf microdnf tdnf zypper pacman emerge xbps-install brew dpkg which type
	hash rm cp mv ln ls chmod chown chgrp strip update-alternatives touch mkdir alias unalias echo for install tar cat port opkg
	slackpkg swupd nix-env nix conda-build ensure apt-mark apt-cache dpkg-query rpm dpkg-divert microdnf installpkg`)

// unwrap removes every wrapper before a program.
func unwrap(args []word) []word {
	for len(args) > 0 {
		name := path.Base(args[0].s)
		if name == "xargs" || name == "parallel" {
			return args
		}
		rest, ok := unwrapOne(name, args)
		if !ok {
			return args
		}
		args = rest
	}
	return args
}
