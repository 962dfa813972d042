package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestAptMode: which RUNs have the guard, by LOOPX_APT. One without a network
// never has it.
func TestAptMode(t *testing.T) {
	ours := testbed.FrontendImage(t)
	const probe = "if test -e /dev/.loopx/apt/method; then echo yes; else echo no; fi"
	for mode, want := range map[string]map[string]string{
		"auto": {"apt": "yes\n", "other": "no\n", "none": "no\n"},
		"all":  {"apt": "yes\n", "other": "yes\n", "none": "no\n"},
		"off":  {"apt": "no\n", "other": "no\n", "none": "no\n"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := newAptHost(t, testbed.MirrorOptions{})
			c := callOf(t, h.expand("FROM "+aptBase+" AS build\n"+smallSource+
				"RUN apt-get update && "+probe+" >/srv/apt\n"+
				"RUN "+probe+" >/srv/other\n"+
				"RUN --network=none "+probe+" >/srv/none && apt-get --version\n"+
				"FROM scratch\nCOPY --from=build /srv /\n"))
			out := t.TempDir()
			log := c.build(t, "build", by(ours), "--no-cache", withCA(t, h.CA), "--build-arg=LOOPX_APT="+mode, "--output="+out, ".")
			for name, text := range want {
				checkFile(t, filepath.Join(out, name), text)
			}
			if mode != "off" {
				h.checkApt(t, log)
				return
			}
			checkContains(t, log, "LOOPX_APT: what apt fetches is not moved to TLS")
			if !slices.Contains(h.clear(), smallRelease) {
				t.Errorf("in clear text: %v, over TLS: %v", h.clear(), h.overTLS())
			}
		})
	}
}

// fightingConf undoes what ours sets, and has one setting that is none of our
// business.
const fightingConf = `Dir::Bin::methods::http "http";
Dir::Bin::methods::https "https";
Acquire::http::Pipeline-Depth "0";
Acquire::Max-Pipeline-Depth "0";
Acquire::https::Verify-Peer "false";
Acquire::https::Verify-Host "false";
Acquire::https::HOST::Verify-Peer "false";
Acquire::https::CaInfo "/nonexistent";
Acquire::AllowTLS "false";
Binary::apt-get::Dir::Bin::methods::http "http";
APT::Get::Show-Versions "true";
`

// TestAptConfigurationOfTheImage: what the image configures holds, wherever it
// stands, but for what would undo the guard.
func TestAptConfigurationOfTheImage(t *testing.T) {
	ours := testbed.FrontendImage(t)
	const (
		update = " apt-get update && apt-config dump APT::Get::Show-Versions\n"
		run    = "RUN" + update
	)
	for name, text := range map[string]string{
		"last of apt.conf.d": "COPY conf /etc/apt/apt.conf.d/zzzz-last\n" + run,
		"apt.conf":           "COPY conf /etc/apt/apt.conf\n" + run,
		"both":               "COPY conf /etc/apt/apt.conf.d/zzzz-last\nCOPY conf /etc/apt/apt.conf\n" + run,
		"a folder apt.conf":  "COPY conf /etc/apt/apt.conf.d/zzzz-last\nRUN mkdir /etc/apt/apt.conf\n" + run,
		"APT_CONFIG":         "COPY conf /srv/apt.conf\nENV APT_CONFIG=/srv/apt.conf\n" + run,
		"APT_CONFIG by ARG":  "COPY conf /srv/apt.conf\nARG APT_CONFIG=/srv/apt.conf\n" + run,
		"with sudo":          "COPY conf /etc/apt/apt.conf.d/zzzz-last\nCOPY conf /etc/apt/apt.conf\nRUN sudo" + update,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAptHost(t, testbed.MirrorOptions{})
			c := call{dir: folder(t, map[string]string{
				"conf": h.expand(fightingConf), "Dockerfile": h.expand("FROM " + aptBase + "\n" + smallSource + text),
			})}
			log := c.build(t, "build", by(ours), "--no-cache", withCA(t, h.CA), ".")
			h.checkApt(t, log)
			checkContains(t, log, `APT::Get::Show-Versions "true";`)
		})
	}
}

// TestAptVerifies: an image that turns verification off has it all the same. A
// server whose issuer is unknown gets no request, and the build fails.
func TestAptVerifies(t *testing.T) {
	t.Parallel()
	h := newAptHost(t, testbed.MirrorOptions{CA: testbed.NewCA(t, "nobody")})
	c := call{dir: folder(t, map[string]string{
		"conf":       h.expand(fightingConf),
		"Dockerfile": h.expand("FROM " + aptBase + "\n" + smallSource + "COPY conf /etc/apt/apt.conf.d/zzzz-last\nRUN apt-get update\n"),
	})}
	log := c.fails(t, "build", by(testbed.FrontendImage(t)), "--no-cache", withCA(t, testbed.DefaultCA(t)), ".")
	h.checkOverTLS(t)
	checkContains(t, log, "exit code: 100", h.name+" cannot be trusted: its certificate is issued by CN=nobody, which nothing here trusts")
}

// TestAptRefusesToBeTurnedOff: a RUN that takes the guard away, or can't have
// it, ends the build before anything is fetched.
func TestAptRefusesToBeTurnedOff(t *testing.T) {
	ours := testbed.FrontendImage(t)
	for name, c := range map[string]struct{ run, want string }{
		"a method":       {"RUN apt-get update -o Dir::Bin::methods::http=http\n", "-o Dir::Bin::methods::http=http on apt's command line"},
		"a file":         {"RUN touch /srv/conf && apt-get -c /srv/conf update\n", "-c /srv/conf on apt's command line"},
		"no place":       {"RUN su - -c 'apt-get update' && rm -rf /etc/apt\n", "su takes APT_CONFIG away from apt, and rm changes /etc/apt/apt.conf.d"},
		"a mount before": {"RUN --mount=type=tmpfs,target=/etc/apt/apt.conf.d env -i PATH=$PATH apt-get update\n", "the RUN mounts something at /etc/apt/apt.conf.d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAptHost(t, testbed.MirrorOptions{})
			run := callOf(t, h.expand("FROM "+aptBase+"\n"+smallSource+c.run))
			log := run.fails(t, "build", by(ours), "--no-cache", withCA(t, h.CA), ".")
			h.checkOverTLS(t)
			checkContains(t, log, "Dockerfile:9: ", c.want)
		})
	}
}
