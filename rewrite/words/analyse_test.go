package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// mirrors is the operator's configuration of the tests that have one.
var mirrors = route.Config{Mirrors: map[string][]string{
	"debian":          {"https://mirror.example/debian"},
	"debian-security": {"https://mirror.example/debian-security"},
}}

func table(t testing.TB, cfg route.Config) *route.Table {
	t.Helper()
	tab, err := route.NewTable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// shell returns the input for a shell form RUN.
func shell(text string, env ...string) words.Input {
	in := words.Input{Args: []textmap.Text{
		textmap.Synthetic("/bin/sh"), textmap.Synthetic("-c"), textmap.Identity(text),
	}}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		in.Env = append(in.Env, words.Var{Name: name, Value: textmap.Identity(value)})
	}
	return in
}

// edited returns the arguments and the changed variables after all edits.
func edited(t testing.TB, in words.Input, res words.Result) (args []string, env map[string]string) {
	t.Helper()
	byPlace := map[string][]textmap.Edit{}
	for _, f := range res.Fetches {
		key := fmt.Sprint(f.Arg, f.Var)
		byPlace[key] = append(byPlace[key], f.Edits...)
	}
	apply := func(src string, key string) string {
		out, ok := textmap.Apply(src, byPlace[key])
		if !ok {
			t.Fatalf("edits of %q overlap or are out of bounds: %v", src, byPlace[key])
		}
		return out
	}
	for i, a := range in.Args {
		args = append(args, apply(a.String(), fmt.Sprint(i)))
	}
	env = map[string]string{}
	for _, v := range in.Env {
		key := fmt.Sprint(words.VarArg, v.Name)
		if len(byPlace[key]) > 0 {
			env[v.Name] = apply(v.Value.String(), key)
		}
	}
	if in.Script.Len() > 0 {
		args = append(args, apply(in.Script.String(), fmt.Sprint(words.ScriptArg)))
	}
	return args, env
}

type shellCase struct {
	name string
	cfg  route.Config
	env  []string
	text string
	// want is the text after the edits; "" means unchanged.
	want string
	// wantEnv are the variables that change, NAME=value.
	wantEnv []string
}

func allCases() []shellCase {
	return slices.Concat(fetchCases, keepCases, quotingCases, aptCases, variableCases, nestedCases, functionCases, fileCases, loopCases,
		configCases, editorCases, proxyCases, holdCases, wrapperCases, managerCases)
}

func TestShell(t *testing.T) {
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			in := shell(c.text, c.env...)
			res := words.Analyse(in, table(t, c.cfg))
			args, env := edited(t, in, res)
			want := c.want
			if want == "" {
				want = c.text
			}
			if diff := cmp.Diff(want, args[2]); diff != "" {
				t.Errorf("text (-want +got):\n%s\nfetches: %s", diff, describe(res))
			}
			wantEnv := map[string]string{}
			for _, kv := range c.wantEnv {
				name, value, _ := strings.Cut(kv, "=")
				wantEnv[name] = value
			}
			if diff := cmp.Diff(wantEnv, env); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
			if res.Unparsed != "" {
				t.Errorf("not parsed: %s", res.Unparsed)
			}
		})
	}
}

func describe(res words.Result) string {
	var b strings.Builder
	for _, f := range res.Fetches {
		fmt.Fprintf(&b, "\n  arg %d%s role %d action %d %s -> %s (%s) %s", f.Arg, f.Var, f.Role, f.Decision.Action,
			f.URL, f.Decision.To, f.Reason, f.Unedited)
	}
	return b.String()
}

