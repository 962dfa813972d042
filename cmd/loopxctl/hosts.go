package main

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const hostsLong = `Hosts shows what is built in about archives and hosts: each row with what the
claim rests on and the date. With a HOST or a URL it tells how that may be
fetched and why; a HOST stands for http://HOST/. Mirrors and host rules of the
operator count for a query. Nothing is asked over the network.`

const hostsExample = `  # All tables
  loopxctl hosts

  # How is this source fetched?
  loopxctl hosts http://ftp.de.debian.org/debian

  # Which archives can --mirror name?
  loopxctl hosts --format json | jq -r '.archives[].archive' | sort -u`

type hostsCommand struct {
	*program
	operator
	format, color *oneOf
}

func newHosts(p *program) *cobra.Command {
	c := &hostsCommand{program: p}
	cmd := &cobra.Command{
		Use:               "hosts [HOST|URL]...",
		Short:             "Show what is known about archives and hosts, or decide one address",
		Long:              hostsLong,
		Example:           hostsExample,
		ValidArgsFunction: completeHost,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd, commonSchema)
	c.color = addColor(cmd)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	return cmd
}

func (c *hostsCommand) run(_ *cobra.Command, args []string) (int, error) {
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	table, err := route.NewTable(cfg.Route)
	if err != nil {
		return 0, err
	}
	h := &report.Hosts{DataDate: route.DataDate(), Archives: route.Archives(), Hosts: route.Hosts(), Local: route.Local()}
	for _, arg := range args {
		address := asURL(arg)
		h.Queries = append(h.Queries, report.Query{URL: address, Decision: table.Route(address, route.Context{})})
	}
	if len(args) > 0 {
		named := func(host string) bool {
			return slices.ContainsFunc(h.Queries, func(q report.Query) bool { return hostOf(q.URL) == host })
		}
		h.Archives = without(h.Archives, func(r route.ArchiveRow) bool { return !named(r.Host) })
		h.Hosts = without(h.Hosts, func(r route.HostRow) bool { return !named(r.Host) })
		h.Local = nil
	}
	if c.format.value == "json" {
		return exitClean, h.JSON(&c.out)
	}
	return exitClean, h.Text(&c.out, paint.For(c.color.value, c.stdout, c.env))
}

// asURL takes a host, with or without a port or a path, for http.
func asURL(arg string) string {
	switch {
	case strings.Contains(arg, "://"):
		return arg
	case strings.Count(arg, ":") > 1 && net.ParseIP(arg) != nil:
		return "http://[" + arg + "]/"
	case strings.Contains(arg, "/"):
		return "http://" + arg
	}
	return "http://" + arg + "/"
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// hostNames are the hosts of the tables that are no patterns, each once.
func hostNames() []string {
	var names []string
	for _, r := range route.Archives() {
		names = append(names, r.Host)
	}
	for _, r := range route.Hosts() {
		names = append(names, r.Host)
	}
	names = without(names, func(name string) bool { return strings.Contains(name, "*") })
	slices.Sort(names)
	return slices.Compact(names)
}
