package netbom_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/loopx/loopx-frontend/policy/netbom"
)

// check holds that a page stands alone and can be read by everybody: no script,
// nothing that is loaded, a language, landmarks, each header of a table with its
// scope, each reference to a name that is there.
func check(t *testing.T, page []byte) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	seen, names, references := map[string]int{}, map[string]bool{}, []string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		seen[n.Data]++
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "action", a.Key == "style":
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "data:,":
				t.Errorf("<%s> leads to %q", n.Data, a.Val)
			case a.Key == "href":
				references = append(references, strings.TrimPrefix(a.Val, "#"))
			case a.Key == "aria-labelledby":
				references = append(references, strings.Fields(a.Val)...)
			case a.Key == "id" && names[a.Val]:
				t.Errorf("two elements are called %q", a.Val)
			case a.Key == "id":
				names[a.Val] = true
			}
		}
		if n.Data == "th" && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "scope" }) {
			t.Error("a header of a table has no scope")
		}
		if n.Data == "html" && !slices.Contains(n.Attr, html.Attribute{Key: "lang", Val: "en"}) {
			t.Error("the page has no language")
		}
	}
	for _, one := range []string{"title", "header", "main", "footer", "h1"} {
		if seen[one] != 1 && one != "title" || seen[one] == 0 {
			t.Errorf("the page has %d <%s>", seen[one], one)
		}
	}
	for _, none := range []string{"script", "iframe", "object", "embed", "img", "form", "base"} {
		if seen[none] > 0 {
			t.Errorf("the page has <%s>", none)
		}
	}
	for _, r := range references {
		if r != "data:," && !names[r] {
			t.Errorf("nothing is called %q", r)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../provenance/testdata/v1.json", "../provenance/testdata/proxy.json", "../provenance/testdata/min.json", "testdata/hard.json"} {
		doc := document(build(t, name), report(t))
		page, err := doc.Page("a test")
		if err != nil {
			t.Fatal(err)
		}
		check(t, page)
		if again, err := doc.Page("a test"); err != nil || !bytes.Equal(page, again) {
			t.Errorf("%s: another page: %v", name, err)
		}
	}
}

// TestHostilePage: what stands in provenance is text of the page, and no more.
func TestHostilePage(t *testing.T) {
	t.Parallel()
	hostile := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`, "\u202etxet", "\x1b[2J", `</title></svg></style>{{.}}`, "::error::x"}
	var fetches []netbom.Fetch
	for _, h := range hostile {
		fetches = append(fetches, netbom.Fetch{Kind: h, Asked: h + "a", From: h, Host: h, Over: netbom.Clear, Digest: h, Layer: netbom.Layer(h), Note: h})
	}
	for _, h := range hostile {
		page, err := (&netbom.Document{
			Artifact: netbom.Artifact{Name: h, Kind: h, Digest: h}, ClearText: true, Totals: map[netbom.Over]int{netbom.Clear: 7},
			Report: &netbom.Report{Frontend: h, Hosts: h, Mode: h, Apt: h},
			Images: []netbom.Image{
				{Platform: h, Digest: h, Unbound: h, Provenance: h, Frontend: &netbom.Frontend{Name: h, Image: h, Digest: h}, Unknown: []string{h}},
				{Steps: []netbom.Step{{Stage: h, Text: h, File: h, Network: h, Fetches: fetches, Unknown: []string{h}}}},
			},
		}).Page(h)
		if err != nil {
			t.Fatal(err)
		}
		check(t, page)
		if bytes.ContainsAny(page, "\x1b\u202e") {
			t.Errorf("%q: a control character is on the page", h)
		}
	}
}

// TestLargePage: a page stays one that a browser can show, and says what it
// leaves out.
func TestLargePage(t *testing.T) {
	t.Parallel()
	img := netbom.Image{Platform: "linux/amd64", Provenance: "max"}
	for i := range 100 {
		s := netbom.Step{Text: fmt.Sprintf("RUN %d", i), Line: i + 1}
		for j := range 100 {
			host := fmt.Sprintf("h%d.example.org", i*100+j)
			s.Fetches = append(s.Fetches, netbom.Fetch{From: "https://" + host + "/", Host: host, Over: netbom.TLS})
		}
		img.Steps = append(img.Steps, s)
	}
	for range 2000 {
		img.Steps = append(img.Steps, netbom.Step{Text: "RUN make", Unknown: []string{"x"}})
	}
	page, err := (&netbom.Document{Images: []netbom.Image{img}}).Page("a test")
	if err != nil {
		t.Fatal(err)
	}
	check(t, page)
	if len(page) > 4<<20 {
		t.Errorf("%d bytes", len(page))
	}
	for _, want := range []string{"100 more fetches are not shown here", "4960 more hosts are in the table only", "100 more steps are not shown here"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
