package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/moby/buildkit/util/suggest"
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// operator is what whoever calls a command says about fetches: flags, which win
// over the LOOPX_* build arguments on the command line, which win over the
// environment. They are put over the files of the organisation and the project.
type operator struct {
	securityMirror, aptMirror string
	mirrors, hosts, buildArgs []string
	projectFile
}

func (o *operator) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.aptMirror, "apt-mirror", "", "`URL` to use for Debian's main archive (the same as --mirror debian=URL)")
	flags.StringVar(&o.securityMirror, "security-mirror", "", "`URL` to use for Debian's security archive (the same as --mirror debian-security=URL)")
	flags.StringArrayVar(&o.mirrors, "mirror", nil, "`ARCHIVE=URL[,URL]...` to use for an archive, in order; repeatable")
	flags.StringArrayVar(&o.hosts, "host", nil, "rule for one host, `HOST=ACTION`; ACTION is upgrade, keep, refuse or an https URL; repeatable")
	flags.StringArrayVar(&o.buildArgs, "build-arg", nil, "build argument `NAME[=VALUE]` as for docker build, from the environment without =VALUE; repeatable")
	complete(cmd, "mirror", completeMirror)
	complete(cmd, "host", completeHostRule)
	for _, name := range []string{"apt-mirror", "security-mirror", "build-arg"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
}

// typedFlag is a flag as it was typed.
type typedFlag struct{ flag, value string }

// typed are the flags as they were typed, so that another command can be told
// the same.
func (o *operator) typed() []typedFlag {
	all := []typedFlag{{"--apt-mirror", o.aptMirror}, {"--security-mirror", o.securityMirror}}
	for _, list := range []struct {
		flag   string
		values []string
	}{{"--mirror", o.mirrors}, {"--host", o.hosts}, {"--build-arg", o.buildArgs}} {
		for _, value := range list.values {
			all = append(all, typedFlag{list.flag, value})
		}
	}
	return all
}

// layers are what the operator says: the variables, and the flags. The notes are
// about variables that contradict each other.
func (o *operator) layers(args map[string]string, env func(string) (string, bool)) ([]settings.Layer, []route.Note, error) {
	variables, notes, err := settings.FromVariables("", func(name string) (string, bool) {
		if value, ok := args[name]; ok {
			return value, true
		}
		return env(name)
	})
	if err != nil {
		return nil, nil, err
	}
	flags, err := o.fromFlags()
	return []settings.Layer{variables, flags}, notes, err
}

// fromFlags is the layer that the flags alone make.
func (o *operator) fromFlags() (settings.Layer, error) {
	cfg := route.Config{Mirrors: map[string][]string{}}
	given := map[string]string{} // key -> the flag that set it
	for _, m := range o.mirrorFlags() {
		key := config.MirrorKey(m.archive)
		if other, ok := given[key]; ok {
			return settings.Layer{}, fmt.Errorf("%s and %s both set the mirror of %s: list all in one --mirror %s=URL,URL, in order", other, m.flag, m.archive, m.archive)
		}
		if err := m.check(); err != nil {
			return settings.Layer{}, err
		}
		list, err := route.ParseMirror(m.archive, m.value)
		if err != nil {
			return settings.Layer{}, ofFlag(m.flag, err)
		}
		given[key], cfg.Mirrors[m.archive] = m.flag, list
	}
	const hostFlag = "--host"
	for _, text := range o.hosts {
		rule, err := route.ParseHostRule(text)
		if err != nil {
			return settings.Layer{}, ofFlag(hostFlag, err)
		}
		given[config.HostKey(rule.Host)] = hostFlag
		cfg.Hosts = append(cfg.Hosts, rule)
	}
	if _, err := route.NewTable(cfg); err != nil {
		return settings.Layer{}, ofFlag(hostFlag, err) // mirrors are checked: two rules contradict
	}
	return settings.FromFlags(cfg, given), nil
}

type mirrorFlag struct{ flag, archive, value string }

// mirrorFlags are the mirrors that the command line names.
func (o *operator) mirrorFlags() []mirrorFlag {
	var list []mirrorFlag
	if o.aptMirror != "" {
		list = append(list, mirrorFlag{"--apt-mirror", "debian", o.aptMirror})
	}
	if o.securityMirror != "" {
		list = append(list, mirrorFlag{"--security-mirror", "debian-security", o.securityMirror})
	}
	for _, text := range o.mirrors {
		archive, value, _ := strings.Cut(text, "=")
		list = append(list, mirrorFlag{"--mirror", archive, value})
	}
	return list
}

// check tells what is wrong before the equals sign.
func (m mirrorFlag) check() error {
	names := route.ArchiveNames()
	switch {
	case slices.Contains(names, m.archive) && m.value != "":
		return nil
	case slices.Contains(names, m.archive):
		return fmt.Errorf("%s %s has no URL: write %s=https://HOST/PATH", m.flag, m.archive, m.archive)
	}
	if near, ok := suggest.Search(m.archive, names, true); ok {
		return fmt.Errorf("%s: there is no archive %q; did you mean %s?", m.flag, m.archive, near)
	}
	return fmt.Errorf("%s: there is no archive %q; write ARCHIVE=URL with one of\n%s", m.flag, m.archive, strings.Join(names, ", "))
}

// ofFlag names the flag in a complaint about its value.
func ofFlag(flag string, err error) error {
	if e, ok := errors.AsType[*route.ConfigError](err); ok {
		renamed := *e
		renamed.Variable = flag
		return &renamed
	}
	return err
}

// parseBuildArgs reads NAME[=VALUE] as docker build does: the last of equal
// names wins, and a name without a value takes the environment's, if any.
func parseBuildArgs(list []string, env func(string) (string, bool)) (map[string]string, error) {
	args := map[string]string{}
	for _, text := range list {
		name, value, given := strings.Cut(text, "=")
		if name == "" {
			return nil, fmt.Errorf("--build-arg %q has no name: write NAME=VALUE, or NAME to take the environment's value", text)
		}
		if !given {
			var ok bool
			if value, ok = env(name); !ok {
				continue
			}
		}
		args[name] = value
	}
	return args, nil
}
