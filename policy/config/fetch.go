package config

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Fetch is what a file says about the fetches of a build: the same as the
// LOOPX_* variables, read by the same parsers. The zero value says nothing.
type Fetch struct {
	// Locked says that later sources may only tighten what the file says, and
	// Contact whom to ask about it. Of an organisation's file alone, like Mode,
	// Checks and Repository: the change that is checked must not set them.
	Locked  bool
	Contact string
	Mode    route.Mode
	Checks  Checks
	// Repository is host/path of the one that is built.
	Repository string
	Apt        Apt
	// Mirrors are those of each archive, the key servers' too, in normal form.
	Mirrors map[string][]string
	// Hosts are in the order of the file, each host once.
	Hosts []route.HostRule
	// Lines are those of the settings, by the names that [ModeKey] and its kin,
	// [MirrorKey] and [HostKey] give.
	Lines map[string]int
}

// Names of settings, as the file has them.
const (
	LockKey       = "locked"
	ModeKey       = "mode"
	ChecksKey     = "checks"
	RepositoryKey = "repository"
	AptKey        = "apt"
	contactKey    = "contact"
	mirrorsKey    = "mirrors"
	hostsKey      = "hosts"
)

// Keyserver is the archive whose mirrors are OpenPGP key servers. They have a key
// of their own.
const Keyserver = "keyserver"

// MirrorKey names the setting of an archive's mirrors.
func MirrorKey(archive string) string {
	if archive == Keyserver {
		return Keyserver
	}
	return mirrorsKey + "." + archive
}

// HostKey names the setting of a host's rule.
func HostKey(host string) string { return hostsKey + "." + host }

// Apt says which RUNs have apt served over TLS.
type Apt string

// The values of Apt, the loosest first.
const (
	AptOff  Apt = "off"
	AptAuto Apt = "auto"
	AptAll  Apt = "all"
)

// ParseApt reads a value of Apt. The error is a *route.ConfigError.
func ParseApt(s string) (Apt, error) {
	switch a := Apt(s); a {
	case AptOff, AptAuto, AptAll:
		return a, nil
	}
	return "", &route.ConfigError{
		Variable: AptKey, Value: route.RedactText(s), Problem: "is neither auto, all nor off",
		Hint: "write auto (RUNs that may run apt), all (every RUN) or off, or leave it out",
	}
}

// Checks says whether the text of a Dockerfile is checked.
type Checks string

// The values of Checks.
const (
	ChecksOff Checks = "off"
	ChecksOn  Checks = "on"
)

// ParseChecks reads a value of Checks. The error is a *route.ConfigError.
func ParseChecks(s string) (Checks, error) {
	switch c := Checks(s); c {
	case ChecksOff, ChecksOn:
		return c, nil
	}
	return "", &route.ConfigError{
		Variable: ChecksKey, Value: route.RedactText(s), Problem: "is neither on nor off",
		Hint: "write on or off, or leave it out",
	}
}

// parsed reads a scalar by a parser of the variables.
func parsed[T any](r *reader, n *yaml.Node, parse func(string) (T, error)) (value T) {
	if text := r.text(n); text != "" {
		var err error
		if value, err = parse(text); err != nil {
			r.misuse(n, err)
		}
	}
	return value
}

// misuse records the error of a parser of the variables. Its text names no
// variable: the place says it.
func (r *reader) misuse(n *yaml.Node, err error) {
	if e, ok := errors.AsType[*route.ConfigError](err); ok {
		r.fail(n, "%s %s; %s", quoted(e.Value), e.Problem, e.Hint)
		return
	}
	r.fail(n, "%s", shown(err.Error()))
}

// note remembers the line of a setting.
func (f *Fetch) note(key string, n *yaml.Node) {
	if f.Lines == nil {
		f.Lines = map[string]int{}
	}
	f.Lines[key] = n.Line
}

func (r *reader) locked(c *Config, n *yaml.Node) {
	c.Fetch.note(LockKey, n)
	c.Fetch.Locked = r.bool(n)
}

func (r *reader) mode(c *Config, n *yaml.Node) {
	c.Fetch.note(ModeKey, n)
	c.Fetch.Mode = parsed(r, n, route.ParseMode)
}

func (r *reader) textChecks(c *Config, n *yaml.Node) {
	c.Fetch.note(ChecksKey, n)
	c.Fetch.Checks = parsed(r, n, ParseChecks)
}

func (r *reader) apt(c *Config, n *yaml.Node) {
	c.Fetch.note(AptKey, n)
	c.Fetch.Apt = parsed(r, n, ParseApt)
}

// repository reads host/path, or an address of the repository.
func (r *reader) repository(c *Config, n *yaml.Node) {
	text := r.text(n)
	id, ok := ack.RepositoryID(text)
	if !ok {
		id = text
	}
	host, path, _ := strings.Cut(id, "/")
	if text != "" && (host == "" || path == "" || strings.ContainsAny(id, " \t@:")) {
		r.fail(n, "%s is no repository: write host/path, such as git.example.com/team/app", quoted(route.RedactText(text)))
		return
	}
	c.Fetch.note(RepositoryKey, n)
	c.Fetch.Repository = id
}

// mirrors reads ARCHIVE: URL and ARCHIVE: [URL, …].
func (r *reader) mirrors(c *Config, n *yaml.Node) {
	readers := map[string]func(*yaml.Node){}
	for _, archive := range archives() {
		readers[archive] = func(n *yaml.Node) { r.mirror(c, archive, n) }
	}
	r.mapping(n, mirrorsKey, archives(), readers)
}

// archives are those of the section mirrors.
func archives() []string {
	return slices.DeleteFunc(route.ArchiveNames(), func(name string) bool { return name == Keyserver })
}

// mirror reads the mirrors of one archive.
func (r *reader) mirror(c *Config, archive string, n *yaml.Node) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	before := len(r.errors)
	var all []string
	for _, item := range items {
		all = append(all, parsed(r, item, func(text string) ([]string, error) { return route.ParseMirror(archive, text) })...)
	}
	if len(r.errors) > before {
		return
	}
	list, err := route.ParseMirror(archive, strings.Join(all, " "))
	if err != nil { // none, or one twice
		r.misuse(n, err)
		return
	}
	if c.Fetch.Mirrors == nil {
		c.Fetch.Mirrors = map[string][]string{}
	}
	c.Fetch.Mirrors[archive] = list
	c.Fetch.note(MirrorKey(archive), n)
}

func (r *reader) keyserver(c *Config, n *yaml.Node) { r.mirror(c, Keyserver, n) }

// hosts reads HOST: ACTION.
func (r *reader) hosts(c *Config, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "hosts is no mapping: write lines of the form HOST: upgrade, with keep, refuse or an https URL as well")
		return
	}
	r.pairs(n, func(key, value *yaml.Node) {
		action := r.text(value)
		if action == "" {
			return
		}
		rule, err := route.ParseHostRule(key.Value + "=" + action)
		if err != nil {
			r.misuse(key, err)
			return
		}
		if line := c.Fetch.Lines[HostKey(rule.Host)]; line != 0 {
			r.fail(key, "%s is already in line %d, in another spelling: keep one of them", quoted(rule.Host), line)
			return
		}
		c.Fetch.note(HostKey(rule.Host), key)
		c.Fetch.Hosts = append(c.Fetch.Hosts, rule)
	})
	if _, err := route.NewTable(route.Config{Hosts: c.Fetch.Hosts}); err != nil {
		r.misuse(n, err) // two spellings of one address
	}
}
