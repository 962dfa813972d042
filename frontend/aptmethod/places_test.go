package aptmethod

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
)

type getFunc = func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error)

// TestNextMirror asks for two files of which the first mirror gives none.
func TestNextMirror(t *testing.T) {
	t.Parallel()
	broken := func(context.Context, fetch.Hop, fetch.Request) (*fetch.Response, error) {
		body := io.MultiReader(strings.NewReader("01234"), iotest.ErrReader(&fetch.Failure{Message: "no data for 10 s", Reason: "Timeout", Transient: true, Next: true}))
		return &fetch.Response{Size: 10, Modified: modified, Body: io.NopCloser(body)}, nil
	}
	for name, c := range map[string]struct {
		first  getFunc
		asked  []string // of a.example and b.example, in order
		reason string
	}{
		"fails": {
			first:  fails(fetch.Failure{Message: "404 Not Found", Next: true}),
			asked:  []string{"a/x", "b/x", "a/y", "b/y"},
			reason: "404 Not Found",
		},
		"is down": {
			first:  fails(fetch.Failure{Message: "connection refused", Next: true, Down: true}),
			asked:  []string{"a/x", "b/x", "b/y"},
			reason: "connection refused",
		},
		"wrong content": {
			first:  serves("9876543210"),
			asked:  []string{"a/x", "b/x", "a/y", "b/y"},
			reason: "its file is not the one that the archive's index names",
		},
		"wrong size": {
			first:  serves("<html>log in</html>"),
			asked:  []string{"a/x", "b/x", "a/y", "b/y"},
			reason: "the server's file has 19 bytes, not the expected 10: is the mirror being updated?",
		},
		"stalls half-way": {
			first:  broken,
			asked:  []string{"a/x", "b/x", "a/y", "b/y"},
			reason: "no data for 10 s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &network{hops: mirrors("a.example", "b.example"), get: byHost(map[string]getFunc{"a.example": c.first, "b.example": serves(whole)})}
			a := start(t, n)
			a.configure()
			for _, file := range []string{"x", "y"} {
				path := a.acquire(file, expect(whole, "SHA256", "Checksum-FileSize")...)
				a.next()
				if m := a.next(); m.Code != 201 || read(t, path) != whole {
					t.Errorf("answer %+v, file %q", m, read(t, path))
				}
			}
			_, stderr := a.end()
			want := "loopx-apt: gave up a.example: " + c.reason + "; went on to b.example\n" +
				"loopx-apt: archive.example: 2 files from mirror b.example over TLS in N s\n"
			if diff := cmp.Diff(want, stderr); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
			var asked []string
			for _, u := range n.urls {
				asked = append(asked, strings.NewReplacer("https://", "", ".example", "").Replace(u))
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if n.asked[0].Deadline != mirrorDeadline || n.asked[1].Deadline != 0 {
				t.Errorf("deadlines %v and %v", n.asked[0].Deadline, n.asked[1].Deadline)
			}
		})
	}
}

// lastMirror is what the method says of an outage that apt is not told to wait for.
const lastMirror = " (it is the last of the operator's mirrors; the word default behind it stands for the official host)"

// TestOutageOfTheLastMirror: it is waited out here, and then ends the file.
func TestOutageOfTheLastMirror(t *testing.T) {
	t.Parallel()
	out := fetch.Failure{Message: "503", Reason: "Timeout", Transient: true, Next: true}
	var asked int
	n := &network{hops: mirrors("a.example"), get: func(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
		if asked++; asked == 3 {
			return serves(whole)(ctx, hop, req)
		}
		return nil, &out
	}}
	a := start(t, n)
	a.configure("Acquire::Retries=2", "Acquire::Retries::Delay::Maximum=0")
	a.acquire("x")
	if m := a.next(); m.Code != 200 {
		t.Errorf("answer %+v", m)
	}
	if m := a.next(); m.Code != 201 || asked != 3 {
		t.Errorf("after %d requests answer %+v", asked, m)
	}
	for _, want := range []int{6, 7} { // once more each, when it is known to be out
		a.acquire("x")
		if m := a.next(); m.Code != 400 || m.Get("Message") != "503"+lastMirror || m.Get("Transient-Failure") != "" || m.Get("FailReason") != "" || asked != want {
			t.Errorf("after %d requests answer %+v", asked, m)
		}
	}
	a.end()
}

