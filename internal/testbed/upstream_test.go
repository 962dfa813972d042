package testbed_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// The archive answers under its names, in clear text and over TLS, and counts
// both.
func TestArchive(t *testing.T) {
	m := testbed.Archive(t)
	const release = "deb.debian.org/debian/dists/bookworm/Release"
	secure, clearText := get(t, m, "https://"+release, ""), get(t, m, "http://"+release, "")
	if !strings.Contains(secure, "\nCodename: bookworm\n") || secure != clearText {
		t.Errorf("over TLS: %.200q, in clear text: %.200q", secure, clearText)
	}
	if got := get(t, m, "https://"+release, "bytes=0-6"); got != "Origin:" {
		t.Errorf("the first seven bytes are %q", got)
	}
	if got := get(t, m, "https://archive.ubuntu.com/ubuntu/dists/noble/Release", ""); !strings.Contains(got, "\nCodename: noble\n") {
		t.Errorf("noble: %.200q", got)
	}
	if got := get(t, m, "https://security.debian.org/debian-security/dists/none/Release", ""); !strings.HasPrefix(got, "404 ") {
		t.Errorf("a suite that does not exist: %q", got)
	}
	var hits []string
	for _, h := range m.ClearHits() {
		hits = append(hits, h.String())
	}
	if diff := cmp.Diff([]string{"GET " + release}, hits); diff != "" || len(m.TLSHits()) != 4 {
		t.Errorf("in clear text (-want +got):\n%s\nover TLS: %v", diff, m.TLSHits())
	}
}

// A mirror has the tree at a path of its own.
func TestArchiveTree(t *testing.T) {
	m := testbed.NewMirror(t, testbed.MirrorOptions{
		Handler: testbed.ArchiveTree(t, "/some/security", "https://deb.debian.org/debian-security"),
	})
	if got := get(t, m, "https://downloads.example.org/some/security/dists/bookworm-security/Release", ""); !strings.Contains(got, "\nSuite: oldstable-security\n") && !strings.Contains(got, "\nCodename: bookworm-security\n") {
		t.Errorf("bookworm-security: %.200q", got)
	}
	if got := get(t, m, "https://downloads.example.org/debian-security/dists/bookworm-security/Release", ""); !strings.HasPrefix(got, "404 ") {
		t.Errorf("at another path: %.200q", got)
	}
}

// get returns the body at url from the servers of m, with its status before it
// unless that is a success. byteRange is a Range header, if not empty.
func get(t *testing.T, m *testbed.Mirror, url, byteRange string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			var d net.Dialer
			return d.DialContext(ctx, network, net.JoinHostPort(m.Addr.String(), port))
		},
		TLSClientConfig: &tls.Config{RootCAs: m.CA.Pool()},
	}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if byteRange != "" {
		req.Header.Set("Range", byteRange)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode >= 300 {
		return fmt.Sprint(res.Status, "\n", string(body))
	}
	return string(body)
}
