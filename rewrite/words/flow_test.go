package words_test

// functionCases: what an argument is used for is seen in the function's body.
var functionCases = []shellCase{
	{name: "argument is printed", text: `log() { echo "$@" >&2; }; log see http://example.org/help`},
	{
		name: "argument is fetched", cfg: mirrors, text: `get() { curl -O "$1"; }; get http://deb.debian.org/debian/a.deb`,
		want: `get() { curl -O "$1"; }; get https://mirror.example/debian/a.deb`,
	},
	{
		name: "argument without a scheme", text: `get() { local u=$1; wget -q "$u"; }; get example.org/a.tgz b`,
		want: `get() { local u=$1; wget -q "$u"; }; get https://example.org/a.tgz b`,
	},
	{name: "argument of a printer without a scheme", text: `say() { printf '%s\n' "$1"; }; say example.org/a.tgz`},
	{
		name: "argument becomes an apt source", cfg: mirrors,
		text: `repo() { echo "deb $1 x main" > /etc/apt/sources.list.d/$2.list; }; repo http://deb.debian.org/debian a`,
		want: `repo() { echo "deb $1 x main" > /etc/apt/sources.list.d/$2.list; }; repo https://mirror.example/debian a`,
	},
	{
		name: "command as arguments", text: `again() { until "$@"; do sleep 1; done; }; again curl -O example.org/a.tgz`,
		want: `again() { until "$@"; do sleep 1; done; }; again curl -O https://example.org/a.tgz`,
	},
	{
		name: "command behind shift", text: `try() { n=$1; shift; "$@"; }; try 3 git clone git://github.com/a/b`,
		want: `try() { n=$1; shift; "$@"; }; try 3 git clone https://github.com/a/b`,
	},
	{
		name: "command in a variable of the body", text: `run() { local c="$*"; eval "$c"; }; run wget example.org/a.tgz`,
		want: `run() { local c="$*"; eval "$c"; }; run wget https://example.org/a.tgz`,
	},
	{name: "argument that the body hides", text: `f() { ./x; }; f http://example.org/a`, want: `f() { ./x; }; f https://example.org/a`},
	{
		name: "function of functions", text: `a() { wget "$1"; }; b() { a "$2"; }; b x http://example.org/a`,
		want: `a() { wget "$1"; }; b() { a "$2"; }; b x https://example.org/a`,
	},
	{name: "substitution in each call", text: `v() { V=$(curl -s "$1"); echo "$V"; }; v example.org/a; v example.org/b`, want: `v() { V=$(curl -s "$1"); echo "$V"; }; v https://example.org/a; v https://example.org/b`},
	{name: "never called", text: `v() { wget http://example.org/a; echo http://example.org/b; }`, want: `v() { wget https://example.org/a; echo http://example.org/b; }`},
	{name: "recursion ends", text: `f() { f "$1"; f "$1"; f "$1"; }; f http://example.org/a`, want: `f() { f "$1"; f "$1"; f "$1"; }; f https://example.org/a`},
	{
		name: "positional parameters of the text", text: `set -- http://example.org/a http://example.org/b; for u; do wget "$u"; done`,
		want: `set -- https://example.org/a https://example.org/b; for u; do wget "$u"; done`,
	},
}

