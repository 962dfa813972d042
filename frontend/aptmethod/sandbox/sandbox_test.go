package sandbox_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var _ = flag.Bool("update", false, "no goldens here")

// passwd is the file that the children look users up in.
const passwd = `root:x:0:0:root:/root:/bin/bash
# a comment
broken:x:12
letters:x:twelve:1::/:
_apt:x:45678:45679::/nonexistent:/usr/sbin/nologin
last:x:45680:45681::/:`

// child compiles testdata/child, as the method is compiled: without cgo.
func child(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "child")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./testdata/child")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestDrop starts a process with many threads as root, lets it drop, and reads
// in /proc what each of its threads is.
func TestDrop(t *testing.T) {
	t.Parallel()
	program := child(t)
	users := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(users, []byte(passwd), 0o644); err != nil {
		t.Fatal(err)
	}
	ids := func(uid, gid int, groups string) []string {
		return []string{
			fmt.Sprintf("Uid:\t%d\t%[1]d\t%[1]d\t%[1]d", uid), fmt.Sprintf("Gid:\t%d\t%[1]d\t%[1]d\t%[1]d", gid),
			strings.TrimRight("Groups:\t"+groups, " "), "NoNewPrivs:\t1",
		}
	}
	self, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	// Where this test itself may gain nothing, nor may the child.
	inherited := slices.DeleteFunc(credentials(string(self)), func(line string) bool { return !strings.HasPrefix(line, "NoNewPrivs:") })
	privileged := append(ids(0, 0, "0 4")[:3:3], inherited...)
	for name, c := range map[string]struct {
		args  []string // of the child: configuration items
		want  []string // the state of each thread
		fails string
	}{
		"apt's user":         {args: []string{"APT::Sandbox::User=_apt"}, want: ids(45678, 45679, "45679")},
		"the last line":      {args: []string{"APT::Sandbox::User=last"}, want: ids(45680, 45681, "45681")},
		"not set":            {want: ids(0, 0, "0 4")},
		"empty":              {args: []string{"APT::Sandbox::User="}, want: ids(0, 0, "0 4")},
		"root":               {args: []string{"APT::Sandbox::User=root"}, want: ids(0, 0, "0 4")},
		"switched off":       {args: []string{"APT::Sandbox::User=_apt", "Debug::NoDropPrivs=true"}, want: privileged},
		"unknown":            {args: []string{"APT::Sandbox::User=nobody-here"}, fails: "no user nobody-here in " + users + ", can not drop rights"},
		"no number":          {args: []string{"APT::Sandbox::User=letters"}, fails: "no user letters in " + users + ", can not drop rights"},
		"a line too short":   {args: []string{"APT::Sandbox::User=broken"}, fails: "no user broken in " + users + ", can not drop rights"},
		"the name as prefix": {args: []string{"APT::Sandbox::User=_ap"}, fails: "no user _ap in " + users + ", can not drop rights"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, fail := threads(t, exec.CommandContext(t.Context(), program, append([]string{users}, c.args...)...))
			if fail != c.fails {
				t.Fatalf("error %q, want %q", fail, c.fails)
			}
			for _, got := range status {
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("a thread (-want +got):\n%s", diff)
				}
			}
			if c.fails == "" && len(status) < 8 {
				t.Errorf("%d threads, want several", len(status))
			}
		})
	}
}

// threads runs a child until it has dropped, and returns its error, or what
// /proc says of each thread.
func threads(t *testing.T, cmd *exec.Cmd) (status [][]string, fail string) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the child said %q: %v", said, err)
	}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if os.IsNotExist(err) {
			continue // a thread that has ended
		}
		if err != nil {
			t.Fatal(err)
		}
		status = append(status, credentials(string(text)))
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if said = strings.TrimSuffix(said, "\n"); said != "dropped" {
		return nil, said
	}
	return status, ""
}

// credentials are the lines of a status that say who a thread is.
func credentials(status string) []string {
	var lines []string
	for line := range strings.Lines(status) {
		switch name, _, _ := strings.Cut(line, ":"); name {
		case "Uid", "Gid", "Groups", "NoNewPrivs":
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
	}
	return lines
}

// TestDropTwice is by somebody who is not root any more: there is nothing left
// to give up, and no user to look up.
func TestDropTwice(t *testing.T) {
	t.Parallel()
	users := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(users, []byte(passwd), 0o644); err != nil {
		t.Fatal(err)
	}
	status, fail := threads(t, exec.CommandContext(t.Context(), child(t), users, "APT::Sandbox::User=_apt", "again"))
	if fail != "" || len(status) == 0 {
		t.Errorf("error %q, %d threads", fail, len(status))
	}
}

func TestNoPasswd(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "passwd")
	_, fail := threads(t, exec.CommandContext(t.Context(), child(t), missing, "APT::Sandbox::User=_apt"))
	if want := "no user _apt in " + missing + ", can not drop rights"; fail != want {
		t.Errorf("error %q, want %q", fail, want)
	}
}