var fetchCases = []shellCase{
	{name: "curl", text: "curl -fsSL http://example.org/x | tar xz", want: "curl -fsSL https://example.org/x | tar xz"},
	{name: "curl url option", text: "curl -o x --url http://example.org/x", want: "curl -o x --url https://example.org/x"},
	{name: "curl no scheme", text: "curl -fsSL example.org/x -o x.txt", want: "curl -fsSL https://example.org/x -o x.txt"},
	{name: "curl no scheme, output name", text: "curl -o app.tar.gz https://example.org/x"},
	{name: "curl header", text: "curl -H 'Origin: http://example.org' https://example.org/x"},
	{name: "curl data", text: `curl -d '{"url":"http://example.org/hook"}' https://example.org/x`},
	{name: "curl proxy", text: "curl -x http://proxy.example.org https://example.org/x"},
	{name: "curl glued proxy", text: "curl -sxhttp://proxy.example.org https://example.org/x"},
	{name: "wget", text: "wget -qO- http://example.org/x", want: "wget -qO- https://example.org/x"},
	{name: "wget file name like a deb line", text: "wget -O x.deb http://example.org/x.deb", want: "wget -O x.deb https://example.org/x.deb"},
	{name: "wget no scheme", text: "wget -q example.org/a.tgz", want: "wget -q https://example.org/a.tgz"},
	{name: "wget -nv", text: "wget -nv -P /opt http://example.org/a.tgz", want: "wget -nv -P /opt https://example.org/a.tgz"},
	{name: "wget proxy setting", text: "wget -e http_proxy=http://proxy.example.org http://example.org/a", want: "wget -e http_proxy=http://proxy.example.org https://example.org/a"},
	{name: "wget two", text: "wget http://example.org/a http://example.com/b", want: "wget https://example.org/a https://example.com/b"},
	{name: "git clone", text: "git clone --depth 1 http://github.com/a/b.git", want: "git clone --depth 1 https://github.com/a/b.git"},
	{name: "git protocol", text: "git clone git://github.com/a/b.git", want: "git clone https://github.com/a/b.git"},
	{name: "pip index", text: "pip install -i http://pypi.example.org/simple x", want: "pip install -i https://pypi.example.org/simple x"},
	{name: "pip index with =", text: "pip install --index-url=http://pypi.example.org/simple x", want: "pip install --index-url=https://pypi.example.org/simple x"},
	{name: "pip vcs", text: "pip install git+http://github.com/a/b.git#egg=b", want: "pip install git+https://github.com/a/b.git#egg=b"},
	{name: "npm registry", text: "npm install --registry http://registry.example.org", want: "npm install --registry https://registry.example.org"},
	{name: "rpm", text: "rpm -ivh http://example.org/x.rpm", want: "rpm -ivh https://example.org/x.rpm"},
	{name: "local wrapper keeps its fragment", text: "./fetch.sh http://example.org/f#sha256=12 ab", want: "./fetch.sh https://example.org/f#sha256=12 ab"},
	{name: "php", text: `php -r "readfile('http://example.org/installer');" | php`, want: `php -r "readfile('https://example.org/installer');" | php`},
	{name: "R", text: `R -e "install.packages('A', repos='http://cran.example.org')"`, want: `R -e "install.packages('A', repos='https://cran.example.org')"`},
	{name: "keyserver without a scheme", text: "apt-key adv --keyserver keyserver.ubuntu.com --recv-keys AB", want: "apt-key adv --keyserver hkps://keyserver.ubuntu.com --recv-keys AB"},
	{name: "keyserver hkp", text: "gpg --keyserver hkp://keyserver.ubuntu.com:80 --recv-keys AB", want: "gpg --keyserver hkps://keyserver.ubuntu.com --recv-keys AB"},
	{
		name: "keyserver loop", text: "for s in hkp://keyserver.ubuntu.com keys.openpgp.org; do gpg --keyserver \"$s\" --recv-keys AB && break; done",
		want: "for s in hkps://keyserver.ubuntu.com hkps://keys.openpgp.org; do gpg --keyserver \"$s\" --recv-keys AB && break; done",
	},
	{
		name: "fetch inside a fetched word", text: "wget http://example.org/`curl -sS example.org/LATEST`/file",
		want: "wget https://example.org/`curl -sS https://example.org/LATEST`/file",
	},
	{name: "single-label host without a scheme", text: "wget http://example.org/`curl -sS h/LATEST`/file", want: "wget https://example.org/`curl -sS h/LATEST`/file"},
	{name: "xargs", text: "echo http://example.org/a | xargs wget", want: "echo https://example.org/a | xargs wget"},
	{name: "while read", text: "printf '%s\\n' http://example.org/a | while read u; do wget \"$u\"; done", want: "printf '%s\\n' https://example.org/a | while read u; do wget \"$u\"; done"},
	{name: "sudo and env", text: "sudo -u app env A=b wget http://example.org/a", want: "sudo -u app env A=b wget https://example.org/a"},
	{name: "home-made retry", text: "with_backoff 5 curl -fsS example.org/a", want: "with_backoff 5 curl -fsS https://example.org/a"},
	{
		name: "branches", text: "if true; then wget http://example.org/a; else wget http://example.org/b; fi; (curl http://example.org/c)",
		want: "if true; then wget https://example.org/a; else wget https://example.org/b; fi; (curl https://example.org/c)",
	},
	{name: "function", text: "get() { curl -O \"$1\"; }; get http://example.org/a", want: "get() { curl -O \"$1\"; }; get https://example.org/a"},
	{name: "nested subshells", text: "((wget http://example.org/a) || true)", want: "((wget https://example.org/a) || true)"},
	{name: "insteadOf clear text", text: `git config --global url."http://".insteadOf git://`, want: `git config --global url."https://".insteadOf git://`},
	{
		name: "repository written for apk", text: "echo http://dl-cdn.alpinelinux.org/alpine/edge/testing >> /etc/apk/repositories",
		want: "echo https://dl-cdn.alpinelinux.org/alpine/edge/testing >> /etc/apk/repositories",
	},
	{name: "script piped to a shell", text: "echo 'wget http://example.org/a' | sh", want: "echo 'wget https://example.org/a' | sh"},
	{name: "upper-case scheme", text: "curl HTTP://example.org/x", want: "curl https://example.org/x"},
	{name: "mirror for a pool file", cfg: mirrors, text: "wget http://deb.debian.org/debian/pool/main/h/x.deb", want: "wget https://mirror.example/debian/pool/main/h/x.deb"},
	{name: "no mirror for an unknown use", cfg: mirrors, text: "./get http://deb.debian.org/debian/pool/main/h/x.deb", want: "./get https://deb.debian.org/debian/pool/main/h/x.deb"},
}

