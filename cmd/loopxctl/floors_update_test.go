package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFloorsUpdate: an export is fetched once over TLS, asked about after that,
// and used without a server.
func TestFloorsUpdate(t *testing.T) {
	t.Parallel()
	const export = `{"id":"P-1","modified":"2026-11-29T00:00:00Z","affected":[{"package":{"ecosystem":"PyPI","name":"setuptools"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"83.0.0"}]}]}]}`
	asked := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if _, err := w.Write([]byte(export)); err != nil {
			t.Error(err)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of who does not trust it
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	ca := writeTemp(t, filepath.Join(dir, "ca.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	writeTemp(t, filepath.Join(dir, "app", "requirements.txt"), "setuptools>=70\n")
	address := server.URL + "/all.json"
	floors := func(args ...string) (int, string, string) {
		var out, diag bytes.Buffer
		code := run(t.Context(), strings.NewReader(""), &out, &diag, append([]string{"floors"}, args...), []string{"HOME=" + dir})
		return code, out.String(), diag.String()
	}

	if code, _, diag := floors("update", address); code != exitFailed || !strings.Contains(diag, "certificate") || asked != 0 {
		t.Errorf("without the authority: exit code %d, %d requests\n%s", code, asked, diag)
	}
	for _, word := range []string{"fetched", "nothing new"} {
		code, out, diag := floors("update", "--ca", ca, address)
		want := `^` + regexp.QuoteMeta(address) + `: ` + word + `, 1 record about projects of PyPI, the newest of 2026-11-29 \(\d+ days? ago\)\n$`
		if code != exitClean || !regexp.MustCompile(want).MatchString(out) || diag != "" {
			t.Errorf("exit code %d, %q, %q", code, out, diag)
		}
	}
	server.Close()
	if code, out, _ := floors("check", "--database", address, filepath.Join(dir, "app")); code != exitBlocked || !strings.Contains(out, "P-1") {
		t.Errorf("offline: exit code %d\n%s", code, out)
	}
	if code, _, _ := floors("update", "--ca", ca, address); code != exitFailed || asked != 2 {
		t.Errorf("without a server: exit code %d, %d requests", code, asked)
	}
	if code, _, _ := floors("check", "--database", address, filepath.Join(dir, "app")); code != exitBlocked {
		t.Errorf("after an update that failed: exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, ".cache", "loopx", "osv")); err != nil {
		t.Error(err)
	}
}
