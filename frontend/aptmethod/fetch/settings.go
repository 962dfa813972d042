package fetch

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
)

// settings reads apt's options for a method and a host, as apt does: of
// Acquire::https::HOST::NAME, Acquire::http::HOST::NAME, Acquire::https::NAME
// and Acquire::http::NAME the first that is set and not empty; without the two
// for https where the fetch is in clear text. Source: class
// aptConfigWrapperForMethods in methods/aptmethod.h.
type settings struct {
	conf *aptconf.Conf
	tls  bool
	host string // without brackets and port
}

// items returns the full names that an option may have, in order.
func (s settings) items(name string) []string {
	var items []string
	for _, host := range []string{s.host + "::", ""} {
		if s.tls {
			items = append(items, "Acquire::https::"+host+name)
		}
		items = append(items, "Acquire::http::"+host+name)
	}
	return items
}

// find returns an option's value, "" if it has none.
func (s settings) find(name string) string {
	_, value := s.where(name)
	return value
}

// where is find with the full name of the item.
func (s settings) where(name string) (item, value string) {
	for _, item := range s.items(name) {
		if v, ok := s.conf.Find(item); ok && v != "" {
			return item, v
		}
	}
	return "", ""
}

// off reports whether an option that is on by default is switched off.
func (s settings) off(name string) bool { return !s.flag(name, true) }

// flag returns an option that is on or off.
func (s settings) flag(name string, fallback bool) bool {
	item, _ := s.where(name)
	return s.conf.Bool(item, fallback)
}

// defaultTimeout is what newer releases of apt wait for a server. Source:
// ServerState in methods/basehttp.cc.
const defaultTimeout = 30 * time.Second

// timeout is how long to wait for a server to do anything.
func (s settings) timeout() time.Duration {
	item, _ := s.where("Timeout")
	if d := s.conf.Seconds(item, defaultTimeout); d > 0 {
		return d
	}
	return defaultTimeout
}

// maxAge is what caches are told about indexes, in seconds.
func (s settings) maxAge() string {
	item, _ := s.where("Max-Age")
	return strconv.Itoa(max(0, s.conf.Int(item, 0)))
}

// network is the network to dial: apt can be told to use one version of IP.
func network(conf *aptconf.Conf) string {
	switch {
	case conf.Bool("Acquire::ForceIPv4", false):
		return "tcp4"
	case conf.Bool("Acquire::ForceIPv6", false):
		return "tcp6"
	}
	return "tcp"
}

// path returns a file or folder that an item names: a relative one lies below
// what the items above it name, all of it below RootDir; "" if the item is not
// set. Source: Configuration::FindFile in apt-pkg/contrib/configuration.cc.
func path(conf *aptconf.Conf, item string) string {
	name, _ := conf.Find(item)
	if name == "" {
		return ""
	}
	for !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "./") {
		i := strings.LastIndex(item, "::")
		if i < 0 {
			break
		}
		item = item[:i]
		if above, _ := conf.Find(item); above != "" {
			name = strings.TrimSuffix(above, "/") + "/" + name
		}
	}
	root, _ := conf.Find("RootDir")
	if root == "" {
		return filepath.Clean(name)
	}
	return filepath.Join(root, name)
}

// listed reports whether host is in a list of domains as in no_proxy: it ends
// with one of them. Source: CheckDomainList in apt-pkg/contrib/strutl.cc.
func listed(host, list string) bool {
	host = strings.ToLower(host)
	for domain := range strings.SplitSeq(strings.ToLower(list), ",") {
		if domain = strings.TrimSpace(domain); domain != "" && strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}