var keepCases = []shellCase{
	{name: "loopback", text: "pip config set global.index-url http://127.0.0.1:9876/"},
	{name: "printed", text: "echo see http://example.org/docs"},
	{name: "text for people", text: `printf 'docs: http://example.org/\n' > /etc/motd`},
	{name: "server's own configuration", text: "echo 'proxy_pass http://backend.example.org;' > /etc/nginx/conf.d/x.conf"},
	{name: "grep pattern", text: "grep -q 'http://example.org/x' /etc/hosts"},
	{name: "awk pattern", text: `awk '/http:\/\/example.org/ {print}' f`},
	{name: "case pattern", text: `case "$u" in http://example.org/*) echo yes;; esac`},
	{name: "test", text: `[ "$u" = http://example.org/ ] && echo same`},
	{name: "double bracket", text: `[[ $u == http://example.org/* ]] && echo same`},
	{name: "proxy variables", text: "export http_proxy=http://proxy.example.org:3128 https_proxy=\"http://proxy.example.org:3128\"; true"},
	{name: "proxy assignment", text: "HTTPS_PROXY=http://proxy.example.org pip install x"},
	{name: "git proxy", text: "git config --global http.proxy http://proxy.example.org:3128"},
	{name: "npm proxy", text: "npm config set https-proxy http://proxy.example.org:3128"},
	{name: "apt proxy", text: `echo 'Acquire::http::Proxy "http://proxy.example.org:3142";' > /etc/apt/apt.conf.d/01proxy`},
	{name: "proxy in /etc/environment", text: `echo 'https_proxy="http://proxy.example.org:8080"' >> /etc/environment`},
	{name: "pom", text: `echo '<project xmlns="http://maven.apache.org/POM/4.0.0" xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">' > pom.xml`},
	{name: "xmlstarlet", text: `xmlstarlet ed -N x="http://example.org/schema" -u //x:a -v b f.xml`},
	{name: "sed pattern without a scheme", text: "sed -i s/deb.debian.org/archive.debian.org/ /etc/apt/sources.list"},
	{name: "sed delete", text: "sed -i '/jessie-updates main/d;/http:\\/\\/example.org/d' /etc/apt/sources.list"},
	{name: "sed uncomment", text: "sed -i '/deb http.*universe/ s/^# //' /etc/apt/sources.list"},
	{name: "sed regex", text: `sed -i 's%http:[^ ]\+%https://example.org%' /etc/apt/sources.list`},
	{name: "sed own fix", text: "sed -i 's|http://dl-cdn.alpinelinux.org|https://dl-cdn.alpinelinux.org|' /etc/apk/repositories"},
	{name: "perl filter", text: `perl -pi -e 's{http://example.org}{https://example.org}' f`},
	{name: "insteadOf mitigation", text: `git config --global url."https://".insteadOf git://`},
	{name: "git key", text: `git config --global http.http://example.org/.sslVerify true`},
	{name: "gem source removed", text: "gem sources --remove http://rubygems.org/"},
	{name: "comment", text: "true # see http://example.org/\nfalse"},
	{name: "already tls", text: "curl https://example.org/x; git clone https://github.com/a/b"},
	{name: "credentials to a mirror", cfg: mirrors, text: "true"},
	{name: "private", text: "curl http://10.0.0.3/x http://registry/x http://nexus.corp.internal/x"},
	{name: "heredoc for people", text: "cat <<EOF > /etc/motd\nsee http://example.org/\nEOF"},
	{name: "awk program that feeds wget", text: `awk '{print "http://example.org"$1}' list | xargs wget`},
}

