package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// failure says what an error before the header of an answer means.
func (t *trip) failure(err error) *Failure {
	var w *waitError
	switch {
	case errors.Is(err, errStalled):
		return t.silent("sent no answer")
	case !errors.As(err, &w):
		return t.unanswered(err)
	case w.phase == tunnelling:
		return t.untunnelled(w.err)
	case w.phase == greeting:
		return t.insecure(w.err)
	case errors.Is(err, errPrivate):
		return &Failure{Next: true, Message: show(t.via) + " redirects to " + show(t.url) +
			": refused, as the address of that host is not public, and a public host must not lead there"}
	}
	return t.unreached(w.err)
}

// unreached is a TCP connection to the server itself that failed.
func (t *trip) unreached(err error) *Failure {
	f := &Failure{Transient: true, Next: true, Down: true}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		f.Reason, f.Message = "ResolveFailure", "no address is known for "+site(t.url)
	case errors.As(err, &dns):
		f.Reason, f.Message = "TmpResolveFailure", "the address of "+site(t.url)+" cannot be looked up at the moment"
	case timedOut(err):
		f.Reason, f.Message = "Timeout", fmt.Sprintf("%s did not answer on port %s within %v", site(t.url), port(t.url), t.wait())
		f.Message += t.guessAdvice()
	case errors.Is(err, syscall.ECONNREFUSED) && t.guess():
		// It has no TLS: waiting will not help.
		f.Transient = false
		f.Message = site(t.url) + " refuses connections on port " + port(t.url) + t.guessAdvice()
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Reason, f.Message = "ConnectionRefused", site(t.url)+" refuses connections on port "+port(t.url)
	default:
		f.Message = "cannot connect to " + site(t.url) + ": " + plain(innermost(err))
	}
	if inProxyNetwork(t.Environ) && t.proxy == nil {
		f.Message += "; this RUN is in BuildKit's proxy network, from which only its proxy can be reached, and apt is set to go around that"
	}
	return f
}

// silent is a server that stopped talking.
func (t *trip) silent(what string) *Failure {
	return &Failure{
		Message: fmt.Sprintf("%s %s for %v", site(t.url), what, t.wait()),
		Reason:  "Timeout", Transient: true, Next: true, Down: true,
	}
}

// unanswered is a connection that works, on which no answer came that can be
// read. net/http has no types for most of these errors.
func (t *trip) unanswered(err error) *Failure {
	text := err.Error()
	switch {
	case tlsAlert(err) != "":
		return t.insecure(err)
	case strings.Contains(text, "headers exceeded") || strings.Contains(text, "header list"):
		return &Failure{Next: true, Message: site(t.url) + " answered with a header that is larger than any server's should be"}
	case strings.Contains(text, "malformed") || strings.Contains(text, "invalid") ||
		strings.Contains(text, "unsupported") || strings.Contains(text, "Content-Length"):
		return &Failure{Next: true, Message: site(t.url) + " answered with what is not HTTP: " + plain(innermost(err))}
	}
	f := t.broken(err)
	f.Message = site(t.url) + " closed the connection before it answered"
	return f
}

// broken says what an error of a body means.
func (t *trip) broken(err error) *Failure {
	f := &Failure{Transient: true, Next: true}
	switch {
	case errors.Is(err, errStalled):
		return t.silent("sent nothing more")
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		f.Message, f.Next = "the fetch of "+show(t.url)+" was ended", false
	case errors.Is(err, io.ErrUnexpectedEOF):
		f.Message = site(t.url) + " closed the connection in the middle of " + show(t.url)
	default:
		f.Message = "the connection to " + site(t.url) + " broke in the middle of " + show(t.url) + ": " + plain(innermost(err))
	}
	return f
}

// guess reports whether only a guess says that the host of t.url speaks TLS.
func (t *trip) guess() bool {
	return t.url.Scheme == "https" && t.before != nil && t.rules.guessed(t.before)
}

// guessAdvice is what to do about a host that was guessed to speak TLS and does
// not; "" for any other.
func (t *trip) guessAdvice() string {
	if !t.guess() {
		return ""
	}
	host := site(t.before)
	why := "; the source says http, and a public host is expected to speak TLS. Ways out: a mirror that does (LOOPX_HOSTS=" + host +
		"=https://MIRROR), a host rule (LOOPX_HOSTS=" + host + "=keep leaves it in clear text), or TLS from the owner of " + host
	if t.via != nil {
		why = ", to which " + show(t.via) + " redirects" + why
	}
	return why
}

// timedOut reports whether an error is one of time.
func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// innermost is the text of the error that the others wrap.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// untunnelled is a proxy that opened no connection to the server.
func (t *trip) untunnelled(err error) *Failure {
	name := proxyName(t.proxy)
	var refused *refusedError
	switch {
	case errors.As(err, &refused) && refused.status == 407:
		return &Failure{Message: "the proxy " + name + " asks for a user and a password" + proxyLogin(t.proxy)}
	case errors.As(err, &refused) && refused.status >= 502 && refused.status <= 504:
		return &Failure{
			Message:   "the proxy " + name + " cannot reach " + site(t.url) + ": " + plain(refused.text) + t.guessAdvice(),
			Transient: true, Next: true, Down: true,
		}
	case errors.As(err, &refused):
		return &Failure{Message: "the proxy " + name + " does not let TLS through to " + site(t.url) + " (CONNECT: " + plain(refused.text) + ")" + t.proxyWays()}
	case tlsProblem(err) != "":
		return &Failure{Message: "the proxy " + name + " cannot be trusted: " + tlsProblem(err)}
	case timedOut(err):
		return &Failure{Message: "the proxy " + name + " did not answer in time", Reason: "Timeout", Transient: true, Next: true}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &Failure{Message: "the proxy " + name + " refuses connections", Reason: "ConnectionRefused", Transient: true}
	}
	return &Failure{Message: "no connection to " + site(t.url) + " through the proxy " + name + ": " + plain(innermost(err)), Transient: true, Next: true}
}

// proxyWays are the ways out of a proxy that refuses TLS.
func (t *trip) proxyWays() string {
	host := site(t.url)
	mirror := "LOOPX_HOSTS=" + host + "=https://MIRROR"
	if a := t.archive(); a != "" {
		mirror = route.MirrorVariable(a) + "=https://MIRROR"
	}
	return "; ways out: Acquire::https::Proxy \"DIRECT\" in apt's configuration to go around it, a host rule (LOOPX_HOSTS=" + host +
		"=keep leaves the host in clear text), or a mirror that is reached another way (" + mirror + ")"
}

// archive is the archive that t.url belongs to, or "".
func (t *trip) archive() string {
	if t.before != nil {
		return t.rules.decide(t.before.String()).Archive
	}
	return t.rules.decide(t.url.String()).Archive
}

// proxyLogin says where to write a proxy's user and password.
func proxyLogin(proxy *url.URL) string {
	if proxy == nil {
		return ""
	}
	if proxy.User != nil {
		return ", and does not accept those that it got"
	}
	return "; give them in /etc/apt/auth.conf.d as: machine " + proxy.Scheme + "://" + plain(proxy.Host) + " login USER password PASSWORD"
}

// proxyName is a proxy for a message.
func proxyName(proxy *url.URL) string {
	return proxy.Scheme + "://" + plain(proxy.Host)
}
