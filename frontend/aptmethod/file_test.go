package aptmethod

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
)

const whole = "0123456789"

// TestContinue is about what is there of a file already.
func TestContinue(t *testing.T) {
	t.Parallel()
	trusted := expect(whole, "SHA256", "Checksum-FileSize")
	old := modified.Add(-time.Hour)
	for name, c := range map[string]struct {
		there  string
		dated  time.Time
		fields []string
		conf   string
		asked  []int64 // the offsets asked for
		resume string  // Resume-Point of the answer
	}{
		"the rest":                        {there: "01234", dated: modified, fields: trusted, asked: []int64{5}, resume: "5"},
		"the rest, nothing expected":      {there: "01234", dated: modified, asked: []int64{5}, resume: "5"},
		"changed meanwhile":               {there: "abcde", dated: old, fields: trusted, asked: []int64{5}},
		"of another file":                 {there: "abcde", dated: modified, fields: trusted, asked: []int64{5, 0}},
		"all of it":                       {there: whole, dated: old, fields: trusted, resume: "10"},
		"all of it, nothing expected":     {there: whole, dated: modified, asked: []int64{10}, resume: "10"},
		"that size, but another":          {there: "abcdefghij", dated: modified, fields: trusted, asked: []int64{0}},
		"more than it has":                {there: whole + "x", dated: modified, fields: trusted, asked: []int64{0}},
		"more than apt takes":             {there: whole + "x", dated: modified, fields: []string{"Maximum-Size: 10"}, asked: []int64{0}},
		"all, but another, weak hash":     {there: "abcdefghij", dated: modified, fields: expect(whole, "MD5Sum"), asked: []int64{10, 0}},
		"the server can't":                {there: "01234", dated: modified, fields: trusted, conf: "Acquire::http::AllowRanges=false", asked: []int64{0}},
		"the server can't, for one host":  {there: "01234", dated: modified, fields: trusted, conf: "Acquire::http::archive.example::AllowRanges=no", asked: []int64{0}},
		"a setting for the other method":  {there: "01234", dated: modified, fields: trusted, conf: "Acquire::https::AllowRanges=no", asked: []int64{5}, resume: "5"},
		"nothing of it":                   {there: "", dated: modified, fields: trusted, asked: []int64{0}},
		"something with no date to trust": {there: "01234", dated: time.Now(), fields: trusted, asked: []int64{5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &network{get: serves(whole)}
			a := start(t, n)
			a.configure(c.conf)
			path := a.place("x", c.there, c.dated)
			a.acquire("x", c.fields...)
			if m := a.next(); m.Code != 200 {
				t.Errorf("answer %+v", m)
			}
			m := a.next()
			if m.Code != 201 || m.Get("Resume-Point") != c.resume || m.Get("Size") != "10" {
				t.Errorf("answer %+v", m)
			}
			if want := strings.TrimPrefix(expect(whole, "SHA256")[0], "Expected-SHA256: "); m.Get("SHA256-Hash") != want && m.Get("SHA256-Hash") != "" {
				t.Errorf("hash %q", m.Get("SHA256-Hash"))
			}
			if got := read(t, path); got != whole {
				t.Errorf("file %q", got)
			}
			a.end()
			var asked []int64
			for _, req := range n.asked {
				asked = append(asked, req.Offset)
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Errorf("offsets asked for (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnchanged(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: serves(whole)})
	a.configure()
	path := a.acquire("InRelease", "Index-File: true", "Last-Modified: Mon, 30 Nov 2026 12:00:00 GMT")
	if diff := cmp.Diff(map[string]string{
		"URI": "http://archive.example/InRelease", "Filename": path,
		"Last-Modified": "Mon, 30 Nov 2026 12:00:00 GMT", "IMS-Hit": "true",
	}, fields(a.next())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	if _, stderr := a.end(); stderr != "loopx-apt: archive.example: 1 file over TLS (1 unchanged) in N s\n" {
		t.Errorf("stderr %q", stderr)
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	n := &network{get: serves(whole)}
	a := start(t, n)
	a.configure()
	a.acquire("InRelease", "Index-File: true", "Last-Modified: Mon, 30 Nov 2026 11:00:00 +0000")
	a.next()
	if m := a.next(); m.Code != 201 || m.Get("IMS-Hit") != "" {
		t.Errorf("answer %+v", m)
	}
	if req := n.asked[0]; !req.Index || !req.IfModifiedSince.Equal(modified.Add(-time.Hour)) {
		t.Errorf("asked for %+v", req)
	}
}

// TestSize is about files that are larger or smaller than they may be.
func TestSize(t *testing.T) {
	t.Parallel()
	const (
		huge = int64(10) << 30
		kept = "nothing"
	)
	for name, c := range map[string]struct {
		size   int64 // that the server says
		body   io.Reader
		fields []string
		code   int
		words  string
	}{
		"announced, apt has a bound": {
			size: huge, body: iotest.ErrReader(errors.New("read")), fields: []string{"Maximum-Size: 10000000"},
			code: 400, words: "the server's file has 10737418240 bytes, apt takes at most 10000000 of it",
		},
		"announced, apt has the size": {
			size: huge, body: iotest.ErrReader(errors.New("read")), fields: expect(whole, "SHA256", "Checksum-FileSize"),
			code: 400, words: "the server's file has 10737418240 bytes, not the expected 10: is the mirror being updated?",
		},
		"announced, too small": {
			size: 9, body: iotest.ErrReader(errors.New("read")), fields: expect(whole, "SHA256", "Checksum-FileSize"),
			code: 400, words: "the server's file has 9 bytes, not the expected 10: is the mirror being updated?",
		},
		"not announced, apt has the size": {
			size: -1, body: strings.NewReader(whole + "x"), fields: expect(whole, "SHA256", "Checksum-FileSize"),
			code: 400, words: "the server sends more than the 10 bytes that apt takes of the file",
		},
		"not announced, apt has a bound": {
			size: -1, body: strings.NewReader(whole + "x"), fields: []string{"Maximum-Size: 10"},
			code: 400, words: "the server sends more than the 10 bytes that apt takes of the file",
		},
		"not announced, too small": {
			size: -1, body: strings.NewReader("012"), fields: expect(whole, "SHA256", "Checksum-FileSize"), code: 201,
		},
		"right at the bound": {size: 10, body: strings.NewReader(whole), fields: []string{"Maximum-Size: 10"}, code: 201},
		"no bound":           {size: -1, body: strings.NewReader(whole), fields: []string{"Maximum-Size: 0"}, code: 201},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := start(t, &network{get: func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) {
				return &fetch.Response{Size: c.size, Body: io.NopCloser(c.body)}, nil
			}})
			a.configure()
			a.acquire("x", c.fields...)
			m := a.next()
			if m.Code == 200 {
				m = a.next()
			}
			if m.Code != c.code || m.Get("Message") != c.words {
				t.Errorf("answer %+v, want %d %q", m, c.code, c.words)
			}
			if c.code == 400 && (m.Get("FailReason") != "MaximumSizeExceeded" || m.Get("Transient-Failure") != "") {
				t.Errorf("answer %+v", m)
			}
		})
	}
}

// TestWrongHash has no other place for the file: apt says what is wrong with it.
func TestWrongHash(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: serves("9876543210")})
	a.configure()
	a.acquire("x", expect(whole, "SHA256", "Checksum-FileSize")...)
	a.next()
	want := strings.TrimPrefix(expect("9876543210", "SHA256")[0], "Expected-SHA256: ")
	if m := a.next(); m.Code != 201 || m.Get("SHA256-Hash") != want {
		t.Errorf("answer %+v, want the hash of what came", m)
	}
}

// TestBrokenBody breaks off after half of the file, and goes on at the next try
// from there.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	n := &network{get: func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) {
		body := io.MultiReader(strings.NewReader("01234"), iotest.ErrReader(&fetch.Failure{Message: "connection lost", Transient: true}))
		return &fetch.Response{Size: 10, Modified: modified, Body: io.NopCloser(body)}, nil
	}}
	a := start(t, n)
	a.configure()
	path := a.acquire("x", expect(whole, "SHA256")...)
	a.next()
	if m := a.next(); m.Code != 400 || m.Get("Message") != "connection lost" || m.Get("Transient-Failure") != "true" {
		t.Errorf("answer %+v", m)
	}
	if got := read(t, path); got != "01234" {
		t.Errorf("file %q", got)
	}
	n.get = serves(whole)
	a.acquire("x", expect(whole, "SHA256")...)
	a.next()
	if m := a.next(); m.Code != 201 || m.Get("Resume-Point") != "5" || read(t, path) != whole {
		t.Errorf("answer %+v, file %q", m, read(t, path))
	}
}

