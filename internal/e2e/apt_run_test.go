package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// aptBase is a base with programs that call apt, or drop the environment.
const aptBase = "debian:bookworm-apt"

// smallSource makes a base fetch from HOST, and little: smallRelease first.
const (
	smallSource = `COPY <<EOF /etc/apt/sources.list.d/debian.sources
Types: deb
URIs: http://HOST/debian
Suites: bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
`
	smallRelease = "/debian/dists/bookworm-updates/InRelease"
	smallLine    = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://HOST/debian bookworm-updates main"
)

// newAptHost returns a host that has Debian's archives at /debian and
// /debian-security, and makes aptBase known.
func newAptHost(t *testing.T, opts testbed.MirrorOptions) *host {
	t.Helper()
	testbed.BaseWith(t, "bookworm", "apt", "aptitude", "sudo", "python3-apt", "make")
	mux := http.NewServeMux()
	for _, at := range []string{"/debian", "/debian-security"} {
		mux.Handle(at+"/", testbed.ArchiveTree(t, at, "https://deb.debian.org"+at))
	}
	opts.Handler = mux
	return newHost(t, opts)
}

// aptRuns are Dockerfiles, after FROM aptBase and smallSource, that run apt in
// one of the ways that it can be run in.
func aptRuns() map[string]string {
	const (
		thirdParty = "RUN mv /etc/apt/sources.list.d/debian.sources /srv/\n"
		lines      = "RUN rm /etc/apt/sources.list.d/debian.sources && echo '" + smallLine + "' "
	)
	return map[string]string{
		"apt":           "RUN apt update\n",
		"aptitude":      "RUN aptitude update\n",
		"python-apt":    "RUN python3 -c 'import apt; apt.Cache().update()'\n",
		"exec form":     `RUN ["apt-get", "update"]` + "\n",
		"SHELL":         "SHELL [\"/bin/bash\", \"-euo\", \"pipefail\", \"-c\"]\nRUN apt-get update | cat\n",
		"login shell":   "SHELL [\"/bin/bash\", \"-lc\"]\nRUN apt-get update\n",
		"heredoc":       "RUN <<XX\napt-get update\nXX\n",
		"shebang":       "RUN <<XX\n#!/usr/bin/env python3\nimport subprocess\nsubprocess.run([\"apt-get\", \"update\"], check=True)\nXX\n",
		"script":        "COPY --chmod=755 <<XX /setup\n#!/bin/sh\nexec apt-get update\nXX\nRUN /setup\n",
		"make":          "COPY <<XX /srv/Makefile\nall:\n\tapt-get update\nXX\nWORKDIR /srv\nRUN make\n",
		"a variable":    "ENV GET=apt-get\nRUN $GET update\n",
		"another name":  "RUN ln -s /usr/bin/apt-get /usr/local/bin/get && get update\n",
		"wrapped":       "RUN timeout 300 nice sh -c 'exec apt-get update'\n",
		"xargs":         "RUN echo update | xargs apt-get\n",
		"chroot":        "RUN chroot / apt-get update\n",
		"not root":      "USER nobody\nRUN mkdir -p /tmp/lists/partial && apt-get update -o Dir::State::lists=/tmp/lists -o Dir::Cache=/tmp\n",
		"sudo":          "RUN useradd app && echo 'app ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/app\nUSER app\nRUN sudo apt-get update\n",
		"sudo -i":       "RUN sudo -i apt-get update\n",
		"sudo and rm":   "RUN rm -rf /etc/apt/apt.conf.d/* && sudo apt-get update\n",
		"sudo by retry": "COPY --chmod=755 <<'XX' /usr/bin/retry\n#!/bin/sh\nshift\nexec \"$@\"\nXX\nRUN retry 5 sudo apt-get update\n",
		"GODEBUG":       "ENV GODEBUG=fips140=only\nRUN apt-get update\n",
		"su":            "RUN su -c 'apt-get update'\n",
		"su as a login": "RUN su - -c 'apt-get update'\n",
		"runuser":       "RUN runuser -l root -c 'apt-get update'\n",
		"env -i":        "RUN env -i PATH=\"$PATH\" apt-get update\n",
		"unset":         "RUN unset APT_CONFIG && apt-get update\n",
		"empty":         "RUN APT_CONFIG= apt-get update\n",
		"cache mounts":  "RUN --mount=type=cache,target=/var/cache/apt,id=HOST-a --mount=type=cache,target=/var/lib/apt/lists,id=HOST-l apt-get update\n",
		"tmpfs":         "RUN --mount=type=tmpfs,target=/dev/shm --mount=type=tmpfs,target=/var/lib/apt/lists apt-get update\n",
		"tmpfs /dev":    "RUN --mount=type=tmpfs,target=/dev apt-get update\n",
		"insecure":      "RUN --security=insecure apt-get update\n",
		"host network":  "RUN --network=host apt-get update\n",

		"no apt.conf.d":         "RUN rm -rf /etc/apt/apt.conf.d\nRUN apt-get update\n",
		"apt.conf.d is removed": "RUN rm -rf /etc/apt/apt.conf.d && apt-get update\n",

		"sed on the sources":    "RUN sed -i s,/debian$,/debian/, /etc/apt/sources.list.d/debian.sources && apt-get update\n",
		"a source in the RUN":   lines + ">/etc/apt/sources.list && apt-get update\n",
		"third party, one-line": lines + "| tee /etc/apt/sources.list.d/other.list && apt-get update\n",
		"third party, deb822":   thirdParty + "RUN cp /srv/debian.sources /etc/apt/sources.list.d/other.sources && apt-get update\n",
		"sources by options":    lines + ">/srv/list && apt-get update -o Dir::Etc::sourcelist=/srv/list -o Dir::Etc::sourceparts=-\n",
		"a list of mirrors": "RUN echo 'http://HOST/debian' >/srv/mirrors && " +
			"sed -i 's,^URIs:.*,URIs: mirror+file:/srv/mirrors,' /etc/apt/sources.list.d/debian.sources && apt-get update\n",
	}
}

