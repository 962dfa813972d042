package gitread_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("1")})
	second := r.Commit("main", first, gitbed.Files{"x": gitbed.Text("2")})
	r.Git("tag", "-a", "-m", "t", "v1", second)
	r.Git("update-ref", "refs/remotes/origin/main", first)
	repo := open(t, r)
	for name, want := range map[string]gitread.Rev{
		"main":        {Ref: "refs/heads/main", Commit: gitread.Commit(second)},
		"main~1":      {Commit: gitread.Commit(first)},
		"HEAD":        {Commit: gitread.Commit(second)},
		"v1":          {Ref: "refs/tags/v1", Commit: gitread.Commit(second)},
		"origin/main": {Ref: "refs/remotes/origin/main", Commit: gitread.Commit(first)},
		first:         {Commit: gitread.Commit(first)},
		first[:9]:     {Commit: gitread.Commit(first)},

		"refs/heads/main": {Ref: "refs/heads/main", Commit: gitread.Commit(second)},
	} {
		want.Name = name
		got, err := repo.Resolve(t.Context(), name)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
		if got.Branch() != strings.Contains(want.Ref, "/main") {
			t.Errorf("%s: branch %v", name, got.Branch())
		}
	}
	for _, name := range []string{"", "none", "--all", "-q", "main^{tree}", "main:x", "a\nb", strings.Repeat("1", 40), "main..v1"} {
		if got, err := repo.Resolve(t.Context(), name); err == nil {
			t.Errorf("%q: %+v", name, got)
		} else if e, ok := errors.AsType[*gitread.Error](err); !ok || e.Todo == "" || strings.Contains(e.Message, "\n") {
			t.Errorf("%q: %#v", name, err)
		}
	}
}

// TestAmbiguous holds that a tag does not take the place of a branch.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("1")})
	evil := r.Commit("topic", first, gitbed.Files{"x": gitbed.Text("2")})
	r.Git("update-ref", "refs/remotes/origin/main", first)
	r.Git("tag", "origin/main", evil)
	repo := open(t, r)
	for _, name := range []string{"origin/main", "origin/main~0", "origin/main^{commit}"} {
		if got, err := repo.Resolve(t.Context(), name); err == nil || !strings.Contains(err.Error(), "refs/remotes/origin/main") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	r.Git("update-ref", "refs/heads/HEAD", evil)
	if got, err := repo.Resolve(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "refs/heads/HEAD, HEAD") {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := repo.Resolve(t.Context(), "refs/remotes/origin/main"); err != nil || got.Commit != gitread.Commit(first) {
		t.Error(got, err)
	}
}

func TestMergeBases(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("1")})
	main := r.Commit("main", first, gitbed.Files{"y": gitbed.Text("1")})
	topic := r.Commit("topic", first, gitbed.Files{"z": gitbed.Text("1")})
	alone := r.Commit("alone", "", gitbed.Files{"z": gitbed.Text("1")})
	repo := open(t, r)
	got, err := repo.MergeBases(t.Context(), gitread.Commit(main), gitread.Commit(topic))
	if err != nil || !cmp.Equal(got, []gitread.Commit{gitread.Commit(first)}) {
		t.Error(got, err)
	}
	if got, err := repo.MergeBases(t.Context(), gitread.Commit(main), gitread.Commit(alone)); !errors.Is(err, gitread.ErrUnrelated) {
		t.Error(got, err)
	}
	tree := r.Git("rev-parse", main+"^{tree}")
	a, b := r.CommitTree(tree, main, topic), r.CommitTree(tree, topic, main, first)
	if got, err := repo.MergeBases(t.Context(), gitread.Commit(a), gitread.Commit(b)); err != nil || len(got) != 2 {
		t.Error(got, err)
	}
}

