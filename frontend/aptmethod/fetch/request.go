package fetch

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// request makes the request for t.url: the fields that apt sends, and no
// others. Source: HttpMethod::SendReq in methods/http.cc.
func (t *trip) request(ctx context.Context) *http.Request {
	s := t.settings(t.url)
	h := http.Header{"User-Agent": {t.userAgent(t.url)}}
	switch {
	case s.flag("No-Cache", false):
		h.Set("Cache-Control", "no-cache")
		h.Set("Pragma", "no-cache")
	case t.req.Index:
		h.Set("Cache-Control", "max-age="+s.maxAge())
	case s.flag("No-Store", false):
		h.Set("Cache-Control", "no-store")
	}
	name := t.url.Path[strings.LastIndexByte(t.url.Path, '/')+1:]
	if s.flag("SendAccept", true) && !strings.Contains(name, ".") {
		h.Set("Accept", "text/*") // or servers choose among files with extensions
	}
	switch {
	case t.req.Offset > 0:
		h.Set("Range", fmt.Sprintf("bytes=%d-", t.req.Offset))
		h.Set("If-Range", httpTime(t.req.Modified))
	case !t.req.IfModifiedSince.IsZero():
		h.Set("If-Modified-Since", httpTime(t.req.IfModifiedSince))
	}
	t.authorize(h)
	target := *t.url
	target.User, target.Fragment, target.RawFragment = nil, "", ""
	req := &http.Request{Method: http.MethodGet, URL: &target, Host: hostField(&target), Header: h}
	return req.WithContext(ctx)
}

// authorize adds the credentials for t.url: those that the URI holds, else
// those of the first entry in a file.
func (t *trip) authorize(h http.Header) {
	t.login = ""
	if u := t.url.User; u != nil {
		password, _ := u.Password()
		h.Set("Authorization", basic(u.Username(), password))
		t.login = "the source"
		return
	}
	if login, ok := t.auth.Find(t.url, t.before); ok {
		h.Set("Authorization", basic(login.User, login.Password))
		t.login = login.File
	}
}

// basic is the value of an Authorization field. Source: RFC 7617.
func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// httpTime is a time as header fields have it.
func httpTime(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// hostField is the value of the field Host: without the scheme's own port.
func hostField(u *url.URL) string {
	if u.Port() == defaultPort(u.Scheme) {
		return strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	return u.Host
}

// userAgent is how the client introduces itself. Some archives and proxies let
// only clients through that begin as apt does.
func (c *Client) userAgent(u *url.URL) string {
	if name := c.settings(u).find("User-Agent"); name != "" && !strings.ContainsAny(name, "\r\n") {
		return name
	}
	return "Debian APT-HTTP/1.3 (loopx-apt)"
}
