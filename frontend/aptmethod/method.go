package aptmethod

import (
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

// Where the frontend puts its files in a RUN: see package mount, whose tests
// compare.
const (
	DefaultDir = "/dev/.loopx"
	AuthFile   = "/dev/.loopx-auth.conf"
)

// mirrorDeadline is how long a mirror may take if there is another.
const mirrorDeadline = 10 * time.Second

// bufferSize is how much of a file is read, hashed and written at once: little
// enough that all files on their way together need little memory.
const bufferSize = 64 << 10

// method is what apt's configuration makes of a server: what all files share.
type method struct {
	out     *message.Writer
	conf    *aptconf.Conf
	scheme  string
	encoded bool // apt sends URIs encoded

	client   fetch.Getter
	limit    *limiter
	deadline time.Duration
	patience patience
	report   *report
	buffers  sync.Pool
}

// newMethod reads the settings and makes the client.
func newMethod(o Options, out *message.Writer, conf *aptconf.Conf, scheme string) (*method, error) {
	dir := conf.First("LoopX::Dir")
	if dir == "" {
		dir = DefaultDir
	}
	report := newReport(o.Stderr)
	client, err := o.Client(fetch.Config{Conf: conf, Dir: dir, AuthFile: AuthFile, Environ: o.Environ, Log: report.line})
	if err != nil {
		return nil, err
	}
	m := &method{
		out: out, conf: conf, scheme: scheme,
		encoded:  conf.Bool("Acquire::Send-URI-Encoded", false),
		client:   client,
		deadline: conf.Seconds("LoopX::Mirror-Deadline", mirrorDeadline),
		patience: patienceOf(conf),
		report:   report,
		buffers:  sync.Pool{New: func() any { return new([bufferSize]byte) }},
	}
	m.limit = newLimiter(int64(m.number("", "Dl-Limit")) * 1024)
	return m, nil
}

// schemeOf returns the scheme that apt runs the method for.
func schemeOf(argv0 string) string {
	if path.Base(argv0) == "https" {
		return "https"
	}
	return "http"
}

// setting returns the item of a name that is set for the method, best for the
// host, as apt's own methods look items up: those of https before those of
// http, which serve for both. Empty ones count as not set. Source:
// aptConfigWrapperForMethods in methods/aptmethod.h.
func (m *method) setting(host, name string) (item, value string) {
	schemes := []string{"http"}
	if m.scheme == "https" {
		schemes = []string{"https", "http"}
	}
	for _, middle := range []string{"::" + host, ""} {
		if middle == "::" {
			continue
		}
		for _, scheme := range schemes {
			item = "Acquire::" + scheme + middle + "::" + name
			if value, _ = m.conf.Find(item); value != "" {
				return item, value
			}
		}
	}
	return "", ""
}

// enabled returns a setting as a bool.
func (m *method) enabled(host, name string, fallback bool) bool {
	item, _ := m.setting(host, name)
	return m.conf.Bool(item, fallback)
}

// number returns a setting as a number, 0 if there is none.
func (m *method) number(host, name string) int {
	item, _ := m.setting(host, name)
	return m.conf.Int(item, 0)
}

// hostOf returns the host of a URL in lower case, without a port; "" if it has
// none.
func hostOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
