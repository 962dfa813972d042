package rewrite

import (
	_ "embed"
	"strings"
)

//go:embed guard_never.txt
var neverText string

// never maps the programs that never run apt to the name of the test that a
// call of them has to pass, "" for none. See guard_never.txt.
var never = readNever(neverText)

func readNever(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		m[fields[0]] = strings.Join(fields[1:], " ")
	}
	return m
}

// isApt reports whether a program fetches through apt. Source:
// the packages apt, aptitude, apt-file, software-properties-common and
// unattended-upgrades of Debian and Ubuntu.
func isApt(name string) bool {
	switch name {
	case "apt", "apt-get", "aptitude", "apt-file", "apt-fast",
		"add-apt-repository", "apt-add-repository",
		"unattended-upgrade", "unattended-upgrades":
		return true
	}
	return false
}

// isShell reports whether a program runs scripts of the POSIX kind.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash":
		return true
	}
	return false
}

// opaque says why a program runs commands that belong to the Dockerfile's
// author and that its text doesn't show, or returns "": a script, a makefile,
// a variable.
func opaque(name string) string {
	switch {
	case name == "$":
		return "the command is a variable and may run apt"
	case name == "make":
		return "make may run apt"
	case name == "source" || name == ".":
		return "the file that is sourced may run apt"
	case isShell(name):
		return "the script that " + name + " runs may run apt"
	case strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash"):
		return shown(name) + " may run apt"
	}
	return ""
}

// shown is the name of a program as a message has it: whatever is no usual
// name stays out of it.
func shown(name string) string {
	for _, c := range name {
		if c > 0x7e || c <= ' ' || strings.ContainsRune("$`\"'<>(){}[]|;&*?\\", c) {
			return "a program"
		}
	}
	return name
}
