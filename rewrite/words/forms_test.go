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
			"cmd",
			[]string{"cmd", "/S", "/C", "curl.exe -o a http://example.org/a && set HTTP_PROXY=http://proxy.example.org"},
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
		{`python -c 'get(proxies={"http": "http://example.org:3128"})'`, []route.Role{route.Proxy}},
		{`python -c 'get({"http": "http://example.org:3128"})'`, []route.Role{route.Word}},
		{"sh ./x --proxy http://example.org:3128", []route.Role{route.Proxy}},
		{"sh ./x --server http://example.org:3128", []route.Role{route.Word}},
		{"gem sources -a http://example.org", []route.Role{route.PackageConfig}},
		{"gem install -s http://example.org x", []route.Role{route.Fetch}},
		{"A=(http://example.org/a); wget ${A[0]}", []route.Role{route.Fetch}},
		{"crudini --set f a b http://example.org:5000", []route.Role{route.ForeignConfig}},
		{"curl --unix-socket s http://example.org", []route.Role{route.ForeignConfig}},
		{"python -m pip install http://example.org/x.whl", []route.Role{route.Fetch}},
		{"cat <<E\nhttp://example.org\nE", []route.Role{route.Print}},
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
		{"scheme taken off", `curl $URL; curl "https://${URL#http://}"`, "taken apart"},
		{"compared", `[ "$URL" = http://example.org/a ] || curl $URL`, "compared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := words.Analyse(shell(c.text, "URL=http://example.org/a"), table(t, mirrors))
			for _, f := range res.Fetches {
				if strings.Contains(f.Unedited, c.why) {
					return
				}
			}
			t.Errorf("no fetch says %q%s", c.why, describe(res))
		})
	}
}

// TestHeldVariable: who edits a variable's definition learns from one command
// that it must not, though another command only fetches it.
func TestHeldVariable(t *testing.T) {
	res := words.Analyse(shell(`[ "$URL" = http://example.org/a ] || curl $URL`, "URL=http://example.org/a"), table(t, route.Config{}))
	var roles []route.Role
	for _, f := range res.Fetches {
		if f.Arg == words.VarArg {
			roles = append(roles, f.Role)
		}
	}
	if want := []route.Role{route.Fetch, route.Match}; !slices.Equal(roles, want) {
		t.Errorf("roles of the variable %v, want %v", roles, want)
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
		{"x() { wget a; }; x", []string{"sh", "x", "wget"}},
		{"x() { wget a; }", []string{"sh", "wget"}},
		{`again() { "$@"; }; again make x`, []string{"sh", "again", "make"}},
		{`again() { "$@"; }`, []string{"sh", "$"}},
		{"cat <<E\na\nE\nbash <<'F'\nmake\nF", []string{"sh", "cat", "bash", "make"}},
		{"sudo -iu app make", []string{"sh", "sudo", "make"}},
		{"again 3 apt-get update; again curl wget", []string{"sh", "again", "apt-get"}},
		{"scl enable x 'make y'; trap 'rm z' EXIT", []string{"sh", "scl", "make", "trap", "rm"}},
		{"echo 'make x' > y; sh y", []string{"sh", "echo", "make"}},
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
// or removed, only for what is fetched, the same programs run afterwards, and
// nothing left to do in their result.
func FuzzAnalyse(f *testing.F) {
	for _, c := range allCases() {
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
		checkFetches(t, in, res)
		got, vars := edited(t, in, res)
		if strings.Count(got[2], "\n") != strings.Count(text, "\n") {
			t.Fatalf("newlines changed: %q -> %q", text, got[2])
		}
		if v, ok := vars["URL"]; ok {
			env = v
		}
		again := words.Analyse(shell(got[2], "URL="+env), tab)
		if (res.Unparsed == "") != (again.Unparsed == "") {
			t.Fatalf("%q parsed: %q\n%q parsed: %q", text, res.Unparsed, got[2], again.Unparsed)
		}
		if diff := cmp.Diff(res.Commands, again.Commands); diff != "" {
			t.Fatalf("other programs run after %q -> %q:\n%s", text, got[2], diff)
		}
		for _, x := range again.Fetches {
			if len(x.Edits) > 0 && x.Unedited == "" {
				t.Fatalf("not done after one pass:\n%q\n%q\n%s\n%s", text, got[2], describe(res), describe(again))
			}
		}
	})
}

// checkFetches holds what is true of every result.
func checkFetches(t *testing.T, in words.Input, res words.Result) {
	t.Helper()
	for i, c := range res.Commands {
		if c == "" || slices.Contains(res.Commands[:i], c) {
			t.Fatalf("commands %q", res.Commands)
		}
	}
	for i, c := range res.Calls {
		if c.By >= i || c.By < -1 || len(c.Args) == 0 || c.Name == "" {
			t.Fatalf("call %d: %+v", i, c)
		}
	}
	for _, f := range res.Fetches {
		source := in.Args[len(in.Args)-1].String()
		if f.Arg == words.VarArg {
			source = in.Env[0].Value.String()
		}
		edits := len(f.Edits) > 0
		switch {
		case f.Start > f.End || f.End > len(source):
			t.Fatalf("%s stands at [%d, %d) of %d bytes", f.URL, f.Start, f.End, len(source))
		case f.Reason == "":
			t.Fatalf("%s has no reason", f.URL)
		case edits && (f.Role >= route.Proxy || f.Decision.To == "" || f.Unedited != ""):
			t.Fatalf("edits of what is not fetched: %s", describe(words.Result{Fetches: []words.Fetch{f}}))
		case edits && f.Tool == "" && !strings.Contains(source, ":"):
			t.Fatalf("edits of %q, which holds no scheme", source)
		}
	}
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

// BenchmarkLongList reads a list of many words, as a script that writes a file
// may hold: the time is linear in their number.
func BenchmarkLongList(b *testing.B) {
	text := "echo " + strings.Repeat("word ", 20_000)
	tab := table(b, mirrors)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		words.Analyse(shell(text), tab)
	}
}

// TestBounds: texts that double something with each line still come to an end.
func TestBounds(t *testing.T) {
	for _, line := range []string{
		"A=$A$A", "E=$E$E", `A="$A $A"; set -- $A`, `set -- "$@" "$@"`, `A=("${A[@]}" "${A[@]}")`, `for a in $a $a x; do`, "cat f f > f", "cat f f | tee f f",
		`f() { f "$@" "$@"; g; }; g() { f x; f y; }; f a`, `eval "eval $A"; A="$A;$A"`, "eval 'eval 'eval '", "A=x$(echo $A$A)", "cat < f > f; echo $A > f",
		`A="$*$*"; f() { A=$A$*; f $A $A; }; f $A`, "find -exec find -exec find -exec", "sh f; echo 'sh f; sh f' > f",
	} {
		t.Run(line, func(t *testing.T) {
			text := "A=http://example.org/; E=; a=x; echo sh f > f\n" + strings.Repeat(line+"\n", 60)
			if n := strings.Count(line, "do"); n > 0 {
				text += strings.Repeat("wget $a; done\n", 60)
			}
			words.Analyse(shell(text), table(t, route.Config{}))
		})
	}
}
