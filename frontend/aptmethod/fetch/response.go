package fetch

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// again reports whether the server's answer to a request for the rest of a file
// is of no use, so that the whole is to be asked for.
func (t *trip) again(resp *http.Response) bool {
	if t.req.Offset == 0 {
		return false
	}
	start, size := contentRange(resp.Header.Get("Content-Range"))
	switch resp.StatusCode {
	case http.StatusPartialContent:
		return start != t.req.Offset
	case http.StatusRequestedRangeNotSatisfiable:
		return size != t.req.Offset
	}
	return false
}

// answer turns a response that is no redirect into the result.
func (t *trip) answer(resp *http.Response) (*Response, error) {
	b := resp.Body.(*body)
	out := &Response{Size: resp.ContentLength, Modified: modified(resp.Header), From: show(t.url)}
	switch code := resp.StatusCode; {
	case code == http.StatusOK || code == http.StatusNonAuthoritativeInfo:
		out.Body = b
		return out, nil
	case code == http.StatusPartialContent && t.req.Offset > 0:
		out.Body, out.Offset = b, t.req.Offset
		if _, out.Size = contentRange(resp.Header.Get("Content-Range")); out.Size < 0 && resp.ContentLength >= 0 {
			out.Size = t.req.Offset + resp.ContentLength
		}
		return out, nil
	case code == http.StatusRequestedRangeNotSatisfiable && t.req.Offset > 0:
		out.Complete, out.Offset, out.Size = true, t.req.Offset, t.req.Offset
	case code == http.StatusNotModified && !t.req.IfModifiedSince.IsZero() && t.req.Offset == 0:
		out.NotModified, out.Size = true, -1
		if out.Modified.IsZero() {
			out.Modified = t.req.IfModifiedSince
		}
	default:
		b.discard()
		return nil, t.status(resp)
	}
	b.discard()
	return out, nil
}

// modified is a response's Last-Modified, zero if it has none that is valid.
func modified(h http.Header) time.Time {
	m, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil {
		return time.Time{}
	}
	return m
}

// contentRange reads "bytes START-END/SIZE" and "bytes */SIZE"; what is missing,
// unknown ("*") or no number is -1. Source: RFC 9110 section 14.4.
func contentRange(text string) (start, size int64) {
	unit, text, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !strings.EqualFold(unit, "bytes") {
		return -1, -1
	}
	span, total, _ := strings.Cut(strings.TrimSpace(text), "/")
	first, last, ok := strings.Cut(span, "-")
	start, size = number(first), number(total)
	if end := number(last); !ok || end < start || size >= 0 && end >= size {
		start = -1
	}
	return start, size
}

// number reads digits; -1 if they are none or too many.
func number(digits string) int64 {
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// status is the failure that a status tells.
func (t *trip) status(resp *http.Response) *Failure {
	code := resp.StatusCode
	f := &Failure{
		Message: fmt.Sprintf("%s from %s", statusText(resp), show(t.url)),
		Reason:  fmt.Sprintf("HttpError%d", code),
		// Those that apt tries again, and the rest of 5xx. Source:
		// BaseHttpMethod::Loop in methods/basehttp.cc.
		Transient: code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500,
		Next:      code == http.StatusNotFound || code == http.StatusGone || code == http.StatusTooManyRequests || code >= 500,
	}
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		f.Message += t.loginAdvice(code)
		f.Next = true
	case http.StatusProxyAuthRequired:
		f.Message += proxyLogin(t.proxy)
	}
	return f
}

// statusText is a status with its name; a name that the server made up is
// quoted.
func statusText(resp *http.Response) string {
	if name := http.StatusText(resp.StatusCode); name != "" {
		return fmt.Sprintf("%d %s", resp.StatusCode, name)
	}
	return plain(resp.Status)
}

// loginAdvice says what to do about a server that wants to know who asks.
func (t *trip) loginAdvice(code int) string {
	machine := site(t.url)
	if t.kept {
		machine = "http://" + machine
	}
	switch {
	case t.login != "":
		return ": it does not accept the user and password of " + plain(t.login)
	case code == http.StatusForbidden && t.proxy != nil && inProxyNetwork(t.Environ):
		return ": this RUN is in BuildKit's proxy network, whose source policy may be what refuses it"
	case code == http.StatusForbidden:
		return ""
	}
	return ": it asks for a user and a password; give them in /etc/apt/auth.conf.d, or with docker build" +
		" --secret id=loopx-auth,src=FILE, as: machine " + machine + " login USER password PASSWORD"
}
