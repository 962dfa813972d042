package feed

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// ErrNoRecord is the cause of an Error about an id that a server does not know.
var ErrNoRecord = errors.New("there is no such record")

// Record asks a server with the API of osv.dev ("https://api.osv.dev") for one
// record, by GET /v1/vulns/ID. The id leaves this machine, and nothing else.
//
// The error is an [*Error], or that of ctx.
func Record(ctx context.Context, endpoint, id string, o Options) (osv.Record, error) {
	o = o.withDefaults()
	base, err := parseAddress(strings.TrimSuffix(endpoint, "/"))
	if err != nil {
		return osv.Record{}, err
	}
	c, err := o.client()
	if err != nil {
		return osv.Record{}, err
	}
	q := query{client: c, base: base}
	return q.record(ctx, id)
}

// Fetch calls each with the records of one page, as Options.Decode reads it. A
// page without a record is an error.
//
// The error is an [*Error], that of each, or that of ctx.
func Fetch(ctx context.Context, address string, o Options, each func(osv.Record) error) error {
	o = o.withDefaults()
	u, err := parseAddress(address)
	if err != nil {
		return err
	}
	c, err := o.client()
	if err != nil {
		return err
	}
	q := query{client: c, base: u}
	return q.get(ctx, http.MethodGet, u, nil, func(text []byte) error {
		if err := opening(shown(u), text); err != nil {
			return err
		}
		r := o.reader(ctx, each)
		if err := o.Decode(string(text), 1, r.add); err != nil {
			return inText(shown(u), err)
		}
		return r.empty(shown(u))
	})
}
