package aptmethod

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

var _ = flag.Bool("update", false, "no goldens here")

// modified is the time of what the fake network serves.
var modified = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// network is a Getter in memory.
type network struct {
	// hops are the servers to try for a URI of the host archive.example; by
	// default that one.
	hops []fetch.Hop
	// refuse, if set, is the answer of Plan.
	refuse *fetch.Failure
	// get answers for a server.
	get func(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error)

	mu    sync.Mutex
	asked []fetch.Request
	urls  []string
}

func (n *network) Plan(uri string) ([]fetch.Hop, *fetch.Failure) {
	if n.refuse != nil {
		return nil, n.refuse
	}
	if n.hops == nil {
		return []fetch.Hop{{URL: strings.Replace(uri, "http:", "https:", 1)}}, nil
	}
	var hops []fetch.Hop
	for _, h := range n.hops {
		h.URL += strings.TrimPrefix(uri, "http://archive.example")
		hops = append(hops, h)
	}
	return hops, nil
}

func (n *network) Get(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
	n.mu.Lock()
	n.asked = append(n.asked, req)
	n.urls = append(n.urls, hop.URL)
	n.mu.Unlock()
	return n.get(ctx, hop, req)
}

// mirrors are hops for the operator's mirrors of these hosts.
func mirrors(hosts ...string) []fetch.Hop {
	var hops []fetch.Hop
	for _, h := range hosts {
		hops = append(hops, fetch.Hop{URL: "https://" + h, Mirror: true})
	}
	return hops
}

// serves answers with a file, from where it is asked for.
func serves(text string) func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) {
	return func(_ context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
		resp := &fetch.Response{Size: int64(len(text)), Modified: modified, From: hop.URL}
		if !req.IfModifiedSince.IsZero() && req.Offset == 0 && !modified.After(req.IfModifiedSince) {
			return &fetch.Response{NotModified: true}, nil
		}
		if req.Offset > 0 && req.Modified.Equal(modified) {
			resp.Offset = req.Offset
			if resp.Complete = req.Offset == resp.Size; resp.Complete {
				return resp, nil
			}
		}
		resp.Body = io.NopCloser(strings.NewReader(text[resp.Offset:]))
		return resp, nil
	}
}

// fails answers with a failure.
func fails(f fetch.Failure) func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) {
	return func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) { return nil, &f }
}

// byHost answers for each server as it is told.
func byHost(servers map[string]func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error)) func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) {
	return func(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
		return servers[hostOf(hop.URL)](ctx, hop, req)
	}
}

// apt is the other side of a method, as a test writes it.
type apt struct {
	t      *testing.T
	dir    string
	in     *io.PipeWriter
	out    *io.PipeReader
	answer chan *message.Message
	stderr *bytes.Buffer
	code   chan int
	stop   context.CancelFunc
}

// start starts a method that fetches from n, and reads its capabilities.
func start(t *testing.T, n fetch.Getter, change ...func(*Options)) *apt {
	t.Helper()
	in, toMethod := io.Pipe()
	fromMethod, out := io.Pipe()
	a := &apt{
		t: t, dir: t.TempDir(), in: toMethod, out: fromMethod,
		answer: make(chan *message.Message, 1000), code: make(chan int, 1), stderr: &bytes.Buffer{},
	}
	o := Options{
		In: in, Out: out, Stderr: a.stderr,
		Argv0:   "/usr/lib/apt/methods/http",
		Environ: func(string) string { return "" },
		Client:  func(fetch.Config) (fetch.Getter, error) { return n, nil },
		Sandbox: func(*aptconf.Conf) error { return nil },
	}
	for _, f := range change {
		f(&o)
	}
	ctx, stop := context.WithCancel(t.Context())
	a.stop = stop
	go func() {
		code := Serve(ctx, o)
		out.Close()
		a.code <- code
	}()
	go a.read()
	if m := a.next(); m.Code != 100 {
		t.Fatalf("first message: %+v", m)
	}
	return a
}

// read hands on what the method says, but for what is only shown.
func (a *apt) read() {
	r := message.NewReader(a.out)
	for {
		m, err := r.Read()
		if err != nil {
			close(a.answer)
			return
		}
		if m.Code != 101 && m.Code != 102 {
			a.answer <- m
		}
	}
}

// next is the next answer.
func (a *apt) next() *message.Message {
	a.t.Helper()
	m := <-a.answer
	if m == nil {
		a.t.Fatalf("the method says nothing more; stderr:\n%s", a.stderr)
	}
	return m
}

// configure sends a configuration: "name=value" each, or "".
func (a *apt) configure(items ...string) {
	a.t.Helper()
	var b strings.Builder
	b.WriteString("601 Configuration\nConfig-Item: Acquire::Send-URI-Encoded=1\n")
	for _, item := range items {
		if item == "" {
			continue
		}
		b.WriteString("Config-Item: " + item + "\n")
	}
	a.send(b.String() + "\n")
}

func (a *apt) send(text string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, text); err != nil {
		a.t.Fatal(err)
	}
}

// acquire asks for a file of http://archive.example and returns where it goes.
func (a *apt) acquire(name string, fields ...string) (path string) {
	a.t.Helper()
	path = filepath.Join(a.dir, name)
	lines := append([]string{"600 URI Acquire", "URI: http://archive.example/" + name, "Filename: " + path}, fields...)
	a.send(strings.Join(lines, "\n") + "\n\n")
	return path
}

// end closes apt's end, waits for the method and returns its code and what it
// told people, with N for the seconds.
func (a *apt) end() (code int, stderr string) {
	a.t.Helper()
	a.in.Close()
	code = <-a.code
	return code, regexp.MustCompile(`in [0-9]+[.][0-9] s(;|\n)`).ReplaceAllString(a.stderr.String(), "in N s$1")
}

// expect are the fields with which apt says which file it expects.
func expect(text string, kinds ...string) []string {
	all := map[string]string{
		"SHA512": fmt.Sprintf("%x", sha512.Sum512([]byte(text))), "SHA256": fmt.Sprintf("%x", sha256.Sum256([]byte(text))),
		"SHA1": fmt.Sprintf("%x", sha1.Sum([]byte(text))), "MD5Sum": fmt.Sprintf("%x", md5.Sum([]byte(text))),
		"Checksum-FileSize": fmt.Sprint(len(text)),
	}
	var fields []string
	for _, kind := range kinds {
		fields = append(fields, "Expected-"+kind+": "+all[kind])
	}
	return fields
}

// fields are a message's fields by name.
func fields(m *message.Message) map[string]string {
	all := map[string]string{}
	for _, f := range m.Fields {
		all[f.Name] = f.Value
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// place writes what is there of a file, dated as given.
func (a *apt) place(name, text string, date time.Time) (path string) {
	a.t.Helper()
	path = filepath.Join(a.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Chtimes(path, date, date); err != nil {
		a.t.Fatal(err)
	}
	return path
}
