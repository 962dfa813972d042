package aptmethod

import (
	"strconv"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

// item is what apt asks for in a "600 URI Acquire". Source: QueueItem in
// apt-pkg/acquire-worker.cc and the Custom600Headers of apt-pkg/acquire-item.cc
// write it, Run in apt-pkg/acquire-method.cc reads it. Signed-By and other
// fields are for other methods, Alternate-URIs is only ever sent by one.
type item struct {
	uri     string // as apt wrote it: answers go under this name
	address string // with its path encoded
	path    string // where the file goes
	proxy   string // found by apt for this host (Proxy-Auto-Detect)
	since   time.Time
	index   bool
	// failIgnore says that apt goes on without the file.
	failIgnore bool
	// size is what the file must have, -1 if apt does not know; most is how
	// large it may be, -1 if that is not bounded.
	size, most int64
	want       []sum
	// forced is the only kind of hash that apt shall rely on, "" for its choice
	// (Acquire::ForceHash).
	forced string
}

// parseItem reads a message. encoded says that apt sends URIs encoded; it does
// not before 2.1.15, or if told not to.
func parseItem(m *message.Message, encoded bool) *item {
	i := &item{
		uri:        m.Get("URI"),
		path:       m.Get("Filename"),
		proxy:      m.Get("Proxy"),
		index:      isTrue(m.Get("Index-File")),
		failIgnore: isTrue(m.Get("Fail-Ignore")),
		since:      parseTime(m.Get("Last-Modified")),
		size:       parseSize(m.Get("Expected-Checksum-FileSize")),
		most:       parseSize(m.Get("Maximum-Size")),
	}
	if i.size >= 0 {
		i.most = i.size
	}
	if i.address = i.uri; !encoded {
		i.address = encodePath(i.uri)
	}
	for _, kind := range sumKinds() {
		if hex := m.Get("Expected-" + kind.name); hex != "" {
			i.want = append(i.want, sum{kind.name, hex})
		}
	}
	return i
}

// trusted reports whether apt expects a hash that it relies on.
func (i *item) trusted() bool {
	for _, s := range i.want {
		if i.relies(s.name) {
			return true
		}
	}
	return false
}

// relies reports whether apt relies on a kind of hash: not on MD5 and SHA1.
// Source: HashString::usable and HashStringList::usable in
// apt-pkg/contrib/hashes.cc.
func (i *item) relies(kind string) bool {
	if i.forced != "" {
		return strings.EqualFold(i.forced, kind)
	}
	return kind == "SHA256" || kind == "SHA512"
}

func isTrue(s string) bool {
	return strings.EqualFold(s, "true") || strings.EqualFold(s, "yes") || s == "1"
}

// parseSize returns a size in bytes, -1 for none; apt writes none as 0 too.
func parseSize(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return -1
	}
	return n
}

// timeFormat is how apt and HTTP write a time.
const timeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// parseTime returns the zero time for what is none.
func parseTime(s string) time.Time {
	for _, layout := range []string{timeFormat, time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeFormat)
}

// encodePath encodes the path of a URI that apt sends decoded, as apt's http
// does for its request: "+" and "~" too. Source: URIEncode in
// methods/aptmethod.h.
func encodePath(uri string) string {
	_, rest, ok := strings.Cut(uri, "://")
	if !ok {
		return message.Quote(uri, "+~")
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return uri
	}
	at := len(uri) - len(rest) + slash
	return uri[:at] + message.Quote(uri[at:], "+~")
}
