package words_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// managerCases: spellings of package managers that the goldens of rewrite don't
// have, and the edges of what they do have.
var managerCases = []shellCase{
	{name: "release in a program's name", text: "pip3.11 install -i http://example.org/s x; gem2.7 install -s http://example.org x", want: "pip3.11 install -i https://example.org/s x; gem2.7 install -s https://example.org x"},
	{name: "release in an interpreter's name", text: "python3.11 -c \"f.replace('http://example.org', 'http://example.com')\"", want: "python3.11 -c \"f.replace('http://example.org', 'https://example.com')\""},
	{name: "no release of test", text: "test2 http://example.org/a", want: "test2 https://example.org/a"},
	{name: "file of a known program", text: "perl /usr/bin/cpanm --mirror http://example.org X; php -d a=b composer.phar config --unset repo.x http://example.org", want: "perl /usr/bin/cpanm --mirror https://example.org X; php -d a=b composer.phar config --unset repo.x http://example.org"},
	{name: "file of another program", text: "php artisan http://example.org", want: "php artisan https://example.org"},
	{name: "code before a file", text: "python3 -c 'get(\"http://example.org\")' pip", want: "python3 -c 'get(\"https://example.org\")' pip"},
	{name: "zypper refresh", text: "zypper ref http://example.org/r && zypper in http://example.org/x.rpm", want: "zypper ref http://example.org/r && zypper in https://example.org/x.rpm"},
	{name: "gem's proxies", text: "gem install -p http://proxy.example.org x -s http://example.org", want: "gem install -p http://proxy.example.org x -s https://example.org"},
	{name: "ini of another program", text: "crudini --set /etc/x.conf a url http://example.org; crudini --get /etc/yum.repos.d/x.repo http://example.org"},
	{name: "properties of maven", cfg: mirrors, text: "mvn -Dx=http://deb.debian.org/debian/x -DrepoUrl=http://example.org", want: "mvn -Dx=https://deb.debian.org/debian/x -DrepoUrl=https://example.org"},
	{name: "configuration by name elsewhere", text: "echo '<url>http://example.org</url>' > /tmp/s.xml; cat /tmp/s.xml"},
	{name: "configuration in an option", text: "echo '<url>http://example.org</url>' > s.xml; mvn --settings=s.xml -gs other.xml package", want: "echo '<url>https://example.org</url>' > s.xml; mvn --settings=s.xml -gs other.xml package"},
	{name: "gradle with insecure protocol", text: `echo 'maven { allowInsecureProtocol = true; url "http://example.org/m" }' > build.gradle`, want: `echo 'maven { allowInsecureProtocol = true; url "https://example.org/m" }' > build.gradle`},
	{name: "gradle, behind a repository", text: `echo 'maven { url "https://example.org/m" }; ext.url = "http://example.com"' > build.gradle`},
	{name: "sbt, no resolver", text: `echo 'homepage := "x" at "http://example.org"' > build.sbt`},
	{name: "plugin repository", text: `echo '<pluginRepository><url>http://example.org</url></pluginRepository><url>http://example.com</url>' > pom.xml`, want: `echo '<pluginRepository><url>https://example.org</url></pluginRepository><url>http://example.com</url>' > pom.xml`},
	{name: "composer, behind its repositories", text: `echo '{"repositories":[{"url":"http://example.org"}],"support":{"url":"http://example.com"}}' > composer.json`, want: `echo '{"repositories":[{"url":"https://example.org"}],"support":{"url":"http://example.com"}}' > composer.json`},
	{name: "wrapper's properties", text: `printf 'distributionUrl=http\\://example.org/g.zip\n' > gradle-wrapper.properties`, want: `printf 'distributionUrl=https\\://example.org/g.zip\n' > gradle-wrapper.properties`},
	{name: "list in brackets", text: "echo ':sources: [http://example.org]' > ~/.gemrc; curl http://[2001:db8::1]:8080/", want: "echo ':sources: [https://example.org]' > ~/.gemrc; curl http://[2001:db8::1]:8080/"},
	{name: "Perl's quotes", text: "echo 'urllist => [q[http://example.org/]]' > /etc/perl/CPAN/Config.pm", want: "echo 'urllist => [q[https://example.org/]]' > /etc/perl/CPAN/Config.pm"},
	{name: "cpan's shell", text: "printf 'o conf urllist unshift http://example.org\\no conf urllist shift http://example.com\\n' | cpan", want: "printf 'o conf urllist unshift https://example.org\\no conf urllist shift http://example.com\\n' | cpan"},
	{name: "R's functions", text: `Rscript -e 'grepl("http://example.org", x); sub(pattern = "http://example.org", "", x)'`},
	{name: "npm's variables", env: []string{"npm_config_disturl=http://example.org/dist"}, text: "npm rebuild", wantEnv: []string{"npm_config_disturl=https://example.org/dist"}},
	{name: "npm's proxy variable", env: []string{"npm_config_https_proxy=http://proxy.example.org"}, text: "npm ci"},
	{name: "npm's variables, no npm", env: []string{"npm_config_disturl=http://example.org/dist"}, text: "node x"},
	{name: "variable of a script", env: []string{"ELECTRON_MIRROR=http://example.org/"}, text: "yarn install", wantEnv: []string{"ELECTRON_MIRROR=https://example.org/"}},

	{name: "sed takes TLS", text: "sed -i 's|^https://|http://|' /etc/yum.repos.d/*.repo; perl -pi -e 's/https:/http:/' .npmrc", want: "sed -i 's|^https://|https://|' /etc/yum.repos.d/*.repo; perl -pi -e 's/https:/https:/' .npmrc"},
	{name: "sed takes TLS of both", text: `sed -i -e 's,https\?://,http://,' -e '2s/x/y/' /etc/apk/repositories`, want: `sed -i -e 's,https\?://,https://,' -e '2s/x/y/' /etc/apk/repositories`},
	{name: "sed takes TLS by a default", text: `sed -i "s/https/${S:-http}/" /etc/apk/repositories`, want: `sed -i "s/https/${S:-https}/" /etc/apk/repositories`},
	{name: "sed takes TLS on its way", text: "sed 's/https/http/' r > /etc/apk/repositories", want: "sed 's/https/https/' r > /etc/apk/repositories"},
	{name: "sed takes TLS elsewhere", text: "sed -i 's/https/http/' app.js; sed 's/https/http/' /etc/apk/repositories"},
	{name: "sed changes something else", text: "sed -i 's/https/http2/; s/http/ftp/; s/xhttps/http/' /etc/apk/repositories"},
	{name: "sed gives TLS back", text: "sed -i 's/https/http/' /etc/apk/repositories; apk update; sed -i s/http/https/ /etc/apk/repositories"},
	{name: "sed gives TLS back with its colon", text: "sed -i 's/https:/http:/' r.repo; sed -i 's/http:/https:/' r.repo", want: "sed -i 's/https:/https:/' r.repo; sed -i 's/http:/https:/' r.repo"},
	{name: "sed gives TLS to what was written", text: "echo http://example.org > a.repo; sed -i 's/^http/&s/' *.repo; echo http://example.org > b.repo", want: "echo http://example.org > a.repo; sed -i 's/^http/&s/' *.repo; echo https://example.org > b.repo"},
	{name: "sed gives TLS to another file", text: "echo http://example.org > a.repo; sed -i 's/http/https/' b.repo", want: "echo https://example.org > a.repo; sed -i 's/http/https/' b.repo"},
}

