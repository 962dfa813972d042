package gitread

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Commit is the name of a commit: 40 hexadecimal digits, or 64 in a repository
// with SHA-256 objects.
type Commit string

// Short is the beginning of the name, as people are shown it.
func (c Commit) Short() string { return string(c[:min(12, len(c))]) }

// id is the whole name of an object.
var id = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Rev is a revision as it was resolved.
type Rev struct {
	// Name is as it was given, Ref the full name of the reference that it is
	// ("refs/remotes/origin/main"), "" if it is none.
	Name, Ref string
	Commit    Commit
}

// Branch reports whether the revision is a branch, of this repository or of a
// remote one.
func (r Rev) Branch() bool {
	return strings.HasPrefix(r.Ref, "refs/heads/") || strings.HasPrefix(r.Ref, "refs/remotes/")
}

// Resolve returns the commit that a revision names (gitrevisions(7)). A name that
// several references have is an error: who may make a tag must not choose what
// a branch's name means. The error is an [*Error].
func (r *Repo) Resolve(ctx context.Context, name string) (Rev, error) {
	rev := Rev{Name: name}
	if name == "" || name[0] == '-' || strings.ContainsAny(name, "\x00\n") {
		return rev, &Error{Message: fmt.Sprintf("%q is no revision", plain.Text(name)), Todo: "Name a branch, a tag or a commit."}
	}
	refs, err := r.named(ctx, name)
	if err != nil {
		return rev, err
	}
	if len(refs) > 1 {
		return rev, &Error{Message: fmt.Sprintf("%s is the name of several: %s", plain.Text(name), plain.Text(strings.Join(refs, ", "))), Todo: "Write the whole name of the one that is meant."}
	}
	out, err := r.git.lines(ctx, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil || len(out) != 1 || !id.MatchString(out[0]) {
		return rev, r.unknown(name, err)
	}
	rev.Commit = Commit(out[0])
	if len(refs) == 1 && base(name) == name {
		rev.Ref = refs[0]
	}
	return rev, nil
}

func (r *Repo) unknown(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := &Error{Message: "git knows no commit " + plain.Text(name) + " here", Todo: "Fetch it first, or name another.", Err: err}
	if r.shallow {
		e.Message, e.Todo, e.Err = e.Message+": the clone is shallow", deepen, ErrShallow
	}
	return e
}

// base is the reference's part of a revision.
func base(name string) string {
	if i := strings.IndexAny(name, "^~:"); i >= 0 {
		name = name[:i]
	}
	name, _, _ = strings.Cut(name, "@{")
	return name
}

// named are the references of a name, as gitrevisions(7) lists where git looks.
func (r *Repo) named(ctx context.Context, name string) ([]string, error) {
	name = base(name)
	if name == "" || id.MatchString(name) {
		return nil, nil
	}
	want := map[string]bool{name: strings.HasPrefix(name, "refs/")}
	args := []string{"for-each-ref", "--format=%(refname)", "--"}
	for _, form := range []string{"refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		full := fmt.Sprintf(form, name)
		want[full] = true
		args = append(args, full)
	}
	out, err := r.git.lines(ctx, append(args, name)...)
	if err != nil {
		return nil, failed("git cannot list references", err)
	}
	var refs []string
	for _, ref := range out {
		if want[ref] {
			refs = append(refs, ref)
		}
	}
	if len(refs) > 0 && pseudo.MatchString(name) {
		refs = append(refs, name) // which git takes before all others, if it is there
	}
	return refs, nil
}

// pseudo are the names that git keeps beside the references (gitglossary(7),
// "pseudoref").
var pseudo = regexp.MustCompile(`^(?:[A-Z_]*HEAD|@|AUTO_MERGE)$`)

// MergeBases returns the best common ancestors of two commits, one at least. The
// error is an [*Error]: [ErrShallow] where the clone lacks history,
// [ErrUnrelated] where there is none in common.
func (r *Repo) MergeBases(ctx context.Context, a, b Commit) ([]Commit, error) {
	if r.shallow && a != b {
		return nil, &Error{Message: "the clone is shallow, so where a change begins is not known", Todo: deepen, Err: ErrShallow}
	}
	out, err := r.git.lines(ctx, "merge-base", "--all", string(a), string(b))
	if s, ok := errors.AsType[*status](err); ok && s.code == 1 {
		return nil, &Error{Message: fmt.Sprintf("%s and %s have no common history", a.Short(), b.Short()), Todo: "Name the branch that the change began from.", Err: ErrUnrelated}
	}
	if err != nil {
		return nil, failed("the merge base cannot be found", err)
	}
	all := make([]Commit, len(out))
	for i, line := range out {
		all[i] = Commit(line)
	}
	return all, nil
}

// Authors are the e-mail addresses of the authors of the commits that head has
// and base has not, each once, but for commits that change nothing but the files
// that are named. The error is an [*Error].
func (r *Repo) Authors(ctx context.Context, base, head Commit, but ...string) ([]string, error) {
	args := []string{"rev-list", "--full-history", "--format=tformat:%ae", string(head), "^" + string(base), "--", ":(top)"}
	for _, file := range but {
		args = append(args, ":(top,exclude,literal)"+file)
	}
	out, err := r.git.lines(ctx, args...)
	if err != nil {
		return nil, failed("the authors cannot be read", err)
	}
	var all []string
	for i := 1; i < len(out); i += 2 { // a line "commit …" is in front of each
		if address := out[i]; !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all, nil
}
