package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// Bounds of a query.
const (
	// mostQueries is how many questions a request may hold. Source: POST
	// /v1/querybatch in the API's description, osv_service_v1.swagger.json.
	mostQueries = 1000
	// mostPages is how many pages of one answer are asked for.
	mostPages = 100
	// mostRecords is how many records are fetched.
	mostRecords = 50_000
	// mostAnswer is the largest answer, in bytes. Source: "response size limit"
	// of the API's page, https://google.github.io/osv.dev/api/.
	mostAnswer = 32 << 20
	// atOnce is how many records are fetched at a time.
	atOnce = 8
)

// Query asks a server with the API of osv.dev ("https://api.osv.dev") for the
// advisories about some projects, by POST /v1/querybatch and GET
// /v1/vulns/ID. It is for those few; [Update] is for many, and tells the server
// nothing. The names of the projects leave this machine: leave private ones out.
//
// An answer that is not complete is an error.
func Query(ctx context.Context, endpoint string, projects []string, o Options) (*osv.Database, osv.Snapshot, error) {
	o = o.withDefaults()
	base, err := parseAddress(strings.TrimSuffix(endpoint, "/"))
	if err != nil {
		return nil, osv.Snapshot{}, err
	}
	c, err := o.client()
	if err != nil {
		return nil, osv.Snapshot{}, err
	}
	q := query{client: c, base: base}
	fetched := o.Now().UTC()
	ids, err := q.ids(ctx, projects)
	if err != nil {
		return nil, osv.Snapshot{}, err
	}
	records, err := q.records(ctx, ids)
	if err != nil {
		return nil, osv.Snapshot{}, err
	}
	var b osv.Builder
	for _, r := range records {
		b.Add(r)
	}
	return finish(&b, osv.Snapshot{Source: shown(base), Fetched: fetched, Live: true})
}

type query struct {
	client *client
	base   *url.URL
}

// question is one of a batch.
type question struct {
	Package struct {
		Ecosystem string `json:"ecosystem"`
		Name      string `json:"name"`
	} `json:"package"`
	PageToken string `json:"page_token,omitempty"`
}

// answers are those of a batch, in its order.
type answers struct {
	Results []struct {
		Vulns []struct {
			ID string `json:"id"`
		} `json:"vulns"`
		NextPageToken string `json:"next_page_token"`
	} `json:"results"`
}

// ids returns the ids of all records about the projects, sorted.
func (q *query) ids(ctx context.Context, projects []string) ([]string, error) {
	var open []question
	for _, name := range unique(projects) {
		var one question
		one.Package.Ecosystem, one.Package.Name = "PyPI", name
		open = append(open, one)
	}
	ids := map[string]bool{}
	for range mostPages {
		if len(open) == 0 {
			return slices.Sorted(maps.Keys(ids)), nil
		}
		var more []question
		for batch := range slices.Chunk(open, mostQueries) {
			next, err := q.batch(ctx, batch, ids)
			if err != nil {
				return nil, err
			}
			more = append(more, next...)
		}
		open = more
	}
	return nil, &Error{Name: shown(q.base), Message: fmt.Sprintf("an answer has more than %d pages", mostPages), Todo: "Use an export in its place."}
}

func unique(projects []string) []string {
	var names []string
	for _, name := range projects {
		names = append(names, pep503.Normalize(name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// batch asks some questions, adds the ids of the answer, and returns the
// questions whose answer has another page.
func (q *query) batch(ctx context.Context, batch []question, ids map[string]bool) ([]question, error) {
	body, err := json.Marshal(map[string]any{"queries": batch})
	if err != nil {
		return nil, err
	}
	address := q.base.JoinPath("v1/querybatch")
	var got answers
	err = q.get(ctx, http.MethodPost, address, body, func(text []byte) error {
		got = answers{}
		return json.Unmarshal(text, &got)
	})
	if err != nil {
		return nil, err
	}
	if len(got.Results) != len(batch) {
		return nil, &Error{Name: shown(address), Message: fmt.Sprintf("the server answers %d of %d questions", len(got.Results), len(batch)), Todo: "Use an export in its place."}
	}
	var more []question
	for i, r := range got.Results {
		for _, v := range r.Vulns {
			ids[v.ID] = true
		}
		if r.NextPageToken != "" {
			next := batch[i]
			next.PageToken = r.NextPageToken
			more = append(more, next)
		}
	}
	if len(ids) > mostRecords {
		return nil, &Error{Name: shown(address), Message: fmt.Sprintf("the answer names more than %d records", mostRecords), Todo: "Use an export in its place."}
	}
	return more, nil
}

// records fetches records, some at a time, and returns them in the order of
// their ids. The first error ends it.
func (q *query) records(ctx context.Context, ids []string) ([]osv.Record, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := make([]osv.Record, len(ids))
	turns := make(chan int)
	var workers sync.WaitGroup
	for range min(atOnce, len(ids)) {
		workers.Go(func() {
			for i := range turns {
				r, err := q.record(ctx, ids[i])
				if err != nil {
					cancel(err)
					return
				}
				all[i] = r
			}
		})
	}
	for i := range ids {
		select {
		case turns <- i:
		case <-ctx.Done():
		}
	}
	close(turns)
	workers.Wait()
	return all, context.Cause(ctx)
}

// record fetches one record.
func (q *query) record(ctx context.Context, id string) (osv.Record, error) {
	address := q.base.JoinPath("v1/vulns", url.PathEscape(id))
	var record osv.Record
	err := q.get(ctx, http.MethodGet, address, nil, func(text []byte) error {
		n := 0
		err := osv.Decode(string(text), 1, func(r osv.Record) error {
			record = r
			n++
			return nil
		})
		if err == nil && (n != 1 || record.ID != id) {
			return &Error{Name: shown(address), Message: "the server answers with another record", Todo: "Use an export in its place."}
		}
		return inText(shown(address), err)
	})
	return record, err
}

// get makes a request and hands the body of a good answer to use.
func (q *query) get(ctx context.Context, method string, address *url.URL, body []byte, use func([]byte) error) error {
	request := func(ctx context.Context) (*http.Request, error) {
		req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
		if err == nil && body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		return req, err
	}
	return q.client.do(ctx, request, func(resp *http.Response) error {
		if resp.StatusCode != http.StatusOK {
			e := &Error{
				Name: shown(address), Message: fmt.Sprintf("the server answers %d", resp.StatusCode),
				Todo: "Give the address of a server with the API of osv.dev, or use an export in its place.",
			}
			if resp.StatusCode == http.StatusNotFound {
				e.Err = ErrNoRecord
			}
			return e
		}
		text, err := io.ReadAll(bound(shown(address), resp.Body, mostAnswer))
		if err != nil {
			return err
		}
		if err := use(text); err != nil {
			if _, ok := err.(*Error); ok {
				return err
			}
			return &Error{Name: shown(address), Message: "the answer cannot be understood: " + err.Error(), Todo: "Give the address of a server with the API of osv.dev.", Err: err}
		}
		return nil
	})
}
