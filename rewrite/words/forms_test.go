package words_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

func argv(args ...string) words.Input {
	var in words.Input
	for _, a := range args {
		in.Args = append(in.Args, textmap.Identity(a))
	}
	return in
}

func TestExecForm(t *testing.T) {
	for _, c := range []struct {
		name       string
		args, want []string
	}{
		{"wget", []string{"wget", "-O", "/f", "http://example.org/f"}, []string{"wget", "-O", "/f", "https://example.org/f"}},
		{"no shell, no expansion", []string{"curl", "http://example.org/$X"}, []string{"curl", "https://example.org/$X"}},
		{"shell in exec form", []string{"/bin/bash", "-exc", "wget http://example.org/f"}, []string{"/bin/bash", "-exc", "wget https://example.org/f"}},
		{"echo prints", []string{"echo", "http://example.org/f"}, []string{"echo", "http://example.org/f"}},
		{
			"PowerShell",
			[]string{"powershell", "-Command", "Invoke-WebRequest http://example.org/a -Proxy http://proxy.example.org; irm http://localhost/x"},
			[]string{"powershell", "-Command", "Invoke-WebRequest https://example.org/a -Proxy http://proxy.example.org; irm http://localhost/x"},
		},
		{
			"cmd", []string{"cmd", "/S", "/C", "curl.exe -o a http://example.org/a && set HTTP_PROXY=http://proxy.example.org"},
			[]string{"cmd", "/S", "/C", "curl.exe -o a https://example.org/a && set HTTP_PROXY=http://proxy.example.org"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := argv(c.args...)
			res := words.Analyse(in, table(t, route.Config{}))
			got, _ := edited(t, in, res)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, describe(res))
			}
		})
	}
}

func TestShebangScript(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"bash", "#!/bin/bash\nset -e\nwget http://example.org/a\n", "#!/bin/bash\nset -e\nwget https://example.org/a\n"},
		{"env python", "#!/usr/bin/env python3\n# http://example.org/doc\nget('http://example.org/a')\n", "#!/usr/bin/env python3\n# http://example.org/doc\nget('https://example.org/a')\n"},
		{"loopback", "#!/bin/sh\npip config set global.index-url http://127.0.0.1:9876/\n", "#!/bin/sh\npip config set global.index-url http://127.0.0.1:9876/\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := argv("/dev/pipes/EOF")
			in.Script = textmap.Identity(c.text)
			res := words.Analyse(in, table(t, route.Config{}))
			got, _ := edited(t, in, res)
			if diff := cmp.Diff(c.want, got[1]); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, describe(res))
			}
		})
	}
}

