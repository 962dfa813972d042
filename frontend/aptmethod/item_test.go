package aptmethod

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

func TestParseItem(t *testing.T) {
	t.Parallel()
	m := &message.Message{Code: 600, Fields: []message.Field{
		{Name: "URI", Value: "http://archive.example/a%20b"},
		{Name: "FileName", Value: "/var/lib/apt/lists/partial/x"}, // as apt before 1.1 has it
		{Name: "Proxy", Value: "DIRECT"},
		{Name: "Last-Modified", Value: "Mon, 30 Nov 2026 12:00:00 GMT"},
		{Name: "Index-File", Value: "true"},
		{Name: "Fail-Ignore", Value: "Yes"},
		{Name: "Expected-SHA256", Value: "00ff"},
		{Name: "Expected-MD5Sum", Value: "11"},
		{Name: "Expected-Checksum-FileSize", Value: "12"},
		{Name: "Maximum-Size", Value: "99"},
		{Name: "Signed-By", Value: "/usr/share/keyrings/x"},
	}}
	want := &item{
		uri: "http://archive.example/a%20b", address: "http://archive.example/a%20b",
		path: "/var/lib/apt/lists/partial/x", proxy: "DIRECT",
		since: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), index: true, failIgnore: true,
		size: 12, most: 12, want: []sum{{"SHA256", "00ff"}, {"MD5Sum", "11"}},
	}
	if diff := cmp.Diff(want, parseItem(m, true), cmp.AllowUnexported(item{}, sum{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	bad := &message.Message{Code: 600, Fields: []message.Field{
		{Name: "Last-Modified", Value: "yesterday"},
		{Name: "Expected-Checksum-FileSize", Value: "-1"},
		{Name: "Maximum-Size", Value: "99999999999999999999"},
	}}
	if diff := cmp.Diff(&item{size: -1, most: -1}, parseItem(bad, true), cmp.AllowUnexported(item{}, sum{})); diff != "" {
		t.Errorf("what can't be read (-want +got):\n%s", diff)
	}
}

func TestEncodePath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://user:p+w@archive.example/a b+c~d/%": "http://user:p+w@archive.example/a%20b%2bc%7ed/%25",
		"http://archive.example":                    "http://archive.example",
		"http://archive.example/ä?x=1":              "http://archive.example/%c3%a4?x=1",
		"no scheme":                                 "no%20scheme",
		"":                                          "",
	} {
		if got := encodePath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
