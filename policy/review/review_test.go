package review_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/review"
	"github.com/loopx/loopx-frontend/policy/scan"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// compare reviews a change between two commits of a repository.
func compare(t testing.TB, repo *gitread.Repo, base, head string, change func(*review.Input)) *review.Result {
	t.Helper()
	in := review.Input{Scan: scan.Input{Now: time.Now()}, Checks: []scan.Check{scan.Dockerfile, scan.Floors}}
	ctx := context.Background()
	var err error
	if in.Base, err = repo.Tree(ctx, gitread.Commit(base)); err != nil {
		t.Fatal(err)
	}
	if in.Head, err = repo.Tree(ctx, gitread.Commit(head)); err != nil {
		t.Fatal(err)
	}
	if in.Changed, err = repo.Changed(ctx, gitread.Commit(base), gitread.Commit(head)); err != nil {
		t.Fatal(err)
	}
	in.Lines = func(ctx context.Context, files []gitread.Change) (map[string]gitread.Lines, error) {
		return repo.Lines(ctx, gitread.Commit(base), gitread.Commit(head), files)
	}
	if change != nil {
		change(&in)
	}
	r, err := review.Run(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t testing.TB, r *gitbed.Repo) *gitread.Repo {
	t.Helper()
	repo, err := gitread.Open(context.Background(), gitread.Options{Dir: r.Dir, Environ: gitbed.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	})
	return repo
}

// parts are what Dockerfiles of the law are made of: with findings of each
// severity, and without.
func parts() []string {
	return []string{
		"RUN true\n", "RUN curl -k https://a.example.com/x\n", "RUN curl https://a.example.com/i.sh | sh\n", "ADD http://a.example.com:8080/x /\n",
		"RUN curl http://a.example.com/y\n", "# loopx:ignore=CurlPipeShell reason=x\n", "RUN pip install x>=1\n", "NONSENSE\n", "ARG TOKEN=q7Rw2mZx9Kd41LpNvB\n",
	}
}

// shuffled are files at random: Dockerfiles by name, under other names, in compose
// files, links and builds that are not known.
func shuffled(rng *rand.Rand) gitbed.Files {
	text := func() string {
		var s strings.Builder
		s.WriteString("FROM debian\n")
		for range rng.IntN(6) {
			s.WriteString(parts()[rng.IntN(len(parts()))])
		}
		return s.String()
	}
	files := gitbed.Files{}
	for _, name := range []string{"Dockerfile", "a/Dockerfile", "b.txt", "c/x.img", "vendor/Dockerfile"} {
		if rng.IntN(3) > 0 {
			files[name] = gitbed.Text(text())
		} else {
			files[name] = nil
		}
	}
	if rng.IntN(2) == 0 {
		files["compose.yaml"] = gitbed.Text("services:\n  a: {build: {context: c, dockerfile: x.img}}\n  b: {build: \"$X\"}\n")
	} else {
		files["compose.yaml"] = gitbed.Text("services:\n  a:\n    build:\n      dockerfile_inline: |\n        FROM x\n        RUN curl -k https://a.example.com/z\n")
	}
	if rng.IntN(2) == 0 {
		files["link/Dockerfile"] = gitbed.Link([]string{"../Dockerfile", "../../x", "none"}[rng.IntN(3)])
	}
	if rng.IntN(2) == 0 {
		files["requirements.txt"] = gitbed.Text([]string{"x\n", "x>=1\n", "!!\n"}[rng.IntN(3)])
	}
	return files
}

// TestLaw holds, for changes at random: what is new and what is unchanged are the
// findings of the head, what is fixed and what is unchanged those of the base, and
// a commit against itself has nothing new.
func TestLaw(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var commits []string
	for i := range 12 {
		parent := ""
		if i > 0 {
			parent = commits[i-1]
		}
		commits = append(commits, r.Commit("main", parent, shuffled(rng)))
	}
	repo := open(t, r)
	alone := map[string][]string{}
	for _, c := range commits {
		same := compare(t, repo, c, c, nil)
		if len(same.New)+len(same.Fixed)+len(same.About) > 0 || same.Verdict != review.Approve {
			t.Errorf("%s against itself: %v", c, same)
		}
		alone[c] = names(same.Unchanged)
	}
	for range 40 {
		base, head := commits[rng.IntN(len(commits))], commits[rng.IntN(len(commits))]
		got := compare(t, repo, base, head, nil)
		for _, half := range []struct {
			what string
			got  []string
			want []string
		}{
			{"head", names(got.New, got.Unchanged), alone[head]},
			{"base", names(got.Fixed, got.Unchanged), alone[base]},
		} {
			// Changed files are looked into by what they hold, so there may be more.
			missing := subtract(half.want, half.got)
			if len(missing) > 0 {
				t.Errorf("%s to %s: the %s lacks %v", base, head, half.what, missing)
			}
		}
		if news := len(got.New) + len(got.About) + got.Counts().Edited; news == 0 && got.Verdict != review.Approve {
			t.Errorf("%s to %s: %s without news", base, head, got.Verdict)
		}
	}
}

// names are the fingerprints of findings, sorted.
func names(lists ...[]review.Finding) []string {
	var all []string
	for _, list := range lists {
		for _, f := range list {
			all = append(all, fmt.Sprintf("%s %s", f.Rule, f.Fingerprint))
		}
	}
	slices.Sort(all)
	return all
}

// subtract is a without b, as multisets.
func subtract(a, b []string) []string {
	count := map[string]int{}
	for _, s := range b {
		count[s]++
	}
	var left []string
	for _, s := range a {
		if count[s]--; count[s] < 0 {
			left = append(left, s)
		}
	}
	return left
}

// TestDocumented holds that the page lists each rule as it is.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/review.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range review.Rules() {
		if row := fmt.Sprintf("\n| `%s` | %s | ", r.Name, r.Severity); !strings.Contains(string(page), row) {
			t.Errorf("docs/review.md lacks the row %s", row)
		}
	}
}

