// Package feed brings advisories in the form of OSV to package osv: from a
// folder, a zip archive, JSON lines, one JSON document or standard input, from
// an export that [Update] fetched, or by [Query] from a server that speaks the
// API of osv.dev.
//
// What it reads is data from strangers: sizes are bounded, nothing that an
// archive names is written, and what cannot be read is an error, never a
// database that holds less. Only https is spoken, certificates are always
// checked, and what was fetched is checked again when it is read.
package feed

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// Stdin is the source that stands for standard input.
const Stdin = "-"

// Options say how to read and fetch. The zero value is ready.
type Options struct {
	// Stdin is what the source "-" reads; nothing if nil.
	Stdin io.Reader
	// Cache is the folder that Update writes, and that Open reads a source that
	// begins with "https://" from.
	Cache string
	// CA are files of PEM certificates that are trusted beside those of the
	// system.
	CA []string
	// Proxy chooses the proxy of a request; [http.ProxyFromEnvironment] if nil.
	Proxy func(*http.Request) (*url.URL, error)
	// Stall is how long a server may say nothing; 30 seconds if 0.
	Stall time.Duration
	// Progress is told how much of an export has come, in bytes; total is -1 if
	// the server does not say it. It may be nil.
	Progress func(done, total int64)
	// Now is the clock; [time.Now] if nil.
	Now func() time.Time
	// Agent is what requests call themselves; "loopxctl" if empty.
	Agent  string
	Limits Limits
	// Decode reads the texts of a source, and of an answer that [Fetch] brings;
	// [osv.Decode] if nil.
	Decode Decoder

	// pause waits between two attempts; pause if nil. Tests count them.
	pause func(context.Context, time.Duration) error
}

// Decoder reads a text as [osv.Decode] does, or one of another form. Its error is
// that of each, or an [*osv.Error].
type Decoder func(text string, line int, each func(osv.Record) error) error

// Limits bound what is read, in bytes where nothing else is said. A zero field
// stands for its default.
type Limits struct {
	// Record is the longest line of JSON lines: 16 MiB.
	Record int64
	// Document is the largest text of any other form, archive and export: 256
	// MiB.
	Document int64
	// Total is how much may be unpacked of one source: 2 GiB.
	Total int64
	// Files is how many files a folder or an archive may hold: 1,000,000.
	Files int
}

func (o Options) withDefaults() Options {
	if o.Stdin == nil {
		o.Stdin = strings.NewReader("")
	}
	if o.Proxy == nil {
		o.Proxy = http.ProxyFromEnvironment
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Agent == "" {
		o.Agent = "loopxctl"
	}
	if o.pause == nil {
		o.pause = pause
	}
	if o.Decode == nil {
		o.Decode = osv.Decode
	}
	o.Limits = o.Limits.withDefaults()
	return o
}

func (l Limits) withDefaults() Limits {
	if l.Record == 0 {
		l.Record = 16 << 20
	}
	if l.Document == 0 {
		l.Document = 256 << 20
	}
	if l.Total == 0 {
		l.Total = 2 << 30
	}
	if l.Files == 0 {
		l.Files = 1_000_000
	}
	return l
}

// Open reads a source into a database: a folder (and those in it), a file, "-",
// or an https address that was fetched by [Update]; the network is not asked.
// Files are recognized by what is in them: a zip archive, gzip, JSON lines, or
// JSON. In folders and archives, what does not end in .json, .jsonl or .ndjson
// (in folders also with .gz behind it, or in .zip) is passed over.
//
// The error is an [*Error], or that of ctx. A source without a record about a
// Python project is one.
func Open(ctx context.Context, source string, o Options) (*osv.Database, osv.Snapshot, error) {
	return OpenEach(ctx, source, o, func(osv.Record) {})
}

// OpenEach is [Open], and calls each with every record, of any ecosystem.
func OpenEach(ctx context.Context, source string, o Options, each func(osv.Record)) (*osv.Database, osv.Snapshot, error) {
	var b osv.Builder
	snapshot, err := Each(ctx, source, o, func(r osv.Record) error {
		b.Add(r)
		each(r)
		return nil
	})
	if err != nil {
		return nil, osv.Snapshot{}, err
	}
	return finish(&b, snapshot)
}

// finish makes the database and completes what is said about it.
func finish(b *osv.Builder, snapshot osv.Snapshot) (*osv.Database, osv.Snapshot, error) {
	db := b.Database()
	stats := db.Stats()
	snapshot.Newest, snapshot.Records = stats.Newest, stats.Records
	if stats.Records == 0 && !snapshot.Live {
		return nil, osv.Snapshot{}, &Error{
			Name: snapshot.Source, Message: "holds no advisory about a Python project",
			Todo: "Name an export of the ecosystem PyPI: with an empty database every check would pass.",
		}
	}
	return db, snapshot, nil
}

// Each calls each with every record of a source, of any ecosystem, as [Open]
// would read it; its error ends the reading and is returned. The Snapshot lacks
// Newest and Records.
func Each(ctx context.Context, source string, o Options, each func(osv.Record) error) (osv.Snapshot, error) {
	o = o.withDefaults()
	if remote(source) {
		return o.eachCached(ctx, source, each)
	}
	r := o.reader(ctx, each)
	snapshot := osv.Snapshot{Source: source}
	var err error
	if source == Stdin {
		snapshot.Source = "<stdin>"
		snapshot.SHA256, err = r.stream(snapshot.Source, o.Stdin)
	} else {
		snapshot.SHA256, err = r.path(source)
	}
	if err == nil {
		err = r.empty(snapshot.Source)
	}
	return snapshot, err
}

// remote reports whether a source is an address.
func remote(source string) bool { return strings.Contains(source, "://") }
