// Package settings decides which configuration is in force: that of an
// organisation's file, then a project's, then what whoever calls a build says,
// each over the one before. Under the organisation's lock the later ones may only
// tighten it.
package settings

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Owner is whose word a setting is.
type Owner string

// The owners, each of which overrides those before it.
const (
	Builtin      Owner = "built-in"
	Organisation Owner = "organisation"
	Project      Owner = "project"
	Operator     Owner = "operator"
)

// Source is where a setting is from.
type Source struct {
	Owner Owner
	// Name is a variable, a flag, or a file with its line; "" for what is built in.
	Name string
}

// Layer is what one owner says.
type Layer struct {
	config.Fetch
	Owner Owner
	// names are the sources' names, by the keys of package config.
	names map[string]string
	// kind stands before a name in a refusal: "build arg ".
	kind string
}

// Of returns the layer of a file of an organisation, or of a project; nil is an
// empty file.
func Of(owner Owner, c *config.Config) Layer {
	l := Layer{Owner: owner, names: map[string]string{}}
	if c != nil {
		l.Fetch = c.Fetch
		for key, line := range c.Fetch.Lines {
			l.names[key] = fmt.Sprintf("%s:%d", c.Name, line)
		}
	}
	return l
}

// source is where the layer says a setting.
func (l Layer) source(key string) Source { return Source{l.Owner, l.names[key]} }

// refers is the source as a refusal names it.
func (l Layer) refers(key string) string { return l.kind + l.names[key] }

// Variables that this package reads beside those of package route. A program that
// has no use for one of them knows it all the same.
const (
	AptVariable        = "LOOPX_APT"
	ChecksVariable     = "LOOPX_CHECKS"
	RepositoryVariable = "LOOPX_REPOSITORY"
)

// FromVariables returns the layer of the LOOPX_* variables that lookup knows; an
// empty one is unset. kind says in refusals what they are: "build arg ". The notes are
// about variables that contradict each other. Errors are of [route.FromEnv].
func FromVariables(kind string, lookup func(name string) (string, bool)) (Layer, []route.Note, error) {
	l := Layer{Owner: Operator, kind: kind, names: map[string]string{}}
	cfg, notes, err := route.FromEnv(lookup)
	if err != nil {
		return l, nil, err
	}
	l.Mode, l.Mirrors, l.Hosts = cfg.Mode, cfg.Mirrors, cfg.Hosts
	value := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	for _, v := range route.Variables() {
		if value(v.Name) != "" {
			l.nameVariable(v)
		}
	}
	if v := value(AptVariable); v != "" {
		if l.Apt, err = config.ParseApt(v); err != nil {
			return l, nil, ofVariable(AptVariable, err)
		}
		l.names[config.AptKey] = AptVariable
	}
	if v := value(ChecksVariable); v != "" {
		if l.Checks, err = config.ParseChecks(v); err != nil {
			return l, nil, ofVariable(ChecksVariable, err)
		}
		l.names[config.ChecksKey] = ChecksVariable
	}
	if l.Repository = value(RepositoryVariable); l.Repository != "" {
		l.names[config.RepositoryKey] = RepositoryVariable
	}
	return l, notes[:len(notes)-len(cfg.Notes())], nil // the others are told of what is in force
}

// FromFlags returns the layer of flags: names are the flags' own, by the keys of
// package config.
func FromFlags(cfg route.Config, names map[string]string) Layer {
	return Layer{Owner: Operator, names: names, Fetch: config.Fetch{Mode: cfg.Mode, Mirrors: cfg.Mirrors, Hosts: cfg.Hosts}}
}

// nameVariable remembers a variable that is set as the source of what it sets. Of
// two for one archive the first one wins.
func (l *Layer) nameVariable(v route.Variable) {
	switch key := config.MirrorKey(v.Archive); {
	case v.Name == modeVariable:
		l.names[config.ModeKey] = v.Name
	case v.Archive == "":
		for _, r := range l.Hosts {
			l.names[config.HostKey(r.Host)] = v.Name
		}
	case l.names[key] == "":
		l.names[key] = v.Name
	}
}

// modeVariable is the variable of route that sets no mirrors and no host rules.
const modeVariable = "LOOPX_MODE"

// ofVariable names the variable in a complaint about its value.
func ofVariable(name string, err error) error {
	if e, ok := err.(*route.ConfigError); ok {
		renamed := *e
		renamed.Variable = name
		return &renamed
	}
	return err
}
