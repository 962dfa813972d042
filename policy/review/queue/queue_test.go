package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

var update = flag.Bool("update", false, "rewrite golden files")

func oid(c string) string { return strings.Repeat(c, 40) }

// item is a pull request as gh prints it, with changes.
func item(number int, change map[string]any) map[string]any {
	m := map[string]any{
		"number": number, "title": fmt.Sprint("change ", number), "url": fmt.Sprintf("https://github.com/o/r/pull/%d", number),
		"author": map[string]any{"login": "someone", "is_bot": false}, "state": "OPEN", "isDraft": false,
		"baseRefName": "main", "baseRefOid": oid("a"), "headRefName": "topic", "headRefOid": fmt.Sprintf("%040x", number),
		"createdAt": "2026-11-01T00:00:00Z", "updatedAt": "2026-11-02T00:00:00Z", "mergedAt": nil,
		"additions": 10, "deletions": 5, "changedFiles": 1, "files": []any{map[string]any{"path": "README.md", "additions": 10, "deletions": 5}},
		"labels": []any{}, "reviewDecision": "REVIEW_REQUIRED", "mergeable": "MERGEABLE", "somethingNew": map[string]any{"a": 1},
	}
	maps.Copy(m, change)
	return m
}

func files(paths ...string) map[string]any {
	list := []any{}
	for _, p := range paths {
		list = append(list, map[string]any{"path": p})
	}
	return map[string]any{"files": list, "changedFiles": len(paths)}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, items ...map[string]any) []PullRequest {
	t.Helper()
	list, err := Read(bytes.NewReader(encoded(t, items)))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// verdicts is a review that knows heads.
func verdicts(known map[int]Verdict) Review {
	return func(_ context.Context, pr *PullRequest) (Verdict, error) {
		if v, ok := known[pr.Number]; ok {
			return v, nil
		}
		return Verdict{}, ErrUnread
	}
}

func options(r Review) Options {
	return Options{Limit: 30, Now: time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC), Remote: "origin", Review: r}
}

