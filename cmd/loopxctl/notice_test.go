package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

const (
	setuptoolsNotice = `{"id":"PYSEC-2025-49","aliases":["CVE-2025-47273"],"modified":"2025-06-01T00:00:00Z","affected":[{"package":{"ecosystem":"PyPI","name":"setuptools"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"78.1.1"}]}]}]}`
	// commitNotice is what OSV makes of the CVE list: it names commits alone.
	commitNotice = `{"id":"CVE-2025-47273","aliases":["GHSA-none","PYSEC-2025-49"],"modified":"2025-06-01T00:00:00Z","affected":[{"ranges":[{"type":"GIT","events":[{"introduced":"0"}]}]}]}`
	pageNotice   = `{"id":"USN-6986-1","published":"2024-09-03T14:33:38","release_packages":{"noble":[{"name":"openssl","version":"3.0.13-0ubuntu3.4","is_source":true}]}}`
)

// noticeServer is a server with the API of osv.dev, and a page. It answers what is
// in texts by path, counts what is asked, and has an authority of its own.
func noticeServer(t *testing.T, texts map[string]string) (address, ca string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		text, ok := texts[r.URL.Path]
		if to, redirected := strings.CutPrefix(text, "redirect "); redirected {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Error(err)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of who does not trust it
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = writeTemp(t, filepath.Join(t.TempDir(), "ca.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	return server.URL, ca, asked
}

// TestNoticeServer: what the database does not have is asked for over TLS, and what
// a record names as its alias, where it says nothing of packages itself.
func TestNoticeServer(t *testing.T) {
	t.Parallel()
	address, ca, asked := noticeServer(t, map[string]string{
		"/v1/vulns/PYSEC-2025-49":  setuptoolsNotice,
		"/v1/vulns/CVE-2025-47273": commitNotice,
		"/usn.json":                pageNotice,
		"/v1/vulns/GHSA-abcd-ef12": strings.Replace(setuptoolsNotice, "PYSEC-2025-49", "GHSA-abcd-ef12", 1),
		"/v1/vulns/OTHER-1":        setuptoolsNotice,
		"/page.html":               "<!DOCTYPE html>",
		"/clear.json":              "redirect http://127.0.0.1:1/x.json",
	})
	dir := t.TempDir()
	writeTemp(t, filepath.Join(dir, "app", "requirements.txt"), "setuptools>=70\n")
	writeTemp(t, filepath.Join(dir, "app", "Dockerfile"), "FROM ubuntu:24.04\nRUN apt-get install openssl\n")
	notice := func(args ...string) (int, string, string) {
		var out, diag bytes.Buffer
		args = append([]string{"notice", "--path", filepath.Join(dir, "app"), "--osv", address}, args...)
		code := run(t.Context(), strings.NewReader(""), &out, &diag, args, []string{"HOME=" + dir})
		return code, out.String(), diag.String()
	}

	if code, _, diag := notice("PYSEC-2025-49"); code != exitFailed || !strings.Contains(diag, "certificate") || len(*asked) != 0 {
		t.Errorf("without the authority: exit code %d, asked %v\n%s", code, *asked, diag)
	}
	for _, tc := range []struct {
		arg         string
		code        int
		out, diag   string
		asked       string
		moreOfFlags []string
	}{
		{arg: "pysec-2025-49", code: exitBlocked, out: "PYSEC-2025-49  affected", asked: "/v1/vulns/PYSEC-2025-49"},
		{arg: "CVE-2025-47273", code: exitBlocked, out: "CVE-2025-47273  affected", asked: "/v1/vulns/CVE-2025-47273 /v1/vulns/GHSA-none /v1/vulns/PYSEC-2025-49"},
		{arg: "ghsa-ABCD-EF12", code: exitBlocked, out: "GHSA-abcd-ef12  affected", asked: "/v1/vulns/GHSA-abcd-ef12"},
		{arg: address + "/usn.json", code: exitBlocked, out: "USN-6986-1  affected", asked: "/usn.json"},
		{arg: "CVE-1-1", code: exitFailed, diag: "CVE-1-1: neither the advisory database nor " + address + " has a record of that name", asked: "/v1/vulns/CVE-1-1"},
		{arg: "OTHER-1", code: exitFailed, diag: "the server answers with another record", asked: "/v1/vulns/OTHER-1"},
		{arg: address + "/page.html", code: exitFailed, diag: "this is no JSON: it begins with \"<!DOCTYPE html>\"", asked: "/page.html"},
		{arg: address + "/clear.json", code: exitFailed, diag: "out of TLS into clear text: refused", asked: "/clear.json"},
		{arg: "PYSEC-2025-49", code: exitFailed, diag: "--offline asks no server", moreOfFlags: []string{"--offline"}},
	} {
		*asked = nil
		code, out, diag := notice(append([]string{"--ca", ca, tc.arg}, tc.moreOfFlags...)...)
		if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(diag, tc.diag) || strings.Join(*asked, " ") != tc.asked {
			t.Errorf("%s: exit code %d, asked %v\n%s%s", tc.arg, code, *asked, out, diag)
		}
	}
}

// TestNoticePages holds that some script or test types each flag, and that the help
// has examples.
func TestNoticePages(t *testing.T) {
	t.Parallel()
	lines := append(typedLines(t, "testdata/script/notice*.txtar"), typedLines(t, "notice_test.go")...)
	cmd := newNotice(&program{env: lookup(nil)})
	if !strings.Contains(cmd.Example, "loopxctl notice") || cmd.Short == "" || cmd.Long == "" {
		t.Error("no example, or no help")
	}
	shared := map[string]bool{}
	newFloorsCheck(&program{env: lookup(nil)}).Flags().VisitAll(func(f *pflag.Flag) { shared[f.Name] = true })
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		for _, line := range lines {
			if strings.Contains(line, "notice") && strings.Contains(line, "--"+f.Name) || shared[f.Name] {
				return
			}
		}
		t.Errorf("no script types --%s", f.Name)
	})
}