var quotingCases = []shellCase{
	{name: "double quotes", text: `curl "http://example.org/x?a=1&b=2"`, want: `curl "https://example.org/x?a=1&b=2"`},
	{name: "single quotes", text: `curl 'http://example.org/x'`, want: `curl 'https://example.org/x'`},
	{name: "glued quotes", text: `curl ht"tp://exam"ple.org/x`, want: `curl ht"tps://exam"ple.org/x`},
	{name: "escaped", text: `curl http\://example.org/x`, want: `curl https\://example.org/x`},
	{name: "continued inside a word", text: "curl \"http://example.org/a\\\nb\"", want: "curl \"https://example.org/a\\\nb\""},
	{name: "ansi quotes", text: `curl $'http://example.org/x\ty'`, want: `curl $'https://example.org/x\ty'`},
	{name: "mirror in a continued word", cfg: mirrors, text: "curl \"http://deb.deb\\\nian.org/debian/a\"", want: "curl \"https://mirror.example\\\n/debian/a\""},
	{
		name: "escaped slashes in sed", cfg: mirrors, text: `sed -i 's/x/http:\/\/deb.debian.org\/debian/' /etc/apt/sources.list`,
		want: `sed -i 's/x/https:\/\/mirror.example\/debian/' /etc/apt/sources.list`,
	},
	{name: "list in one word", text: "X=http://example.org/a,http://example.com/b ./run", want: "X=https://example.org/a,https://example.com/b ./run"},
	{name: "CRLF", text: "set -e\r\nwget http://example.org/a\r\n", want: "set -e\r\nwget https://example.org/a\r\n"},
}

