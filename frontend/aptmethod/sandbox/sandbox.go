// Package sandbox gives up root for good, as apt's own methods do before they
// talk to the network. Source: DropPrivileges in apt-pkg/contrib/fileutl.cc.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
)

// Passwd is where users are looked up.
const Passwd = "/etc/passwd"

// prSetNoNewPrivs is PR_SET_NO_NEW_PRIVS, see prctl(2).
const prSetNoNewPrivs = 38

// Drop makes all threads of this process the user APT::Sandbox::User, with that
// user's group alone, and sees to it that no program it starts gains anything.
// Only the latter is done if the process is not root, or if the item is not
// set, empty, or "root". Debug::NoDropPrivs leaves everything as it is.
//
// Users are looked up in the file passwd. After an error the process may be
// anything and must end. Without cgo it acts on all threads; with cgo no thread
// but the caller's, and those it starts, give up new privileges.
func Drop(conf *aptconf.Conf, passwd string) error {
	if conf.Bool("Debug::NoDropPrivs", false) {
		return nil
	}
	noNewPrivs()
	name := conf.First("APT::Sandbox::User")
	if name == "" || name == "root" || os.Getuid() != 0 {
		return nil
	}
	u, err := lookup(passwd, name)
	if err != nil {
		return err
	}
	if err := u.become(); err != nil {
		return err
	}
	return u.verify()
}

// noNewPrivs sets the flag on every thread. An old kernel that does not know it
// is no reason to fail.
func noNewPrivs() {
	_, _, errno := syscall.AllThreadsSyscall(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0)
	if errno == syscall.ENOTSUP {
		_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0)
	}
}

// user is one line of passwd(5).
type user struct {
	name     string
	uid, gid int
}

// lookup finds a user by name.
func lookup(passwd, name string) (user, error) {
	text, err := os.ReadFile(passwd)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return user{}, fmt.Errorf("no user %s, can not drop rights: %w", name, err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), ":")
		if len(f) < 4 || f[0] != name {
			continue
		}
		uid, uidErr := strconv.ParseUint(f[2], 10, 31)
		gid, gidErr := strconv.ParseUint(f[3], 10, 31)
		if uidErr == nil && gidErr == nil {
			return user{name, int(uid), int(gid)}, nil
		}
	}
	return user{}, fmt.Errorf("no user %s in %s, can not drop rights", name, passwd)
}

// become changes groups, group and user, in this order: without root no other
// would work.
func (u user) become() error {
	for _, step := range []struct {
		what string
		err  func() error
	}{
		{"setgroups", func() error { return syscall.Setgroups([]int{u.gid}) }},
		{"setresgid", func() error { return syscall.Setresgid(u.gid, u.gid, u.gid) }},
		{"setresuid", func() error { return syscall.Setresuid(u.uid, u.uid, u.uid) }},
	} {
		if err := step.err(); err != nil {
			return fmt.Errorf("can not become %s: %s: %w", u.name, step.what, err)
		}
	}
	return nil
}

// verify checks that nothing of root is left and that it can't come back.
func (u user) verify() error {
	groups, err := syscall.Getgroups()
	switch {
	case err != nil:
		return fmt.Errorf("can not become %s: getgroups: %w", u.name, err)
	case len(groups) > 1 || len(groups) == 1 && groups[0] != u.gid:
		return fmt.Errorf("can not become %s: still in groups %v", u.name, groups)
	case os.Getuid() != u.uid || os.Geteuid() != u.uid || os.Getgid() != u.gid || os.Getegid() != u.gid:
		return fmt.Errorf("can not become %s: still %d:%d", u.name, os.Geteuid(), os.Getegid())
	case u.uid != 0 && syscall.Setuid(0) == nil, u.gid != 0 && syscall.Setgid(0) == nil:
		return fmt.Errorf("could become root again after becoming %s", u.name)
	}
	return nil
}
