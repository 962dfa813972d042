package aptmethod_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
)

// interrupted is an archive of which one package comes half, until it is asked
// for the second time.
type interrupted struct {
	repo *aptrepo.Repo
	bad  aptrepo.Package

	mu    sync.Mutex
	asked []http.Header // for the package
}

func (i *interrupted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, i.bad.Path()) {
		i.repo.ServeHTTP(w, r)
		return
	}
	i.mu.Lock()
	i.asked = append(i.asked, r.Header.Clone())
	first := len(i.asked) == 1
	i.mu.Unlock()
	if first {
		half(i.bad.Body, stall)(w, r)
		return
	}
	i.repo.ServeHTTP(w, r)
}

// await polls until ok, and ends the test if that takes longer than any machine
// should need.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

// methodOf returns the process of the method that works for an apt: the child
// that apt starts under that name.
func methodOf(t *testing.T, apt int) (pid int) {
	t.Helper()
	processes, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, p := range processes {
		stat, err := os.ReadFile(p)
		if err != nil {
			continue // it has ended
		}
		var state string
		var parent int
		_, rest, _ := strings.Cut(string(stat), ") ")
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil || parent != apt {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(p), "cmdline"))
		if name, _, _ := strings.Cut(string(cmdline), "\x00"); err == nil && filepath.Base(name) == "http" {
			if _, err := fmt.Sscan(string(stat), &pid); err == nil {
				return pid
			}
		}
	}
	t.Fatal("apt has no method")
	return 0
}

// TestAptInterrupted ends apt, or the method, in the middle of a package. The
// next apt goes on from there.
func TestAptInterrupted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end func(t *testing.T, apt *exec.Cmd)
		// dated says that the method could still date what is there, so that
		// it need not be fetched again.
		dated bool
		want  string // in what apt says
	}{
		"apt-killed": {end: func(t *testing.T, apt *exec.Cmd) {
			kill(t, apt.Process.Pid, syscall.SIGKILL)
		}, dated: true},
		"method-killed": {end: func(t *testing.T, apt *exec.Cmd) {
			kill(t, methodOf(t, apt.Process.Pid), syscall.SIGKILL)
		}, want: "E: Method http has died unexpectedly!"},
		"method-stopped": {end: func(t *testing.T, apt *exec.Cmd) {
			kill(t, methodOf(t, apt.Process.Pid), syscall.SIGTERM)
		}, dated: true, want: "E: Method http has died unexpectedly!"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := aptrepo.New(aptrepo.Options{Packages: 3, Bytes: 1_000_000})
			srv := &interrupted{repo: repo, bad: repo.Packages()[1]}
			archive(t, name+".example.org", srv)
			apt := aptbed.New(t, aptbed.Options{
				Method:  aptbed.Method(t),
				Sources: []string{repo.Line("http://" + name + ".example.org/debian")},
			})
			apt.Run("update")
			file := fmt.Sprintf("/var/cache/apt/archives/partial/%s_%s_all.deb", srv.bad.Name, srv.bad.Version)

			cmd := apt.Command("apt-get", "install", "-y", "--download-only", repo.All())
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			partial := fmt.Sprintf("/proc/%d/root%s", cmd.Process.Pid, file)
			await(t, "half of the package", func() bool {
				info, err := os.Stat(partial)
				return err == nil && info.Size() == int64(len(srv.bad.Body)/2)
			})
			checkPartial(t, partial)
			checkUser(t, methodOf(t, cmd.Process.Pid))
			c.end(t, cmd)
			// It ends when the method, too, has closed its stderr.
			if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), c.want) {
				t.Errorf("%v, want %q in\n%s", err, c.want, &out)
			}
			if slices.Contains(apt.List("/var/cache/apt/archives"), filepath.Base(file)) {
				t.Error("half a package is taken for the package")
			}

			if got := apt.Run("install", "-y", "--download-only", repo.All()); got.Code != 0 {
				t.Errorf("exit %d\n%s", got.Code, got.Stderr)
			}
			downloaded(t, apt, repo)
			again := srv.asked[1]
			if want := fmt.Sprintf("bytes=%d-", len(srv.bad.Body)/2); again.Get("Range") != want {
				t.Errorf("Range %q, want %q", again.Get("Range"), want)
			}
			if dated := again.Get("If-Range") == "Sat, 29 Jun 2024 12:00:00 GMT"; dated != c.dated {
				t.Errorf("If-Range %q", again.Get("If-Range"))
			}
		})
	}
}

// checkPartial holds that a file on its way has the owner and mode that apt's
// own method gives it.
func checkPartial(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if uid, gid := idsOf(t, "_apt"); info.Mode() != 0o644 || int(owner.Uid) != uid || int(owner.Gid) != gid {
		t.Errorf("%s: mode %v, owner %d:%d", path, info.Mode(), owner.Uid, owner.Gid)
	}
}

// idsOf looks a user of this machine up.
func idsOf(t *testing.T, name string) (uid, gid int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `echo "$(id -u "$1") $(id -g "$1")"`, "sh", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(out), &uid, &gid); err != nil {
		t.Fatal(err)
	}
	return uid, gid
}

// checkUser holds that no thread of a process has anything of root.
func checkUser(t *testing.T, pid int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	uid, gid := idsOf(t, "_apt")
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if os.IsNotExist(err) {
			continue // it has ended
		}
		for _, want := range []string{
			fmt.Sprintf("\nUid:\t%d\t%[1]d\t%[1]d\t%[1]d\n", uid), fmt.Sprintf("\nGid:\t%d\t%[1]d\t%[1]d\t%[1]d\n", gid),
			fmt.Sprintf("\nGroups:\t%d", gid), "\nCapEff:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n", "\nNoNewPrivs:\t1\n",
		} {
			if err != nil || !strings.Contains(string(status), want) {
				t.Errorf("%v, no %q in %s:\n%s", err, want, thread, status)
			}
		}
	}
}

func kill(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		t.Error(err)
	}
}
