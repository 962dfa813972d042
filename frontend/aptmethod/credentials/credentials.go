// Package credentials finds the login for an address in files of the format of
// apt_auth.conf(5).
package credentials

import (
	"io"
	"net/url"
	"os"
	"strings"
)

// Login is a user and a password for basic authentication.
type Login struct {
	User, Password string
	// File is the file that holds it.
	File string
}

// Store holds the entries of some files, in order. The zero Store is empty.
type Store struct {
	entries []entry
}

// entry is one "machine" and what follows it. The machine is taken apart; a
// part that it does not name is "".
type entry struct {
	scheme, host, port, path string
	Login
}

// largest is how many bytes of a file are read.
const largest = 1 << 20

// Load reads files, the one that counts first first. As for apt, a file that
// is missing or cannot be read is none.
func Load(files ...string) *Store {
	s := &Store{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		// What was read before an error is used: apt does the same.
		data, _ := io.ReadAll(io.LimitReader(f, largest))
		f.Close()
		for _, e := range parse(string(data)) {
			e.File = name
			s.entries = append(s.entries, e)
		}
	}
	return s
}

// parse reads the entries of a file: words separated by blanks and line ends.
// Words that are not known are passed over. "#" starts a comment where a
// keyword could stand, to the end of its line.
func parse(text string) []entry {
	var entries []entry
	var e *entry
	w := words{text: text}
	for {
		switch word := w.keyword(); word {
		case "":
			return entries
		case "machine":
			entries = append(entries, machine(w.value()))
			e = &entries[len(entries)-1]
		case "login":
			if v := w.value(); e != nil {
				e.User = v
			}
		case "password":
			if v := w.value(); e != nil {
				e.Password = v
			}
		}
	}
}

// words reads a text word by word.
type words struct{ text string }

// keyword returns the next word that is not in a comment, "" at the end.
func (w *words) keyword() string {
	for {
		word := w.value()
		if !strings.HasPrefix(word, "#") {
			return word
		}
		_, w.text, _ = strings.Cut(w.text, "\n")
	}
}

// value returns the next word, "" at the end.
func (w *words) value() string {
	const blanks = " \t\r\n"
	w.text = strings.TrimLeft(w.text, blanks)
	end := strings.IndexAny(w.text, blanks)
	if end < 0 {
		end = len(w.text)
	}
	word := w.text[:end]
	w.text = w.text[end:]
	return word
}

// machine takes [scheme://]host[:port][/path] apart.
func machine(text string) entry {
	var e entry
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		e.scheme, text = strings.ToLower(scheme), rest
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		text, e.path = text[:i], text[i:]
	}
	e.host = strings.ToLower(text)
	// A colon inside the brackets of an IPv6 address is not the port's.
	if i := strings.LastIndexByte(e.host, ':'); i > strings.LastIndexByte(e.host, ']') {
		e.host, e.port = e.host[:i], e.host[i+1:]
	}
	return e
}

// Find returns the login of the first entry for u that has one. An entry
// without a scheme is for https alone; one without a port is for every port;
// one with a path is for all paths that start with it.
//
// from is the http URL that u was made from by changing the scheme alone, or
// nil: an entry that was for it before the change counts too. It may then lack
// the scheme, as releases of apt before 1.9.5 ask for none.
func (s *Store) Find(u, from *url.URL) (Login, bool) {
	for _, e := range s.entries {
		if e.User == "" && e.Password == "" {
			continue
		}
		if e.scheme == u.Scheme && e.matches(u) ||
			e.scheme == "" && u.Scheme == "https" && e.matches(u) ||
			from != nil && (e.scheme == from.Scheme || e.scheme == "") && e.matches(from) {
			return e.Login, true
		}
	}
	return Login{}, false
}

// matches compares host, port and path.
func (e *entry) matches(u *url.URL) bool {
	return e.host != "" && e.host == strings.ToLower(bracketed(u)) &&
		(e.port == "" || e.port == effective(u)) &&
		strings.HasPrefix(u.EscapedPath(), e.path)
}

// bracketed is a URL's host without its port.
func bracketed(u *url.URL) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// effective is the port that a URL is fetched from.
func effective(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
