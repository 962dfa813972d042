package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

const insecure = `FROM scratch AS unused
RUN wget --no-check-certificate https://downloads.example.org/unused
FROM debian:bookworm-fetchers
ARG NAME=x
RUN true \
    || curl -k https://downloads.example.org/$NAME
`

// accept is the command that a refused build names.
var accept = regexp.MustCompile(`loopxctl (ack create --file \S+ --finding [0-9a-f]{12}) --reason`)

// TestAcknowledgedBuild goes the way of a new user, by what the messages say: a
// build is stopped, a reviewer signs with the command that it names, and the
// build passes and says who signed. Then whatever was not signed for stops it
// again.
func TestAcknowledgedBuild(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	ours := testbed.FrontendImage(t)
	repo := newRepository(t, map[string]string{"images/app/Dockerfile": syntax(ours, insecure)})
	signers := repo.reviewer(t)
	c := call{dir: repo.dir}
	build := func(more ...string) []string {
		return append([]string{"build", "-f", "images/app/Dockerfile", "--build-context=loopx-policy=" + signers}, append(more, ".")...)
	}

	log := c.fails(t, build()...)
	checkContains(t, log,
		"Dockerfile:7\n", "   7 | >>>     || curl -k https://downloads.example.org/$NAME\n",
		"1 finding stops this build (LOOPX_MODE=audit warns instead):\n", "\n  Dockerfile:7: -k switches the check of the server's certificate off")
	if strings.Contains(log, "unused") && strings.Contains(log, "Dockerfile:3:") {
		t.Errorf("a stage that is not built stops the build:\n%s", log)
	}
	check := c.buildx(t, build("--check")...)
	if check.Code == 0 || !strings.Contains(check.Stdout, "VerificationOff") || !strings.Contains(check.Stdout, "Dockerfile:7") {
		t.Errorf("--check: exit code %d\n%s", check.Code, check.Stdout)
	}

	command := accept.FindStringSubmatch(log)
	if command == nil {
		t.Fatalf("no command to accept it:\n%s", log)
	}
	repo.loopxctl(t, append(strings.Fields(command[1]), "--reason", "an internal host", "--expires", "30d", "--key", repo.key)...)

	log = c.build(t, build("--no-cache")...)
	checkContains(t, log, "[internal] Dockerfile:7: VerificationOff acknowledged by reviewer@example.org until ", ": an internal host")
	if check = c.buildx(t, build("--check")...); strings.Contains(check.Stdout, "Dockerfile:7") {
		t.Errorf("--check tells what is acknowledged:\n%s", check.Stdout)
	}

	// Nobody's signature counts without the operator's signers, and what was
	// signed is this command with this value.
	checkContains(t, c.fails(t, "build", "-f", "images/app/Dockerfile", "."), "no trusted source of signers is given")
	checkContains(t, c.fails(t, build("--build-arg=NAME=y")...), "was for another form of the instruction")
	c.build(t, build("--build-arg=LOOPX_MODE=audit")...)
}

// TestSignersFromABranch: the operator may name the protected branch of a
// repository as the place of the signers.
func TestSignersFromABranch(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	_, alone, _ := strings.Cut(insecure, "unused\nFROM")
	repo := newRepository(t, map[string]string{"Dockerfile": syntax(testbed.FrontendImage(t), "FROM"+alone)})
	signers := repo.reviewer(t)
	repo.loopxctl(t, "ack", "create", "--finding", repo.blocker(t), "--reason", "an internal host", "--expires", "30d", "--key", repo.key)

	data, err := os.ReadFile(filepath.Join(signers, "allowed_signers"))
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, testbed.MirrorOptions{Repos: map[string]map[string]string{"/policy.git": {".loopx/allowed_signers": string(data)}}})
	c := call{dir: repo.dir}
	log := c.build(t, "build", "--build-context=loopx-policy="+h.expand("https://HOST/policy.git#main:.loopx"), ".")
	checkContains(t, log, "VerificationOff acknowledged by reviewer@example.org")
}