// TestUnwritable is about this machine's disk, which no other server mends.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	n := &network{hops: mirrors("a.example", "b.example"), get: serves(whole)}
	a := start(t, n)
	a.configure()
	a.send("600 URI Acquire\nURI: http://archive.example/x\nFilename: /dev/full\n\n")
	a.next()
	if m := a.next(); m.Code != 400 || m.Get("Message") != "can't write: write /dev/full: no space left on device" || m.Get("Transient-Failure") != "" {
		t.Errorf("answer %+v", m)
	}
	a.send("600 URI Acquire\nURI: http://archive.example/x\nFilename: " + a.dir + "/none/x\n\n")
	if m := a.next(); m.Code != 400 || m.Get("Message") != "can't write: open "+a.dir+"/none/x: no such file or directory" {
		t.Errorf("answer %+v", m)
	}
	if len(n.urls) != 2 {
		t.Errorf("asked %q, want the first mirror alone", n.urls)
	}
	// 304, and in the place of the file is a folder that is not empty.
	a.send("600 URI Acquire\nURI: http://archive.example/x\nFilename: " + filepath.Dir(a.dir) + "\nLast-Modified: Mon, 30 Nov 2026 12:00:00 GMT\n\n")
	if m := a.next(); m.Code != 400 || !strings.HasPrefix(m.Get("Message"), "can't remove: ") {
		t.Errorf("answer %+v", m)
	}
}