var aptCases = []shellCase{
	{
		name: "echo", text: `echo "deb http://deb.debian.org/debian bookworm main" > /etc/apt/sources.list.d/x.list`,
		want: `echo "deb https://deb.debian.org/debian bookworm main" > /etc/apt/sources.list.d/x.list`,
	},
	{
		name: "tee", text: `echo "deb http://deb.debian.org/debian bookworm main" | sudo tee /etc/apt/sources.list`,
		want: `echo "deb https://deb.debian.org/debian bookworm main" | sudo tee /etc/apt/sources.list`,
	},
	{
		name: "heredoc", text: "cat > /etc/apt/sources.list <<EOF\n# deb http://deb.debian.org/debian x main\ndeb http://deb.debian.org/debian bookworm main\nEOF",
		want: "cat > /etc/apt/sources.list <<EOF\n# deb http://deb.debian.org/debian x main\ndeb https://deb.debian.org/debian bookworm main\nEOF",
	},
	{
		name: "tee heredoc", text: "tee /etc/apt/sources.list.d/a.sources <<-'EOF' >/dev/null\n\tTypes: deb\n\tURIs: http://deb.debian.org/debian\n\tEOF",
		want: "tee /etc/apt/sources.list.d/a.sources <<-'EOF' >/dev/null\n\tTypes: deb\n\tURIs: https://deb.debian.org/debian\n\tEOF",
	},
	{
		name: "lines with the shell's own newlines", text: "echo \"deb http://deb.debian.org/debian x main\\n\\\ndeb http://deb.debian.org/debian-security x main\" > /etc/apt/sources.list",
		want: "echo \"deb https://deb.debian.org/debian x main\\n\\\ndeb https://deb.debian.org/debian-security x main\" > /etc/apt/sources.list",
	},
	{
		name: "in sh -c", text: `sudo sh -c 'echo "deb http://apt.postgresql.org/pub/repos/apt/ $(lsb_release -cs)-pgdg main" > /etc/apt/sources.list.d/pgdg.list'`,
		want: `sudo sh -c 'echo "deb https://apt.postgresql.org/pub/repos/apt/ $(lsb_release -cs)-pgdg main" > /etc/apt/sources.list.d/pgdg.list'`,
	},
	{
		name: "sed replacement", text: "sed -i 's|http://deb.debian.org/debian|http://archive.debian.org/debian|g' /etc/apt/sources.list",
		want: "sed -i 's|http://deb.debian.org/debian|https://archive.debian.org/debian|g' /etc/apt/sources.list",
	},
	{
		name: "sed append", text: `sed -i -e "\$adeb http://deb.debian.org/debian sid main" /etc/apt/sources.list`,
		want: `sed -i -e "\$adeb https://deb.debian.org/debian sid main" /etc/apt/sources.list`,
	},
	{
		name: "sed to another file", text: `sed 's,old\.host,http://${REGION}.archive.ubuntu.com,' /etc/apt/sources.list > b && mv b /etc/apt/sources.list`,
		want: `sed 's,old\.host,https://${REGION}.archive.ubuntu.com,' /etc/apt/sources.list > b && mv b /etc/apt/sources.list`,
	},
	{name: "sed to another file that is none of apt's", text: `sed 's,old\.host,http://${REGION}.archive.ubuntu.com,' x > b && mv b x`},
	{
		name: "add-apt-repository", text: `add-apt-repository "deb http://archive.ubuntu.com/ubuntu focal universe"`,
		want: `add-apt-repository "deb https://archive.ubuntu.com/ubuntu focal universe"`,
	},
	{
		name: "security root path", cfg: mirrors, text: `echo 'deb http://security.debian.org buster/updates main' > /etc/apt/sources.list`,
		want: `echo 'deb https://mirror.example/debian-security buster/updates main' > /etc/apt/sources.list`,
	},
	{
		name: "credentials stay with their host", cfg: mirrors, text: `echo 'deb http://u:p@deb.debian.org/debian x main' > /etc/apt/sources.list`,
		want: `echo 'deb https://u:p@deb.debian.org/debian x main' > /etc/apt/sources.list`,
	},
	{
		name: "in a variable", text: `S="deb http://deb.debian.org/debian x main"; echo "$S" > /etc/apt/sources.list`,
		want: `S="deb https://deb.debian.org/debian x main"; echo "$S" > /etc/apt/sources.list`,
	},
}