func build(t *testing.T, list []PullRequest, o Options) *Queue {
	t.Helper()
	q, err := Build(t.Context(), list, o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func numbers(entries []Entry) []int {
	var all []int
	for _, e := range entries {
		all = append(all, e.Number)
	}
	return all
}

// sample has a pull request for each reason to come before another.
func sample(t *testing.T) ([]PullRequest, Review) {
	merged := func(at string) map[string]any { return map[string]any{"state": "MERGED", "mergedAt": at} }
	list := read(t,
		item(1, nil),
		item(2, map[string]any{"additions": 1}),
		item(3, map[string]any{"createdAt": "2026-10-01T00:00:00Z"}),
		item(4, files("app/Dockerfile", ".github/workflows/ci.yml")),
		item(5, map[string]any{"changedFiles": 300}),
		item(6, nil),
		item(7, map[string]any{"isDraft": true}),
		item(8, nil),
		item(9, map[string]any{"labels": []any{map[string]any{"name": policy.SensitiveTag}}, "title": "the secret hole"}),
		item(10, nil),
		item(11, merged("2026-11-05T00:00:00Z")),
		item(12, merged("2026-11-03T00:00:00Z")),
		item(13, map[string]any{"state": "CLOSED"}),
		item(14, merged("2026-11-06T00:00:00Z")),
	)
	known := map[int]Verdict{
		1: {Event: Approve}, 2: {Event: Comment, New: 1}, 3: {Event: Approve, Fixed: 2}, 4: {Event: Approve}, 5: {Event: Approve},
		6: {Event: RequestChanges, New: 1, Blockers: 1}, 7: {Event: RequestChanges, New: 3, Blockers: 3},
		8: {Event: RequestChanges, New: 2, Blockers: 2, Sensitive: 1, Unprovable: 1}, 11: {Event: Approve}, 12: {Event: Comment, New: 1},
	}
	return list, func(ctx context.Context, pr *PullRequest) (Verdict, error) {
		if pr.Number == 10 {
			return Verdict{}, errors.New("git is broken")
		}
		return verdicts(known)(ctx, pr)
	}
}

// The order is that of the risk, and does not depend on that of the list.
func TestOrder(t *testing.T) {
	t.Parallel()
	list, review := sample(t)
	for range 20 {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		q := build(t, list, options(review))
		if diff := cmp.Diff([]int{8, 6, 9, 10, 4, 5, 2, 3, 1, 7}, numbers(q.Open)); diff != "" {
			t.Errorf("open: %s", diff)
		}
		if diff := cmp.Diff([]int{12, 14, 11}, numbers(q.Merged)); diff != "" {
			t.Errorf("merged: %s", diff)
		}
		if !q.Blocks() || len(q.Failures()) != 1 || q.Closed != 1 || q.Cut {
			t.Errorf("%+v", q)
		}
	}
}

// A draft that blocks doesn't stop the queue; one that was merged with something
// new does.
func TestBlocks(t *testing.T) {
	t.Parallel()
	blocker := verdicts(map[int]Verdict{1: {Event: RequestChanges, Blockers: 1}})
	for name, tc := range map[string]struct {
		change map[string]any
		want   bool
	}{
		"open":   {nil, true},
		"draft":  {map[string]any{"isDraft": true}, false},
		"merged": {map[string]any{"state": "MERGED", "mergedAt": "2026-11-05T00:00:00Z"}, true},
		"closed": {map[string]any{"state": "CLOSED"}, false},
	} {
		if got := build(t, read(t, item(1, tc.change)), options(blocker)).Blocks(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if build(t, read(t, item(1, nil)), options(nil)).Blocks() {
		t.Error("what was not reviewed blocks")
	}
}

// A list as long as gh's limit may be cut.
func TestCut(t *testing.T) {
	t.Parallel()
	list := read(t, item(1, nil), item(2, nil))
	for limit, want := range map[int]bool{2: true, 3: false} {
		o := options(nil)
		o.Limit = limit
		if q := build(t, list, o); q.Cut != want {
			t.Errorf("limit %d: %v", limit, q.Cut)
		}
	}
}

// TestFormats holds what each format says of one queue.
func TestFormats(t *testing.T) {
	t.Parallel()
	list, review := sample(t)
	q := build(t, list, options(review))
	for name, write := range map[string]func(*bytes.Buffer) error{
		"queue.txt":  func(b *bytes.Buffer) error { return q.Text(b) },
		"queue.md":   func(b *bytes.Buffer) error { return q.Markdown(b) },
		"queue.json": func(b *bytes.Buffer) error { return q.JSON(b) },
		"github.txt": func(b *bytes.Buffer) error { return q.GitHub(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What authors write is text in every format: to a terminal, to a CI system, to
// Markdown and to a shell.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\x1b[31mred", "a\u202eb", "::error::x", "##vso[x]", "a | b | c", "`a` ``b``", "[x](https://evil.example)", "@everyone #1 https://evil.example",
		"<img src=x>", "a\nb", "a\r\nb", "a\x00b", "'; rm -rf / #", "$(id)", "\\", "\\|", "--upload-pack=id", "-h", strings.Repeat("é", 500),
	} {
		list := read(t, item(1, map[string]any{"title": text, "author": map[string]any{"login": text}, "baseRefName": text, "headRefName": text}))
		q := build(t, list, options(verdicts(map[int]Verdict{})))
		for name, write := range map[string]func(*bytes.Buffer) error{
			"text": func(b *bytes.Buffer) error { return q.Text(b) }, "markdown": func(b *bytes.Buffer) error { return q.Markdown(b) },
			"json": func(b *bytes.Buffer) error { return q.JSON(b) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			checkText(t, name+" of "+text, b.String())
		}
		for _, c := range q.Open[0].Commands {
			if strings.HasPrefix(c, "git fetch") && !strings.Contains(c, "refs/heads/") {
				t.Errorf("%q: %s", text, c)
			}
		}
	}
}

// checkText checks that no byte of text is more than text, and that in Markdown no
// cell is left.
func checkText(t *testing.T, name, text string) {
	t.Helper()
	for _, bad := range []string{"\x1b", "\u202e", "\x00", "\r", "\n::", "##vso["} {
		if strings.Contains(text, bad) {
			t.Errorf("%s: it has %q:\n%s", name, bad, text)
		}
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| [1]") {
			continue
		}
		if cells := strings.Count(line, "|"); cells != 9 {
			t.Errorf("%s: %d bars in %s", name, cells, line)
		}
		if ticks := strings.Count(line, "`"); ticks != 4 {
			t.Errorf("%s: %d ticks in %s", name, ticks, line)
		}
	}
}

// What is labelled as private is counted, and its title and author are nowhere.
func TestPrivate(t *testing.T) {
	t.Parallel()
	list, review := sample(t)
	q := build(t, list, options(review))
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return q.Text(b) }, func(b *bytes.Buffer) error { return q.Markdown(b) },
		func(b *bytes.Buffer) error { return q.JSON(b) }, func(b *bytes.Buffer) error { return q.GitHub(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "secret hole") {
			t.Errorf("it tells the title:\n%s", b.String())
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	without := func(field string) map[string]any {
		m := item(1, nil)
		delete(m, field)
		return m
	}
	for name, tc := range map[string]struct{ text, want string }{
		"no list":       {`{}`, "array"},
		"no object":     {`[1]`, "line 1: pull request 1 of the list: it is no object"},
		"cut off":       {`[{`, "line 1: "},
		"more":          {`[] []`, "line 1: there is text behind the list"},
		"no head":       {string(encoded(t, []any{without("headRefOid")})), "it lacks the field headRefOid: list with gh pr list --json number,"},
		"no merge time": {string(encoded(t, []any{without("mergedAt")})), "it lacks the field mergedAt"},
		"twice":         {string(encoded(t, []any{item(1, nil), item(1, nil)})), "pull request #1 is in the list twice"},
		"a line":        {"[\n" + string(encoded(t, item(1, nil))) + ",\n" + string(encoded(t, item(2, map[string]any{"state": "LOST"}))) + "]", "line 3: pull request 2 of the list: #2: state is none of"},
		"number":        {string(encoded(t, []any{item(0, nil)})), "its number is 0"},
		"type":          {string(encoded(t, []any{item(1, map[string]any{"additions": "many"})})), "its field additions is a string"},
		"merged":        {string(encoded(t, []any{item(1, map[string]any{"state": "MERGED"})})), "state and mergedAt contradict each other"},
		"object":        {string(encoded(t, []any{item(1, map[string]any{"headRefOid": "HEAD"})})), "no full object ID"},
		"option":        {string(encoded(t, []any{item(1, map[string]any{"headRefOid": "--output=" + oid("a")})})), "no full object ID"},
		"base":          {string(encoded(t, []any{item(1, map[string]any{"baseRefName": ""})})), "baseRefName is empty"},
		"time":          {string(encoded(t, []any{item(1, map[string]any{"createdAt": "yesterday"})})), "yesterday"},
		"counts":        {string(encoded(t, []any{item(1, map[string]any{"changedFiles": 0})})), "no counts of its files"},
		"address":       {string(encoded(t, []any{item(1, map[string]any{"url": "https://github.com/o/r/pull/2"})})), "url is not https://HOST/OWNER/REPOSITORY/pull/1"},
		"clear address": {string(encoded(t, []any{item(1, map[string]any{"url": "http://github.com/o/r/pull/1"})})), "url is not https://"},
		"traversal":     {string(encoded(t, []any{item(1, map[string]any{"url": "https://github.com/../../x/pull/1"})})), "url is not https://"},
		"password":      {string(encoded(t, []any{item(1, map[string]any{"url": "https://u:p@github.com/o/r/pull/1"})})), "url is not https://"},
		"deep":          {"[" + strings.Repeat("[", 100000), "line 1: "},
	} {
		list, err := Read(strings.NewReader(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) || list != nil {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if _, ok := errors.AsType[*jsonstream.Error](err); !ok {
			t.Errorf("%s: %T", name, err)
		}
	}
	if list, err := Read(strings.NewReader(" [ ] \n")); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// Every field that is needed is one that gh is asked for.
func TestFields(t *testing.T) {
	t.Parallel()
	asked := strings.Split(Fields, ",")
	for _, name := range needed() {
		if !slices.Contains(asked, name) {
			t.Errorf("%s is needed and not asked for", name)
		}
	}
}

// A review that is interrupted is no queue.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := options(func(context.Context, *PullRequest) (Verdict, error) {
		cancel()
		return Verdict{}, errors.New("killed")
	})
	if q, err := Build(ctx, read(t, item(1, nil)), o); !errors.Is(err, context.Canceled) || q != nil {
		t.Errorf("%v, %v", q, err)
	}
}

// FuzzRead holds that no text makes the reader or the formats panic.
func FuzzRead(f *testing.F) {
	data, err := json.Marshal([]any{item(1, nil), item(2, map[string]any{"state": "MERGED", "mergedAt": "2026-11-05T00:00:00Z"})})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		q := build(t, list, options(nil))
		var b bytes.Buffer
		if err := errors.Join(q.Text(&b), q.Markdown(&b), q.JSON(&b), q.GitHub(&b)); err != nil {
			t.Fatal(err)
		}
	})
}
