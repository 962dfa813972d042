package feed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// Updated is what [Update] did.
type Updated struct {
	// Snapshot is the state that is in the cache now, Before the one before it,
	// zero if there was none.
	Snapshot, Before osv.Snapshot
	// Changed: the server had something new.
	Changed bool
}

// Update fetches an export (a zip archive, JSON or JSON lines) into the cache,
// unless the server says that it has not changed. From then on Open reads the
// address without a network. osv.dev has an export of each ecosystem at
// https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip.
//
// What comes is read once before it takes the place of what is there, so an
// error, of which kind ever, leaves the cache as it was. Two updates of one
// address run one after the other.
func Update(ctx context.Context, address string, o Options) (Updated, error) {
	o = o.withDefaults()
	u, err := parseAddress(address)
	if err != nil {
		return Updated{}, err
	}
	c, err := o.client()
	if err != nil {
		return Updated{}, err
	}
	up := update{Options: o, client: c, url: u, address: address, store: o.store(address)}
	return up.run(ctx)
}

type update struct {
	Options
	client  *client
	url     *url.URL
	address string
	store   store
	old     state // zero: fetch in any case
}

func (u *update) run(ctx context.Context) (Updated, error) {
	unlock, err := u.store.lock(ctx)
	if err != nil {
		return Updated{}, err
	}
	defer unlock()
	u.old = u.store.intact(u.address)
	u.store.sweep(u.old.SHA256)
	var result Updated
	if u.old.SHA256 != "" {
		result.Before = u.old.snapshot()
	}
	next, err := u.fetch(ctx)
	if err != nil {
		return Updated{}, err
	}
	if err := u.store.write(next); err != nil {
		return Updated{}, err
	}
	u.store.sweep(next.SHA256)
	result.Snapshot, result.Changed = next.snapshot(), next.SHA256 != u.old.SHA256
	return result, nil
}

// fetch brings the export into the store and returns the state to be written.
func (u *update) fetch(ctx context.Context) (state, error) {
	var next state
	err := u.client.do(ctx, u.request, func(resp *http.Response) (err error) {
		next, err = u.answer(ctx, resp)
		return err
	})
	return next, err
}

func (u *update) request(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.url.String(), nil)
	if err != nil {
		return nil, err
	}
	switch {
	case u.old.ETag != "":
		req.Header.Set("If-None-Match", u.old.ETag)
	case u.old.LastModified != "":
		req.Header.Set("If-Modified-Since", u.old.LastModified)
	}
	return req, nil
}

// conditional reports whether the server can be asked for a change.
func (st state) conditional() bool { return st.ETag != "" || st.LastModified != "" }

func (u *update) answer(ctx context.Context, resp *http.Response) (state, error) {
	switch {
	case resp.StatusCode == http.StatusNotModified && u.old.conditional():
		next := u.old
		next.Fetched = u.Now().UTC()
		return next, nil
	case resp.StatusCode == http.StatusOK:
		return u.save(ctx, resp)
	}
	return state{}, &Error{
		Name: shown(u.url), Message: fmt.Sprintf("the server answers %d, and no export", resp.StatusCode),
		Todo: "Give the address of an export of PyPI in the form of OSV; where none can be had, fetch one by other means and name the file.",
	}
}

// save writes the body to the store under the name of its hash, if it can be
// read.
func (u *update) save(ctx context.Context, resp *http.Response) (state, error) {
	if resp.ContentLength > u.Limits.Document {
		return state{}, tooLarge(shown(u.url), "", u.Limits.Document)
	}
	f, err := os.CreateTemp(u.store.dir, "part-")
	if err != nil {
		return state{}, cannot(u.store.dir, "written", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	body := &counted{src: bound(shown(u.url), resp.Body, u.Limits.Document), total: resp.ContentLength, tell: u.Progress}
	sum := sha256.New()
	if _, err := io.Copy(disk{f}, io.TeeReader(body, sum)); err != nil {
		return state{}, err
	}
	next := state{
		Address: policy.Redact(u.address), SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: body.done, Fetched: u.Now().UTC(),
		ETag: validator(resp, "ETag"), LastModified: validator(resp, "Last-Modified"),
	}
	if err := u.check(ctx, f, &next); err != nil {
		return state{}, err
	}
	if err := f.Sync(); err != nil {
		return state{}, cannot(f.Name(), "written", err)
	}
	if err := os.Rename(f.Name(), u.store.export(next.SHA256)); err != nil {
		return state{}, cannot(u.store.dir, "written", err)
	}
	return next, nil
}

// check reads the export as Open would.
func (u *update) check(ctx context.Context, f *os.File, next *state) error {
	var b osv.Builder
	r := u.reader(ctx, func(record osv.Record) error { b.Add(record); return nil })
	if _, err := r.file(next.Address, f, next.Bytes); err != nil {
		return err
	}
	if err := r.empty(next.Address); err != nil {
		return err
	}
	_, snapshot, err := finish(&b, next.snapshot())
	next.Newest, next.Records = snapshot.Newest, snapshot.Records
	return err
}

// validator is a header that is sent back to ask for a change. What is longer
// than any server's is not.
func validator(resp *http.Response, name string) string {
	if value := resp.Header.Get(name); len(value) <= 1024 {
		return value
	}
	return ""
}

// disk is a file whose errors are told from those of the network.
type disk struct{ f *os.File }

func (d disk) Write(p []byte) (int, error) {
	n, err := d.f.Write(p)
	if err != nil {
		err = cannot(d.f.Name(), "written", err)
	}
	return n, err
}

// counted tells how much has come.
type counted struct {
	src         io.Reader
	done, total int64
	tell        func(done, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.done += int64(n)
	c.tell(c.done, c.total)
	return n, err
}
