package aptscript_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/aptscript"
	"github.com/loopx/loopx-frontend/rewrite/aptsource"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

var _ = flag.Bool("update", false, "no goldens here")

// moved are sources of images, of which the script makes what package aptsource
// makes.
var moved = map[string]string{
	"bookworm.sources": `Types: deb
# http://snapshot.debian.org/archive/debian/20240101T000000Z
URIs: http://deb.debian.org/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://deb.debian.org/debian-security
Suites: bookworm-security
Components: main
`,
	"bullseye.list": `# deb http://snapshot.debian.org/archive/debian/20241202T000000Z bullseye main
deb http://deb.debian.org/debian bullseye main
# deb http://snapshot.debian.org/archive/debian-security/20241202T000000Z bullseye-security main
deb http://deb.debian.org/debian-security bullseye-security main
deb http://deb.debian.org/debian bullseye-updates main
`,
	"root.list": `deb http://security.debian.org buster/updates main
deb-src http://security.debian.org/ buster/updates main
deb http://security.debian.org/debian-security/ stretch/updates main
deb [arch=amd64] http://Security.Debian.ORG:80/debian-security stretch/updates main
deb https://security.debian.org/debian-security stretch/updates main
deb http://archive.debian.org/debian buster main
deb http://archive.debian.org/debian-security buster/updates main
deb http://archive.debian.org/debian-archive/debian lenny main
`,
	"aliases.list": `deb http://ftp.de.debian.org/debian/ sid main
deb http://ftp.debian.org/debian sid main
deb http://cdn-fastly.deb.debian.org/debian-security bookworm-security main
deb http://httpredir.debian.org/debian sid main
deb http://deb.debian.org/debian-ports sid main
deb http://deb.debian.org/debian-debug sid-debug main
deb http://deb.debian.org/debian-securityx sid main
deb http://snapshot.debian.org/archive/debian/20240101T000000Z sid main
`,
	"ubuntu.list": `deb http://archive.ubuntu.com/ubuntu/ jammy main restricted
deb http://us.archive.ubuntu.com/ubuntu/ jammy-updates main
deb http://eu-west-1.ec2.archive.ubuntu.com/ubuntu jammy main
deb http://security.ubuntu.com/ubuntu jammy-security main
deb http://security.archive.ubuntu.com/ubuntu jammy-security main
deb http://ports.ubuntu.com/ubuntu-ports/ jammy main
deb http://ports.ubuntu.com/ jammy main
deb http://old-releases.ubuntu.com/ubuntu hirsute main
deb http://ppa.launchpad.net/u/p/ubuntu jammy main
`,
	"noble.sources": `Types: deb
URIs: http://archive.ubuntu.com/ubuntu/ http://us.archive.ubuntu.com/ubuntu/
 http://archive.ubuntu.com/ubuntu
Suites: noble
Components: main
`,
	"others.list": `deb http://http.kali.org/kali kali-rolling main
deb http://apt.postgresql.org/pub/repos/apt bookworm-pgdg main
deb http://some.vendor.example.com/apt stable main
deb http://user:word@private.example.com/apt stable main
deb http://10.1.2.3/debian sid main
deb http://172.20.0.1:3142/debian sid main
deb http://localhost:9999/debian sid main
deb http://apt-cache/debian sid main
deb http://nexus.corp.internal:8081/debian sid main
deb https://download.docker.com/linux/debian bookworm stable
deb file:/srv/repo ./
deb cdrom:[Debian]/ sid main
`,
}

// configs are the operator's configurations.
func configs() map[string]route.Config {
	return map[string]route.Config{
		"none": {},
		"mirrors": {Mirrors: map[string][]string{
			"debian":          {"https://ftp.de.debian.org/debian"},
			"debian-security": {"https://mirror.example/debian-security", "default"},
			"ubuntu":          {"https://mirror.example/some-ubuntu"},
		}},
		"hosts": {Hosts: []route.HostRule{
			{Host: "some.vendor.example.com", Action: "keep"},
			{Host: "*.example.com", Action: "https://proxy.example/all"},
			{Host: "10.1.2.3", Action: "upgrade"},
			{Host: "apt-cache", Action: "https://cache.example"},
		}},
	}
}

// TestScript runs the script with the shell and sed of this machine, and compares
// with the decisions.
func TestScript(t *testing.T) {
	for config, cfg := range configs() {
		for name, text := range moved {
			t.Run(config+"/"+name, func(t *testing.T) {
				t.Parallel()
				got, out, err := run(t, cfg, name, text)
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				want := routed(t, cfg, name, text)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-decided +script):\n%s", diff)
				}
				again, out, err := run(t, cfg, name, got)
				if err != nil || again != got {
					t.Errorf("again: %v %s\n%s", err, out, cmp.Diff(got, again))
				}
			})
		}
	}
}

// TestScriptTables asks about each row of the tables, and what is nearly one.
func TestScriptTables(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := tableSources(t, cfg)
			if n := strings.Count(text, "\n"); n < 200 {
				t.Fatalf("%d sources", n)
			}
			got, out, err := run(t, cfg, "x.list", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(routed(t, cfg, "x.list", text), got); diff != "" {
				t.Errorf("(-decided +script):\n%s", diff)
			}
		})
	}
}

