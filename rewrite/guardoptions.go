package rewrite

import (
	"slices"
	"strings"
)

// offline are the commands of apt, apt-get, aptitude and apt-file that fetch
// nothing. Sources: apt-get(8), apt(8), aptitude(8), apt-file(1).
const offline = "autoclean auto-clean autopurge autoremove auto-remove check clean depends distclean find help indextargets list madison " +
	"moo policy purge rdepends remove search show showsrc why why-not"

// valued are apt's options whose value is the word behind them.
// Source: AddDefaultArgs and its like in apt-private/private-cmndline.cc.
const valued = "-a -c -o -t --config-file --default-release --host-architecture --option --target-release"

// aptFetches reports whether a command line of apt asks for a fetch. A name
// with a "+" behind it is installed by "remove" too.
func aptFetches(argv []string) bool {
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case a == "--version" || a == "--help" || a == "-h":
			return false
		case slices.Contains(strings.Fields(valued), a):
			i++
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, ">"):
		default:
			return !slices.Contains(strings.Fields(offline), a) ||
				slices.ContainsFunc(argv[i:], func(a string) bool { return strings.HasSuffix(a, "+") })
		}
	}
	return true
}

// tampering returns the option on the command line of one of apt's programs that
// wins over the guard, "" if there is none: apt reads -c and -o after all other
// configuration, and long names have no case. Source: CommandLine::Parse and
// HandleOpt in apt-pkg/contrib/cmndline.cc. Programs written in Python have
// options of their own: -c of add-apt-repository is a component.
func tampering(name string, argv []string) string {
	switch name {
	case "apt", "apt-get", "apt-fast", "apt-file", "aptitude":
	default:
		return ""
	}
	for i, a := range argv {
		next, option := "", a
		if strings.HasPrefix(a, "--") {
			long, value, given := strings.Cut(a, "=")
			if option = strings.ToLower(long); given {
				option += "=" + value
			}
		}
		if i+1 < len(argv) {
			next = argv[i+1]
		}
		switch {
		case i == 0 || len(a) < 2 || a[0] != '-':
		case option == "--config-file":
			return strings.TrimSpace(a + " " + next)
		case strings.HasPrefix(option, "--config-file="):
			return a
		case option == "--option":
			if defeats(next) {
				return a + " " + next
			}
		case strings.HasPrefix(option, "--option="):
			if defeats(a[len("--option="):]) {
				return a
			}
		case a[1] == '-':
		default:
			if t := shortTampering(a, next); t != "" {
				return t
			}
		}
	}
	return ""
}

// shortTampering looks at a cluster of short options: in it -c and -o end it,
// with their value behind them or in the next word.
func shortTampering(a, next string) string {
	at := strings.IndexAny(a, "acot")
	if at < 0 || a[at] == 'a' || a[at] == 't' {
		return ""
	}
	value, whole := strings.TrimPrefix(a[at+1:], "="), a
	if at == len(a)-1 {
		value, whole = next, strings.TrimSpace(a+" "+next)
	}
	if a[at] == 'c' || defeats(value) {
		return whole
	}
	return ""
}

// defeats reports whether NAME=VALUE sets what the guard is made of. Names of
// apt's configuration have no case.
func defeats(setting string) bool {
	name, _, _ := strings.Cut(setting, "=")
	name = strings.ToLower(name)
	for _, n := range []string{"dir::bin::methods", "dir::etc::main", "loopx", "rootdir"} {
		if name == n || strings.HasPrefix(name, n+"::") {
			return true
		}
	}
	return false
}