// TestAptRuns: however apt is run, it fetches over TLS, where the stock image
// has it fetch in clear text.
func TestAptRuns(t *testing.T) {
	stock, ours := testbed.StockImage(t), testbed.FrontendImage(t)
	for name, run := range aptRuns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAptHost(t, testbed.MirrorOptions{})
			c := callOf(t, h.expand("FROM "+aptBase+"\n"+smallSource+run))
			args := []string{"build", "--no-cache", "--allow=security.insecure", "--allow=network.host", withCA(t, h.CA), "."}
			c.build(t, append(args, by(stock))...)
			if !slices.Contains(h.clear(), smallRelease) || len(h.overTLS()) > 0 {
				t.Errorf("by the stock image in clear text: %v, over TLS: %v", h.clear(), h.overTLS())
			}
			h.Reset()
			h.checkApt(t, c.build(t, append(args, by(ours))...))
		})
	}
}

// checkApt checks that apt's release file came over TLS, nothing in clear text,
// and that the method said so in the build's log. It forgets the requests.
func (h *host) checkApt(t *testing.T, log string) {
	t.Helper()
	checkEqual(t, "in clear text", nil, h.clear())
	if !slices.Contains(h.overTLS(), smallRelease) {
		t.Errorf("over TLS there is no %s: %v\n%s", smallRelease, h.overTLS(), log)
	}
	checkContains(t, log, "loopx-apt: "+h.name+": ", " over TLS in ")
	h.Reset()
}

// TestAptOnBuild: the triggers of a base image are guarded where they run.
func TestAptOnBuild(t *testing.T) {
	t.Parallel()
	ours := testbed.FrontendImage(t)
	h := newAptHost(t, testbed.MirrorOptions{})
	parent := testbed.Registry(t).Ref("apt-onbuild:1")
	callOf(t, h.expand("FROM "+aptBase+"\n"+smallSource+"ONBUILD RUN apt-get update\n")).
		build(t, "build", by(ours), "--push", "--tag="+parent, ".")
	h.checkOverTLS(t)
	h.checkApt(t, callOf(t, "FROM "+parent+"\n").build(t, "build", by(ours), "--no-cache", withCA(t, h.CA), "."))
}
