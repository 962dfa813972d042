package words_test

// proxyCases: proxies in their spellings, and programs that are named so.
var proxyCases = []shellCase{
	{
		name: "download of a program named proxy", text: "OAUTH2_PROXY_URL=http://example.org/oauth2_proxy.tgz; curl -O $OAUTH2_PROXY_URL",
		want: "OAUTH2_PROXY_URL=https://example.org/oauth2_proxy.tgz; curl -O $OAUTH2_PROXY_URL",
	},
	{name: "variable with a proxy's address", text: "BUILD_PROXY_URL=http://example.org:3128; export http_proxy=$BUILD_PROXY_URL"},
	{
		name: "HAProxy", text: "HAPROXY_URL=http://www.haproxy.org/x.tgz; wget $HAPROXY_URL; aria2c -o haproxy http://www.haproxy.org",
		want: "HAPROXY_URL=https://www.haproxy.org/x.tgz; wget $HAPROXY_URL; aria2c -o haproxy https://www.haproxy.org",
	},
	{name: "proxy with a path", text: "export HTTPS_PROXY=http://example.org:3128/x"},
	{name: "argument of a script", text: "bash ./setup.sh --proxy http://example.org:3128; ./configure --with-proxy=http://example.org:3128; make HTTP_PROXY=http://example.org:3128"},
	{
		name: "map of proxies", text: `python3 -c 'get("http://example.org/a", proxies={"http": "http://example.com:3128"})'`,
		want: `python3 -c 'get("https://example.org/a", proxies={"http": "http://example.com:3128"})'`,
	},
	{name: "environment in code", text: `python3 -c 'os.environ["http_proxy"] = "http://example.com:3128"'`},
	{name: "apt option", text: "apt-get -o Acquire::http::Proxy=http://example.org:3142 update"},
	{name: "nested apt setting", text: `./x 'Acquire::http { Proxy "http://example.org:3142"; };'`},
	{name: "keyserver option", text: "apt-key adv --keyserver-options http-proxy=http://example.org:80 --keyserver hkps://keys.openpgp.org --recv A"},
	{name: "java", text: "MAVEN_OPTS=-Dhttp.proxyHost=http://example.org mvn -DrepoUrl=http://example.com/m2 install", want: "MAVEN_OPTS=-Dhttp.proxyHost=http://example.org mvn -DrepoUrl=https://example.com/m2 install"},
	{name: "docker", text: "docker build --build-arg http_proxy=http://example.org:3128 http://github.com/a/b.git", want: "docker build --build-arg http_proxy=http://example.org:3128 https://github.com/a/b.git"},
	{name: "pip of python", text: "python3 -m pip install --proxy http://example.org:3128 -i http://example.com/s x", want: "python3 -m pip install --proxy http://example.org:3128 -i https://example.com/s x"},
	{name: "options in a variable", env: []string{"O=-x http://example.org:3128"}, text: "curl $O http://example.com/a", want: "curl $O https://example.com/a"},
	{name: "option if set", text: "curl ${P:+-x $P} ${U:+http://example.org/a}", want: "curl ${P:+-x $P} ${U:+https://example.org/a}"},
	{name: "header in an option", text: `aria2c --header="Referer: http://example.org/a" http://example.org/b`, want: `aria2c --header="Referer: http://example.org/a" https://example.org/b`},
	{name: "local socket", text: "curl --unix-socket /run/x.sock http://example.org/a; curl --resolve example.org:80:127.0.0.1 http://example.org/b"},
	{name: "resolved elsewhere", text: "curl --resolve example.org:443:192.0.2.1 http://example.org/b", want: "curl --resolve example.org:443:192.0.2.1 https://example.org/b"},
}

