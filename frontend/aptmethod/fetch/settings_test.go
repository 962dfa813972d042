package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	conf := &aptconf.Conf{}
	for _, item := range [][2]string{
		{"Acquire::https::h::A", "1"},
		{"Acquire::http::h::A", "2"},
		{"Acquire::https::A", "3"},
		{"Acquire::http::A", "4"},
		{"Acquire::http::h::B", "2"},
		{"Acquire::https::B", "3"},
		{"Acquire::https::h::B", ""},
		{"Acquire::http::C", "4"},
		{"Acquire::https::Timeout", "7"},
		{"Acquire::http::h::Timeout", "0"},
	} {
		conf.Add(item[0], item[1])
	}
	for _, tc := range []struct {
		tls        bool
		host, name string
		want       string
	}{
		{true, "h", "A", "1"},
		{false, "h", "A", "2"},
		{true, "x", "A", "3"},
		{false, "x", "A", "4"},
		{true, "h", "B", "2"},
		{true, "x", "B", "3"},
		{false, "x", "B", ""},
		{true, "h", "C", "4"},
		{true, "H", "a", "1"},
		{true, "h", "D", ""},
	} {
		if got := (settings{conf, tc.tls, tc.host}).find(tc.name); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
	for host, want := range map[string]time.Duration{"x": 7 * time.Second, "h": defaultTimeout} {
		if got := (settings{conf, true, host}).timeout(); got != want {
			t.Errorf("timeout for %s: %v", host, got)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		items [][2]string
		want  string
	}{
		"default":  {[][2]string{{"Dir", "/"}, {"Dir::Etc", "etc/apt"}, {"Dir::Etc::netrc", "auth.conf"}}, "/etc/apt/auth.conf"},
		"slashes":  {[][2]string{{"Dir", "/"}, {"Dir::Etc", "etc/apt/"}, {"Dir::Etc::netrc", "auth.conf"}}, "/etc/apt/auth.conf"},
		"absolute": {[][2]string{{"Dir", "/"}, {"Dir::Etc", "etc/apt/"}, {"Dir::Etc::netrc", "/x/auth.conf"}}, "/x/auth.conf"},
		"root":     {[][2]string{{"RootDir", "/r"}, {"Dir", "/"}, {"Dir::Etc", "etc/apt/"}, {"Dir::Etc::netrc", "auth.conf"}}, "/r/etc/apt/auth.conf"},
		"here":     {[][2]string{{"Dir", "/"}, {"Dir::Etc::netrc", "./auth.conf"}}, "auth.conf"},
		"none":     {[][2]string{{"Dir", "/"}, {"Dir::Etc", "etc/apt"}}, ""},
		"empty":    {[][2]string{{"Dir", "/"}, {"Dir::Etc::netrc", ""}}, ""},
	} {
		conf := &aptconf.Conf{}
		for _, item := range tc.items {
			conf.Add(item[0], item[1])
		}
		if got := path(conf, "Dir::Etc::netrc"); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestNetwork dials the version of IP that apt is told to use.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{"Acquire::ForceIPv4": "tcp4", "Acquire::ForceIPv6": "tcp6", "Acquire::x": "tcp"} {
		b := newBed(t)
		b.conf.Add(item, "true")
		got := ""
		b.new().dial = func(_ context.Context, network, _ string, _ func(netip.Addr) error) (net.Conn, error) {
			got = network
			return nil, errors.New("no")
		}
		b.fails("https://repo.example.org/x", "cannot connect to repo.example.org: no")
		if got != want {
			t.Errorf("%s: %s", item, got)
		}
	}
}

// TestDialFailures holds what errors of the network mean.
func TestDialFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err          error
		reason, want string
	}{
		"no name":     {&net.DNSError{IsNotFound: true}, "ResolveFailure", "no address is known for repo.example.org"},
		"no server":   {&net.DNSError{IsTemporary: true}, "TmpResolveFailure", "the address of repo.example.org cannot be looked up at the moment"},
		"slow server": {&net.DNSError{IsTimeout: true}, "TmpResolveFailure", "the address of repo.example.org cannot be looked up at the moment"},
		"slow":        {&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, "Timeout", "repo.example.org did not answer on port 443 within 30s"},
		"no route":    {&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, "", "cannot connect to repo.example.org: network is unreachable"},
	} {
		b := newBed(t)
		b.new().dial = func(context.Context, string, string, func(netip.Addr) error) (net.Conn, error) { return nil, tc.err }
		for uri, advice := range map[string]bool{"https://repo.example.org/x": false, "http://repo.example.org/x": name == "slow"} {
			f := b.fails(uri, tc.want)
			if !f.Transient || !f.Next || !f.Down || f.Reason != tc.reason || strings.Contains(f.Message, "LOOPX_HOSTS") != advice {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// TestDialTCP holds that an address is checked before it is connected to.
func TestDialTCP(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := dialTCP(t.Context(), "tcp", l.Addr().String(), onlyPublic); !errors.Is(err, errPrivate) {
		t.Errorf("dialTCP = %v", err)
	}
	conn, err := dialTCP(t.Context(), "tcp", l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
