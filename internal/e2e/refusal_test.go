package e2e

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// newHostOn8080 returns a host that speaks both clear text and TLS on port 8080
// too, so that it is the build that decides.
func newHostOn8080(t *testing.T) *host {
	t.Helper()
	h := newHost(t, testbed.MirrorOptions{})
	l, err := net.Listen("tcp", netip.AddrPortFrom(h.Addr, 8080).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				go relay(conn, h.Addr)
			}
		}
	}()
	return h
}

// relay passes a connection on to port 443 if it begins as TLS does, else to
// port 80.
func relay(conn net.Conn, to netip.Addr) {
	defer conn.Close()
	const handshake = 0x16 // the first byte of a TLS connection, RFC 8446 section 5.1
	in, port := bufio.NewReader(conn), uint16(80)
	if first, err := in.Peek(1); err != nil {
		return
	} else if first[0] == handshake {
		port = 443
	}
	out, err := net.Dial("tcp", netip.AddrPortFrom(to, port).String())
	if err != nil {
		return
	}
	defer out.Close()
	go io.Copy(out, in)
	io.Copy(conn, out)
}

const onPort8080 = `FROM debian:bookworm-fetchers
ADD http://HOST:8080/add /add
RUN curl -fsS -o /curl \
    http://HOST:8080/curl
ADD http://HOST/wget /wget
`

// TestRefusedFetches: all of them are told at once, on the user's lines, before
// anything is fetched.
func TestRefusedFetches(t *testing.T) {
	t.Parallel()
	h := newHostOn8080(t)
	testbed.Fetchers(t, "bookworm")
	c := callOf(t, syntax(testbed.FrontendImage(t), h.expand(onPort8080)))
	log := c.fails(t, "build", "--no-cache", withCA(t, h.CA), ".")
	checkEqual(t, "over TLS", nil, h.overTLS())
	checkEqual(t, "in clear text", nil, h.clear())
	checkContains(t, log,
		"Dockerfile:3\n", h.expand("   3 | >>> ADD http://HOST:8080/add /add\n"),
		"Dockerfile:5\n", h.expand("   5 | >>>     http://HOST:8080/curl\n"),
		"2 fetches can't be moved to TLS (LOOPX_MODE=audit warns instead):\n",
		h.expand("\n  Dockerfile:3: http://HOST:8080/add is fetched in clear text: port 8080 of HOST is not known to speak TLS"),
		h.expand("\n  Dockerfile:5: http://HOST:8080/curl is fetched in clear text: port 8080 of HOST is not known to speak TLS"),
		h.expand("LOOPX_HOSTS=HOST:8080=upgrade if it speaks TLS there"))
	if strings.Contains(log, h.expand("Dockerfile:6: http://HOST/wget")) {
		t.Errorf("it lists a fetch that can be moved:\n%s", log)
	}
}

// TestWaysOut are those that the refusal names.
func TestWaysOut(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	ours := testbed.FrontendImage(t)
	for name, c := range map[string]struct {
		arg            string
		clear, overTLS []string
		says           []string
		silent         bool // about fetches in clear text
	}{
		"audit": {
			arg:   "LOOPX_MODE=audit",
			clear: []string{"/add", "/curl"}, overTLS: []string{"/wget"},
			says: []string{
				"LOOPX_MODE: refused fetches are reported and built all the same\n",
				"ClearTextRefused: http://HOST:8080/add is fetched in clear text: ", " (line 3)\n",
				"ClearTextRefused: http://HOST:8080/curl is fetched in clear text: ", " (line 5)\n",
			},
		},
		"keep": {
			arg:   "LOOPX_HOSTS=HOST:8080=keep",
			clear: []string{"/add", "/curl"}, overTLS: []string{"/wget"},
			says:   []string{"LOOPX_HOSTS: clear text to HOST:8080 is kept\n"},
			silent: true,
		},
		"upgrade": {
			arg:     "LOOPX_HOSTS=HOST:8080=upgrade",
			overTLS: []string{"/add", "/curl", "/wget"},
			says:    []string{"ADD http://HOST:8080/add /add (1 fetch over TLS)\n"},
			silent:  true,
		},
		"another address": {
			arg:     "LOOPX_HOSTS=HOST:8080=https://HOST",
			overTLS: []string{"/add", "/curl", "/wget"},
			says:    []string{"ADD http://HOST:8080/add /add (1 fetch via mirror)\n"},
			silent:  true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHostOn8080(t)
			log := callOf(t, syntax(ours, h.expand(onPort8080))).
				build(t, "build", "--no-cache", withCA(t, h.CA), "--build-arg="+h.expand(c.arg), ".")
			checkEqual(t, "in clear text", c.clear, h.clear())
			checkEqual(t, "over TLS", c.overTLS, h.overTLS())
			for _, part := range c.says {
				checkContains(t, log, h.expand(part))
			}
			if c.silent && strings.Contains(log, "ClearTextRefused") {
				t.Errorf("a lifted refusal warns:\n%s", log)
			}
		})
	}
}

// TestAuthorCannotLiftARefusal: neither a check comment nor an ARG in the
// Dockerfile is the operator's word.
func TestAuthorCannotLiftARefusal(t *testing.T) {
	t.Parallel()
	h := newHostOn8080(t)
	dockerfile := h.expand("# check=skip=all\nARG LOOPX_MODE=audit\nARG LOOPX_HOSTS=HOST:8080=keep\nFROM scratch\nADD http://HOST:8080/add /add\n")
	log := callOf(t, dockerfile).fails(t, "build", by(testbed.FrontendImage(t)), "--no-cache", ".")
	checkContains(t, log, "1 fetch can't be moved to TLS", h.expand("   5 | >>> ADD http://HOST:8080/add /add\n"))
	h.checkOverTLS(t)
}
