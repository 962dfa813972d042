package rewrite

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// aptTable are commands as public Dockerfiles have them, with the reason why
// they run apt, or may: a certain one ends in "!".
var aptTable = []struct{ command, want string }{
	// apt itself
	{`apt-get update`, "runs apt-get!"},
	{`apt-get update && apt-get install -y --no-install-recommends curl ca-certificates && rm -rf /var/lib/apt/lists/*`, "runs apt-get!"},
	{`apt update -y`, "runs apt!"},
	{`apt install -yqq git`, "runs apt!"},
	{`DEBIAN_FRONTEND=noninteractive apt-get -qq install tzdata`, "runs apt-get!"},
	{`/usr/bin/apt-get update`, "runs apt-get!"},
	{`\apt-get update`, "runs apt-get!"},
	{`sudo apt-get update`, "runs apt-get!"},
	{`sudo -E -u root apt-get update`, "runs apt-get!"},
	{`env DEBIAN_FRONTEND=noninteractive apt-get update`, "runs apt-get!"},
	{`time apt-get update`, "runs apt-get!"},
	{`nice -n 19 apt-get upgrade -y`, "runs apt-get!"},
	{`timeout 600 apt-get update`, "runs apt-get!"},
	{`eatmydata apt-get install -y x`, "runs apt-get!"},
	{`exec apt-get update`, "runs apt-get!"},
	{`xargs apt-get install -y <packages.txt`, "runs apt-get!"},
	{`cat packages.txt | xargs -r sudo apt-get install -y`, "runs apt-get!"},
	{`grep -v '^#' apt.txt | xargs apt install`, "runs apt!"},
	{`bash -c "apt-get update"`, "runs apt-get!"},
	{`sh -exc 'apt-get update'`, "runs apt-get!"},
	{`su - root -c "apt-get update"`, "runs apt-get!"},
	{`su -lc 'apt-get update' root`, "runs apt-get!"},
	{`runuser -l app -- apt-get update`, "runs apt-get!"},
	{`chroot / apt-get update`, "runs apt-get!"},
	{`eval apt-get update`, "runs apt-get!"},
	{`trap 'apt-get clean; apt-get update' EXIT`, "runs apt-get!"},
	{`if ! command -v git; then apt-get update; fi`, "runs apt-get!"},
	{`for p in curl git; do apt-get install -y $p; done`, "runs apt-get!"},
	{`while ! apt-get update; do sleep 1; done`, "runs apt-get!"},
	{`case $(uname -m) in x86_64) apt-get install -y x;; esac`, "runs apt-get!"},
	{`(apt-get update || true) && true`, "runs apt-get!"},
	{`{ apt-get update; } >/dev/null 2>&1`, "runs apt-get!"},
	{`x=$(apt-get update)`, "runs apt-get!"},
	{`echo "$(apt-get -s install x)"`, "runs apt-get!"},
	{`install_it() { apt-get install -y "$@"; }; install_it curl`, "runs apt-get!"},
	{`run() { "$@"; }; run apt-get update`, "runs apt-get!"},
	{`retry 5 apt-get update`, "runs apt-get!"},
	{`find /etc -name x -exec apt-get install -y {} \;`, "runs apt-get!"},
	{`find / -name a -exec rm {} + -o -exec apt-get update \;`, "runs apt-get!"},
	{`A=apt-get; $A update`, "runs apt-get!"},
	{`for cmd in ls apt-get; do $cmd update; done`, "runs apt-get!"},
	{`aptitude install -y x`, "runs aptitude!"},
	{`add-apt-repository ppa:deadsnakes/ppa`, "runs add-apt-repository!"},
	{`apt-file update`, "runs apt-file!"},
	{`unattended-upgrade -d`, "runs unattended-upgrade!"},
	{`apt-get remove -y x+`, "runs apt-get!"},
	{`apt-get -o Dir::Cache=/x build-dep x`, "runs apt-get!"},
	{`apt-get source hello`, "runs apt-get!"},
	{`apt-get $COMMAND`, "runs apt-get!"},
	{`ls & apt-get update`, "runs apt-get!"},
	{`true | apt-get update`, "runs apt-get!"},
	// apt without a fetch
	{`apt-get clean`, ""},
	{`apt-get clean && rm -rf /var/lib/apt/lists/* /tmp/* /var/tmp/*`, ""},
	{`apt-get -y autoremove --purge`, ""},
	{`apt-get purge -y --auto-remove gcc make`, ""},
	{`apt-get remove -y wget`, ""},
	{`sudo apt-get autoclean`, ""},
	{`apt list --installed`, ""},
	{`apt-get --version`, ""},
	{`apt-mark hold libc6`, ""},
	{`apt-mark showmanual >/tmp/m`, ""},
	{`apt-cache policy`, ""},
	{`apt-key add -`, ""},
	{`apt-config dump`, ""},
	{`command -v apt-get`, ""},
	{`which apt-get`, ""},
	{`type apt-get >/dev/null`, ""},
	// what may be anything
	{`$INSTALL`, "the command is a variable and may run apt"},
	{`"${PKG_MANAGER}" install x`, "the command is a variable and may run apt"},
	{`$(which foo) install`, "the command is a variable and may run apt"},
	{`./setup.sh`, "setup.sh may run apt"},
	{`/opt/setup.sh --yes`, "setup.sh may run apt"},
	{`bash setup.sh`, "the script that bash runs may run apt"},
	{`sh /tmp/install`, "the script that sh runs may run apt"},
	{`curl -fsSL https://example.com/install.sh | bash`, "the script that bash runs may run apt"},
	{`curl -fsSL https://example.com/setup_20.x | sudo -E bash -`, "the script that bash runs may run apt"},
	{`wget -qO- https://example.com/i | sh -s -- -y`, "the script that sh runs may run apt"},
	{`bash <(curl -s https://example.com/i)`, "the script that bash runs may run apt"},
	{`sh -c "$(curl -fsSL https://example.com/i)"`, "the command is a variable and may run apt"},
	{`sh -c "$SCRIPT"`, "the command is a variable and may run apt"},
	{`eval "$(conda shell.bash hook)"`, "conda may run apt"},
	{`source /opt/venv/bin/activate`, "the file that is sourced may run apt"},
	{`. "$NVM_DIR/nvm.sh"`, "the file that is sourced may run apt"},
	{`. /etc/os-release && echo $ID`, ""},
	{`source /etc/os-release`, ""},
	{`sudo -i`, "what sudo starts may run apt"},
	{`sudo sh -c 'echo 1 >/x'`, ""},
	{`sudo su`, "what su starts may run apt"},
	{`su app`, "what su starts may run apt"},
	{`xargs env <list`, "xargs may run apt"},
	{`xargs sudo <list`, "what sudo starts may run apt"},
	{`xargs -I{} {} update`, "a program may run apt"},
	{`xargs -I{} sh -c '{}'`, "a program may run apt"},
	{`xargs -n1 sh`, "the script that sh runs may run apt"},
	{`env -S "apt-get update"`, "env may run apt"},
	{`flock /lock -c "apt-get update"`, "-c may run apt"},
	{`parallel <list`, "parallel may run apt"},
	{`make`, "make may run apt"},
	{`make -j$(nproc) install`, "make may run apt"},
	{`cmake --build .`, "cmake may run apt"},
	{`ninja`, "ninja may run apt"},
	{`./configure --prefix=/usr`, "configure may run apt"},
	{`npm ci`, "npm may run apt"},
	{`npm install -g yarn`, "npm may run apt"},
	{`npm config set fund false`, ""},
	{`npm cache clean --force`, ""},
	{`npx playwright install --with-deps`, "npx may run apt"},
	{`yarn install --frozen-lockfile`, "yarn may run apt"},
	{`yarn cache clean`, ""},
	{`pnpm i`, "pnpm may run apt"},
	{`corepack enable`, ""},
	{`pip install -r requirements.txt`, "pip may run apt"},
	{`pip3 install --no-cache-dir x`, "pip3 may run apt"},
	{`pip config set global.index-url https://example.com/simple`, ""},
	{`pip cache purge`, ""},
	{`python3 -m pip install x`, "python3 may run apt"},
	{`python setup.py install`, "python may run apt"},
	{`python3 -c 'print(1)'`, "python3 may run apt"},
	{`uv sync`, "uv may run apt"},
	{`poetry install`, "poetry may run apt"},
	{`conda install -y x`, "conda may run apt"},
	{`gem install bundler`, "gem may run apt"},
	{`bundle install`, "bundle may run apt"},
	{`composer install`, "composer may run apt"},
	{`cargo build --release`, "cargo may run apt"},
	{`go build ./...`, ""},
	{`go mod download`, ""},
	{`CGO_ENABLED=0 GOOS=linux go build -o /app .`, ""},
	{`go generate ./...`, "go may run apt"},
	{`go run ./cmd/x`, "go may run apt"},
	{`go test ./...`, "go may run apt"},
	{`mvn package`, "mvn may run apt"},
	{`./gradlew build`, "gradlew may run apt"},
	{`gradle build`, "gradle may run apt"},
	{`dotnet publish -c Release`, "dotnet may run apt"},
	{`perl -e 1`, "perl may run apt"},
	{`ruby x.rb`, "ruby may run apt"},
	{`node build.js`, "node may run apt"},
	{`php x.php`, "php may run apt"},
	{`docker-php-ext-install pdo`, "docker-php-ext-install may run apt"},
	{`dpkg -i x.deb`, "dpkg may run apt"},
	{`dpkg --install /tmp/x.deb`, "dpkg may run apt"},
	{`dpkg --add-architecture i386`, ""},
	{`dpkg --print-architecture`, ""},
	{`arch="$(dpkg --print-architecture)" && curl -O https://example.com/$arch`, ""},
	{`dpkg -x a.deb /`, ""},
	{`dpkg-reconfigure -f noninteractive tzdata`, "dpkg-reconfigure may run apt"},
	{`service mysql start`, "service may run apt"},
	{`systemctl enable x`, "systemctl may run apt"},
	{`/opt/bin/curl x`, "curl may run apt"},
	{`bin/tar x`, "tar may run apt"},
	{`../tool`, "tool may run apt"},
	{`/usr/local/bin/wget x`, ""},
	{`/bin/cp a b`, ""},
	{`sed -n '1e apt-get update' x`, "sed may run apt"},
	{`sed 's/x/date/e' x`, "sed may run apt"},
	{`sed -i 's/archive.ubuntu.com/mirror.example.com/g; s/e/f/' /etc/apt/sources.list`, ""},
	{`sed -i -e 's|http://deb.debian.org|https://deb.debian.org|' -e '/^#/d' /etc/apt/sources.list`, ""},
	{`awk '{ system("x") }' f`, "awk may run apt"},
	{`awk '{ "date" | getline d }' f`, "awk may run apt"},
	{`awk -F: '$3 >= 1000 { print $1 }' /etc/passwd`, ""},
	{`awk '/foo|bar/ { print $2 }' f`, ""},
	{`tar -xzf x.tgz -C /opt --strip-components=1`, ""},
	{`tar -I zstd -xf x`, ""},
	{`tar -I ./packer -xf x`, "tar may run apt"},
	{`tar xf x --to-command=./y`, "tar may run apt"},
	{`tar --use-compress-program=pigz -cf x y`, ""},
	{`split --filter='gzip >x' y`, "split may run apt"},
	{`split -b 10M x`, ""},
	{`git clone --depth 1 https://example.com/x`, ""},
	{`git -c advice.detachedHead=false checkout v1`, ""},
	{`git submodule update --init --recursive`, ""},
	{`git submodule foreach 'make'`, "git may run apt"},
	{`find / -name '*.pyc' -delete`, ""},
	{`find . -type f -exec chmod 644 {} +`, ""},
	{`find . -name '*.sh' -exec {} \;`, "a program may run apt"},
	{`find . -exec sh -c 'rm "$1"' _ {} \;`, ""},
	{`alias ll='ls -l'`, ""},
	{`f() { make; }; f`, "make may run apt"},
	{`f() { make; }`, "make may run apt"},
	{`coproc make`, "make may run apt"},
	{`! make`, "make may run apt"},
	{`echo 'set -e; apt-get update' >/x.sh`, "the text names apt and may run it"},
	{`printf '%s\n' 'apt-get install -y x' | sh`, "runs apt-get!"},
	{`(make`, "the command can't be read as shell and may run apt"},
	// what certainly is not
	{`true`, ""},
	{`:`, ""},
	{`echo hello`, ""},
	{`mkdir -p /app && cd /app && cp -r /src/. . && chmod -R a+rX .`, ""},
	{`groupadd -r app && useradd -r -g app -d /app app`, ""},
	{`adduser --disabled-password --gecos '' app`, ""},
	{`addgroup -S app && adduser -S app -G app`, ""},
	{`apk add --no-cache curl`, ""},
	{`apk update && apk upgrade`, ""},
	{`yum install -y x && yum clean all`, ""},
	{`dnf -y install x`, ""},
	{`microdnf install x`, ""},
	{`zypper -n in x`, ""},
	{`pacman -Syu --noconfirm`, ""},
	{`curl -fsSLo /usr/local/bin/x https://example.com/x && chmod +x /usr/local/bin/x`, ""},
	{`wget -q https://example.com/x.tgz && tar xzf x.tgz && rm x.tgz`, ""},
	{`curl -fsSL https://example.com/k.asc | gpg --dearmor -o /usr/share/keyrings/k.gpg`, ""},
	{`echo "deb https://example.com x main" >/etc/apt/sources.list.d/x.list`, ""},
	{`echo 'APT::Install-Recommends "false";' >/etc/apt/apt.conf.d/99x`, ""},
	{`rm -rf /var/lib/apt/lists/*`, ""},
	{`ln -sf /usr/share/zoneinfo/UTC /etc/localtime && echo UTC >/etc/timezone`, ""},
	{`echo 'en_US.UTF-8 UTF-8' >>/etc/locale.gen && locale-gen`, ""},
	{`update-ca-certificates`, ""},
	{`ldconfig`, ""},
	{`sha256sum -c sums`, ""},
	{`test -f /x && [ -d /y ] && [[ $A == b ]]`, ""},
	{`set -eux; export A=b; unset C; readonly D=e`, ""},
	{`for i in 1 2 3; do touch $i; done`, ""},
	{`cat >/etc/x.conf <<'X'
a = b
X`, ""},
	{`unzip -q x.zip -d /opt && mv /opt/x-* /opt/x`, ""},
	{`usermod -aG sudo app && passwd -d app`, ""},
	{`sed -i 's/^#//' /etc/x && grep -q a /etc/x || echo a >>/etc/x`, ""},
	{`gcc -O2 -o x x.c && strip x && install -m 755 x /usr/local/bin`, ""},
	{`openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout k -out c`, ""},
	{`sudo chown app /app`, ""},
	{`busybox wget https://example.com/x`, ""},
	{`command cp a b`, ""},
	{`exec 2>&1`, ""},
	{`setcap cap_net_bind_service=+ep /app/x`, ""},
	{`date +%s >/build-time && uname -a && id && env`, ""},
	{`sh -c 'cp a b && rm c'`, ""},
	{`bash -lc 'mkdir x'`, ""},
	{`command -v curl >/dev/null || exit 1`, ""},
	{`jq -r .x y.json >z`, ""},
	{`yes | cp -i a b`, ""},
}