// TestSignersInAnOwnImage: an organisation makes an image of its own of ours,
// with its signers, and nobody has to name them. Who has revoked a key adds it
// there.
func TestSignersInAnOwnImage(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	ours, ref := testbed.FrontendImage(t), testbed.Registry(t).Ref
	_, alone, _ := strings.Cut(insecure, "unused\nFROM")
	repo := newRepository(t, map[string]string{"Dockerfile": "FROM" + alone})
	signers := repo.reviewer(t)
	repo.loopxctl(t, "ack", "create", "--finding", repo.blocker(t), "--reason", "an internal host", "--expires", "30d", "--key", repo.key)
	writeFile(t, filepath.Join(signers, "Dockerfile"), []byte("FROM "+ours+"\nCOPY allowed_signers /etc/loopx/\n"))
	call{dir: signers}.build(t, "build", "--push", "--tag="+ref("team/frontend:1"), ".")

	c := call{dir: repo.dir}
	log := c.build(t, "build", by(ref("team/frontend:1")), ".")
	checkContains(t, log, "[internal] Dockerfile:4: VerificationOff acknowledged by reviewer@example.org until ")
	checkContains(t, c.fails(t, "build", by(ours), "."), "no trusted source of signers is given")

	public, err := os.ReadFile(repo.key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(signers, "revoked_keys"), public)
	writeFile(t, filepath.Join(signers, "Dockerfile"), []byte("FROM "+ref("team/frontend:1")+"\nCOPY revoked_keys /etc/loopx/\n"))
	call{dir: signers}.build(t, "build", "--push", "--tag="+ref("team/frontend:2"), ".")
	checkContains(t, c.fails(t, "build", by(ref("team/frontend:2")), "."), "the key, or the authority of its certificate, is revoked")
}

// TestStageOfATrigger: a trigger of the base image copies from a stage that
// nothing in the file needs, and BuildKit builds it.
func TestStageOfATrigger(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	ours, trigger := testbed.FrontendImage(t), testbed.Registry(t).Ref("team/trigger:1")
	c := call{dir: folder(t, map[string]string{"Dockerfile": "FROM debian:bookworm-fetchers\nONBUILD COPY --from=hidden /x /x\n"})}
	c.build(t, "build", "--push", "--tag="+trigger, ".")

	const hidden = "FROM debian:bookworm-fetchers AS hidden\nENV GIT_SSL_NO_VERIFY=1\nRUN touch /x\n"
	c = call{dir: folder(t, map[string]string{"Dockerfile": hidden + "FROM " + trigger + "\nRUN true\n"})}
	checkContains(t, c.fails(t, "build", by(ours), "."), "Dockerfile:2: GIT_SSL_NO_VERIFY switches the check")
	checkContains(t, c.build(t, "build", by(ours), "--build-arg=LOOPX_MODE=audit", "."), "] RUN touch /x")
}

// repository is a clone of a git repository, as a user has it.
type repository struct {
	dir, key, bin string
}

func newRepository(t *testing.T, files map[string]string) *repository {
	t.Helper()
	r := &repository{dir: folder(t, files), bin: testbed.Loopxctl(t)}
	r.git(t, "init", "-q", "-b", "main")
	r.git(t, "remote", "add", "origin", "https://example.org/team/app.git")
	r.commit(t)
	return r
}

func (r *repository) git(t *testing.T, args ...string) {
	t.Helper()
	r.run(t, exec.Command("git", append([]string{"-c", "user.name=Author", "-c", "user.email=author@example.org"}, args...)...))
}

func (r *repository) commit(t *testing.T) {
	t.Helper()
	r.git(t, "add", "-A")
	r.git(t, "commit", "-q", "-m", "work")
}

func (r *repository) run(t *testing.T, cmd *exec.Cmd) testbed.Output {
	t.Helper()
	cmd.Dir = r.dir
	got := testbed.Run(t, cmd)
	if got.Code != 0 {
		t.Fatalf("%v: exit code %d\n%s%s", cmd.Args, got.Code, got.Stdout, got.Stderr)
	}
	return got
}

// reviewer makes a reviewer's key and returns an operator's folder that trusts
// it.
func (r *repository) reviewer(t *testing.T) string {
	t.Helper()
	r.key = filepath.Join(t.TempDir(), "key")
	r.run(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "reviewer", "-f", r.key))
	public, err := os.ReadFile(r.key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return folder(t, map[string]string{"allowed_signers": "reviewer@example.org " + string(public)})
}

// loopxctl runs the companion as the reviewer.
func (r *repository) loopxctl(t *testing.T, args ...string) {
	t.Helper()
	if args[0] == "ack" {
		args = append(args, "--principal", "reviewer@example.org")
	}
	r.run(t, exec.Command(r.bin, args...))
}

// blocker is the fingerprint of the first blocker that loopxctl check shows.
func (r *repository) blocker(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(r.bin, "check", "Dockerfile")
	cmd.Dir = r.dir
	got := testbed.Run(t, cmd)
	command := accept.FindStringSubmatch(got.Stdout + got.Stderr)
	if got.Code != 1 || command == nil {
		t.Fatalf("exit code %d\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
	words := strings.Fields(command[1])
	return words[len(words)-1]
}
