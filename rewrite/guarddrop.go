package rewrite

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Files that are mounted into a RUN for a command that does not see APT_CONFIG.
const (
	// AptConfFile is read by every apt, after all else of its folder.
	AptConfFile = "/etc/apt/apt.conf.d/zz-loopx"
	// SudoersFile makes sudo keep APT_CONFIG.
	SudoersFile = "/etc/sudoers.d/zz-loopx"
)

// aptConfig is the variable that a guard is given by, and what Drops calls a
// value of the author's for it.
const aptConfig = "APT_CONFIG"

// dropsIn finds what takes the variable away.
func (u *AptUse) dropsIn(cmd words.Input) {
	if slices.ContainsFunc(cmd.Env, func(v words.Var) bool { return v.Name == aptConfig }) ||
		mentions(cmd, func(s string) bool { return strings.Contains(s, aptConfig) }) {
		u.Drops = append(u.Drops, aptConfig)
	}
	for _, c := range u.calls {
		for _, c := range withInner(c) {
			if d := dropper(c); d != "" && !slices.Contains(u.Drops, d) {
				u.Drops = append(u.Drops, d)
			}
		}
	}
	if len(u.Drops) == 0 && mentions(cmd, sudoApt.MatchString) {
		u.Drops = append(u.Drops, "sudo")
	}
}

// sudoApt finds apt behind sudo in text that is not read as a command: code in
// another language, a message, a script that is written.
var sudoApt = regexp.MustCompile(`\b(?:sudo|doas)\b[^\n;|&]*(?:` + aptCommand.String() + `)|\$\{?SUDO\b`)

// withInner returns a call and, if its program is not a known one, those that
// may begin at one of its arguments: "retry 5 sudo apt-get update".
func withInner(c words.Call) []words.Call {
	calls := []words.Call{c}
	if _, known := never[c.Name]; known || isApt(c.Name) {
		return calls
	}
	for i, a := range c.Args[1:] {
		switch name := path.Base(a); name {
		case "sudo", "su", "runuser", "doas", "pkexec", "chroot", "env", "setpriv":
			calls = append(calls, words.Call{Name: name, Args: c.Args[i+1:], By: c.By})
		}
	}
	return calls
}

// dropper returns the name of a command that starts another one with an
// environment of its own, or may, "" for any other. Sources: sudo(8) env_reset,
// su(1) and runuser(1) --login, doas(1), env(1), setpriv(1), bash's exec -c.
func dropper(c words.Call) string {
	switch c.Name {
	case "sudo", "su", "runuser", "doas", "pkexec":
		return c.Name
	case "chroot":
		if !otherRoot(c) {
			return c.Name
		}
	case "env":
		for _, a := range c.Args[1:] {
			switch {
			case a == "-" || len(a) > 2 && strings.HasPrefix("--ignore-environment", a) || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "i"):
				return "env -i"
			case !strings.HasPrefix(a, "-") && !strings.Contains(a, "="):
				return ""
			}
		}
	case "setpriv":
		if slices.Contains(c.Args, "--reset-env") {
			return "setpriv --reset-env"
		}
	case "exec":
		if len(c.Args) > 1 && strings.HasPrefix(c.Args[1], "-") && strings.Contains(c.Args[1], "c") {
			return "exec -c"
		}
	}
	return ""
}

// otherRoot reports whether c starts a command in another root folder. Sources:
// chroot(1), arch-chroot(8), schroot(1), systemd-nspawn(1), unshare(1).
func otherRoot(c words.Call) bool {
	switch c.Name {
	case "arch-chroot", "schroot", "systemd-nspawn":
		return true
	case "unshare":
		return slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "--root") || strings.HasPrefix(a, "-R") })
	case "chroot":
		for _, a := range c.Args[1:] {
			if !strings.HasPrefix(a, "-") {
				return path.Clean(a) != "/"
			}
		}
	}
	return false
}

// readsInput reports whether c is a shell that reads its script from its input.
func readsInput(c words.Call) bool {
	return isShell(c.Name) && !c.Read && !slices.ContainsFunc(c.Args[1:], func(a string) bool { return !strings.HasPrefix(a, "-") })
}

// Cover is how a guard reaches an apt that does not see APT_CONFIG.
type Cover int

// The covers.
const (
	CoverNone     Cover = iota // every apt sees it
	CoverConf                  // a file at AptConfFile
	CoverSudoers               // a file at SudoersFile
	CoverNotFound              // none would do
)

// Cover chooses the file to mount. obstacle says why nothing can be mounted at
// a path, "" if it can be, as far as it is not the command itself that removes
// or changes what is there. why says what is in the way if there is no cover.
func (u AptUse) Cover(obstacle func(target string) string) (c Cover, why string) {
	if len(u.Drops) == 0 {
		return CoverNone, ""
	}
	if why = u.obstacle(AptConfFile, obstacle); why == "" {
		return CoverConf, ""
	}
	if len(u.Drops) == 1 && u.Drops[0] == "sudo" && u.obstacle(SudoersFile, obstacle) == "" {
		return CoverSudoers, ""
	}
	verb := " takes APT_CONFIG away from apt, and "
	if u.Drops[0] == aptConfig {
		verb = " is set by the author, and "
	}
	return CoverNotFound, u.Drops[0] + verb + why
}

func (u AptUse) obstacle(target string, other func(string) string) string {
	for _, c := range u.calls {
		if changes(c, target) {
			return c.Name + " changes " + path.Dir(target) + ", where a file would have to be mounted"
		}
	}
	return other(target)
}

// changes reports whether the command removes, replaces or changes the file or
// a folder that it lies in, which fails if the file is a read-only mount.
func changes(c words.Call, file string) bool {
	deep := true // whether folders count
	switch c.Name {
	case "rm", "rmdir", "mv", "unlink", "shred", "rsync":
	case "chmod", "chown", "chgrp":
		deep = slices.ContainsFunc(c.Args[1:], func(a string) bool {
			return a == "--recursive" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "R")
		})
	case "find":
		if !slices.ContainsFunc(c.Args, func(a string) bool { return a == "-delete" || strings.HasPrefix(a, "-exec") }) {
			return false
		}
	case "sed", "perl", "truncate", "ln", "tee":
		deep = false
	default:
		return false
	}
	for _, a := range c.Args[1:] {
		for at := file; at != "/"; at = path.Dir(at) {
			if (deep || at == file) && matches(a, c.Dir, at) {
				return true
			}
		}
	}
	return false
}

// matches reports whether an argument names the path: itself or by a pattern.
func matches(arg, dir, name string) bool {
	if !path.IsAbs(arg) {
		if dir == "" {
			return false
		}
		arg = path.Join(dir, arg)
	}
	ok, err := path.Match(path.Clean(arg), name)
	return ok && err == nil
}