// TestNoNextMirror shows the failures that end a file: of policy, and of the
// last mirror.
func TestNoNextMirror(t *testing.T) {
	t.Parallel()
	n := &network{hops: mirrors("a.example", "b.example"), get: byHost(map[string]getFunc{
		"a.example": fails(fetch.Failure{Message: "forbidden by policy"}),
		"b.example": serves(whole),
	})}
	a := start(t, n)
	a.configure("LoopX::Mirror-Deadline=3", "Acquire::Retries=0")
	a.acquire("x")
	if m := a.next(); m.Code != 400 || m.Get("Message") != "forbidden by policy" {
		t.Errorf("answer %+v", m)
	}
	if got := n.asked[0].Deadline; got != 3*time.Second {
		t.Errorf("deadline %v, want the configured", got)
	}
	n.get = fails(fetch.Failure{Message: "503", Transient: true, Next: true, Down: true})
	for range 2 {
		a.acquire("x")
		if m := a.next(); m.Code != 400 || m.Get("Message") != "503"+lastMirror || m.Get("Transient-Failure") != "" {
			t.Errorf("answer %+v", m)
		}
	}
	if _, stderr := a.end(); stderr != "loopx-apt: gave up a.example: 503; went on to b.example\nloopx-apt: archive.example: 1 file failed in N s\n" {
		t.Errorf("stderr %q", stderr)
	}
}

// TestFailuresInARow shows that a mirror which fails every file is not asked
// for all.
func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	n := &network{hops: mirrors("a.example", "b.example"), get: byHost(map[string]getFunc{
		"a.example": fails(fetch.Failure{Message: "no answer in 10 s", Reason: "Timeout", Transient: true, Next: true}),
		"b.example": serves(whole),
	})}
	a := start(t, n)
	a.configure()
	for range 10 {
		a.acquire("x")
		a.next()
		a.next()
	}
	a.end()
	if got := strings.Count(strings.Join(n.urls, " "), "a.example"); got != downAfter {
		t.Errorf("the first mirror was asked %d times, want %d", got, downAfter)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	kept := fetch.Hop{URL: "http://cache.internal", Kept: true, Why: "cache.internal is a name of a private network"}
	for name, c := range map[string]struct {
		hop  fetch.Hop
		want string
	}{
		"upgraded":     {fetch.Hop{URL: "https://archive.example"}, "1 file over TLS in N s"},
		"moved":        {fetch.Hop{URL: "https://new.example"}, "1 file from new.example over TLS in N s"},
		"mirror":       {fetch.Hop{URL: "https://m.example:8443/debian", Mirror: true}, "1 file from mirror m.example over TLS in N s"},
		"kept":         {kept, "1 file in clear text in N s; kept: cache.internal is a name of a private network"},
		"kept, is TLS": {fetch.Hop{URL: "https://archive.example", Kept: true, Why: "x"}, "1 file over TLS in N s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := start(t, &network{hops: []fetch.Hop{c.hop}, get: serves(whole)})
			a.configure()
			a.acquire("x")
			a.next()
			a.next()
			if _, stderr := a.end(); stderr != "loopx-apt: archive.example: "+c.want+"\n" {
				t.Errorf("stderr %q", stderr)
			}
		})
	}
}

// TestSummaryOfHosts is about Acquire::Queue-Mode "access": one method for all.
func TestSummaryOfHosts(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: serves(whole)})
	a.configure()
	for _, uri := range []string{"http://a.example/x", "http://b.example/x", "http://a.example/y"} {
		a.send("600 URI Acquire\nURI: " + uri + "\nFilename: " + a.dir + "/x\n\n")
		a.next()
		a.next()
	}
	if _, stderr := a.end(); stderr != "loopx-apt: a.example: 2 files over TLS; b.example: 1 file over TLS in N s\n" {
		t.Errorf("stderr %q", stderr)
	}
}

func TestNothingFetched(t *testing.T) {
	t.Parallel()
	a := start(t, &network{})
	a.configure("Acquire::https::Verify-Peer=false")
	if code, stderr := a.end(); code != ExitOK || stderr != "" {
		t.Errorf("exit %d, stderr %q; want silence", code, stderr)
	}
}

func TestVerificationStaysOn(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: serves(whole)})
	a.configure("Acquire::https::Verify-Peer=false", "Acquire::https::archive.example::Verify-Host=no", "Acquire::https::other.example::Verify-Peer=false")
	for range 2 {
		a.acquire("x")
		a.next()
		a.next()
	}
	const want = "loopx-apt: Acquire::https::Verify-Peer is false in apt's configuration; certificates are verified nevertheless\n" +
		"loopx-apt: Acquire::https::archive.example::Verify-Host is false in apt's configuration; certificates are verified nevertheless\n" +
		"loopx-apt: archive.example: 2 files over TLS in N s\n"
	_, stderr := a.end()
	if diff := cmp.Diff(want, stderr); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
}