// holdCases: values that something takes apart or compares.
var holdCases = []shellCase{
	{name: "scheme taken off", env: []string{"U=http://example.org/a"}, text: `curl $U; curl "https://${U#http://}"`},
	{name: "scheme taken off a shell variable", text: `U=http://example.org/a; curl $U; echo ${U/http:/x}; echo ${U:7}`},
	{name: "scheme taken off, whatever it is", env: []string{"U=http://example.org/a"}, text: `curl $U; echo ${U#*://} ${U##*/}`, wantEnv: []string{"U=https://example.org/a"}},
	{name: "file taken off", env: []string{"U=http://example.org/d/a"}, text: `curl ${U%/*}/b; curl ${U/a/b}`, wantEnv: []string{"U=https://example.org/d/a"}},
	{name: "file taken off, and printed", env: []string{"U=http://example.org/d/a"}, text: `echo ${U%/*}; mkdir ${U##*/}`},
	{name: "file taken off for a mirror", cfg: mirrors, env: []string{"U=http://deb.debian.org/debian/a"}, text: `curl ${U%/*}/b`, wantEnv: []string{"U=https://deb.debian.org/debian/a"}},
	{name: "slash taken off", env: []string{"U=http://example.org/"}, text: `curl ${U%/}/a`, wantEnv: []string{"U=https://example.org/"}},
	{name: "compared with an address", env: []string{"U=http://example.org/a"}, text: `if [ "$U" != http://example.org/a ]; then curl $U; fi`},
	{name: "compared with nothing", env: []string{"U=http://example.org/a"}, text: `[ -n "$U" ] && [ "$U" != none ] && curl $U`, wantEnv: []string{"U=https://example.org/a"}},
	{name: "matched by its scheme", env: []string{"U=http://example.org/a"}, text: `case "$U" in http://*) curl $U;; *) cp $U .;; esac`},
	{name: "matched by either scheme", env: []string{"U=http://example.org/a"}, text: `case "$U" in http://*|https://*) curl $U;; esac; [[ $U =~ ^https?:// ]]`, wantEnv: []string{"U=https://example.org/a"}},
}

// wrapperCases: programs that start programs.
var wrapperCases = []shellCase{
	{name: "list of packages", text: "add-pkgs curl php7.4-curl libc6.1-dev example.org; ./need curl wget; install_packages curl wget.org"},
	{name: "apt by a home-made retry", text: "again apt-get update; again 5 wget -q example.org/a.tgz", want: "again apt-get update; again 5 wget -q https://example.org/a.tgz"},
	{name: "trap", text: "trap 'curl http://example.org/a' EXIT", want: "trap 'curl https://example.org/a' EXIT"},
	{name: "eval of words", text: "eval curl -fsS example.org/$X", want: "eval curl -fsS https://example.org/$X"},
	{name: "echo of words to a shell", text: "echo curl -O example.org/a.tgz | bash -e", want: "echo curl -O https://example.org/a.tgz | bash -e"},
	{name: "echo of words to the terminal", text: "echo curl -O http://example.org/a.tgz"},
	{name: "program in a variable", text: `W="wget -q"; $W example.org/a.tgz`, want: `W="wget -q"; $W https://example.org/a.tgz`},
	{name: "command in the environment", env: []string{"C=wget http://example.org/a"}, text: `sh -c "$C"; $C`, wantEnv: []string{"C=wget https://example.org/a"}},
	{name: "cluster with a value", text: "sudo -iu app curl example.org/a", want: "sudo -iu app curl https://example.org/a"},
	{name: "runuser", text: "runuser -u app -- wget example.org/a", want: "runuser -u app -- wget https://example.org/a"},
	{name: "su reads a heredoc", text: "su - app <<'E'\ncurl example.org/a\nE", want: "su - app <<'E'\ncurl https://example.org/a\nE"},
	{name: "software collection", text: "scl enable devtoolset-7 'curl example.org/a'", want: "scl enable devtoolset-7 'curl https://example.org/a'"},
	{name: "host with a port and no scheme", text: "curl example.org:80/a localhost:8080/b", want: "curl https://example.org/a localhost:8080/b"},
	{name: "brace list", text: "curl -O http://example.org/{a,b}.tgz", want: "curl -O https://example.org/{a,b}.tgz"},
	{name: "alias", text: `alias cpanm="cpanm --mirror http://example.org/cpan"`, want: `alias cpanm="cpanm --mirror https://example.org/cpan"`},
}
