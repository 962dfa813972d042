package route_test

import (
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

func BenchmarkRoute(b *testing.B) {
	plain := table(b, route.Config{})
	rules := table(b, env(b, "LOOPX_DEBIAN_MIRROR=https://m.example/debian", "LOOPX_HOSTS=*.example.com=keep,nexus:8081=upgrade"))
	for _, c := range []struct {
		name, url string
		table     *route.Table
		role      route.Role
	}{
		{"archive", "http://deb.debian.org/debian/dists/bookworm/InRelease", plain, route.Fetch},
		{"alias", "http://us.archive.ubuntu.com/ubuntu/dists/noble/InRelease", plain, route.Fetch},
		{"unknown", "http://downloads.vendor.example/tool-1.2.3.tar.gz", plain, route.Fetch},
		{"tls", "https://github.com/moby/buildkit/archive/master.tar.gz", plain, route.Fetch},
		{"private", "http://10.1.2.3:8080/x", plain, route.Fetch},
		{"role", "http://www.w3.org/2001/XMLSchema", plain, route.Identifier},
		{"mirror", "http://deb.debian.org/debian/dists/bookworm/InRelease", rules, route.Fetch},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.table.Route(c.url, route.Context{Role: c.role})
			}
		})
	}
}

func BenchmarkNewTable(b *testing.B) {
	cfg := env(b, "LOOPX_DEBIAN_MIRROR=https://m.example/debian", "LOOPX_HOSTS=*.example.com=keep,nexus:8081=upgrade")
	b.ReportAllocs()
	for b.Loop() {
		table(b, cfg)
	}
}
