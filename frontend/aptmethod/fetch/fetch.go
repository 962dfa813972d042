// Package fetch gets one URI of apt's over the network: it asks the route
// table where it may be fetched from, and fetches it there over TLS, through
// apt's proxies, with apt's credentials.
//
// What holds, whatever apt's configuration, a server or a proxy says:
//   - certificates are checked against roots and name, and a failure of TLS is
//     a failed fetch, never one in clear text;
//   - only what the route table keeps is fetched in clear text, and a redirect
//     does not lead there from TLS;
//   - a public host leads to no host that is not public;
//   - credentials and client certificates stay at their host;
//   - a proxy learns where a TLS connection goes, not what is fetched;
//   - what others send enters a message as plain text, without userinfo.
package fetch

import (
	"context"
	"io"
	"time"
)

// Hop is one place that a URI may be fetched from.
type Hop struct {
	// URL is the address, with userinfo if the URI had any: print it
	// through route.Redact.
	URL string
	// Kept is true if it is fetched in clear text by a Keep decision; Why is
	// that decision's reason.
	Kept bool
	Why  string
	// Mirror is true if the operator's mirror stands in for the URI's host.
	Mirror bool
	// Source is the URI that this is a place for, as apt gave it.
	Source string
}

// Request is what to ask a hop for.
type Request struct {
	// Offset asks for the rest of a file of which Offset bytes are there
	// already, if it has not changed since Modified.
	Offset   int64
	Modified time.Time
	// IfModifiedSince, if not zero, asks for the file only if it is newer.
	// It is not used with Offset.
	IfModifiedSince time.Time
	// Deadline bounds connecting, TLS, and waiting for the header, and later
	// each wait for a piece of the body. 0 is apt's own timeout.
	Deadline time.Duration
	// Index says that the file is an index of an archive; it is for caches
	// (Acquire::http::No-Cache, Max-Age).
	Index bool
	// Proxy is the field Proxy of apt's message: what the program named by
	// Acquire::http::Proxy-Auto-Detect answered, "DIRECT" included. Newer
	// releases of apt run it themselves; "" if apt did not.
	Proxy string
}

// Response is a file on its way.
type Response struct {
	// NotModified answers IfModifiedSince; there is no body.
	NotModified bool
	// Complete says that Offset is the whole file; there is no body.
	Complete bool
	// Offset is where in the file the body starts: 0, or the request's.
	Offset int64
	// Size is that of the whole file in bytes, -1 if the server did not say.
	Size int64
	// Modified is the server's Last-Modified, zero if it gave none.
	Modified time.Time
	// Body is to be read to its end and closed. Its errors are *Failure: a
	// stall, a connection that breaks, a body shorter than announced.
	Body io.ReadCloser
	// From is the URL that answered, after redirects, without userinfo and
	// without its query, which may be a token.
	From string
}

// Failure is why a hop did not give the file.
type Failure struct {
	// Message is one line for a person, without userinfo, control characters
	// and terminal escapes, and says what to do if there is something to do.
	Message string
	// Reason is apt's word for it in FailReason: "HttpError404", "Timeout",
	// "ConnectionRefused", "ResolveFailure", "TmpResolveFailure",
	// "MaximumSizeExceeded", …; "" if it has none. apt takes some of these for
	// transient by themselves.
	Reason string
	// Transient says that it may work later, in apt's sense: an outage. A
	// failure of TLS, of a redirect or of policy is not.
	Transient bool
	// Next says that the next mirror is worth a try.
	Next bool
	// Down says that the hop's server is of no use for other files either.
	Down bool
}

func (f *Failure) Error() string { return f.Message }

// Getter is what the method's loop needs of a Client.
type Getter interface {
	// Plan returns the places to try for a URI of http or https, in order, at
	// least one; or why it may not be fetched. Its path is percent-encoded.
	Plan(uri string) ([]Hop, *Failure)
	// Get asks one hop. The error is a *Failure, or ctx's.
	//
	// It waits while the hop's server has as many requests of this client as it
	// may have, so it may be called for any number at once.
	Get(ctx context.Context, hop Hop, req Request) (*Response, error)
}
