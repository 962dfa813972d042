package aptmethod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

func TestCapabilities(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	code := Serve(t.Context(), Options{
		In: strings.NewReader(""), Out: &out,
		Client: func(fetch.Config) (fetch.Getter, error) {
			t.Error("work was done before apt's configuration")
			return nil, nil
		},
	})
	const want = "100 Capabilities\nVersion: 1.2\nPipeline: true\nSend-Config: true\nNeeds-Cleanup: true\nSend-URI-Encoded: true\n\n"
	if out.String() != want || code != ExitOK {
		t.Errorf("a probe gets %q and exit %d", out.String(), code)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	const text = "the file"
	a := start(t, &network{get: serves(text)})
	a.configure()
	path := a.acquire("x.deb", expect(text, "SHA256", "Checksum-FileSize")...)
	if diff := cmp.Diff(&message.Message{Code: 200, Text: "URI Start", Fields: []message.Field{
		{Name: "URI", Value: "http://archive.example/x.deb"},
		{Name: "Size", Value: "8"},
		{Name: "Last-Modified", Value: "Mon, 30 Nov 2026 12:00:00 GMT"},
	}}, a.next()); diff != "" {
		t.Errorf("start (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&message.Message{Code: 201, Text: "URI Done", Fields: []message.Field{
		{Name: "URI", Value: "http://archive.example/x.deb"},
		{Name: "Filename", Value: path},
		{Name: "Size", Value: "8"},
		{Name: "Last-Modified", Value: "Mon, 30 Nov 2026 12:00:00 GMT"},
		{Name: "SHA256-Hash", Value: strings.TrimPrefix(expect(text, "SHA256")[0], "Expected-SHA256: ")},
		{Name: "Checksum-FileSize-Hash", Value: "8"},
	}}, a.next()); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	info, err := os.Stat(path)
	if err != nil || read(t, path) != text || !info.ModTime().Equal(modified) {
		t.Errorf("file %q of %v, %v", read(t, path), info.ModTime(), err)
	}
	code, stderr := a.end()
	if want := "loopx-apt: archive.example: 1 file over TLS in N s\n"; code != ExitOK || stderr != want {
		t.Errorf("exit %d, stderr %q, want %q", code, stderr, want)
	}
}