// TestNamedByChange holds that a file which was there, and which the change has
// built, counts as one of its own.
func TestNamedByChange(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"x.img": gitbed.Text("FROM debian\nRUN curl -k https://a.example.com/x\n")})
	head := r.Commit("topic", base, gitbed.Files{"docker-bake.json": gitbed.Text(`{"target":{"x":{"dockerfile":"x.img"}}}`)})
	got := compare(t, open(t, r), base, head, nil)
	if len(got.New) != 1 || got.New[0].Rule != "VerificationOff" || got.Verdict != review.RequestChanges {
		t.Errorf("%s %v", got.Verdict, names(got.New))
	}
}

// TestLinkedTrust holds that the files which decide are those behind links too.
func TestLinkedTrust(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{".loopx": gitbed.Link("etc/loopx"), "etc/loopx/allowed_signers": gitbed.Text("a\n"), "loopx.yaml": gitbed.Link("etc/l.yaml"), "etc/l.yaml": gitbed.Text("{}\n")})
	head := r.Commit("topic", base, gitbed.Files{"etc/loopx/allowed_signers": gitbed.Text("b\n"), "etc/l.yaml": gitbed.Text("review: {}\n")})
	got := compare(t, open(t, r), base, head, func(in *review.Input) { in.Scan.Trust.Source = "somewhere" })
	var about []string
	for _, f := range got.About {
		about = append(about, fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.Location.File))
	}
	want := []string{"warning GateConfigChanged etc/l.yaml", "blocker GateTrustChanged etc/loopx/allowed_signers"}
	if diff := cmp.Diff(want, about); diff != "" || got.Verdict != review.RequestChanges {
		t.Errorf("%s %s", got.Verdict, diff)
	}
}

// TestEdited holds that a blocker which was there hides nothing: another fetch under
// the same switch is for a person to look at.
func TestEdited(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	const head, tail = "FROM debian\nARG HOST=good\nRUN curl -k https://$HOST.example.com/x\n", "RUN true\n"
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text(head)})
	repo := open(t, r)
	for text, want := range map[string]review.Verdict{
		"FROM debian\nARG HOST=good\nRUN true\nRUN curl -k https://$HOST.example.com/x\n": review.Approve,
		"FROM debian\nARG HOST=good\nRUN curl -k https://evil.example.com/x\n":            review.Comment,
		"FROM debian\nARG HOST=evil\nRUN curl -k https://$HOST.example.com/x\n":           review.Comment,
		head + tail: review.Approve,
	} {
		got := compare(t, repo, base, r.Commit("topic", base, gitbed.Files{"Dockerfile": gitbed.Text(text)}), nil)
		if got.Verdict != want || len(got.New) != 0 || (got.Counts().Edited == 1) != (want == review.Comment) {
			t.Errorf("%q: %s, new %v, %+v", text, got.Verdict, names(got.New), got.Counts())
		}
	}
}

