package queue

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// submission is a review for GitHub: Endpoint is the path for `gh api`, Review the
// body of the request. Source: "Create a review for a pull request", GitHub's REST
// API, version 2022-11-28.
type submission struct {
	Endpoint string `json:"endpoint"`
	Review   review `json:"review"`
}

type review struct {
	CommitID string `json:"commit_id"`
	Event    string `json:"event"`
	Body     string `json:"body"`
}

// GitHub writes a review for each open pull request that was reviewed, one line of
// JSON each. The commit is the one that was: a review of another is none.
func (q *Queue) GitHub(w io.Writer) error {
	for _, e := range q.Open {
		if e.Verdict == nil {
			continue
		}
		err := plain.EncodeLine(w, submission{
			Endpoint: fmt.Sprintf("repos/%s/%s/pulls/%d/reviews", e.Owner, e.Repository, e.Number),
			Review:   review{CommitID: e.HeadOID, Event: e.event(), Body: e.body()},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// event is the verdict's, or a request for changes where something else blocks.
func (e *Entry) event() string {
	if e.Status == Blocked {
		return RequestChanges
	}
	return e.Verdict.Event
}

// body is public text.
func (e *Entry) body() string {
	var text strings.Builder
	fmt.Fprintf(&text, "loopxctl review of `%s`, compared from where it left `%s`: %s.", e.HeadOID, e.BaseOID, e.findings())
	if e.Status == Blocked {
		text.WriteString("\n\nWhat blocks is told by this command, to who has the repository:\n\n```sh\n")
		for _, c := range e.Commands {
			text.WriteString(c + "\n")
		}
		text.WriteString("```")
	}
	return text.String()
}
