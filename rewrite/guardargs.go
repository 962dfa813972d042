package rewrite

import (
	"regexp"
	"slices"
	"strings"
)

// passes reports whether the call i passes the test of guard_never.txt: as it
// is written, it starts nothing but what is among the calls.
func (u *AptUse) passes(test string, i int) bool {
	c := u.calls[i]
	args := c.Args[1:]
	switch test {
	case "":
		return true
	case "awk":
		return !slices.ContainsFunc(args, awkStarts.MatchString) && !slices.Contains(args, "-f")
	case "env":
		return !slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--split") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "S")
		})
	case "git":
		return !slices.ContainsFunc(args, func(a string) bool {
			return a == "foreach" || a == "bisect" || a == "filter-branch" || strings.HasPrefix(a, "--exec")
		})
	case "go":
		return first(args, goCommands) && !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "exec") })
	case "corepack", "dpkg", "npm", "pip":
		return first(args, harmless[test])
	case "read", "wrapper":
		return c.Read || u.starts(i)
	case "sed":
		return !slices.ContainsFunc(args, sedExecutes.MatchString) && !slices.Contains(args, "-f")
	case "sourced":
		return len(args) == 1 && (args[0] == "/etc/os-release" || args[0] == "/usr/lib/os-release" || args[0] == "/etc/lsb-release")
	case "split":
		return !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--filter") })
	case "tar":
		return tarAlone(args)
	case "xargs":
		return u.xargsKnown(i)
	}
	return false
}

// awkStarts finds the ways in which an awk program runs commands. Source: the
// POSIX page of awk, "I/O Functions"; gawk's "|&".
var awkStarts = regexp.MustCompile(`system\s*\(|\bgetline\b|\|&?\s*(?:"|\w+\s*(?:[;}\n]|$))|@load`)

// sedExecutes finds GNU sed's command e and the flag e of s, roughly.
var sedExecutes = regexp.MustCompile(`(?:^|[;{\n])\s*[0-9$,]*\s*e(?:\s|$)|/\s*e(?:\s|$)|[/|#,@!%:][0-9gGiImMpw]*e[0-9gGiImMpw]*\s*(?:[;}\n]|$)`)

// tarAlone reports whether tar starts no program but a known one that packs.
func tarAlone(args []string) bool {
	for i, a := range args {
		for _, o := range []string{"--to-c", "--checkpoint-a", "--info-s", "--new-v", "--rsh", "--rmt", "-F"} {
			if strings.HasPrefix(a, o) {
				return false
			}
		}
		packer, given := strings.CutPrefix(a, "--use-compress-program=")
		if i > 0 && (args[i-1] == "-I" || args[i-1] == "--use-compress-program") {
			packer, given = a, true
		}
		name, _, _ := strings.Cut(packer, " ")
		if _, known := never[name]; given && !known {
			return false
		}
	}
	return true
}

// xargsKnown reports whether the program that xargs starts is one of the text:
// it may come from the input, as for "xargs env".
func (u *AptUse) xargsKnown(i int) bool {
	last := i
	for k, c := range u.calls[i+1:] {
		if c.By == last {
			last = i + 1 + k
		}
	}
	switch u.calls[last].Name {
	case "xargs":
		return len(u.calls[last].Args) == 1 || !u.starts(i) && last == i
	case "builtin", "busybox", "command", "dumb-init", "eatmydata", "env", "exec", "faketime", "flock",
		"ionice", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "tini":
		return false
	}
	return true
}

// first reports whether the first argument is one of the list, in which blanks
// separate.
func first(args []string, list string) bool {
	return len(args) > 0 && slices.Contains(strings.Fields(list), args[0])
}

// goCommands run nothing of a module but the compiler's own tools.
const goCommands = "build clean doc env fmt get install list mod telemetry version vet work"

// harmless are the uses of programs that run nothing of the packages that
// they are about.
var harmless = map[string]string{
	"corepack": "disable enable prepare --version",
	"dpkg": "-C -I -L -S -V -W -X -c -e -f -l -p -s -x --add-architecture --audit --build --compare-versions --contents --control " +
		"--extract --field --get-selections --help --info --list --listfiles --print-architecture --print-foreign-architectures " +
		"--remove-architecture --search --set-selections --status --verify --version",
	"npm": "bin cache config help ping prefix root version view whoami -v --version",
	"pip": "cache check config debug freeze help list show uninstall -V --version",
}