// tableSources are sources at each place of the tables that is not refused, each
// with a suite of its own, so that no two are of one release.
func tableSources(t *testing.T, cfg route.Config) string {
	t.Helper()
	table, err := route.NewTable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	add := func(host, path string) {
		host = strings.ReplaceAll(host, "*", "de")
		path = strings.TrimRight(path, "/*")
		for _, base := range []string{host + path, host + path + "/", host + path + "x", host + path + "/below", host + ":80" + path, "www." + host + path} {
			for _, scheme := range []string{"http://", "https://"} {
				if table.Route(scheme+base, route.Context{Role: route.AptSource}).Action != route.Refuse {
					fmt.Fprintf(&b, "deb %s%s suite%d main\n", scheme, base, b.Len())
				}
			}
		}
	}
	for _, a := range route.Archives() {
		if a.Archive != "keyserver" {
			add(a.Host, a.Path)
		}
	}
	for _, h := range route.Hosts() {
		if h.Scheme == "http" {
			add(h.Host, h.Path)
		}
	}
	return b.String()
}

// routed is what the decisions make of a source file.
func routed(t *testing.T, cfg route.Config, name, text string) string {
	t.Helper()
	table, err := route.NewTable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := aptsource.Parse(textmap.Identity(text), aptsource.Detect("/etc/apt/sources.list.d/"+name))
	var edits []textmap.Edit
	for _, r := range aptsource.Route(entries, table) {
		if r.Decision.Action == route.Refuse {
			t.Errorf("%s is refused", r.Decoded)
		}
		edits = append(edits, r.Edits...)
	}
	out, ok := textmap.Apply(text, edits)
	if !ok {
		t.Fatal("the edits don't fit")
	}
	return out
}

// run runs the script on a file of sources, in a folder that stands in for the
// image's root, and returns what became of it.
func run(t *testing.T, cfg route.Config, name, text string) (after, output string, err error) {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, "etc/apt/sources.list.d", name)
	for path, data := range map[string]string{
		file: text,
		filepath.Join(root, "usr/lib/apt/methods/https"):         "",
		filepath.Join(root, "etc/apt/apt.conf.d/x"):              "",
		filepath.Join(root, "usr/share/loopx/ca.crt"):            "ours\n",
		filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"): "the image's\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := aptscript.Lines(cfg)
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Join(lines, "")
	for _, dir := range []string{"/etc/", "/usr/"} {
		script = strings.ReplaceAll(script, " "+dir, " "+root+dir)
		script = strings.ReplaceAll(script, ">"+dir, ">"+root+dir)
	}
	script = strings.ReplaceAll(script, `[ "$(id -u)" = 0 ]`, "true")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	out, err := cmd.CombinedOutput()
	data, readErr := os.ReadFile(file)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(data), string(out), err
}

// TestRefused: what has no form over TLS makes the script fail, and it says which
// line that is.
func TestRefused(t *testing.T) {
	for _, line := range []string{
		"deb http://packages.ros.org/ros/ubuntu jammy main",
		"deb http://downloads.example.com:8080/debian sid main",
		"deb http://93.184.215.14/debian sid main",
		"deb http://[2001:db8::1]/debian sid main",
		"deb ftp://ftp.example.com/debian sid main",
		"deb tor+http://deb.debian.org/debian sid main",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			_, out, err := run(t, route.Config{}, "x.list", "deb http://deb.debian.org/debian sid main\n"+line+"\n")
			if err == nil || !strings.Contains(out, "\n") || !strings.HasPrefix(out, "2:") || !strings.Contains(out, "x.list: these lines have no form over TLS") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	_, out, err := run(t, route.Config{Hosts: []route.HostRule{{Host: "deb.debian.org", Action: "refuse"}}}, "x.list", "deb http://deb.debian.org/debian sid main\n")
	if err == nil || !strings.HasPrefix(out, "1:") {
		t.Errorf("refused by a rule: %v\n%s", err, out)
	}
}

// TestIs: what the package writes is known again, and nothing else is.
func TestIs(t *testing.T) {
	for name, cfg := range configs() {
		lines, err := aptscript.Lines(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !aptscript.Is(lines) {
			t.Errorf("%s: not known again", name)
		}
		for i, line := range lines {
			if strings.HasPrefix(line, "    -e 's") {
				for _, other := range []string{
					strings.Replace(line, "#gI", "#gIe", 1), strings.Replace(line, "' ", "'; curl x; ' ", 1), "curl http://example.com ", "",
				} {
					changed := append([]string{}, lines...)
					changed[i] = other
					if aptscript.Is(changed) {
						t.Errorf("%s: known with %q", name, other)
					}
				}
				continue
			}
			changed := append([]string{}, lines...)
			changed[i] += " "
			if aptscript.Is(changed) {
				t.Errorf("%s: known with a change of %q", name, line)
			}
		}
		if aptscript.Is(lines[1:]) || aptscript.Is(append(lines, "x")) || aptscript.Is(nil) {
			t.Errorf("%s: known with other lines", name)
		}
	}
}