func TestSetting(t *testing.T) {
	t.Parallel()
	conf := &aptconf.Conf{}
	conf.Add("Acquire::http::Dl-Limit", "1")
	conf.Add("Acquire::https::Dl-Limit", "2")
	conf.Add("Acquire::http::a.example::Dl-Limit", "3")
	conf.Add("Acquire::https::b.example::Dl-Limit", "")
	for _, c := range []struct {
		scheme, host string
		want         int
	}{{"http", "", 1}, {"https", "", 2}, {"https", "a.example", 3}, {"http", "a.example", 3}, {"https", "b.example", 2}} {
		m := &method{conf: conf, scheme: c.scheme}
		if got := m.number(c.host, "Dl-Limit"); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.scheme, c.host, got, c.want)
		}
	}
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := newLimiter(1000)
	begin := time.Unix(0, 0)
	for _, c := range []struct {
		at   time.Duration
		n    int
		want time.Duration
	}{
		{0, 500, 500 * time.Millisecond},
		{0, 500, time.Second}, // another file at the same time
		{2 * time.Second, 100, 100 * time.Millisecond},
	} {
		if got := l.reserve(begin.Add(c.at), c.n); got != c.want {
			t.Errorf("%d bytes at %v: wait %v, want %v", c.n, c.at, got, c.want)
		}
	}
	if got := l.piece(bufferSize); got != 100 {
		t.Errorf("piece of %d bytes, want a tenth of a second's", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.wait(ctx, 1<<40) // returns
	none := newLimiter(0)
	if none.wait(ctx, 1<<40); none.piece(bufferSize) != bufferSize {
		t.Errorf("no limit: piece of %d bytes", none.piece(bufferSize))
	}
}

// TestDownFreesWaiters lets one file find out that a mirror is down while
// others still wait for it: they go on at once.
func TestDownFreesWaiters(t *testing.T) {
	t.Parallel()
	const others = 5
	waiting, found := make(chan struct{}, others), make(chan struct{})
	n := &network{hops: mirrors("a.example", "b.example"), get: func(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
		switch {
		case hostOf(hop.URL) == "b.example":
			return serves(whole)(ctx, hop, req)
		case strings.HasSuffix(hop.URL, "/first"):
			<-found
			return nil, &fetch.Failure{Message: "no answer in 10 s", Next: true, Down: true}
		}
		waiting <- struct{}{}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
	a := start(t, n)
	a.configure()
	a.acquire("first")
	for i := range others {
		a.acquire(strconv.Itoa(i))
		<-waiting
	}
	close(found)
	for done := 0; done <= others; {
		switch m := a.next(); m.Code {
		case 201:
			done++
		case 400:
			t.Fatalf("answer %+v", m)
		}
	}
	if _, stderr := a.end(); stderr != "loopx-apt: gave up a.example: no answer in 10 s; went on to b.example\nloopx-apt: archive.example: 6 files from mirror b.example over TLS in N s\n" {
		t.Errorf("stderr %q", stderr)
	}
}

// TestLists has two archives with the same mirrors in another order.
func TestLists(t *testing.T) {
	t.Parallel()
	n := &network{get: byHost(map[string]getFunc{
		"a.example": fails(fetch.Failure{Message: "a is down", Next: true, Down: true}),
		"b.example": fails(fetch.Failure{Message: "b is down", Next: true, Down: true}),
		"c.example": serves(whole),
	})}
	a := start(t, n)
	a.configure()
	for _, c := range []struct {
		list  []string
		asked string // what is asked for this file
		code  int
	}{
		{[]string{"a.example", "c.example"}, "a c", 201},
		{[]string{"c.example", "a.example"}, "c", 201},
		{[]string{"b.example", "a.example"}, "b", 400}, // a is known to be of no use
		{[]string{"b.example", "c.example"}, "b c", 201},
		{[]string{"a.example", "b.example"}, "b", 400}, // somebody must be asked
	} {
		n.hops, n.urls = mirrors(c.list...), nil
		a.acquire("x")
		m := a.next()
		for m.Code == 200 {
			m = a.next()
		}
		asked := strings.NewReplacer("https://", "", ".example/x", "").Replace(strings.Join(n.urls, " "))
		if m.Code != c.code || asked != c.asked {
			t.Errorf("%q: asked %q, answer %d; want %q, %d", c.list, asked, m.Code, c.asked, c.code)
		}
	}
}
