package builder

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/platforms"
	"github.com/docker/go-units"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Values of --network.
const (
	networkDefault = "default"
	networkHost    = "host"
	networkNone    = "none"
)

const buildArg = "build-arg:"

// attributes sets the frontend's options, by the names that buildx gives them.
func (p *plan) attributes() error {
	o, attrs := p.options, p.opt.FrontendAttrs
	if o.Target != "" {
		attrs["target"] = o.Target
	}
	if o.Pull {
		attrs["image-resolve-mode"] = pb.AttrImageResolveModeForcePull
	}
	if o.CgroupParent != "" {
		attrs["cgroup-parent"] = o.CgroupParent
	}
	switch {
	case o.NoCache && len(o.NoCacheFilter) > 0:
		return errors.New("--no-cache and --no-cache-filter contradict each other: the first is for all stages")
	case o.NoCache:
		attrs["no-cache"] = ""
	case len(o.NoCacheFilter) > 0:
		attrs["no-cache"] = strings.Join(o.NoCacheFilter, ",")
	}
	switch o.Network {
	case "", networkDefault:
	case networkHost, networkNone:
		attrs["force-network-mode"] = o.Network
	default:
		return fmt.Errorf("--network: there is no %q; write default, host or none", o.Network)
	}
	return errors.Join(p.buildArgs(), p.labels(), p.platforms(), p.addHosts(), p.shmSize())
}

// buildArgs sets the build arguments. The operator's configuration travels as
// such, in place of the variables that it was read from.
func (p *plan) buildArgs() error {
	args := maps.Clone(p.options.BuildArgs)
	if args == nil {
		args = map[string]string{}
	}
	for _, v := range route.Variables() {
		delete(args, v.Name)
	}
	maps.Copy(args, routeArgs(p.options.Route))
	if epoch, ok := p.options.Env("SOURCE_DATE_EPOCH"); ok && args["SOURCE_DATE_EPOCH"] == "" {
		args["SOURCE_DATE_EPOCH"] = epoch
	}
	p.proxyArgs(args)
	for name, value := range args {
		p.opt.FrontendAttrs[buildArg+name] = value
	}
	return nil
}

// proxyArgs adds the proxies of docker's configuration, as docker does: the
// build arguments that every Dockerfile has.
func (p *plan) proxyArgs(args map[string]string) {
	host, _ := p.options.Env("DOCKER_HOST")
	for name, value := range p.docker.ParseProxyConfig(host, nil) {
		given := slices.ContainsFunc(slices.Collect(maps.Keys(args)), func(have string) bool { return strings.EqualFold(have, name) })
		if value != nil && !given {
			args[name] = *value
		}
	}
}

// routeArgs are the build arguments that mean cfg, by name.
func routeArgs(cfg route.Config) map[string]string {
	args := map[string]string{}
	if cfg.Mode != "" && cfg.Mode != route.Enforce {
		args["LOOPX_MODE"] = string(cfg.Mode)
	}
	for archive, mirrors := range cfg.Mirrors {
		if len(mirrors) > 0 {
			args[route.MirrorVariable(archive)] = strings.Join(mirrors, ",")
		}
	}
	var rules []string
	for _, r := range cfg.Hosts {
		rules = append(rules, r.Host+"="+r.Action)
	}
	if len(rules) > 0 {
		args["LOOPX_HOSTS"] = strings.Join(rules, ",")
	}
	return args
}

func (p *plan) labels() error {
	labels, err := pairs("--label", p.options.Labels)
	for name, value := range labels {
		p.opt.FrontendAttrs["label:"+name] = value
	}
	return err
}

func (p *plan) platforms() error {
	var all []string
	for _, list := range p.options.Platforms {
		for one := range strings.SplitSeq(list, ",") {
			spec, err := platforms.Parse(strings.TrimSpace(one))
			if err != nil {
				return fmt.Errorf("--platform: %w", err)
			}
			all = append(all, platforms.FormatAll(platforms.Normalize(spec)))
		}
	}
	if len(all) > 0 {
		p.opt.FrontendAttrs["platform"] = strings.Join(all, ",")
	}
	return nil
}

// addHosts takes HOST:IP and HOST=IP; an IPv6 address may stand in brackets.
func (p *plan) addHosts() error {
	var all []string
	for _, text := range p.options.AddHosts {
		i := strings.IndexAny(text, ":=")
		if i <= 0 || i == len(text)-1 {
			return fmt.Errorf("--add-host %q is not HOST:IP", text)
		}
		ip := strings.Trim(text[i+1:], "[]")
		if ip == "host-gateway" {
			return errors.New("--add-host: host-gateway is known to docker's own builder only; write the address")
		}
		all = append(all, text[:i]+"="+ip)
	}
	if len(all) > 0 {
		p.opt.FrontendAttrs["add-hosts"] = strings.Join(all, ",")
	}
	return nil
}

func (p *plan) shmSize() error {
	if p.options.ShmSize == "" {
		return nil
	}
	size, err := units.RAMInBytes(p.options.ShmSize)
	if err != nil || size <= 0 {
		return fmt.Errorf("--shm-size %q is no size: write 128m", p.options.ShmSize)
	}
	p.opt.FrontendAttrs["shm-size"] = strconv.FormatInt(size, 10)
	return nil
}