// fileCases: a text that is written to a file and read again.
var fileCases = []shellCase{
	{name: "script that runs", text: "echo 'curl example.org/a' > /tmp/x.sh; sh -e /tmp/x.sh", want: "echo 'curl https://example.org/a' > /tmp/x.sh; sh -e /tmp/x.sh"},
	{
		name: "script of several lines", text: "echo 'if true; then' > x; echo 'curl example.org/a; fi' >> x; ./x http://example.org/b",
		want: "echo 'if true; then' > x; echo 'curl https://example.org/a; fi' >> x; ./x https://example.org/b",
	},
	{name: "script that does not run", text: "echo 'curl http://example.org/a' > /tmp/x.sh; chmod +x /tmp/x.sh"},
	{
		name: "script with a shebang", text: "printf '#!/bin/sh\\nwget example.org/a.tgz\\n' > /usr/bin/get && chmod +x /usr/bin/get && get",
		want: "printf '#!/bin/sh\\nwget https://example.org/a.tgz\\n' > /usr/bin/get && chmod +x /usr/bin/get && get",
	},
	{name: "heredoc script that runs", text: "cat > x <<'E'\ncurl http://example.org/a\nE\nbash x", want: "cat > x <<'E'\ncurl https://example.org/a\nE\nbash x"},
	{name: "entry point", text: "cat > /entry.sh <<'E'\n#!/bin/sh\ncurl http://example.org/a\nE\nchmod +x /entry.sh"},
	{name: "sourced", text: "echo 'U=http://example.org/a' > env; . env; wget $U", want: "echo 'U=https://example.org/a' > env; . env; wget $U"},
	{name: "code that runs", text: `echo 'f("http://example.org/a")' > x.R && Rscript x.R`, want: `echo 'f("https://example.org/a")' > x.R && Rscript x.R`},
	{name: "list of wget", text: "echo http://example.org/a > l; wget -i l", want: "echo https://example.org/a > l; wget -i l"},
	{name: "list that nothing reads", text: "echo http://example.org/a > l; wget -O l https://example.org/b"},
	{name: "requirements", text: "printf 'x @ http://example.org/x.whl\\n' > req && pip install -r req", want: "printf 'x @ https://example.org/x.whl\\n' > req && pip install -r req"},
	{name: "cat to xargs", text: "echo http://example.org/a > l; cat l | xargs -n1 curl -O", want: "echo https://example.org/a > l; cat l | xargs -n1 curl -O"},
	{name: "cat to the terminal", text: "echo http://example.org/a > l; cat l"},
	{name: "redirected into a loop", text: "echo http://example.org/a > l; while read u; do wget $u; done < l", want: "echo https://example.org/a > l; while read u; do wget $u; done < l"},
	{
		name: "moved to an apt source", text: "echo 'deb http://deb.debian.org/debian x main' > t && mv t /etc/apt/sources.list",
		want: "echo 'deb https://deb.debian.org/debian x main' > t && mv t /etc/apt/sources.list",
	},
	{name: "moved into a folder", text: "echo 'Server = http://example.org/a' > t.conf && mv t.conf /etc/pacman.d/", want: "echo 'Server = https://example.org/a' > t.conf && mv t.conf /etc/pacman.d/"},
	{name: "moved elsewhere", text: "echo 'deb http://deb.debian.org/debian x main' > t && mv t /usr/share/doc/x"},
	{
		name: "sed by way of a copy", text: "sed 's|http://example.org|http://example.com|' /etc/apt/sources.list > t; cp t /etc/apt/sources.list",
		want: "sed 's|http://example.org|https://example.com|' /etc/apt/sources.list > t; cp t /etc/apt/sources.list",
	},
	{
		name: "put before a configuration", text: "echo 'Server = http://example.org/a' | cat - /etc/pacman.conf > t && mv t /etc/pacman.conf",
		want: "echo 'Server = https://example.org/a' | cat - /etc/pacman.conf > t && mv t /etc/pacman.conf",
	},
	{
		name: "file name in a variable", text: "f=/etc/apt/sources.list.d/x.list; echo 'deb http://example.org/apt x main' >> $f",
		want: "f=/etc/apt/sources.list.d/x.list; echo 'deb https://example.org/apt x main' >> $f",
	},
	{name: "deb line into an unknown file", text: `echo deb http://example.org/apt x main >> "$f"`, want: `echo deb https://example.org/apt x main >> "$f"`},
	{name: "text about a deb line into an unknown file", text: `echo "add deb http://example.org/apt" >> "$f"`},
	{name: "folder of cd", text: "cd /etc/apk && echo http://example.org/alpine >> repositories", want: "cd /etc/apk && echo https://example.org/alpine >> repositories"},
	{name: "folder of another cd", text: "(cd /etc/apk; true); cd /srv; echo http://example.org/alpine >> repositories"},
}

// loopCases: lists, and what a loop makes of them.
var loopCases = []shellCase{
	{
		name: "array", text: `A=(http://example.org/a http://example.org/b); for u in "${A[@]}"; do wget "$u"; done`,
		want: `A=(https://example.org/a https://example.org/b); for u in "${A[@]}"; do wget "$u"; done`,
	},
	{name: "array that is printed", text: `A=(http://example.org/a http://example.org/b); for u in "${A[@]}"; do echo "$u"; done`},
	{
		name: "list in the environment", env: []string{"L=http://example.org/a http://example.org/b"}, text: `for u in $L; do curl -O "$u/x"; done`,
		wantEnv: []string{"L=https://example.org/a https://example.org/b"},
	},
	{
		name: "key servers in any order", text: `for s in $(shuf -e keys.openpgp.org hkp://keyserver.ubuntu.com:80); do gpg --keyserver $s --recv-keys A; done`,
		want: `for s in $(shuf -e hkps://keys.openpgp.org hkps://keyserver.ubuntu.com); do gpg --keyserver $s --recv-keys A; done`,
	},
	{name: "words in any order", text: `for s in $(shuf -e keys.openpgp.org example.org); do echo $s; done`},
	{
		name: "list in a variable, in any order", text: `K="keys.openpgp.org keyserver.ubuntu.com"; for s in $(shuf -e $K); do apt-key adv --keyserver $s --recv A; done`,
		want: `K="hkps://keys.openpgp.org hkps://keyserver.ubuntu.com"; for s in $(shuf -e $K); do apt-key adv --keyserver $s --recv A; done`,
	},
	{
		name: "process substitution", text: `while read n u; do git clone $u $n; done < <(printf 'a http://github.com/a/a\nb http://github.com/b/b\n')`,
		want: `while read n u; do git clone $u $n; done < <(printf 'a https://github.com/a/a\nb https://github.com/b/b\n')`,
	},
	{name: "process substitution that is compared", text: `while read n u; do echo $u; done < <(grep http://example.org f)`},
	{
		name: "output process substitution", text: "echo 'deb http://example.org/apt x main' > >(tee /etc/apt/sources.list.d/x.list)",
		want: "echo 'deb https://example.org/apt x main' > >(tee /etc/apt/sources.list.d/x.list)",
	},
	{name: "comment in a list", text: "wget -i - <<E\n# http://example.org/no\nhttp://example.org/a\nE", want: "wget -i - <<E\n# http://example.org/no\nhttps://example.org/a\nE"},
}
