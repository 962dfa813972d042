package aptline_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
	"github.com/loopx/loopx-frontend/policy/notice/aptline"
	"github.com/loopx/loopx-frontend/rewrite"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// read is one line for each command of apt below FROM.
func read(t testing.TB, instructions string) string {
	t.Helper()
	list, err := rewrite.Commands([]byte("FROM x\n"+instructions+"\n"), rewrite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range list {
		for _, a := range aptline.Read(runline.Read(c).Calls) {
			out = append(out, line(a))
		}
	}
	return strings.Join(out, "\n")
}

func line(a aptline.Command) string {
	var b strings.Builder
	b.WriteString(a.Tool + ":")
	for _, p := range a.Packages {
		b.WriteString(" " + p.Name)
		for _, part := range [][2]string{{":", p.Arch}, {"=", p.Version}, {"/", p.Suite}} {
			if part[1] != "" {
				b.WriteString(part[0] + part[1])
			}
		}
		if p.Open {
			b.WriteString("?")
		}
	}
	for _, u := range a.Unknown {
		fmt.Fprintf(&b, " (%s: %s)", u.String(), u.Why)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"RUN apt-get install openssl", "apt-get install: openssl"},
		{"RUN apt-get update && apt-get install -y --no-install-recommends curl=7.88.1-10+deb12u5 libssl3:amd64", "apt-get install: curl=7.88.1-10+deb12u5 libssl3:amd64"},
		{"RUN apt-get -y -qq -o Dpkg::Options::=--force-confold install nginx", "apt-get install: nginx"},
		{"RUN apt-get -o APT::Default-Release=bookworm-backports install nginx", "apt-get install: nginx/bookworm-backports"},
		{"RUN apt-get -oapt::default-release=sid install nginx", "apt-get install: nginx/sid"},
		{"RUN apt-get install --option=APT::Default-Release=sid nginx", "apt-get install: nginx/sid"},
		{"RUN apt-get build-dep -y curl", "apt-get build-dep: (curl: what a source package needs to be built is only known to the archive)"},
		{"RUN apt-get -oAcquire::Retries=3 -y install nginx", "apt-get install: nginx"},
		{"RUN apt-get install -yt bookworm-backports git", "apt-get install: git/bookworm-backports"},
		{"RUN apt install -t=bookworm-backports git", "apt install: git/bookworm-backports"},
		{"RUN apt install --target-release sid git", "apt install: git/sid"},
		{"RUN apt-get install git/bookworm-backports", "apt-get install: git/bookworm-backports"},
		{"RUN aptitude -y install nginx", "aptitude install: nginx"},
		{"RUN apt-get install -q=2 g++ libstdc++6 nano- vim+", "apt-get install: g++ libstdc++6 vim+"},
		{"RUN apt-get install libssl3:amd64=3.0.11-1", "apt-get install: libssl3:amd64=3.0.11-1"},
		{"RUN apt-get install curl=7.88.*", "apt-get install: curl=7.88.*"},
		{"ARG V=1.2-3\nRUN apt-get install curl=$V", "apt-get install: curl=1.2-3"},
		{"ARG V\nRUN apt-get install curl=$V", "apt-get install: curl=${V}?"},
		{"ARG P\nRUN apt-get install $P git", "apt-get install: git (${P}: a variable whose value is not known names the packages)"},
		{"ENV P='a1 b1'\nRUN apt-get install $P", "apt-get install: a1 b1"},
		{"RUN apt-get install 'php8*'", "apt-get install: (php8*: a pattern stands for packages that only apt knows)"},
		{"RUN apt-get install ./x.deb /tmp/y.deb", "apt-get install: (./x.deb: the file x.deb is not read) (/tmp/y.deb: the file y.deb is not read)"},
		{"RUN apt-get install $(cat list)", "apt-get install: (${$(…)}: a variable whose value is not known names the packages)"},
		{"RUN xargs apt-get install -y <list", "apt-get install: (xargs: xargs adds packages that the text doesn't name)"},
		{"RUN sudo -E apt-get install -y git", "apt-get install: git"},
		{"RUN DEBIAN_FRONTEND=noninteractive apt-get install -y git", "apt-get install: git"},
		{"RUN [\"apt-get\",\"install\",\"git\"]", "apt-get install: git"},
		{"RUN bash -c 'apt-get install git'", "apt-get install: git"},
		{"RUN for p in a1 b1; do apt-get install $p; done", "apt-get install: a1\napt-get install: b1"},
		{"RUN if x; then apt-get install git; fi", "apt-get install: git"},
		{"RUN apt-get update && apt-get -y dist-upgrade", "apt-get dist-upgrade:"},
		{"RUN apt-mark hold openssl", "apt-mark hold: openssl"},
		{"RUN apt-mark manual openssl; apt-get hold x; apt-get remove x; apt-cache install x", ""},
		{"RUN echo apt-get install x; grep 'apt-get install' y", ""},
		{"RUN apt-get install -- git", "apt-get install: git"},
		{"RUN apt-get install a,b", "apt-get install: (a,b: this is no name of a package)"},
		{"RUN apt-get", ""},
		{"RUN apt-get -t", ""},
	} {
		if diff := cmp.Diff(tc.want, read(t, tc.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, diff)
		}
	}
}

// FuzzRead holds that any RUN can be read, and that what is found stands in it
// by a name that apt would take.
func FuzzRead(f *testing.F) {
	f.Add("apt-get install -y a=1 b:amd64 c/sid")
	f.Add("apt -t=x install 'a*' ./b.deb")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := rewrite.Commands([]byte("FROM x\nRUN "+text+"\n"), rewrite.Config{})
		if err != nil {
			return
		}
		for _, c := range list {
			for _, a := range aptline.Read(runline.Read(c).Calls) {
				for _, p := range a.Packages {
					if p.Name == "" || strings.ContainsAny(p.Name, " =/:*$") {
						t.Errorf("%q: the package %q", text, p.Name)
					}
				}
			}
		}
	})
}
