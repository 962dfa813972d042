package sourcepolicy_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/solver/pb"
	engine "github.com/moby/buildkit/sourcepolicy"
	spb "github.com/moby/buildkit/sourcepolicy/pb"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/sourcepolicy"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

var _ = flag.Bool("update", false, "rewrite golden files")

// addresses are asked of the table and of BuildKit's own engine.
func addresses() []string {
	list := []string{
		"http://example.com/x.tgz", "http://example.com", "http://example.com:80/x?y=1", "http://EXAMPLE.com/",
		"http://example.com:8080/x", "http://192.0.2.1/x", "http://8.8.8.8:8080/", "http://[2001:db8::1]/x",
		"http://localhost/x", "http://localhost:3000/x", "http://nexus/x", "http://nexus:8081/x", "http://mirror.lan/x",
		"http://mirror.lan:8080/x", "http://10.1.2.3/x", "http://172.31.0.1:80/", "http://172.32.0.1/", "http://100.64.3.4/x",
		"http://100.128.0.1/x", "http://192.168.1.1:8080/x", "http://[::1]:80/x", "http://[fd12::1]/x", "http://[fe80::1]/x", "http://[fec0::1]/x",
		"http://deb.debian.org/debian/pool/x.deb", "http://deb.debian.org/debian-security/x", "http://deb.debian.org/other",
		"http://security.debian.org/dists/x", "http://security.debian.org/debian-security/dists/x", "http://security.debian.org/",
		"http://ftp.de.debian.org/debian/x", "http://cdn-fastly.deb.debian.org/debian/x", "http://archive.ubuntu.com/ubuntu/x", "http://de.archive.ubuntu.com/ubuntu/x",
		"http://security.archive.ubuntu.com/ubuntu/x", "http://x.y.ec2.archive.ubuntu.com/ubuntu/x", "http://ports.ubuntu.com/dists/x",
		"http://ppa.launchpad.net/a/b/ubuntu", "http://packages.ros.org/ros2/ubuntu", "http://http.kali.org/kali/x",
		"https://example.com/x", "https://deb.debian.org/debian/x", "https://example.com:8443/x",
		"http://a.vendor.example/x", "http://vendor.example/x", "http://a.b.vendor.example:8000/x", "http://bad.example/x", "https://bad.example/x",
		"http://git.corp.example:8080/x", "http://git.corp.example/x", "http://old.example/x", "https://old.example/x", "http://nexus.corp.example:8443/x",
		"http://kept.example:8000/x", "http://kept.example/x", "http://secure.example/x", "http://secure.example:8080/x",
	}
	for _, row := range route.Archives() {
		list = append(list, "http://"+strings.ReplaceAll(row.Host, "*", "abc")+strings.TrimRight(row.Path, "/*")+"/pool/x")
	}
	for _, row := range route.Hosts() {
		if row.Scheme == "http" {
			list = append(list, "http://"+strings.ReplaceAll(row.Host, "*", "abc")+strings.TrimRight(row.Path, "/*")+"/x")
		}
	}
	return list
}

func configs(t *testing.T) map[string]route.Config {
	t.Helper()
	all := map[string]route.Config{"default": {}}
	for name, vars := range map[string]map[string]string{
		"mirrors": {
			"LOOPX_DEBIAN_MIRROR":          "https://mirror.example/debian,default",
			"LOOPX_DEBIAN_SECURITY_MIRROR": "https://mirror.example/debian-security",
			"LOOPX_UBUNTU_MIRROR":          "default",
		},
		"below itself": {"LOOPX_DEBIAN_MIRROR": "https://deb.debian.org/debian/eu"},
		"rules": {"LOOPX_HOSTS": "nexus:8081=https://nexus.corp.example,*.vendor.example=keep,bad.example=refuse," +
			"git.corp.example:8080=https://git.corp.example:8443,old.example=https://new.example/old,kept.example:8000=keep," +
			"secure.example=upgrade,packages.ros.org=keep,192.0.2.1=upgrade,deb.debian.org=https://cache.example/deb"},
	} {
		cfg, _, err := route.FromEnv(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
		if err != nil {
			t.Fatal(err)
		}
		all[name] = cfg
	}
	return all
}

// The daemon's engine decides by the policy what the table decides.
func TestAgrees(t *testing.T) {
	t.Parallel()
	for name, cfg := range configs(t) {
		table, err := route.NewTable(cfg)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.NewEngine([]*spb.Policy{sourcepolicy.New(table, cfg)})
		for _, url := range addresses() {
			if name == "below itself" && strings.HasPrefix(url, "https:") {
				continue // a policy can't tell such a mirror from the archive: it stays on the archive's own TLS
			}
			d := table.Route(url, route.Context{Role: route.Fetch})
			op := &pb.SourceOp{Identifier: url}
			_, err := e.Evaluate(t.Context(), op)
			got, want := op.Identifier, url
			switch {
			case d.Action == route.Refuse:
				want = "refused"
			case d.Action != route.Keep:
				want = d.To
			}
			if err != nil {
				got = "refused"
				if !strings.Contains(err.Error(), "denied by policy") {
					got = err.Error()
				}
			}
			if same(got) != same(want) {
				t.Errorf("%s: %s -> %s, the table says %s (%s)", name, url, got, want, d.Rule)
			}
		}
	}
}

// same is a URL without the ways in which its like is written: an empty port,
// the port of http.
func same(url string) string {
	host, ok := strings.CutPrefix(strings.ToLower(url), "http://")
	if !ok {
		return strings.ToLower(url)
	}
	return "http://" + strings.Replace(strings.Replace(host, ":80/", "/", 1), ":/", "/", 1)
}

// An address with a password is refused: the daemon shows the policy "xxxxx".
func TestCredentials(t *testing.T) {
	t.Parallel()
	table, err := route.NewTable(route.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.NewEngine([]*spb.Policy{sourcepolicy.New(table, route.Config{})})
	for _, url := range []string{"http://user:xxxxx@example.com/x", "http://example.com:/x"} {
		if _, err := e.Evaluate(t.Context(), &pb.SourceOp{Identifier: url}); err == nil {
			t.Errorf("%s is let through", url)
		}
	}
	for _, url := range []string{"docker-image://docker.io/library/debian:12", "local://context", "git://github.com/a/b"} {
		op := &pb.SourceOp{Identifier: url}
		if moved, err := e.Evaluate(t.Context(), op); err != nil || moved {
			t.Errorf("%s: %v, %v", url, op.Identifier, err)
		}
	}
}

// The JSON is read back as buildctl reads it.
func TestJSON(t *testing.T) {
	t.Parallel()
	table, err := route.NewTable(route.Config{})
	if err != nil {
		t.Fatal(err)
	}
	p := sourcepolicy.New(table, route.Config{})
	data, err := sourcepolicy.JSON(p)
	if err != nil {
		t.Fatal(err)
	}
	var back spb.Policy
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Rules) != len(p.Rules) {
		t.Fatalf("%d rules, then %d", len(p.Rules), len(back.Rules))
	}
	for i, r := range p.Rules {
		if diff := cmp.Diff(r.String(), back.Rules[i].String()); diff != "" {
			t.Errorf("rule %d:\n%s", i, diff)
		}
	}
}
