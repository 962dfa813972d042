package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

// Fields are those that gh is asked for: `gh pr list --json` with this list.
// Source: "gh help pr list", JSON FIELDS; baseRefOid is there since gh 2.60.
const Fields = "number,title,url,author,state,isDraft,baseRefName,baseRefOid,headRefName,headRefOid,createdAt,updatedAt,mergedAt,additions,deletions,changedFiles,files,labels,reviewDecision,mergeable"

// Limits of what is read.
const (
	// MaxText is the size of the whole list, in bytes.
	MaxText = 256 << 20
	// maxItem is the size of one pull request in it.
	maxItem = 8 << 20
	// maxItems is how many there may be.
	maxItems = 10_000
)

// States of a pull request.
const (
	StateOpen   = "OPEN"
	StateClosed = "CLOSED" // without a merge
	StateMerged = "MERGED"
)

// PullRequest is one of the list. Texts are as their authors wrote them.
type PullRequest struct {
	Number                             int
	Title, URL, Author, State          string
	Owner, Repository                  string // of URL
	Draft                              bool
	Base, BaseOID                      string // branch and commit
	Head, HeadOID                      string
	Created, Merged                    time.Time // Merged is zero if it isn't
	Additions, Deletions, ChangedFiles int
	// Files are paths; gh lists the first 100.
	Files          []string
	Labels         []string
	ReviewDecision string
}

// Sensitive reports whether somebody labelled it as private or about security:
// nothing of what it is about is told then.
func (p *PullRequest) Sensitive() bool { return slices.ContainsFunc(p.Labels, policy.IsSensitive) }

// raw is a pull request as gh prints it.
type raw struct {
	Number                             int
	Title, URL, State                  string
	Author                             *struct{ Login string }
	IsDraft                            bool
	BaseRefName, BaseRefOid            string
	HeadRefName, HeadRefOid            string
	CreatedAt                          time.Time
	MergedAt                           *time.Time
	Additions, Deletions, ChangedFiles int
	Files                              []struct{ Path string }
	Labels                             []struct{ Name string }
	ReviewDecision                     string
}

// needed are the fields without which nothing can be said.
func needed() []string {
	return []string{
		"number", "title", "url", "state", "isDraft", "baseRefName", "baseRefOid", "headRefOid",
		"createdAt", "mergedAt", "additions", "deletions", "changedFiles", "files", "labels",
	}
}

// Read reads the list. Fields that are not asked for are passed over. The error is
// a [*jsonstream.Error], or that of src.
func Read(src io.Reader) ([]PullRequest, error) {
	r := jsonstream.New(src, jsonstream.Limits{Value: maxItem, Total: MaxText})
	var list []PullRequest
	seen := map[int]bool{}
	err := r.Array(func() error {
		line := r.Line()
		fail := func(format string, args ...any) error {
			return &jsonstream.Error{Line: line, Message: fmt.Sprintf(format, args...)}
		}
		var item json.RawMessage
		if err := r.Value(&item); err != nil {
			return err
		}
		pr, err := decode(item)
		switch {
		case err != nil:
			return fail("pull request %d of the list: %v", len(list)+1, err)
		case seen[pr.Number]:
			return fail("pull request #%d is in the list twice", pr.Number)
		case len(list) == maxItems:
			return fail("there are more than %d pull requests", maxItems)
		}
		seen[pr.Number] = true
		list = append(list, pr)
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch _, err := r.Next(); {
	case err == nil:
		return nil, r.Fail("there is text behind the list")
	case err != io.EOF:
		return nil, err
	}
	return list, nil
}

func decode(item []byte) (PullRequest, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(item, &fields); err != nil {
		return PullRequest{}, errors.New("it is no object")
	}
	for _, name := range needed() {
		if _, ok := fields[name]; !ok {
			return PullRequest{}, fmt.Errorf("it lacks the field %s: list with gh pr list --json %s", name, Fields)
		}
	}
	var r raw
	if err := json.Unmarshal(item, &r); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return PullRequest{}, fmt.Errorf("its field %s is a %s", strings.ToLower(e.Field), e.Value)
		}
		return PullRequest{}, err
	}
	return r.check()
}

// Grammars of what ends up in commands and addresses.
var (
	objectID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	nameWord = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)
)

// check returns the pull request, if the fields go together.
func (r *raw) check() (PullRequest, error) {
	p := PullRequest{
		Number: r.Number, Title: r.Title, URL: r.URL, State: r.State, Draft: r.IsDraft, Base: r.BaseRefName, BaseOID: r.BaseRefOid,
		Head: r.HeadRefName, HeadOID: r.HeadRefOid, Created: r.CreatedAt, Additions: r.Additions, Deletions: r.Deletions,
		ChangedFiles: r.ChangedFiles, ReviewDecision: r.ReviewDecision,
	}
	for _, f := range r.Files {
		p.Files = append(p.Files, f.Path)
	}
	for _, l := range r.Labels {
		p.Labels = append(p.Labels, l.Name)
	}
	if r.Author != nil {
		p.Author = r.Author.Login
	}
	if r.MergedAt != nil {
		p.Merged = *r.MergedAt
	}
	var ok bool
	switch p.Owner, p.Repository, ok = location(r.URL, r.Number); {
	case r.Number < 1:
		return p, fmt.Errorf("its number is %d", r.Number)
	case !ok:
		return p, fmt.Errorf("#%d: url is not https://HOST/OWNER/REPOSITORY/pull/%[1]d", r.Number)
	case !slices.Contains([]string{StateOpen, StateClosed, StateMerged}, r.State):
		return p, fmt.Errorf("#%d: state is none of OPEN, CLOSED and MERGED", r.Number)
	case (r.State == StateMerged) == p.Merged.IsZero():
		return p, fmt.Errorf("#%d: state and mergedAt contradict each other", r.Number)
	case !objectID.MatchString(r.BaseRefOid), !objectID.MatchString(r.HeadRefOid):
		return p, fmt.Errorf("#%d: baseRefOid or headRefOid is no full object ID", r.Number)
	case r.BaseRefName == "":
		return p, fmt.Errorf("#%d: baseRefName is empty", r.Number)
	case r.CreatedAt.IsZero():
		return p, fmt.Errorf("#%d: createdAt is empty", r.Number)
	case r.Additions < 0, r.Deletions < 0, r.ChangedFiles < len(r.Files):
		return p, fmt.Errorf("#%d: additions, deletions and changedFiles are no counts of its files", r.Number)
	}
	return p, nil
}

// location takes the address of a pull request apart.
func location(address string, number int) (owner, repository string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.RawPath != "" {
		return "", "", false
	}
	parts := strings.Split(u.Path, "/")
	if len(parts) != 5 || parts[0] != "" || parts[3] != "pull" || parts[4] != strconv.Itoa(number) || !nameWord.MatchString(strings.ReplaceAll(u.Host, ":", "")) {
		return "", "", false
	}
	return parts[1], parts[2], nameWord.MatchString(parts[1]) && nameWord.MatchString(parts[2])
}
