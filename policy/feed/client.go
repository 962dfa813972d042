package feed

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/loopx/loopx-frontend/policy"
)

// client speaks https, and nothing else.
type client struct {
	http  *http.Client
	agent string
	stall time.Duration
	now   func() time.Time
	// pause waits between two attempts.
	pause func(context.Context, time.Duration) error
}

// client returns what o describes. The certificates of the system are those
// that crypto/x509 finds; SSL_CERT_FILE has its say in that.
func (o Options) client() (*client, error) {
	roots, err := o.roots()
	if err != nil {
		return nil, err
	}
	c := &client{agent: o.Agent, stall: o.Stall, now: o.Now, pause: o.pause}
	c.http = &http.Client{
		CheckRedirect: redirect,
		Transport: &http.Transport{
			Proxy:                 o.Proxy,
			DialContext:           (&net.Dialer{Timeout: o.Stall}).DialContext,
			TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   o.Stall,
			ResponseHeaderTimeout: o.Stall,
			ForceAttemptHTTP2:     true,
			DisableCompression:    true, // the bytes are hashed as they are served
			MaxIdleConnsPerHost:   atOnce,
		},
	}
	return c, nil
}

// roots are the system's certificates and those of the files.
func (o Options) roots() (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil || pool == nil {
		pool = x509.NewCertPool()
	}
	for _, name := range o.CA {
		pem, err := os.ReadFile(name)
		if err != nil {
			return nil, cannot(name, "read", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, &Error{Name: name, Message: "holds no certificate in PEM form"}
		}
	}
	return pool, nil
}

// parseAddress reads an address of https. Nothing else is fetched, not even from
// this machine, and no address with a password: it would end up in logs.
func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return nil, &Error{Name: policy.Redact(text), Message: "is no address", Todo: "Give one that begins with https://."}
	case u.Scheme != "https":
		return nil, &Error{Name: policy.Redact(text), Message: "advisories are fetched by https only", Todo: "Give an https address, or fetch the export by other means and name the file."}
	case u.User != nil:
		return nil, &Error{Name: policy.Redact(text), Message: "an address with a user name or a password is not taken", Todo: "Fetch the export by other means and name the file."}
	}
	return u, nil
}

// mostRedirects is how many redirects a request follows.
const mostRedirects = 10

// redirect refuses to leave TLS.
func redirect(req *http.Request, via []*http.Request) error {
	switch {
	case req.URL.Scheme != "https":
		return &Error{Name: shown(via[0].URL), Message: "redirects to " + shown(req.URL) + ", out of TLS into clear text: refused", Todo: "Ask the owner of the server for TLS, or use another one."}
	case len(via) > mostRedirects:
		return &Error{Name: shown(via[0].URL), Message: fmt.Sprintf("redirects more than %d times", mostRedirects)}
	}
	return nil
}

// shown is an address without what may be secret in it.
func shown(u *url.URL) string { return policy.Redact(u.String()) }

// attempts is how often a request is made in all when a server is out of order.
const attempts = 3

// do makes a request, again after a while if the server is out of order (429,
// 5xx, no answer), and hands its answer to use; fresh makes the request anew
// each time. What goes wrong with TLS is never tried again.
func (c *client) do(ctx context.Context, fresh func(context.Context) (*http.Request, error), use func(*http.Response) error) error {
	for n := 1; ; n++ {
		wait, err := c.once(ctx, fresh, use)
		if err == nil || wait < 0 || n == attempts || ctx.Err() != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		if err := c.pause(ctx, max(wait, 500*time.Millisecond<<n)); err != nil {
			return err
		}
	}
}

// never says that a request is not to be made again.
const never = -1

// once makes a request; wait is how long the server wants to be left alone, or
// never.
func (c *client) once(ctx context.Context, fresh func(context.Context) (*http.Request, error), use func(*http.Response) error) (wait time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := fresh(ctx)
	if err != nil {
		return never, err
	}
	req.Header.Set("User-Agent", c.agent)
	resp, err := c.http.Do(req)
	if err != nil {
		return c.failed(req.URL, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		return c.retryAfter(resp), &Error{Name: shown(req.URL), Message: "the server answers " + strconv.Itoa(resp.StatusCode), Todo: "Try again later; the state that was fetched last is still there."}
	}
	watch := time.AfterFunc(c.stall, func() { cancel(errStalled) })
	defer watch.Stop()
	resp.Body = &watched{resp.Body, watch, c.stall}
	if err := use(resp); err != nil {
		if errors.Is(context.Cause(ctx), errStalled) {
			return 0, c.stalled(req.URL)
		}
		if _, ours := errors.AsType[*Error](err); ours {
			return never, err
		}
		return 0, &Error{Name: shown(req.URL), Message: "the answer breaks off: " + err.Error(), Todo: "Try again.", Err: err}
	}
	return 0, nil
}

var errStalled = errors.New("stalled")

// watched is a body whose next bytes are waited for until watch ends it.
type watched struct {
	io.ReadCloser
	watch *time.Timer
	stall time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil {
		w.watch.Stop() // what is done with it may take its time
	} else {
		w.watch.Reset(w.stall)
	}
	return n, err
}

func (c *client) stalled(u *url.URL) error {
	return &Error{Name: shown(u), Message: fmt.Sprintf("the server has said nothing for %s", c.stall), Todo: "Try again later."}
}

// failed explains why there is no answer.
func (c *client) failed(u *url.URL, err error) (wait time.Duration, _ error) {
	if e, ok := errors.AsType[*Error](err); ok {
		return never, e
	}
	from, reason := "", err
	if e, ok := errors.AsType[*url.Error](err); ok {
		reason = e.Err
		if e.URL != u.String() {
			from = " from " + policy.Redact(e.URL)
		}
	}
	f := &Error{Name: shown(u), Message: "cannot be fetched" + from + ": " + reason.Error(), Err: err, Todo: "Check the network and the proxy; or fetch the export by other means and name the file."}
	if isTLS(err) {
		f.Todo = "Certificates are always checked. If the server's authority is your own, name its certificate as CA."
		return never, f
	}
	return 0, f
}

// isTLS reports whether the other side could not prove who it is, or speaks no
// TLS.
func isTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) || errors.Is(err, http.ErrSchemeMismatch)
}

// mostPatience is how long a server is left alone at most because it asks for it.
const mostPatience = 30 * time.Second

// retryAfter reads the header of RFC 9110, section 10.2.3.
func (c *client) retryAfter(resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, 3600))*time.Second, mostPatience)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(at.Sub(c.now()), mostPatience))
	}
	return 0
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
