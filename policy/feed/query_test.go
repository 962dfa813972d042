package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// api is a server with two endpoints: pages has the ids of each project, a slice
// for each page, records the text of each id.
type api struct {
	pages   map[string][][]string
	records map[string]string
	batches atomic.Int32
	largest atomic.Int32
}

func (a *api) handle(w http.ResponseWriter, r *http.Request) {
	if id, ok := strings.CutPrefix(r.URL.Path, "/api/v1/vulns/"); ok && r.Method == http.MethodGet {
		if a.records[id] == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, a.records[id])
		return
	}
	if r.URL.Path != "/api/v1/querybatch" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	a.batches.Add(1)
	a.answer(w, r.Body)
}

func (a *api) answer(w io.Writer, body io.Reader) {
	var batch struct {
		Queries []struct {
			Package struct{ Name, Ecosystem string }
			Token   string `json:"page_token"`
		}
	}
	if err := json.NewDecoder(body).Decode(&batch); err != nil {
		panic(err)
	}
	if n := int32(len(batch.Queries)); n > a.largest.Load() {
		a.largest.Store(n)
	}
	var results []map[string]any
	for _, q := range batch.Queries {
		result := map[string]any{}
		page := 0
		fmt.Sscanf(q.Token, "page %d", &page)
		if pages := a.pages[q.Package.Name]; page < len(pages) && q.Package.Ecosystem == "PyPI" {
			var vulns []map[string]string
			for _, id := range pages[page] {
				vulns = append(vulns, map[string]string{"id": id, "modified": "2026-01-01T00:00:00Z"})
			}
			result["vulns"] = vulns
			if page+1 < len(pages) {
				result["next_page_token"] = fmt.Sprintf("page %d", page+1)
			}
		}
		results = append(results, result)
	}
	json.NewEncoder(w).Encode(map[string]any{"results": results})
}

func TestQuery(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o, _ := ca.options(t)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	bar := strings.Replace(record("B-1", "2026-03-01T00:00:00Z", "3"), `"foo"`, `"bar"`, 1)
	a := &api{
		pages:   map[string][][]string{"foo": {{"P-1"}, {}, {"P-2", "P-1"}}, "bar": {{"B-1"}}},
		records: map[string]string{"P-1": one, "P-2": two, "B-1": bar},
	}
	address := ca.serve(t, a.handle) + "/api/"
	db, snapshot, err := Query(t.Context(), address, []string{"Foo", "bar", "foo", "unknown"}, o)
	if err != nil || show(db) != both || len(db.Lookup("bar")) != 1 {
		t.Fatalf("%v", err)
	}
	want := osv.Snapshot{Source: strings.TrimSuffix(address, "/"), Fetched: now, Newest: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Records: 3, Live: true}
	if snapshot != want || a.batches.Load() != 3 || a.largest.Load() != 3 {
		t.Errorf("%+v, %d batches, the largest of %d", snapshot, a.batches.Load(), a.largest.Load())
	}

	var many []string
	for i := range 2500 {
		many = append(many, fmt.Sprintf("p%d", i))
	}
	a.batches.Store(0)
	if db, _, err := Query(t.Context(), address, append(many, "foo"), o); err != nil || show(db) != both {
		t.Errorf("%v", err)
	}
	if a.batches.Load() != 5 || a.largest.Load() != 1000 {
		t.Errorf("%d batches, the largest of %d", a.batches.Load(), a.largest.Load())
	}

	a.batches.Store(0)
	if db, snapshot, err := Query(t.Context(), address, nil, o); err != nil || snapshot.Records != 0 || len(db.Names()) != 0 || a.batches.Load() != 0 {
		t.Errorf("%+v %v", snapshot, err)
	}
}

func TestQueryFails(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	good := func() *api {
		return &api{pages: map[string][][]string{"foo": {{"P-1", "P-2"}}}, records: map[string]string{"P-1": one, "P-2": two}}
	}
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
	}
	with := func(change func(*api)) http.HandlerFunc {
		a := good()
		change(a)
		return a.handle
	}
	for _, tc := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
		again   int
	}{
		{"another server", text("<html>"), "v1/querybatch: the answer cannot be understood: invalid character '<' looking for beginning of value", 0},
		{"too few answers", text("{}"), "v1/querybatch: the server answers 0 of 1 questions", 0},
		{"too many answers", text(`{"results":[{},{}]}`), "v1/querybatch: the server answers 2 of 1 questions", 0},
		{"pages without end", text(`{"results":[{"next_page_token":"again"}]}`), ": an answer has more than 100 pages", 0},
		{"too large", text(`{"results":[{}]}` + strings.Repeat(" ", mostAnswer)), "v1/querybatch: is larger than 32 MiB, which is all that is read", 0},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "v1/querybatch: the server answers 403", 0},
		{"out of order", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "v1/querybatch: the server answers 500", 2},
		{"a record is missing", with(func(a *api) { delete(a.records, "P-2") }), "v1/vulns/P-2: the server answers 404", 0},
		{"a record is another", with(func(a *api) { a.records["P-2"] = one }), "v1/vulns/P-2: the server answers with another record", 0},
		{"a record is two", with(func(a *api) { a.records["P-2"] = two + two }), "v1/vulns/P-2: the server answers with another record", 0},
		{"a record is none", with(func(a *api) { a.records["P-2"] = "[]" }), "v1/vulns/P-2: the server answers with another record", 0},
		{"a record is broken", with(func(a *api) { a.records["P-2"] = two[:20] }), "v1/vulns/P-2:1: the text ends in the middle of a string", 0},
		{"an id that is a path", with(func(a *api) { a.pages["foo"] = [][]string{{"../../secret"}} }), "v1/vulns/..%2F..%2Fsecret: the server answers 404", 0},
		{"an id that is a command", with(func(a *api) { a.pages["foo"] = [][]string{{"\x1b[2J?x=1#y"}} }), "v1/vulns/%1B%5B2J%3Fx=1%23y: the server answers 404", 0},
	} {
		o, waits := ca.options(t)
		address := ca.serve(t, tc.handler)
		if strings.HasPrefix(tc.name, "a") && tc.name != "another server" {
			address += "/api"
		}
		db, _, err := Query(t.Context(), address, []string{"foo"}, o)
		want := address + "/" + tc.want
		if strings.HasPrefix(tc.want, ":") {
			want = address + tc.want
		}
		if got := failure(t, err); db != nil || got != want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, want)
		}
		if len(*waits) != tc.again {
			t.Errorf("%s: tried again %d times, want %d", tc.name, len(*waits), tc.again)
		}
	}
}

// A server that is out of order for a moment is asked again; one that never
// answers ends with the context.
func TestQueryAgain(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o, waits := ca.options(t)
	a := &api{pages: map[string][][]string{"foo": {{"P-1"}}}, records: map[string]string{"P-1": one}}
	var n atomic.Int32
	address := ca.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		a.handle(w, r)
	})
	if db, _, err := Query(t.Context(), address+"/api", []string{"foo"}, o); err != nil || show(db) != "P-1 (-∞, 1.0)" || len(*waits) != 2 {
		t.Errorf("%v %v", *waits, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hang := make(chan struct{})
	defer close(hang)
	address = ca.serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-hang
	})
	if _, _, err := Query(ctx, address, []string{"foo"}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
