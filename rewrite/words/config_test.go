package words_test

// configCases: configuration of package managers, written by commands and as
// text.
var configCases = []shellCase{
	{
		name: "lines of one echo", text: `echo -e "http://example.org/a\nhttp://example.org/b" > /etc/apk/repositories`,
		want: `echo -e "https://example.org/a\nhttps://example.org/b" > /etc/apk/repositories`,
	},
	{
		name: "comment line of one printf", text: `printf '# http://example.org/no\nhttp://example.org/a\n' > /etc/apk/repositories`,
		want: `printf '# http://example.org/no\nhttps://example.org/a\n' > /etc/apk/repositories`,
	},
	{name: "tagged repository", text: "echo @edge http://example.org/edge | tee -a /etc/apk/repositories", want: "echo @edge https://example.org/edge | tee -a /etc/apk/repositories"},
	{
		name: "format with arguments", text: `printf 'deb %s %s main\n' http://example.org/apt x > /etc/apt/sources.list.d/x.list`,
		want: `printf 'deb %s %s main\n' https://example.org/apt x > /etc/apt/sources.list.d/x.list`,
	},
	{name: "format with arguments for a shell", text: `printf 'wget %s\n' example.org/a.tgz | sh`, want: `printf 'wget %s\n' https://example.org/a.tgz | sh`},
	{name: "format that goes on behind its argument", text: `printf 'wget -q %s -O x\n' example.org/a.tgz | sh`, want: `printf 'wget -q %s -O x\n' https://example.org/a.tgz | sh`},
	{name: "format with arguments for people", text: `printf 'see %s\n' http://example.org/a`},
	{name: "sed's newline", text: `sed -i 's/$/\ndeb http:\/\/example.org\/apt x main/' /etc/apt/sources.list`, want: `sed -i 's/$/\ndeb https:\/\/example.org\/apt x main/' /etc/apt/sources.list`},
	{name: "maven mirror", text: `echo '<mirror><url>http://example.org/m2</url></mirror>' > ~/.m2/settings.xml`, want: `echo '<mirror><url>https://example.org/m2</url></mirror>' > ~/.m2/settings.xml`},
	{name: "maven name space", text: `echo '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">' > ~/.m2/settings.xml`},
	{name: "maven proxy", text: `echo '<proxy><host>http://example.org</host></proxy>' > ~/.m2/settings.xml`},
	{name: "another settings.xml", text: `echo '<url>http://example.org/x</url>' > /srv/settings.xml`},
	{name: "sbt", text: "echo '  central: http://example.org/maven2/' >> ~/.sbt/repositories", want: "echo '  central: https://example.org/maven2/' >> ~/.sbt/repositories"},
	{name: "opkg", text: "echo 'src/gz x http://example.org/x' >> /etc/opkg/customfeeds.conf", want: "echo 'src/gz x https://example.org/x' >> /etc/opkg/customfeeds.conf"},
	{name: "key server of gpg.conf", text: "echo 'keyserver hkp://keyserver.ubuntu.com' >> ~/.gnupg/gpg.conf", want: "echo 'keyserver hkps://keyserver.ubuntu.com' >> ~/.gnupg/gpg.conf"},
	{name: "yum file by its line", text: `echo "baseurl=http://example.org/el7" >> "$f"`, want: `echo "baseurl=https://example.org/el7" >> "$f"`},
	{name: "other file by its line", text: `echo "url=http://example.org/el7" >> "$f"`},
	{
		name: "retired yum repositories", text: "cd /etc/yum.repos.d && sed -i 's|#baseurl=http://example.org|baseurl=http://example.com|' CentOS-*",
		want: "cd /etc/yum.repos.d && sed -i 's|#baseurl=http://example.org|baseurl=https://example.com|' CentOS-*",
	},

	{name: "gem sources", cfg: mirrors, text: "gem sources -a http://example.org/ -r http://rubygems.org/", want: "gem sources -a https://example.org/ -r http://rubygems.org/"},
	{name: "gem install -r", text: "gem install x -r --source http://example.org/", want: "gem install x -r --source https://example.org/"},
	{name: "bundle mirror", text: "bundle config mirror.http://rubygems.org http://example.org", want: "bundle config mirror.http://rubygems.org https://example.org"},
	{name: "conda channel added", text: "conda config --add channels http://example.org/c", want: "conda config --add channels https://example.org/c"},
	{name: "conda channel removed", text: "conda config --remove channels http://example.org/c"},
	{name: "conda proxy", text: "conda config --set proxy_servers.http http://example.org"},
	{name: "zypper", text: "zypper ar http://example.org/r x; zypper rr http://example.com/r", want: "zypper ar https://example.org/r x; zypper rr http://example.com/r"},
	{name: "channels and charts", text: "nix-channel --add http://example.org/c; helm repo add x http://example.org/h", want: "nix-channel --add https://example.org/c; helm repo add x https://example.org/h"},
	{name: "go proxies with direct", text: "export GOPROXY=http://example.org,direct; go env -w GOPROXY=http://example.com", want: "export GOPROXY=https://example.org,direct; go env -w GOPROXY=https://example.com"},
	{name: "pacman-key", text: "pacman-key --keyserver keys.openpgp.org -r 1", want: "pacman-key --keyserver hkps://keys.openpgp.org -r 1"},
	{name: "configuration of services", text: "crudini --set /etc/x.conf a url http://example.org:5000; mysql -e \"set u='http://example.org'\"; useradd -c http://example.org x"},
	{name: "messages of git", text: "git commit -m 'see http://example.org'; git tag -m http://example.org v1"},
	{name: "git remote", text: "git remote add origin http://example.org/x", want: "git remote add origin https://example.org/x"},
}

