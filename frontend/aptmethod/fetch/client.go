package fetch

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/credentials"
)

// Config is what a Client needs.
type Config struct {
	// Conf is apt's configuration. It must not change any more.
	Conf *aptconf.Conf
	// Dir is the folder that the frontend mounts: ca.crt, and in operator/ the
	// operator's route.json and ca.crt, each of which may be missing.
	Dir string
	// AuthFile holds the operator's credentials in the format of
	// apt_auth.conf(5); it may be missing, and "" is none.
	AuthFile string
	// Environ returns a variable of the environment, "" if it is not set.
	Environ func(name string) string
	// Log takes one line for the person who builds. It may be called from any
	// goroutine.
	Log func(line string)
}

// Client fetches for apt. It is safe for concurrent use.
type Client struct {
	Config
	auth  *credentials.Store
	rules func() (*rules, error)
	roots *roots
	dial  dialer
	// streamsFrom is the round trip above which HTTP/2 is offered.
	streamsFrom time.Duration

	mu      sync.Mutex // of the next two
	servers map[serverKey]*server
	said    map[string]bool

	detecting sync.Mutex // of the next one
	detected  map[string]string
}

// New reads the files with credentials, which may be readable for root only,
// and does nothing else: the rest is read when it is first needed. A file with
// credentials that is missing or not readable is none, as for apt; the message
// about a server that asks for some names it.
func New(cfg Config) (*Client, error) {
	if cfg.Conf == nil || cfg.Environ == nil || cfg.Log == nil {
		return nil, errors.New("fetch: Conf, Environ and Log are needed")
	}
	c := &Client{
		Config:      cfg,
		auth:        credentials.Load(authFiles(cfg)...),
		dial:        dialTCP,
		streamsFrom: worthStreams,
		servers:     map[serverKey]*server{},
		said:        map[string]bool{},
		detected:    map[string]string{},
	}
	c.rules = sync.OnceValues(func() (*rules, error) {
		return readRules(filepath.Join(cfg.Dir, "operator", "route.json"))
	})
	c.roots = newRoots(cfg.Dir, c.once)
	return c, nil
}

// authFiles are the files with credentials in the order in which they count:
// the operator's, then those of the image. Source: Dir::Etc::netrc and
// netrcparts in apt_auth.conf(5).
func authFiles(cfg Config) []string {
	var files []string
	if cfg.AuthFile != "" {
		files = append(files, cfg.AuthFile)
	}
	if f := path(cfg.Conf, "Dir::Etc::netrc"); f != "" {
		files = append(files, f)
	}
	if dir := path(cfg.Conf, "Dir::Etc::netrcparts"); dir != "" {
		// Glob sorts, and what it can't read is none.
		parts, _ := filepath.Glob(filepath.Join(dir, "*.conf"))
		files = append(files, parts...)
	}
	return files
}

// once logs a line the first time that it is said.
func (c *Client) once(line string) {
	c.mu.Lock()
	said := c.said[line]
	c.said[line] = true
	c.mu.Unlock()
	if !said {
		c.Log(line)
	}
}
