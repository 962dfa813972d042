package testbed

import (
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// gitHandler serves repos by git's own CGI program, which speaks both the smart
// and the dumb protocol. What is in no repository goes to next, which may be nil.
func gitHandler(t TB, repos map[string]map[string]string, next http.Handler) http.Handler {
	t.Helper()
	if next == nil {
		next = http.NotFoundHandler()
	}
	if len(repos) == 0 {
		return next
	}
	root := t.TempDir()
	for name, files := range repos {
		newBareRepo(t, filepath.Join(root, filepath.FromSlash(name)), files)
	}
	execPath := git(t, root, "--exec-path")
	backend := &cgi.Handler{
		Path: filepath.Join(execPath, "git-http-backend"),
		Env:  append(gitEnv(root), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range repos {
			if strings.HasPrefix(r.URL.Path, path.Clean(name)+"/") {
				backend.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// newBareRepo makes a bare repository at dir with files in one commit on main.
// The same files give the same commit id.
func newBareRepo(t TB, dir string, files map[string]string) {
	t.Helper()
	work := t.TempDir()
	git(t, work, "init", "-q", "-b", "main")
	for name, body := range files {
		if err := writeFile(filepath.Join(work, filepath.FromSlash(name)), []byte(body), 0o644); err != nil {
			t.Fatalf("testbed: %v", err)
		}
	}
	git(t, work, "add", "-A")
	git(t, work, "commit", "-q", "--allow-empty", "-m", "test bed")
	git(t, work, "clone", "-q", "--bare", work, dir)
	git(t, dir, "update-server-info")
}

func git(t TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("testbed: git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// gitEnv is an environment without the user's git configuration and with fixed
// names and dates, so that commit ids repeat.
func gitEnv(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.org", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}
}
