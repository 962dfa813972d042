package fetch

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	const mirrors = `{"Mirrors":{"debian":["https://a.example/debian","default"]},"Hosts":[{"Host":"rule.example","Action":"https://b.example/x"}]}`
	for name, tc := range map[string]struct {
		uri, route string
		want       []Hop
		fails      string
	}{
		"upgrade": {
			uri:  "http://repo.example.org/x",
			want: []Hop{{URL: "https://repo.example.org/x", Why: "repo.example.org is not in the tables: a public host is fetched over TLS", Source: "http://repo.example.org/x"}},
		},
		"TLS already": {uri: "https://repo.example.org:8443/x", want: []Hop{{URL: "https://repo.example.org:8443/x", Source: "https://repo.example.org:8443/x"}}},
		"mirrors": {
			uri: "http://deb.debian.org/debian/x", route: mirrors,
			want: []Hop{
				{URL: "https://a.example/debian/x", Mirror: true, Why: "the operator's mirror serves archive debian", Source: "http://deb.debian.org/debian/x"},
				{URL: "https://deb.debian.org/debian/x", Mirror: true, Why: "the operator's mirror serves archive debian", Source: "http://deb.debian.org/debian/x"},
			},
		},
		"mirrors for TLS": {
			uri: "https://deb.debian.org/debian/x", route: `{"Mirrors":{"debian":["https://a.example/debian"]}}`,
			want: []Hop{{URL: "https://a.example/debian/x", Mirror: true, Why: "the operator's mirror serves archive debian", Source: "https://deb.debian.org/debian/x"}},
		},
		"host rule": {
			uri: "http://rule.example/y", route: mirrors,
			want: []Hop{{URL: "https://b.example/x/y", Mirror: true, Why: "rule.example is fetched from https://b.example/x by the operator's host rule", Source: "http://rule.example/y"}},
		},
		"kept": {
			uri:  "http://cache.internal:3142/x",
			want: []Hop{{URL: "http://cache.internal:3142/x", Kept: true, Why: "cache.internal:3142 is a name for private use (ICANN board resolution of 2024-07-29): kept, unless a host rule says otherwise", Source: "http://cache.internal:3142/x"}},
		},
		"refused":         {uri: "http://repo.example.org:8080/x", fails: "http://repo.example.org:8080/x is refused: port 8080 of repo.example.org is not known to speak TLS; ways out: a host rule (LOOPX_HOSTS=repo.example.org:8080=upgrade"},
		"refused, secret": {uri: "http://u:s3cret@203.0.113.1/x", fails: "http://***@203.0.113.1/x is refused: "},
		"audit": {
			uri: "http://203.0.113.1/x", route: `{"Mode":"audit"}`,
			want: []Hop{{URL: "http://203.0.113.1/x", Kept: true, Source: "http://203.0.113.1/x"}},
		},
		"no scheme":     {uri: "repo.example.org/x", fails: "has a scheme that this method does not fetch"},
		"no host":       {uri: "http:///x", fails: "names no host"},
		"other scheme":  {uri: "ftp://deb.debian.org/debian/x", fails: "has a scheme that this method does not fetch"},
		"nothing":       {uri: "", fails: "is no address that can be read"},
		"odd port":      {uri: "http://repo.example.org:99999/x", fails: "cannot be fetched"},
		"blank in host": {uri: "http://repo example.org/x", fails: "is no address that can be read"},
		"no JSON":       {uri: "http://repo.example.org/x", route: "{", fails: "the operator's part of the configuration cannot be used: "},
		"no mirror":     {uri: "http://repo.example.org/x", route: `{"Mirrors":{"debian":["http://a.example"]}}`, fails: "is not an https URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			if tc.route != "" {
				b.write("operator/route.json", []byte(tc.route))
			}
			got, f := b.new().Plan(tc.uri)
			if tc.fails != "" {
				if f == nil || !strings.Contains(f.Message, tc.fails) || f.Transient {
					t.Fatalf("Plan = %v, %v", got, f)
				}
				return
			}
			if f != nil {
				t.Fatal(f)
			}
			if name == "audit" {
				if !strings.HasPrefix(got[0].Why, "not refused, as the mode is audit: 203.0.113.1 is a public address") {
					t.Errorf("Why = %q", got[0].Why)
				}
				got[0].Why = ""
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPublicAddr(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "2a04:4e42::644": true, "64:ff9b::808:808": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.31.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fd00::1": false, "ff02::1": false,
		"::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true, "64:ff9b::a00:1": false, "64:ff9b:1::1": false,
	} {
		if got := publicAddr(netip.MustParseAddr(addr)); got != want {
			t.Errorf("publicAddr(%s) = %v", addr, got)
		}
	}
}

// TestAddress holds what is made of URIs that are not quite what they should be.
func TestAddress(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"http://h/a+b~c":     "http://h/a%2bb~c",
		"http://h/a%2bb%7e":  "http://h/a%2bb%7e",
		"http://h/a b":       "http://h/a%20b",
		"http://h/a%":        "http://h/a%25",
		"http://h/a%2":       "http://h/a%252",
		"http://h/a#b?c=d+e": "http://h/a%23b?c=d%2be",
		"http://h/\xc3\xa4":  "http://h/%c3%a4",
		"http://h":           "http://h",
		"http:h/x":           "http://h/x",
		"http://u:p@h:80/x":  "http://u:p@h:80/x",
		"http://h/x//../y":   "http://h/x//../y",
		"HTTP://h/x":         "http://h/x",
	} {
		if u, f := address(uri); f != nil || u.String() != want {
			t.Errorf("address(%q) = %v, %v, want %s", uri, u, f, want)
		}
	}
}
