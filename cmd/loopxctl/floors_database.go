package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/diagnostic"
	"github.com/loopx/loopx-frontend/policy/feed"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// osvExport is OSV's export of all records about projects of PyPI
// (https://google.github.io/osv.dev/data/).
const osvExport = "https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip"

// advisories opens the database: that of the flags, of the policy, or OSV's
// export, if it was fetched. It is nil if there is none.
func (in *floorsInput) advisories(ctx context.Context, program *program, p *floorsProject) (*osv.Database, osv.Snapshot, error) {
	source, from, err := in.source(p)
	if err != nil || source == "" {
		return nil, osv.Snapshot{}, err
	}
	o := program.feedOptions(in.cache)
	if o.Cache == "" && strings.Contains(source, "://") {
		if from == byDefault {
			return nil, osv.Snapshot{}, nil
		}
		return nil, osv.Snapshot{}, errNoCache
	}
	open := in.opener
	if open == nil {
		open = feed.Open
	}
	db, snapshot, err := open(ctx, source, o)
	if e, ok := errors.AsType[*feed.Error](err); ok {
		switch {
		case from == byDefault && errors.Is(err, feed.ErrNotFetched):
			return nil, osv.Snapshot{}, nil
		case from == byPolicy:
			e.Message, _, _ = strings.Cut(e.Message, ": it begins with") // a change may name any file of the tree
		}
	}
	return db, snapshot, unfed(err)
}

// opener opens a database, as feed.Open does.
type opener func(ctx context.Context, source string, o feed.Options) (*osv.Database, osv.Snapshot, error)

// origin is who named a database.
type origin int

const (
	byDefault origin = iota
	byFlag
	byPolicy
)

// errNoCache: a cache in the current folder could be one that the checked project
// brings.
var errNoCache = errors.New("neither XDG_CACHE_HOME nor HOME says where the cache is: give --cache FOLDER")

// source is the database to be opened, "" for none, and who named it.
func (in *floorsInput) source(p *floorsProject) (string, origin, error) {
	d := &p.Config.Database
	switch {
	case in.noDatabase && in.database != "":
		return "", byFlag, errors.New("--database and --no-database exclude each other")
	case in.noDatabase:
		d.Source = config.NoDatabase
	case in.database != "":
		if d.Source == config.NoDatabase {
			d.Source = ""
		}
		return in.database, byFlag, nil
	}
	switch d.Source {
	case config.NoDatabase:
		return "", byPolicy, nil
	case "":
		return osvExport, byDefault, nil
	}
	source, err := in.policyDatabase(p)
	return source, byPolicy, err
}

// policyDatabase is the database that the policy names. A path in it is one from
// its own folder. The policy of the project is a part of what is checked: it must
// not make a check wait for a terminal or a pipe, or read outside of the root.
func (in *floorsInput) policyDatabase(p *floorsProject) (string, error) {
	c := p.Config
	source := c.Database.Source
	if strings.Contains(source, "://") {
		return source, nil
	}
	wrong := func(text string) error {
		return fmt.Errorf("%s:%d: the database of a policy is %s", c.Name, c.Database.Line, text)
	}
	if source == feed.Stdin {
		return "", wrong("a file, a folder or an https address")
	}
	path := source
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(c.Name), filepath.FromSlash(source))
	}
	stat := os.Stat
	if in.config == "" {
		stat = func(string) (os.FileInfo, error) { return p.Stat(filepath.FromSlash(source)) }
		if !filepath.IsLocal(source) {
			return "", wrong("a file or a folder of the project, or an https address: name another one with --database")
		}
	}
	info, err := stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fault.Of(path, "cannot be read", err)
	}
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return "", wrong("a file or a folder")
	}
	return path, nil
}

// diagnosed is a diagnostic as this program tells it.
func diagnosed(e *diagnostic.Error) *fault.Error {
	return &fault.Error{File: e.Name, Line: e.Line, Message: e.Message, Todo: e.Todo}
}

// unfed is an error of package feed as this program tells it.
func unfed(err error) error {
	if e, ok := errors.AsType[*feed.Error](err); ok {
		return diagnosed(e)
	}
	if err != nil {
		return &fault.Error{Message: "stopped: " + err.Error()}
	}
	return nil
}

// feedOptions say how advisories are read and fetched.
func (p *program) feedOptions(cache string) feed.Options {
	return feed.Options{Stdin: p.stdin, Cache: cmp.Or(cache, p.cacheFolder()), Agent: "loopxctl/" + version(), Now: now}
}

// cacheFolder is where exports are kept, "" if the environment does not say it.
// Source: the XDG Base Directory Specification, section "Environment variables";
// a path that is not absolute is invalid there.
func (p *program) cacheFolder() string {
	for _, place := range [][2]string{{"XDG_CACHE_HOME", ""}, {"LocalAppData", ""}, {"HOME", ".cache"}} {
		if dir, _ := p.env(place[0]); filepath.IsAbs(dir) {
			return filepath.Join(dir, place[1], "loopx", "osv")
		}
	}
	return ""
}