var variableCases = []shellCase{
	{name: "literal host, variable path", text: "curl http://example.org/$V/x", want: "curl https://example.org/$V/x"},
	{name: "shell variable", text: "U=http://example.org; curl $U/x", want: "U=https://example.org; curl $U/x"},
	{name: "shell variable never used", text: "U=http://example.org ./configure", want: "U=https://example.org ./configure"},
	{name: "shell variable only printed", text: "U=http://example.org; echo $U"},
	{name: "shell variable as a proxy", text: "P=http://proxy.example.org; export https_proxy=$P"},
	{name: "shell variable in a part", text: "U=http://example.org/a.zip; curl ${U%.zip}.tgz", want: "U=https://example.org/a.zip; curl ${U%.zip}.tgz"},
	{
		name: "branches assign", text: "case $a in x) U=http://example.org/x;; *) U=http://example.org/y;; esac; curl $U",
		want: "case $a in x) U=https://example.org/x;; *) U=https://example.org/y;; esac; curl $U",
	},
	{name: "environment", env: []string{"URL=http://example.org/x"}, text: "curl $URL", wantEnv: []string{"URL=https://example.org/x"}},
	{name: "environment, other use", env: []string{"URL=http://example.org/x"}, text: "echo $URL"},
	{name: "environment unused", env: []string{"URL=http://example.org/x"}, text: "make"},
	{name: "environment base", env: []string{"BASE=http://example.org", "V=1"}, text: `wget "${BASE}/v$V.tgz"`, wantEnv: []string{"BASE=https://example.org"}},
	{name: "environment scheme", env: []string{"S=http", "H=example.org"}, text: `wget $S://$H/x`, wantEnv: []string{"S=https"}},
	{name: "environment host", env: []string{"H=example.org"}, text: `wget http://$H/x`, want: `wget https://$H/x`},
	{name: "environment loopback host", env: []string{"H=localhost"}, text: `wget http://$H/x`},
	{name: "pip index", env: []string{"PIP_INDEX_URL=http://pypi.example.org/simple"}, text: "pip install x", wantEnv: []string{"PIP_INDEX_URL=https://pypi.example.org/simple"}},
	{name: "pip index, no pip", env: []string{"PIP_INDEX_URL=http://pypi.example.org/simple"}, text: "ls"},
	{name: "goproxy is fetched", env: []string{"GOPROXY=http://goproxy.example.org"}, text: "go build", wantEnv: []string{"GOPROXY=https://goproxy.example.org"}},
	{name: "proxy in the environment", env: []string{"http_proxy=http://proxy.example.org"}, text: "curl https://example.org"},
	{name: "default value", text: "curl ${U:-http://example.org}/x", want: "curl ${U:-https://example.org}/x"},
	{name: "host in a variable that others may use", cfg: mirrors, text: "H=deb.debian.org; wget http://$H/debian/x", want: "H=deb.debian.org; wget https://$H/debian/x"},
	{name: "mirror in the environment", cfg: mirrors, env: []string{"M=http://deb.debian.org"}, text: "curl $M/debian/x", wantEnv: []string{"M=https://mirror.example"}},
}

var nestedCases = []shellCase{
	{name: "bash -c", text: `bash -lc "wget http://example.org/a"`, want: `bash -lc "wget https://example.org/a"`},
	{name: "pipefail", text: `bash -o pipefail -c 'curl http://example.org/a | sh'`, want: `bash -o pipefail -c 'curl https://example.org/a | sh'`},
	{name: "su -c", text: `su app -c 'wget http://example.org/a'`, want: `su app -c 'wget https://example.org/a'`},
	{name: "eval", text: `eval "wget http://example.org/a"`, want: `eval "wget https://example.org/a"`},
	{name: "escaped quotes", text: `sh -c "sh -c \"wget 'http://example.org/a'\""`, want: `sh -c "sh -c \"wget 'https://example.org/a'\""`},
	{name: "shell heredoc", text: "bash <<'EOF'\nwget http://example.org/a\nEOF", want: "bash <<'EOF'\nwget https://example.org/a\nEOF"},
	{name: "python heredoc", text: "python3 - <<EOF\nimport x\nx.get('http://example.org/a')\nEOF", want: "python3 - <<EOF\nimport x\nx.get('https://example.org/a')\nEOF"},
	{name: "find exec", text: `find . -exec wget http://example.org/{} ;`, want: `find . -exec wget https://example.org/{} ;`},
	{name: "substitution", text: `V=$(curl http://example.org/v); tar x$V`, want: `V=$(curl https://example.org/v); tar x$V`},
}
