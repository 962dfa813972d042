package route_test

import (
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"http://host/path":                   "http://host/path",
		"http://user:secret@host/path":       "http://***@host/path",
		"http://user@host":                   "http://***@host",
		"http://@host":                       "http://***@host",
		"http://user:sec@ret@host/":          "http://***@host/",
		"http://user:sec/ret@host/":          "http://***@host/",
		"http://user:sec#ret?@host/":         "http://***@host/",
		"http://${USER}:${PASS}@host/":       "http://***@host/",
		"http://u:${P#x}@host/":              "http://***@host/",
		"http://***@host/":                   "http://***@host/",
		"http://host:80/a@b":                 "http://host:80/a@b",
		"http://host:${PORT}/a@b":            "http://host:${PORT}/a@b",
		"http://[::1]:80/a@b":                "http://[::1]:80/a@b",
		"http://host/@scope/pkg":             "http://host/@scope/pkg",
		"git+https://tok@host/r.git@v1":      "git+https://***@host/r.git@v1",
		"user:secret@keys.host":              "***@keys.host",
		"git@host:repo":                      "git@host:repo",
		"//user:secret@host/":                "//***@host/",
		`http:\/\/user:secret@host\/x`:       `http:\/\/***@host\/x`,
		"http%3A//user:secret@host/x":        "http%3A//***@host/x",
		"http://a:b@c/http://d:e@f/":         "http://***@c/http://***@f/",
		"${X:-http://u:secret@h/}":           "${X:-http://***@h/}",
		"http://us\ner:sec ret@host":         "http://***@host",
		"":                                   "",
		"@":                                  "@",
		"://@":                               "://***@",
		"a:b@":                               "***@",
		"http://":                            "http://",
		"user:http://x@host":                 "user:http://***@host",
		"https://registry/%40scope/x@1.0.0/": "https://registry/%40scope/x@1.0.0/",
	} {
		if got := route.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
		if got := route.Redact(route.Redact(in)); got != route.Redact(in) {
			t.Errorf("Redact of its own result %q: %q", route.Redact(in), got)
		}
	}
}

func TestRedactText(t *testing.T) {
	for in, want := range map[string]string{
		"curl 'http://u:p@h/x' mail@example.com": "curl 'http://***@h/x' mail@example.com",
		"a http://u:p@h b https://q@i/ c":        "a http://***@h b https://***@i/ c",
		"deb [a=b] http://u:p@h/ ./\nnext u:p@h": "deb [a=b] http://***@h/ ./\nnext u:p@h",
		`{"url":"http://h:80/","mail":"x@y"}`:    `{"url":"http://h:80/","mail":"x@y"}`,
		`see "http://h:8080", or ask x@y`:        `see "http://h:8080", or ask x@y`,
		"http://host/ only":                      "http://host/ only",
		"// by x@y":                              "// by x@y",
		"no url at all, x@y":                     "no url at all, x@y",
		"https://host/path@v1":                   "https://host/path@v1",
	} {
		if got := route.RedactText(in); got != want {
			t.Errorf("RedactText(%q) = %q, want %q", in, got, want)
		}
	}
}