func TestHashes(t *testing.T) {
	t.Parallel()
	all := []string{"SHA512-Hash", "SHA256-Hash", "SHA1-Hash", "MD5Sum-Hash", "MD5-Hash"}
	for name, c := range map[string]struct {
		expected, want []string
		forced         string
	}{
		"none expected":        {nil, all, ""},
		"only weak ones":       {[]string{"MD5Sum", "SHA1"}, all, ""},
		"only a size":          {[]string{"Checksum-FileSize"}, all, ""},
		"one":                  {[]string{"SHA512"}, all[:1], ""},
		"one and weak ones":    {[]string{"SHA256", "MD5Sum", "Checksum-FileSize"}, all[1:2], ""},
		"all that apt can say": {[]string{"SHA512", "SHA256", "SHA1", "MD5Sum"}, all[:2], ""},
		"a weak one is forced": {[]string{"SHA512", "SHA256", "MD5Sum"}, all[3:], "md5sum"},
		"another is forced":    {[]string{"SHA256"}, all, "SHA512"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := start(t, &network{get: serves("text")})
			a.configure("Acquire::ForceHash=" + c.forced)
			a.acquire("x", expect("text", c.expected...)...)
			a.next()
			var got []string
			for _, f := range a.next().Fields {
				if strings.HasSuffix(f.Name, "-Hash") && f.Name != "Checksum-FileSize-Hash" {
					got = append(got, f.Name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("hashes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnencodedURI(t *testing.T) {
	t.Parallel()
	n := &network{get: serves("text")}
	a := start(t, n)
	a.send("601 Configuration\nConfig-Item: Acquire::Send-URI-Encoded=false\n\n")
	a.acquire("a b_1.0~rc+1.deb")
	a.next()
	if got := a.next().Get("URI"); got != "http://archive.example/a b_1.0~rc+1.deb" {
		t.Errorf("answered under %q, not as apt wrote it", got)
	}
	a.end()
	if want := "https://archive.example/a%20b_1.0%7erc%2b1.deb"; n.urls[0] != want {
		t.Errorf("asked for %q, want %q", n.urls[0], want)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	a := start(t, &network{refuse: &fetch.Failure{Message: "packages.example has no TLS", Reason: "ConnectionRefused"}})
	a.configure()
	a.acquire("x")
	m := a.next()
	if diff := cmp.Diff(map[string]string{
		"URI": "http://archive.example/x", "Message": "packages.example has no TLS",
	}, fields(m)); m.Code != 400 || diff != "" {
		t.Errorf("%d; a reason that apt takes for transient must not be there (-want +got):\n%s", m.Code, diff)
	}
	if code, stderr := a.end(); code != ExitOK || stderr != "loopx-apt: archive.example: 1 file failed in N s\n" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

func TestTransientFailure(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: fails(fetch.Failure{Message: "503 Service Unavailable", Reason: "HttpError503", Transient: true})})
	a.configure()
	a.acquire("x")
	if diff := cmp.Diff(map[string]string{
		"URI": "http://archive.example/x", "Message": "503 Service Unavailable", "FailReason": "HttpError503", "Transient-Failure": "true",
	}, fields(a.next())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFailedThenGood shows that a file which came at last is no failure.
func TestFailedThenGood(t *testing.T) {
	t.Parallel()
	n := &network{get: fails(fetch.Failure{Message: "503", Transient: true})}
	a := start(t, n)
	a.configure()
	a.acquire("x")
	a.next()
	n.get = serves("text")
	a.acquire("x")
	a.next()
	a.next()
	a.acquire("optional", "Fail-Ignore: true", "Maximum-Size: 1")
	if m := a.next(); m.Code != 400 {
		t.Errorf("answer %+v", m)
	}
	if _, stderr := a.end(); stderr != "loopx-apt: archive.example: 1 file over TLS in N s\n" {
		t.Errorf("stderr %q", stderr)
	}
}

func TestSandboxFails(t *testing.T) {
	t.Parallel()
	var order []string
	a := start(t, &network{}, func(o *Options) {
		o.Client = func(fetch.Config) (fetch.Getter, error) {
			order = append(order, "client")
			return &network{}, nil
		}
		o.Sandbox = func(*aptconf.Conf) error {
			order = append(order, "sandbox")
			return errors.New("no user _apt, can not drop rights")
		}
	})
	a.configure("APT::Sandbox::User=_apt")
	if m := a.next(); m.Code != 400 || m.Get("URI") != "<UNKNOWN>" || m.Get("Message") != "no user _apt, can not drop rights" {
		t.Errorf("answer %+v", m)
	}
	if code, _ := a.end(); code != ExitSandbox {
		t.Errorf("exit %d, want %d", code, ExitSandbox)
	}
	if diff := cmp.Diff([]string{"client", "sandbox"}, order); diff != "" {
		t.Errorf("credentials are for root (-want +got):\n%s", diff)
	}
}

func TestClientFails(t *testing.T) {
	t.Parallel()
	a := start(t, nil, func(o *Options) {
		o.Client = func(fetch.Config) (fetch.Getter, error) { return nil, errors.New("route.json: no") }
	})
	a.configure()
	if m := a.next(); m.Code != 401 || m.Get("Message") != "route.json: no" {
		t.Errorf("answer %+v", m)
	}
	if code, _ := a.end(); code != ExitFailed {
		t.Errorf("exit %d, want %d", code, ExitFailed)
	}
}

func TestClientConfig(t *testing.T) {
	t.Parallel()
	var got fetch.Config
	n := &network{get: serves("text")}
	a := start(t, n, func(o *Options) {
		o.Argv0 = "/usr/lib/apt/methods/https"
		o.Client = func(c fetch.Config) (fetch.Getter, error) {
			got = c
			return n, nil
		}
	})
	a.configure("Binary::https::Acquire::https::Timeout=7", "LoopX::Dir=/elsewhere")
	a.acquire("x", "Proxy: http://proxy.example:3128/")
	a.next()
	if got.Dir != "/elsewhere" || got.AuthFile != AuthFile || got.Conf.Int("Acquire::https::Timeout", 0) != 7 {
		t.Errorf("dir %q, auth %q, timeout %d", got.Dir, got.AuthFile, got.Conf.Int("Acquire::https::Timeout", 0))
	}
	a.next()
	got.Log("hello\x1b[31m")
	if _, stderr := a.end(); !strings.HasPrefix(stderr, "loopx-apt: hello?[31m\n") {
		t.Errorf("stderr %q", stderr)
	}
	if n.asked[0].Proxy != "http://proxy.example:3128/" {
		t.Errorf("proxy %q", n.asked[0].Proxy)
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	a := start(t, &network{})
	a.send("hello\n")
	if m := a.next(); m.Code != 401 {
		t.Errorf("answer %+v", m)
	}
	if code, _ := a.end(); code != ExitFailed {
		t.Errorf("exit %d", code)
	}
}

func TestBeforeConfiguration(t *testing.T) {
	t.Parallel()
	a := start(t, &network{})
	a.acquire("x")
	if m := a.next(); m.Code != 400 || m.Get("URI") != "http://archive.example/x" {
		t.Errorf("answer %+v", m)
	}
	a.end()
}

// TestOrder asks for a slow file first: the others are answered meanwhile.
func TestOrder(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := start(t, &network{get: func(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
		if strings.HasSuffix(hop.URL, "/slow") {
			<-release
		}
		return serves(hop.URL)(ctx, hop, req)
	}})
	a.configure()
	a.acquire("slow")
	for _, name := range []string{"a", "b", "c"} {
		a.acquire(name)
		if m := a.next(); m.Code != 200 {
			t.Errorf("answer %+v", m)
		}
		if m := a.next(); m.Code != 201 || m.Get("URI") != "http://archive.example/"+name {
			t.Errorf("answer %+v, want %s done", m, name)
		}
	}
	close(release)
	a.next()
	if m := a.next(); m.Code != 201 || m.Get("URI") != "http://archive.example/slow" {
		t.Errorf("answer %+v, want slow done", m)
	}
	if _, stderr := a.end(); stderr != "loopx-apt: archive.example: 4 files over TLS in N s\n" {
		t.Errorf("stderr %q", stderr)
	}
}

// TestEndWaits closes apt's end while a file is on its way: it is still
// answered, as long as somebody reads.
func TestEndWaits(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	a := start(t, &network{get: func(ctx context.Context, hop fetch.Hop, req fetch.Request) (*fetch.Response, error) {
		close(asked)
		<-release
		return serves("text")(ctx, hop, req)
	}})
	a.configure()
	a.acquire("x")
	<-asked
	a.in.Close()
	close(release)
	a.next()
	if m := a.next(); m.Code != 201 {
		t.Errorf("answer %+v", m)
	}
	if code, _ := a.end(); code != ExitOK {
		t.Errorf("exit %d", code)
	}
}

// endless is a body that comes in pieces until the context ends.
type endless struct{ ctx context.Context }

func (e endless) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return copy(p, "more and more "), nil
}

func (e endless) Close() error { return nil }

func endlessly(ctx context.Context, _ fetch.Hop, _ fetch.Request) (*fetch.Response, error) {
	return &fetch.Response{Size: -1, Modified: modified, Body: endless{ctx}}, nil
}

// TestAptIsGone closes both ends, as when apt was killed.
func TestAptIsGone(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: endlessly})
	a.configure()
	path := a.acquire("x")
	a.next()
	a.out.Close()
	if code, _ := a.end(); code != ExitFailed {
		t.Errorf("exit %d", code)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(modified) {
		t.Errorf("what is there of the file: %v, %v; want it dated, to be continued", info, err)
	}
}

// TestSignal ends the context, as main does for a signal.
func TestSignal(t *testing.T) {
	t.Parallel()
	a := start(t, &network{get: endlessly})
	a.configure()
	path := a.acquire("x")
	a.next()
	a.stop()
	if code := <-a.code; code != ExitFailed {
		t.Errorf("exit %d", code)
	}
	if m, more := <-a.answer; more {
		t.Errorf("answered %+v", m)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(modified) {
		t.Errorf("what is there of the file: %v, %v; want it dated, to be continued", info, err)
	}
}

// TestDeafApt lets a hundred files pile up before apt reads again: nothing is
// lost, nobody waits for another.
func TestDeafApt(t *testing.T) {
	t.Parallel()
	in, toMethod := io.Pipe()
	fromMethod, out := io.Pipe()
	done := make(chan int)
	go func() {
		code := Serve(t.Context(), Options{
			In: in, Out: out, Stderr: io.Discard,
			Client:  func(fetch.Config) (fetch.Getter, error) { return &network{get: serves("text")}, nil },
			Sandbox: func(*aptconf.Conf) error { return nil },
		})
		out.Close()
		done <- code
	}()
	r := message.NewReader(fromMethod)
	if _, err := r.Read(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("601 Configuration\n\n")
	dir := t.TempDir()
	for i := range 100 {
		fmt.Fprintf(&b, "600 URI Acquire\nURI: http://archive.example/%d\nFilename: %s/%d\n\n", i, dir, i)
	}
	if _, err := io.WriteString(toMethod, b.String()); err != nil { // returns when all is read
		t.Fatal(err)
	}
	toMethod.Close()
	answers := 0
	for {
		m, err := r.Read()
		if err != nil {
			break
		}
		if m.Code == 201 {
			answers++
		}
	}
	if code := <-done; answers != 100 || code != ExitOK {
		t.Errorf("%d answers of 100, exit %d", answers, code)
	}
}
