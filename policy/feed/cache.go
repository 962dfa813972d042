package feed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// store is the folder of one address in the cache:
//
//	state.json     what was fetched, and when; names the export by its hash
//	SHA256.export  the bytes as they were served
//	lock           held while an update runs
//
// state.json is replaced in one step and after the export that it names is
// whole, so a reader finds the old state or the new.
type store struct{ dir string }

// state is state.json.
type state struct {
	Address      string    `json:"address"`
	SHA256       string    `json:"sha256"`
	Bytes        int64     `json:"bytes"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"`
	Fetched      time.Time `json:"fetched"`
	Newest       time.Time `json:"newest"`
	Records      int       `json:"records"`
}

const stateFile = "state.json"

func (o Options) store(address string) store {
	sum := sha256.Sum256([]byte(address))
	return store{filepath.Join(o.Cache, hex.EncodeToString(sum[:8]))}
}

func (s store) export(sum string) string { return filepath.Join(s.dir, sum+".export") }

// mostState bounds state.json, in bytes.
const mostState = 64 << 10

// ErrNotFetched is the cause of an Error about an address that is not in the
// cache.
var ErrNotFetched = errors.New("there is nothing in the cache")

// read returns the state of an address: ErrNotFetched if it has none.
func (s store) read(address string) (state, error) {
	name := filepath.Join(s.dir, stateFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, ErrNotFetched
	}
	if err != nil {
		return state{}, cannot(name, "read", err)
	}
	var st state
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&st); err != nil || len(data) > mostState || !isSum(st.SHA256) || st.Address != policy.Redact(address) {
		return state{}, damaged(name, "cannot be understood")
	}
	return st, nil
}

func isSum(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}

func damaged(name, message string) error {
	return &Error{Name: name, Message: "the cache is damaged: it " + message, Todo: "Run the update again."}
}

func (st state) snapshot() osv.Snapshot {
	return osv.Snapshot{Source: st.Address, SHA256: st.SHA256, Fetched: st.Fetched, Newest: st.Newest, Records: st.Records}
}

// eachCached reads what was fetched from an address.
func (o Options) eachCached(ctx context.Context, address string, each func(osv.Record) error) (osv.Snapshot, error) {
	if _, err := parseAddress(address); err != nil {
		return osv.Snapshot{}, err
	}
	s := o.store(address)
	st, f, err := s.open(address)
	if errors.Is(err, ErrNotFetched) {
		return osv.Snapshot{}, &Error{
			Name: policy.Redact(address), Message: "has not been fetched yet",
			Todo: "Run the update once while there is a network, or name a file or a folder of advisories.",
			Err:  ErrNotFetched,
		}
	}
	if err != nil {
		return osv.Snapshot{}, err
	}
	defer f.Close()
	snapshot := osv.Snapshot{Source: st.Address, SHA256: st.SHA256, Fetched: st.Fetched}
	if err := s.verify(st, f); err != nil {
		return snapshot, err
	}
	r := o.reader(ctx, each)
	if _, err := r.file(st.Address, f, st.Bytes); err != nil {
		return snapshot, err
	}
	return snapshot, r.empty(st.Address)
}

// open returns the state and the export that it names. An update that runs may
// take the export away in between; then there is a new state.
func (s store) open(address string) (state, *os.File, error) {
	for again := true; ; again = false {
		st, err := s.read(address)
		if err != nil {
			return st, nil, err
		}
		f, err := os.Open(s.export(st.SHA256))
		switch {
		case err == nil:
			return st, f, nil
		case errors.Is(err, fs.ErrNotExist) && !again:
			return st, nil, damaged(filepath.Join(s.dir, stateFile), "names an export that is not there")
		case !errors.Is(err, fs.ErrNotExist):
			return st, nil, cannot(s.export(st.SHA256), "read", err)
		}
	}
}

// verify compares the export with what was fetched.
func (s store) verify(st state, f *os.File) error {
	sum, n, err := hash(f)
	switch {
	case err != nil:
		return cannot(f.Name(), "read", err)
	case n != st.Bytes || sum != st.SHA256:
		return damaged(f.Name(), "is not what was fetched (SHA-256 "+sum+")")
	}
	return nil
}