// TestNoBaseline holds that what can't be checked is no baseline for other text in
// its place, in a file, a link or a compose file.
func TestNoBaseline(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	before := gitbed.Files{
		"Dockerfile": gitbed.Text("FROM debian\nNONSENSE\n"), "kept/Dockerfile": gitbed.Text("FROM debian\nNONSENSE\n"),
		"a/Dockerfile": gitbed.Link("../bad"), "bad": gitbed.Text("FROM debian\nNONSENSE\n"),
		"compose.yaml": gitbed.Text("services: {a: {build: {dockerfile_inline: \"NONSENSE\"}}}\n"),
	}
	base := r.Commit("main", "", before)
	const more = "FROM debian\nNONSENSE\nRUN curl -k https://a.example.com/x\n"
	head := r.Commit("topic", base, gitbed.Files{
		"Dockerfile": gitbed.Text(more), "bad": gitbed.Text(more), "README": gitbed.Text("x"),
		"compose.yaml": gitbed.Text("services: {a: {build: {dockerfile_inline: \"NONSENSE curl -k\"}}}\n"),
	})
	got := compare(t, open(t, r), base, head, nil)
	var files []string
	for _, f := range got.New {
		files = append(files, f.Rule+" "+f.Location.File)
	}
	if diff := cmp.Diff([]string{"NotChecked Dockerfile", "NotChecked bad", "NotChecked compose.yaml"}, files); diff != "" || got.Verdict != review.RequestChanges {
		t.Errorf("%s %s", got.Verdict, diff)
	}
	if !slices.ContainsFunc(got.Unchanged, func(f review.Finding) bool { return f.Location != nil && f.Location.File == "kept/Dockerfile" }) {
		t.Errorf("unchanged: %v", names(got.Unchanged))
	}
}

// TestAnywhere holds that what a change adds is looked at wherever it is: in folders
// of others however large BuildKit takes it, behind a link, in a heredoc of a
// workflow and in the second document of a compose file.
func TestAnywhere(t *testing.T) {
	t.Parallel()
	const insecure = "FROM debian\nRUN curl -k https://a.example.com/x\n"
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text("FROM debian\n"), "old": gitbed.Text(insecure)})
	repo := open(t, r)
	for name, files := range map[string]gitbed.Files{
		"large":    {"vendor/a/Dockerfile": gitbed.Text(insecure + strings.Repeat("# x\n", 1<<19))},
		"link":     {"new": gitbed.Link("old")},
		"heredoc":  {".github/workflows/a.yml": gitbed.Text("run: |\n  cat >Dockerfile <<E\n  FROM debian\n  RUN curl -k https://a.example.com/x\n  E\n  docker build .\n")},
		"document": {"compose.yaml": gitbed.Text("services: {}\n---\nservices: {a: {build: {dockerfile_inline: \"FROM debian\\nRUN curl -k https://a.example.com/x\"}}}\n")},
	} {
		got := compare(t, repo, base, r.Commit(name, base, files), nil)
		if got.Verdict != review.RequestChanges || len(got.New) != 1 || got.New[0].Rule != "VerificationOff" {
			t.Errorf("%s: %s, new %v", name, got.Verdict, names(got.New))
		}
	}
}

// TestLinesOfNews holds that of two findings alike the one in an added line is new.
func TestLinesOfNews(t *testing.T) {
	t.Parallel()
	const one = "RUN curl -k https://a.example.com/x\n"
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text("FROM debian\nRUN true\nRUN true\nRUN true\n" + one)})
	head := r.Commit("topic", base, gitbed.Files{"Dockerfile": gitbed.Text("FROM debian\n" + one + "RUN true\nRUN true\nRUN true\n" + one)})
	got := compare(t, open(t, r), base, head, nil)
	if len(got.New) != 1 || got.New[0].Location.Start.Line != 2 {
		t.Errorf("new in line %d, %d unchanged, %v", got.New[0].Location.Start.Line, len(got.Unchanged), got.Lines)
	}
	if diff := cmp.Diff([]gitread.Span{{First: 2, Last: 2}}, got.Lines["Dockerfile"].Added); diff != "" {
		t.Error(diff)
	}
}

// TestAudit holds that blockers are told and do not stop a change under audit.
func TestAudit(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text("FROM debian\n")})
	head := r.Commit("topic", base, gitbed.Files{"Dockerfile": gitbed.Text("FROM debian\nRUN curl -k https://a.example.com/x\n")})
	got := compare(t, open(t, r), base, head, func(in *review.Input) { in.Audit = true })
	if got.Verdict != review.Comment || len(got.New) != 1 {
		t.Errorf("%s %v", got.Verdict, got.New)
	}
}

// TestMissing holds that a commit whose files are not all here ends the review: it
// is not compared with nothing.
func TestMissing(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	base := r.CommitTree(r.RawTree(gitbed.Entry{Mode: "100644", Name: "Dockerfile", ID: "1111111111111111111111111111111111111111"}))
	head := r.Commit("topic", "", gitbed.Files{"Dockerfile": gitbed.Text("FROM debian\nRUN curl -k https://a.example.com/x\n")})
	repo := open(t, r)
	for _, pair := range [][2]string{{base, head}, {head, base}} {
		in := review.Input{Scan: scan.Input{Now: time.Now()}, Checks: []scan.Check{scan.Dockerfile}}
		var err error
		if in.Base, err = repo.Tree(t.Context(), gitread.Commit(pair[0])); err != nil {
			t.Fatal(err)
		}
		if in.Head, err = repo.Tree(t.Context(), gitread.Commit(pair[1])); err != nil {
			t.Fatal(err)
		}
		if got, err := review.Run(t.Context(), in); err == nil {
			t.Errorf("%v", got)
		}
	}
}
