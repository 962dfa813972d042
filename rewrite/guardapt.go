package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/words"
)

// AptUse is what a command has to do with apt, as far as its text tells.
type AptUse struct {
	// Reason says why the command runs apt, or may: "runs apt-get",
	// "make may run apt". It is "" only if the command certainly does not.
	Reason string
	// Certain is true if the text names apt.
	Certain bool
	// Opaque is true if the reason is a script, a makefile or a variable of
	// the author's own, whose commands the text doesn't show.
	Opaque bool
	// Named is true if apt is certain, or if code in another language, or a file
	// that is written, names it.
	Named bool
	// Drops names what takes the variable APT_CONFIG away from a command, or
	// gives it another value: "sudo", "env -i", "APT_CONFIG". Each once.
	Drops []string
	// Lost is true if apt is named, and where it runs the variable is gone.
	Lost bool
	// Outside says why apt, or a program in its place, is named to fetch where
	// the guard is not, "" if it is not; WayOut what would help. Both are clauses.
	Outside, WayOut string
	// Tampering is the option on apt's command line that takes its methods or
	// configuration from elsewhere, "" if there is none.
	Tampering string

	calls []words.Call
}

// Apt returns what the command has to do with apt. res is the answer of
// words.Analyse for it.
//
// It is the one decision for the frontend and for explain, and it errs on the
// side of apt: a command certainly does not run it only if the text could be
// read as a whole and each program in it is one of guard_never.txt.
//
// The shell that BuildKit starts for the shell form is no reason: what it runs
// is read.
func Apt(cmd words.Input, res words.Result) AptUse {
	u := AptUse{calls: res.Calls}
	u.dropsIn(cmd)
	for i, c := range u.calls {
		if c.Function || u.asksOnly(c) {
			continue
		}
		u.beside(c)
		if isApt(c.Name) && aptFetches(c.Args) {
			u.named(i)
			continue
		}
		u.may(u.mayRunApt(i))
	}
	u.Named = mentions(cmd, namesApt)
	switch {
	case res.Unparsed != "":
		u.may("the command can't be read as shell and may run apt", false)
	case res.Skipped:
		u.may("the commands are nested too deeply to be read and may run apt", false)
	case u.Named:
		u.may("the text names apt and may run it", false)
	}
	if u.Certain {
		u.Named = true
		u.piped()
	}
	return u
}

// beside takes note of a program that has apt find packages and fetches them by
// itself, from where apt's sources point. Sources: apt-fast's script, which hands
// what apt-get --print-uris says to aria2c; nala/downloader.py.
func (u *AptUse) beside(c words.Call) {
	if c.Name == "apt-fast" || c.Name == "nala" {
		u.outside(c.Name+" fetches packages by itself, not through apt", UseApt)
	}
}

// piped takes note of a shell in another root folder whose script is its input.
func (u *AptUse) piped() {
	for _, c := range u.calls {
		if readsInput(c) {
			u.started(c)
		}
	}
}

// started takes note of another root folder that c is started in, if any, and
// reports whether the variable is taken away from it.
func (u *AptUse) started(c words.Call) (lost bool) {
	for c.By >= 0 {
		c = u.calls[c.By]
		for _, c := range withInner(c) {
			d := dropper(c)
			lost = lost || d != "" && d != "chroot"
			if otherRoot(c) {
				u.outside(c.Name+" starts it in another root folder, where the guard is not mounted", RunApart)
			}
		}
	}
	return lost
}

func (u *AptUse) outside(why, out string) {
	if u.Outside == "" {
		u.Outside, u.WayOut = why, out
	}
}

// named takes note of a call of apt itself.
func (u *AptUse) named(i int) {
	c := u.calls[i]
	if !u.Certain {
		u.Reason, u.Certain, u.Opaque = "runs "+c.Name, true, false
	}
	if u.Tampering == "" {
		u.Tampering = tampering(c.Name, c.Args)
	}
	u.Lost = u.started(c) || u.Lost || slices.Contains(u.Drops, aptConfig)
}

// may takes note of a reason, unless there is one.
func (u *AptUse) may(reason string, own bool) {
	if u.Reason == "" {
		u.Reason, u.Opaque = reason, own
	}
}

// mayRunApt says why a call may run apt, or returns "". own is true if what it
// runs is the author's.
func (u *AptUse) mayRunApt(i int) (reason string, own bool) {
	c := u.calls[i]
	test, listed := never[c.Name]
	switch {
	case isApt(c.Name):
		return "", false
	case isShell(c.Name) && c.Read:
		return "", false
	case c.Elsewhere:
		why := opaque(c.Name)
		if why == "" {
			return shown(c.Name) + " may run apt", false
		}
		return why, true
	case listed && u.passes(test, i):
		return "", false
	}
	if why := opaque(c.Name); why != "" {
		return why, true
	}
	if test == "wrapper" || test == "read" {
		return "what " + c.Name + " starts may run apt", false
	}
	return shown(c.Name) + " may run apt", false
}

// asksOnly reports whether the program is only looked for: "command -v apt-get".
func (u *AptUse) asksOnly(c words.Call) bool {
	if c.By < 0 || u.calls[c.By].Name != "command" {
		return false
	}
	args := u.calls[c.By].Args
	return len(args) > 1 && strings.HasPrefix(args[1], "-") && strings.ContainsAny(args[1], "vV")
}

// starts reports whether the call starts another one.
func (u *AptUse) starts(i int) bool {
	return slices.ContainsFunc(u.calls[i+1:], func(c words.Call) bool { return c.By == i })
}

// aptCommand finds a use of apt in text that no command of it is known to run:
// a script that is written, code in another language.
var aptCommand = regexp.MustCompile(`\b(?:add-apt-repository|apt-add-repository|unattended-upgrades?)\b|` +
	`\b(?:apt|apt-get|apt-fast|aptitude)["',\s][^\n;|&]*\b(?:update|upgrade|full-upgrade|dist-upgrade|install|reinstall|build-dep|source|download)\b`)

func namesApt(text string) bool {
	return (strings.Contains(text, "apt") || strings.Contains(text, "unattended")) && aptCommand.MatchString(text)
}

// mentions reports whether one of the texts of cmd is such that ok says so.
func mentions(cmd words.Input, ok func(string) bool) bool {
	for _, t := range append(slices.Clone(cmd.Args), cmd.Script) {
		if ok(t.String()) {
			return true
		}
	}
	return false
}