// TestManagerReasons checks what is told about an address of a package manager.
func TestManagerReasons(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"add-apt-repository -y ppa:a/b", []string{"ppa:a/b keep already-tls: argument of add-apt-repository"}},
		{"for p in a/b c/d; do apt-add-repository ppa:$p; done", []string{
			"ppa:a/b keep already-tls: argument of add-apt-repository", "ppa:c/d keep already-tls: argument of add-apt-repository",
		}},
		{"P=ppa:a/b; add-apt-repository $P", []string{"ppa:a/b keep already-tls: argument of add-apt-repository"}},
		{"add-apt-repository --remove ppa:a/b; echo ppa:a/b", nil},
		{"add-apt-repository -k keyserver.ubuntu.com ppa:a/b", []string{
			"keyserver.ubuntu.com upgrade archive: key server of add-apt-repository", "ppa:a/b keep already-tls: argument of add-apt-repository",
		}},
		{"echo http://example.org > /etc/apk/repositories", []string{"http://example.org upgrade unknown-host: configuration written to /etc/apk/repositories; the file in the image differs"}},
		{"echo https://example.org > /etc/apk/repositories", []string{"https://example.org keep already-tls: configuration written to /etc/apk/repositories"}},
		{"npm config set registry http://example.org", []string{"http://example.org upgrade unknown-host: configuration of npm; the file in the image differs"}},
		{"sed -i s/https/http/ /etc/apk/repositories", []string{"http:// upgrade scheme-prefix: takes TLS away: configuration written to /etc/apk/repositories; the file in the image differs"}},
		{"echo http://example.org > /tmp/s; mvn -s /tmp/s", []string{"http://example.org upgrade unknown-host: configuration that mvn reads; the file in the image differs"}},
		{`echo 'maven { url "http://example.org" }' > build.gradle`, []string{"http://example.org upgrade unknown-host: repository written to build.gradle; the file in the image differs"}},
		{"NPM_CONFIG_REGISTRY=http://example.org bun i", []string{"http://example.org upgrade unknown-host: NPM_CONFIG_REGISTRY is read by npm"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			var got []string
			for _, f := range words.Analyse(shell(c.text), table(t, route.Config{})).Fetches {
				got = append(got, fmt.Sprintf("%s %s %s: %s", f.URL, f.Decision.Action, f.Decision.Rule, f.Reason))
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
