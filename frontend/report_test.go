package frontend

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

func TestReport(t *testing.T) {
	g := newFake(`FROM debian
RUN apt-get update
RUN curl -O http://user:secret@downloads.example.org/x
ADD http://downloads.example.org/y /y
ADD http://downloads.example.org:8080/z /z
RUN mkdir /d
`, map[string]string{
		"build-arg:LOOPX_MODE":          "audit",
		"build-arg:LOOPX_DEBIAN_MIRROR": "https://mirror.example.org/debian default",
		"build-arg:LOOPX_HOSTS":         "10.0.0.1=keep",
	})
	var got buildreport.Report
	if err := json.Unmarshal(mustBuild(t, g).Metadata[buildreport.Key], &got); err != nil {
		t.Fatal(err)
	}
	move := func(path string) []buildreport.Move {
		return []buildreport.Move{{
			From: "http://" + path, To: "https://" + path, Action: "upgrade", Rule: "unknown-host",
		}}
	}
	withUser := move("***@downloads.example.org/x")
	withUser[0].Rule = "credentials"
	want := buildreport.Report{
		Frontend: "devel", Hosts: route.DataDate(), Mode: "audit", Apt: "auto", Checks: "on",
		Mirrors:  map[string][]string{"debian": {"https://mirror.example.org/debian", "default"}},
		Rules:    []route.HostRule{{Host: "10.0.0.1", Action: "keep"}},
		Notes:    []string{"LOOPX_MODE: refused fetches are reported and built all the same", "LOOPX_HOSTS: clear text to 10.0.0.1 is kept"},
		Weakened: []string{"LOOPX_MODE: refused fetches are reported and built all the same", "LOOPX_HOSTS: clear text to 10.0.0.1 is kept"},
		Steps: []buildreport.Step{
			{Name: "[2/6] RUN apt-get update", Platform: "linux/amd64", File: "Dockerfile", Line: 2, Apt: "runs apt-get"},
			{Name: "[3/6] RUN curl -O http://***@downloads.example.org/x", Platform: "linux/amd64", File: "Dockerfile", Line: 3, Fetches: withUser},
			{Name: "[4/6] ADD http://downloads.example.org/y /y", File: "Dockerfile", Line: 4, Fetches: move("downloads.example.org/y")},
		},
		Findings: []buildreport.Finding{
			{Rule: "AddWithoutChecksum", Severity: "warning", File: "Dockerfile", Line: 4},
			{Rule: "ClearTextRefused", Severity: "blocker", File: "Dockerfile", Line: 5},
		},
	}
	for i := range got.Findings {
		if got.Findings[i].Message == "" {
			t.Errorf("finding %d has no message", i)
		}
		if len(got.Findings[i].Fingerprint) != 64 {
			t.Errorf("finding %d has the fingerprint %q", i, got.Findings[i].Fingerprint)
		}
		got.Findings[i].Message, got.Findings[i].Fingerprint = "", "" // other tests hold the words
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}