// TestJSONSource holds that an edit spells a slash as the source does.
func TestJSONSource(t *testing.T) {
	src := `http:\/\/deb.debian.org\/debian\/x`
	var b textmap.Builder
	b.Init("")
	id := textmap.Identity(src)
	for k := 0; k < len(src); k++ {
		if src[k] == '\\' {
			b.Decoded(src[k+1:k+2], id.Slice(k, k+2))
			k++
			continue
		}
		b.Append(id.Slice(k, k+1))
	}
	in := words.Input{Args: []textmap.Text{textmap.Synthetic("wget"), b.Text()}}
	res := words.Analyse(in, table(t, mirrors))
	if len(res.Fetches) != 1 {
		t.Fatalf("fetches: %s", describe(res))
	}
	got, ok := textmap.Apply(src, res.Fetches[0].Edits)
	if want := `https:\/\/mirror.example\/debian\/x`; !ok || got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRoles(t *testing.T) {
	for _, c := range []struct {
		text string
		want []route.Role
	}{
		{"curl http://example.org/a", []route.Role{route.Fetch}},
		{"./x http://example.org/a", []route.Role{route.Word}},
		{"echo http://example.org/a", []route.Role{route.Print}},
		{"U=http://example.org/a; echo $U; curl $U", []route.Role{route.Fetch}},
		{"gpg --keyserver keys.openpgp.org --recv-keys A", []route.Role{route.Keyserver}},
		{"sed 's|http://example.org|http://example.com|' /etc/apt/sources.list", []route.Role{route.Match, route.Print}},
		{"sed -i 's|http://example.org|http://example.com|' /etc/apt/sources.list", []route.Role{route.Match, route.AptSource}},
		{"npm config set registry http://example.org", []route.Role{route.PackageConfig}},
		{"curl -e http://example.org/a http://example.org/b", []route.Role{route.Header, route.Fetch}},
		{"export ALL_PROXY=http://example.org", []route.Role{route.Proxy}},
		{"./x '<a xmlns=\"http://example.org/ns\">'", []route.Role{route.Identifier}},
		{"ftp ftp://example.org/x", []route.Role{route.Word}},
		{"curl ftp://example.org/x", []route.Role{route.Fetch}},
	} {
		t.Run(c.text, func(t *testing.T) {
			res := words.Analyse(shell(c.text), table(t, route.Config{}))
			var got []route.Role
			for _, f := range res.Fetches {
				got = append(got, f.Role)
				if f.Reason == "" {
					t.Errorf("%s has no reason", f.URL)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("roles %v, want %v%s", got, c.want, describe(res))
			}
		})
	}
}

func TestUnedited(t *testing.T) {
	for _, c := range []struct{ name, text, why string }{
		{"awk program", `awk '{print "http://example.org"$1}' list | xargs wget`, "awk program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := words.Analyse(shell(c.text), table(t, mirrors))
			for _, f := range res.Fetches {
				if strings.Contains(f.Unedited, c.why) {
					return
				}
			}
			t.Errorf("no fetch says %q%s", c.why, describe(res))
		})
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"apt-get update && apt-get install -y curl", []string{"sh", "apt-get"}},
		{"sudo -E DEBIAN_FRONTEND=noninteractive apt-get update", []string{"sh", "sudo", "apt-get"}},
		{"bash -c 'apt update'; $TOOL x; ./install.sh", []string{"sh", "bash", "apt", "$", "install.sh"}},
		{"find / -exec dpkg -i {} +", []string{"sh", "find", "dpkg"}},
		{"V=$(curl https://example.org) make", []string{"sh", "curl", "make"}},
		{"x() { wget a; }; x", []string{"sh", "wget", "x"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			res := words.Analyse(shell(c.text), table(t, route.Config{}))
			if diff := cmp.Diff(c.want, res.Commands); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnparsed: text that is not shell is scanned, and says so.
func TestUnparsed(t *testing.T) {
	in := shell("curl http://example.org/a; sed 's|http://example.org|x|' f; if then")
	res := words.Analyse(in, table(t, route.Config{}))
	if res.Unparsed == "" {
		t.Error("no complaint about text that is not shell")
	}
	got, _ := edited(t, in, res)
	if want := "curl https://example.org/a; sed 's|http://example.org|x|' f; if then"; got[2] != want {
		t.Errorf("got %s", got[2])
	}
}

// FuzzAnalyse holds the laws of edits: in bounds, disjoint, no newline added
// or removed, and nothing left to do in their result.
func FuzzAnalyse(f *testing.F) {
	for _, c := range slices.Concat(fetchCases, keepCases, quotingCases, aptCases, variableCases, nestedCases) {
		env := ""
		if len(c.env) > 0 {
			_, env, _ = strings.Cut(c.env[0], "=")
		}
		f.Add(c.text, env)
	}
	tab := table(f, mirrors)
	f.Fuzz(func(t *testing.T, text, env string) {
		if len(text) > 1<<12 {
			return
		}
		in := shell(text, "URL="+env)
		res := words.Analyse(in, tab)
		got, vars := edited(t, in, res)
		if strings.Count(got[2], "\n") != strings.Count(text, "\n") {
			t.Fatalf("newlines changed: %q -> %q", text, got[2])
		}
		if v, ok := vars["URL"]; ok {
			env = v
		}
		again := words.Analyse(shell(got[2], "URL="+env), tab)
		for _, x := range again.Fetches {
			if len(x.Edits) > 0 && x.Unedited == "" {
				t.Fatalf("not done after one pass:\n%q\n%q\n%s\n%s", text, got[2], describe(res), describe(again))
			}
		}
	})
}

func BenchmarkAnalyse(b *testing.B) {
	text := strings.Repeat("apt-get update && apt-get install -y --no-install-recommends curl ca-certificates \\\n && rm -rf /var/lib/apt/lists/* && ", 20) +
		"curl -fsSL http://example.org/x.tgz | tar xz"
	tab := table(b, mirrors)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		words.Analyse(shell(text), tab)
	}
}
