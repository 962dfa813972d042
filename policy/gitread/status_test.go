package gitread_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

// checkedOut is a repository with a working tree.
func checkedOut(t *testing.T, files gitbed.Files) *gitbed.Repo {
	t.Helper()
	r := gitbed.New(t)
	r.Commit("main", "", files)
	r.Git("reset", "-q", "--hard")
	return r
}

func uncommitted(t *testing.T, r *gitbed.Repo) []gitread.Uncommitted {
	t.Helper()
	all, err := open(t, r).Uncommitted(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestUncommitted(t *testing.T) {
	t.Parallel()
	r := checkedOut(t, gitbed.Files{
		"a": gitbed.Text("1"), "b": gitbed.Text("1"), "c": gitbed.Text("1"), "d": gitbed.Text("1"), "e": gitbed.Text("1"), ".gitignore": gitbed.Text("ignored\n"),
	})
	if got := uncommitted(t, r); len(got) != 0 {
		t.Errorf("clean: %v", got)
	}
	r.Write("ignored", "x")
	r.Write("a", "22")
	r.Write("new/file \n", "x")
	r.Write("staged", "x")
	r.Git("add", "staged")
	r.Git("rm", "-q", "b")
	r.Git("update-index", "--assume-unchanged", "c")
	r.Write("c", "22")
	r.Git("update-index", "--skip-worktree", "d", "e")
	r.Write("d", "22")
	if err := os.Remove(filepath.Join(r.Dir, "e")); err != nil {
		t.Fatal(err)
	}
	want := []gitread.Uncommitted{
		{Path: "a", Why: "changed"},
		{Path: "b", Why: "deleted"},
		{Path: "c", Why: "hidden from git"},
		{Path: "d", Why: "hidden from git"},
		{Path: "new/file \n", Why: "untracked"},
		{Path: "staged", Why: "added"},
	}
	if diff := cmp.Diff(want, uncommitted(t, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRunsNothing holds that no program which a repository names is run: hooks,
// monitors, filters, drivers, pagers, not even for a repository that is hostile.
func TestRunsNothing(t *testing.T) {
	t.Parallel()
	r := checkedOut(t, gitbed.Files{
		"f": gitbed.Text("1"), "g": gitbed.Text("1"), ".gitattributes": gitbed.Text("f filter=evil diff=evil\ng filter=proc merge=evil\n"),
	})
	marker := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\necho \"$0 $*\" >>%s\ncat\n", marker), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.proc.process", "diff.evil.textconv", "diff.evil.command", "diff.external",
		"core.pager", "pager.status", "pager.log", "core.sshCommand", "core.gitProxy", "core.askPass", "core.editor", "gpg.program", "alias.status", "alias.rev-parse",
		"uploadpack.packObjectsHook", "core.alternateRefsCommand", "interactive.diffFilter", "credential.helper", "merge.evil.driver",
	} {
		r.Git("config", key, script)
	}
	r.Git("config", "filter.evil.required", "true")
	r.Git("config", "log.showSignature", "true")
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "query-watchman", "pre-auto-gc"} {
		r.Write(".git/hooks/"+hook, fmt.Sprintf("#!/bin/sh\necho hook >>%s\n", marker))
		if err := os.Chmod(filepath.Join(r.Dir, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.Write("f", "2")
	r.Write("g", "2")
	if err := os.Remove(marker); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err) // "git config" reads no such thing, but be sure
	}
	repo := open(t, r)
	rev, err := repo.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.MergeBases(t.Context(), rev.Commit, rev.Commit); err != nil {
		t.Error(err)
	}
	if _, err := repo.Changed(t.Context(), rev.Commit, rev.Commit); err != nil {
		t.Error(err)
	}
	if _, err := repo.Authors(t.Context(), rev.Commit, rev.Commit); err != nil {
		t.Error(err)
	}
	if _, err := repo.Tags(t.Context(), rev.Commit); err != nil {
		t.Error(err)
	}
	if data, err := tree(t, repo, string(rev.Commit)).ReadFile("f"); err != nil || string(data) != "1" {
		t.Errorf("%q %v", data, err)
	}
	if got := uncommitted(t, r); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("these ran:\n%s", ran)
	}
}

// TestLFS holds that a file of Git LFS is clean if it is what its pointer says,
// though the filter is not run.
func TestLFS(t *testing.T) {
	t.Parallel()
	data := "large"
	pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256([]byte(data)), len(data))
	r := checkedOut(t, gitbed.Files{"big": gitbed.Text(pointer), "big2": gitbed.Text(pointer), ".gitattributes": gitbed.Text("big* filter=lfs\n")})
	r.Git("config", "filter.lfs.clean", "false")
	r.Write("big", data)
	r.Write("big2", "other")
	if diff := cmp.Diff([]gitread.Uncommitted{{Path: "big2", Why: "changed"}}, uncommitted(t, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUncommittedSubmodule holds that a submodule is looked into, and that nothing
// which its configuration names is run.
func TestUncommittedSubmodule(t *testing.T) {
	t.Parallel()
	sub := checkedOut(t, gitbed.Files{"s": gitbed.Text("1"), "t": gitbed.Text("1"), ".gitattributes": gitbed.Text("* filter=evil\n")})
	r := checkedOut(t, gitbed.Files{"f": gitbed.Text("1")})
	r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.Dir, "sub")
	r.Git("commit", "-q", "-m", "sub")
	if got := uncommitted(t, r); len(got) != 0 {
		t.Errorf("clean: %v", got)
	}
	marker := filepath.Join(t.TempDir(), "ran")
	r.Git("-C", "sub", "config", "filter.evil.clean", "touch "+marker)
	r.Git("-C", "sub", "config", "core.fsmonitor", "touch "+marker)
	r.Write("sub/s", "22")
	if diff := cmp.Diff([]gitread.Uncommitted{{Path: "sub/s", Why: "changed"}}, uncommitted(t, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the submodule's filter ran")
	}
}

func TestNoWorkingTree(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t, "--bare")
	repo := open(t, r)
	if _, err := repo.Uncommitted(t.Context()); err == nil || repo.Top() != "" {
		t.Error(err, repo.Top())
	}
	_, err := gitread.Open(t.Context(), gitread.Options{Dir: t.TempDir(), Environ: gitbed.Environ()})
	if e, ok := errors.AsType[*gitread.Error](err); !ok || e.Todo == "" {
		t.Error(err)
	}
}