// TestShallow holds that a clone without its history says what to do.
func TestShallow(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("1")})
	main := r.Commit("main", first, gitbed.Files{"x": gitbed.Text("2")})
	clone := gitbed.New(t)
	clone.Git("fetch", "-q", "--depth=1", "file://"+r.Dir, "main:refs/remotes/origin/main")
	repo := open(t, clone)
	_, err := repo.MergeBases(t.Context(), gitread.Commit(main), gitread.Commit(first))
	if e, ok := errors.AsType[*gitread.Error](err); !ok || !errors.Is(err, gitread.ErrShallow) || !strings.Contains(e.Todo, "fetch-depth: 0") {
		t.Error(err)
	}
	if _, err := repo.Resolve(t.Context(), first); !errors.Is(err, gitread.ErrShallow) {
		t.Error(err)
	}
}

// TestBelieves holds that grafts, replaced objects and a false commit graph move
// no merge base and replace no file.
func TestBelieves(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("1")})
	main := r.Commit("main", first, gitbed.Files{"x": gitbed.Text("2")})
	topic := r.Commit("topic", first, gitbed.Files{"x": gitbed.Text("3")})
	r.Git("replace", r.Git("rev-parse", topic+":x"), r.Blob("replaced"))
	r.Git("replace", topic, main)
	r.Write(".git/info/grafts", topic+" "+main+"\n")
	repo := open(t, r)
	if got, err := repo.MergeBases(t.Context(), gitread.Commit(main), gitread.Commit(topic)); err != nil || !cmp.Equal(got, []gitread.Commit{gitread.Commit(first)}) {
		t.Error(got, err)
	}
	if data, err := tree(t, repo, topic).ReadFile("x"); err != nil || string(data) != "3" {
		t.Errorf("%q %v", data, err)
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{
		"gone": gitbed.Text("1"), "edited": gitbed.Text("1"), "mode": gitbed.Text("1"), "kind": gitbed.Text("x"), "same": gitbed.Text("1"), "moved": gitbed.Text("some text"),
	})
	second := r.Commit("main", first, gitbed.Files{
		"gone": nil, "edited": gitbed.Text("2"), "mode": {Mode: "100755", Data: "1"}, "kind": gitbed.Link("x"),
		"moved": nil, "moved-to\n::error::x": gitbed.Text("some text"), "sub": {Mode: "160000", Data: first},
	})
	repo := open(t, r)
	all, err := repo.Changed(t.Context(), gitread.Commit(first), gitread.Commit(second))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		text := c.Status + " " + c.Path
		if c.ModeChanged() {
			text += " " + c.OldMode + " " + c.NewMode
		}
		got = append(got, text)
	}
	want := []string{"M edited", "D gone", "T kind 100644 120000", "M mode 100644 100755", "D moved", "A moved-to\n::error::x", "A sub"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all, err := repo.Changed(t.Context(), gitread.Commit(first), gitread.Commit(first)); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

func TestAuthors(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.CommitBy("base@example.org", "main", "", gitbed.Files{"x": gitbed.Text("1")})
	a := r.CommitBy("dev@example.org", "topic", first, gitbed.Files{"x": gitbed.Text("2"), "signed": gitbed.Text("1")})
	b := r.CommitBy("dev@example.org", "topic", a, gitbed.Files{"x": gitbed.Text("3")})
	c := r.CommitBy("reviewer@example.org", "topic", b, gitbed.Files{"signed": gitbed.Text("2")})
	repo := open(t, r)
	got, err := repo.Authors(t.Context(), gitread.Commit(first), gitread.Commit(c), "signed")
	if err != nil || !cmp.Equal(got, []string{"dev@example.org"}) {
		t.Error(got, err)
	}
	got, err = repo.Authors(t.Context(), gitread.Commit(first), gitread.Commit(c))
	if err != nil || !cmp.Equal(got, []string{"reviewer@example.org", "dev@example.org"}) {
		t.Error(got, err)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("1")})
	second := r.Commit("main", first, gitbed.Files{"x": gitbed.Text("2")})
	r.Git("tag", "light", second)
	r.Git("tag", "-a", "-m", "t", "v1", second)
	r.Git("tag", "old", first)
	got, err := open(t, r).Tags(t.Context(), gitread.Commit(second))
	if err != nil || !cmp.Equal(got, []gitread.Tag{{Name: "light"}, {Name: "v1", Annotated: true}}) {
		t.Error(got, err)
	}
}