// editorCases: sed and perl on files that are not written out.
var editorCases = []shellCase{
	{name: "perl filter", text: "perl -pi -e 's#http://example.org#http://example.com#' /etc/apt/sources.list", want: "perl -pi -e 's#http://example.org#https://example.com#' /etc/apt/sources.list"},
	{name: "perl filter with brackets", text: "perl -i.bak -pe 's{http://example.org}{http://example.com}g' /etc/apk/repositories", want: "perl -i.bak -pe 's{http://example.org}{https://example.com}g' /etc/apk/repositories"},
	{name: "perl filter of another file", text: "perl -pi -e 's#http://example.org#http://example.com#' app.js"},
	{name: "perl filter that only matches", text: "perl -ne 'print if m{http://example.org}' /etc/apt/sources.list"},
	{name: "perl module is no filter", text: `perl -MLWP::Simple -e 'getprint("http://example.org/a")'`, want: `perl -MLWP::Simple -e 'getprint("https://example.org/a")'`},
	{name: "find and sed", text: `find /etc/apt -name '*.list' -exec sed -i 's|http://example.org|http://example.com|' {} +`, want: `find /etc/apt -name '*.list' -exec sed -i 's|http://example.org|https://example.com|' {} +`},
	{name: "find and sed elsewhere", text: `find /srv -name '*.html' -exec sed -i 's|http://example.org|http://example.com|' {} +`},
	{
		name: "archive replaced in an unknown file", text: `sed -i 's|http://deb.debian.org|http://example.com|' "$f"; grep -rl x . | xargs sed -i 's|http://archive.ubuntu.com/ubuntu|http://example.com/u|'`,
		want: `sed -i 's|http://deb.debian.org|https://example.com|' "$f"; grep -rl x . | xargs sed -i 's|http://archive.ubuntu.com/ubuntu|https://example.com/u|'`,
	},
	{name: "address replaced in an unknown file", text: `sed -i 's|http://example.org|http://example.com|' "$f"`},
	{name: "address replaced in a file of the build", text: "sed -i 's|git://github.com|http://github.com|' package.json", want: "sed -i 's|git://github.com|https://github.com|' package.json"},
	{name: "address put into a file of the build", text: `sed -i 's|"homepage"|"homepage": "http://example.org"|' package.json`},
	{name: "address replaced in an application", text: "sed -i 's|http://localhost|http://example.org|' app.js"},
	{name: "variable as sed's pattern", env: []string{"OLD=http://example.org"}, text: "curl $OLD; sed -i \"s|$OLD|x|\" f"},
	{name: "python replaces", text: `python -c "f.replace('http://example.org', 'http://example.com')"`, want: `python -c "f.replace('http://example.org', 'https://example.com')"`},
	{name: "python replaces a pattern", text: `python -c 'import re; re.sub(r"http://example.org", "", s)'`},
	{name: "scheme put before a host in code", text: `node -e 'get("http://" + host)'`},
}