func TestApt(t *testing.T) {
	t.Parallel()
	for _, tc := range aptTable {
		if got := aptReason(t, shellForm(tc.command)); got != tc.want {
			t.Errorf("%s\n got %q\nwant %q", tc.command, got, tc.want)
		}
	}
}

// shellForm is a RUN in shell form.
func shellForm(text string) words.Input { return execForm("/bin/sh", "-c", text) }

func execForm(args ...string) words.Input { return words.Input{Args: synthetic(args)} }

func aptUse(t testing.TB, cmd words.Input) AptUse {
	t.Helper()
	table, err := route.NewTable(route.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return Apt(cmd, words.Analyse(cmd, table))
}

func aptReason(t testing.TB, cmd words.Input) string {
	t.Helper()
	u := aptUse(t, cmd)
	if u.Certain {
		return u.Reason + "!"
	}
	return u.Reason
}

// TestAptForms are commands that are no shell text, or not one alone.
func TestAptForms(t *testing.T) {
	t.Parallel()
	script := func(text string) words.Input {
		cmd := execForm("/dev/pipes/EOF")
		cmd.Script = textmap.Synthetic(text)
		return cmd
	}
	deep := "apt-get update"
	for range 12 {
		deep = "sh -c " + strconv.Quote(deep)
	}
	for name, tc := range map[string]struct {
		cmd  words.Input
		want string
	}{
		"exec form":         {execForm("apt-get", "update"), "runs apt-get!"},
		"exec form, shell":  {execForm("/bin/bash", "-c", "cp a b"), ""},
		"exec form, path":   {execForm("/app/install"), "install may run apt"},
		"exec form, cp":     {execForm("cp", "a", "b"), ""},
		"shell with words":  {execForm("/bin/bash", "-o", "pipefail", "-c", "cp a b"), ""},
		"shell elsewhere":   {execForm("/busybox/sh", "-c", "cp a b"), ""},
		"wrapped shell":     {execForm("conda", "run", "-n", "x", "/bin/bash", "-c", "cp a b"), "conda may run apt"},
		"pwsh":              {execForm("pwsh", "-c", "ls"), "pwsh may run apt"},
		"Windows":           {execForm("powershell", "-Command", "ls"), ""},
		"nothing":           {words.Input{}, ""},
		"script":            {script("#!/bin/bash\ncp a b\n"), ""},
		"script with apt":   {script("#!/bin/bash -e\napt-get update\n"), "runs apt-get!"},
		"script by env":     {script("#!/usr/bin/env bash\nmake\n"), "make may run apt"},
		"empty script":      {script("#!/bin/sh\n# nothing\n"), ""},
		"no interpreter":    {script("#!\n"), "the command is a variable and may run apt"},
		"Python":            {script("#!/usr/bin/python3\nprint()\n"), "python3 may run apt"},
		"nested too deeply": {shellForm(deep), "the commands are nested too deeply to be read and may run apt"},
	} {
		if got := aptReason(t, tc.cmd); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestNever holds that the list is sorted, has each name once, knows its tests,
// and names no program that is apt or runs what the text doesn't show.
func TestNever(t *testing.T) {
	t.Parallel()
	last := ""
	for line := range strings.Lines(neverText) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, "#") {
			continue
		}
		if name <= last {
			t.Errorf("%q stands after %q", name, last)
		}
		last = name
		if isApt(name) || isShell(name) {
			t.Errorf("%q is in the list", name)
		}
	}
	u := AptUse{calls: []words.Call{{Name: "x", Args: []string{"x"}, By: -1}}}
	for name, test := range never {
		known := []string{"", "awk", "corepack", "dpkg", "env", "git", "go", "npm", "pip", "read", "sed", "sourced", "split", "tar", "wrapper", "xargs"}
		if !slices.Contains(known, test) {
			t.Errorf("%s: no test is called %q", name, test)
		}
		if opaque(name) != "" && u.passes(test, 0) {
			t.Errorf("%q is opaque, and passes without arguments", name)
		}
	}
}

func TestCover(t *testing.T) {
	t.Parallel()
	free := func(string) string { return "" }
	for _, tc := range []struct {
		command string
		want    Cover
		lost    bool
	}{
		{"apt-get update", CoverNone, false},
		{"apt-get update && rm -rf /etc/apt", CoverNone, false},
		{"gosu root apt-get update", CoverNone, false},
		{"sudo apt-get update", CoverConf, true},
		{"sudo -E apt-get update", CoverConf, true},
		{"sudo chown a b && apt-get update", CoverConf, false},
		{"su - -c 'apt-get update'", CoverConf, true},
		{"runuser -l x -c 'apt-get update'", CoverConf, true},
		{"doas apt-get update", CoverConf, true},
		{"env -i PATH=/bin apt-get update", CoverConf, true},
		{"env - apt-get update", CoverConf, true},
		{"env -u APT_CONFIG apt-get update", CoverConf, true},
		{"env A=b apt-get -i update", CoverNone, false},
		{"setpriv --reset-env apt-get update", CoverConf, true},
		{"exec -c apt-get update", CoverConf, true},
		{"chroot / apt-get update", CoverConf, false},
		{"env --ignore-env apt-get update", CoverConf, true},
		{"retry 5 sudo apt-get update", CoverConf, true},
		{"time -v sudo -n apt-get update", CoverConf, true},
		{"retry 5 su -c 'apt-get update'", CoverConf, false},
		{`python3 -c 'import os; os.system("sudo apt-get update")'`, CoverConf, false},
		{`perl -e 'system qw(sudo apt-get update)'`, CoverConf, false},
		{"script -qc 'sudo apt-get update' /dev/null", CoverConf, false},
		{"$SUDO apt-get update", CoverConf, false},
		{"apt-get install -y sudo apt-utils && echo sudo", CoverNone, false},
		{"apt-get install -y sudo && usermod -aG sudo app", CoverNone, false},
		{"APT_CONFIG=/x apt-get update", CoverConf, true},
		{"export APT_CONFIG=/x; apt-get update", CoverConf, true},
		{"unset APT_CONFIG; apt-get update", CoverConf, true},
		{"sudo apt-get update && rm -rf /var/lib/apt/lists/* /etc/apt/sources.list.d/*", CoverConf, true},
		{"sudo apt-get update && rm /etc/apt/apt.conf.d/99x", CoverConf, true},
		{"sudo apt-get update && chmod 755 /etc/apt", CoverConf, true},
		{"sudo apt-get update && rm -rf /etc/apt", CoverSudoers, true},
		{"sudo apt-get update && rm -rf /etc/apt/*", CoverSudoers, true},
		{"sudo apt-get update && rm -f /etc/apt/apt.conf.d/*", CoverSudoers, true},
		{"sudo apt-get update && cd /etc/apt/apt.conf.d && rm -f *", CoverSudoers, true},
		{"sudo apt-get update && mv /etc/apt /etc/apt.old", CoverSudoers, true},
		{"sudo apt-get update && find /etc/apt -type f -delete", CoverSudoers, true},
		{"sudo apt-get update && chmod -R a+r /etc/apt", CoverSudoers, true},
		{"sudo apt-get update && sed -i s/a/b/ /etc/apt/apt.conf.d/*", CoverSudoers, true},
		{"su - -c 'apt-get update' && rm -rf /etc/apt", CoverNotFound, true},
		{"sudo apt-get update && rm -rf /etc/*", CoverNotFound, true},
		{"sudo apt-get update && rm -rf /etc/apt /etc/sudoers.d/*", CoverNotFound, true},
	} {
		u := aptUse(t, shellForm(tc.command))
		got, why := u.Cover(free)
		if got != tc.want || u.Lost != tc.lost || (why != "") != (got == CoverNotFound) {
			t.Errorf("%s\n got %v, lost %v, %q\nwant %v, lost %v", tc.command, got, u.Lost, why, tc.want, tc.lost)
		}
	}
}

func TestTampering(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"apt-get update": "",
		"apt-get -o Dir::Etc::sourcelist=/x -o Dir::Etc::sourceparts=- update": "",
		"apt-get -o Acquire::https::Verify-Peer=false update":                  "", // of rule VerificationOff
		"apt-get -o Dir::Binary=x -oDebug::NoLocking=1 update":                 "",
		"apt-get -t stable install -y x":                                       "",
		"apt-get -o Dir::Bin::Methods::http=/x update":                         "-o Dir::Bin::Methods::http=/x",
		"apt-get -oDir::Bin::methods=/x update":                                "-oDir::Bin::methods=/x",
		"apt-get -o=Dir::Bin::methods=/x update":                               "-o=Dir::Bin::methods=/x",
		"apt-get -qyo dir::etc::main=/x update":                                "-qyo dir::etc::main=/x",
		"apt-get --option Dir::Bin::methods::https=false update":               "--option Dir::Bin::methods::https=false",
		"apt-get --option=RootDir=/mnt update":                                 "--option=RootDir=/mnt",
		"apt-get -o LoopX::Dir=/x update":                                      "-o LoopX::Dir=/x",
		"apt-get -c /x update":                                                 "-c /x",
		"apt-get -yc=/x update":                                                "-yc=/x",
		"apt-get --config-file=/x update":                                      "--config-file=/x",
		"apt-get update -c":                                                    "-c",
		"sudo apt -c /x update":                                                "-c /x",
		"apt-get --Config-File=/x update":                                      "--Config-File=/x",
		"apt-get --OPTION RootDir=/x update":                                   "--OPTION RootDir=/x",
		"add-apt-repository -y -c universe":                                    "",
		"unattended-upgrade -c":                                                "",
		"cp -c /x":                                                             "",
	} {
		if got := aptUse(t, shellForm(command)).Tampering; got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// TestOutside are the ways in which the text shows that the guard does not reach
// what fetches.
func TestOutside(t *testing.T) {
	t.Parallel()
	const root = " starts it in another root folder, where the guard is not mounted"
	for command, want := range map[string]string{
		"apt-get update":                             "",
		"chroot / apt-get update":                    "",
		"chroot /mnt true && apt-get update":         "",
		"chroot /mnt apt-get update":                 "chroot" + root,
		"chroot /mnt sh -c 'apt-get update'":         "chroot" + root,
		"chroot /mnt bash <<'X'\napt-get update\nX":  "chroot" + root,
		"echo apt-get update | chroot /mnt sh -e":    "chroot" + root,
		"chroot / bash <<'X'\napt-get update\nX":     "",
		"fakechroot chroot /mnt apt-get update":      "chroot" + root,
		"arch-chroot /mnt apt-get update":            "arch-chroot" + root,
		"systemd-nspawn -D /mnt apt-get update":      "systemd-nspawn" + root,
		"schroot -c x -- apt-get update":             "schroot" + root,
		"unshare --root=/mnt apt-get update":         "unshare" + root,
		"unshare -n apt-get update":                  "",
		"apt-fast install -y x":                      "apt-fast fetches packages by itself, not through apt",
		"nala install -y x":                          "nala fetches packages by itself, not through apt",
		"apt-get install -y nala && command -v nala": "",
	} {
		if got := aptUse(t, shellForm(command)).Outside; got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}
