package fetch

import (
	"crypto/x509"
	"net/netip"
	"net/url"
)

// proxyNetworkCA is the subject of the authority that BuildKit makes for its
// proxy network. Source: newCA in util/network/proxyprovider/provider_linux.go.
const proxyNetworkCA = "BuildKit exec proxy"

// inProxyNetwork reports whether the environment is the one that BuildKit gives
// a RUN in its proxy network: each of the variables names a proxy in
// 10.89.0.0/16, and none is asked for the machine itself. Source: ProxyEnv and
// proxyIP in the same file.
func inProxyNetwork(environ func(string) string) bool {
	u, err := url.Parse(environ("http_proxy"))
	if err != nil || environ("no_proxy") != "127.0.0.1,localhost,::1" {
		return false
	}
	for _, name := range []string{"https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		if environ(name) != environ("http_proxy") {
			return false
		}
	}
	ap, err := netip.ParseAddrPort(u.Host)
	return err == nil && netip.MustParsePrefix("10.89.0.0/16").Contains(ap.Addr())
}

// fromProxyNetwork reports whether a certificate that nothing here trusts is
// BuildKit's own: the image had no bundle to which BuildKit could add its CA,
// or the RUN has made a new one since.
func (t *trip) fromProxyNetwork(e x509.UnknownAuthorityError) bool {
	return e.Cert != nil && e.Cert.Issuer.CommonName == proxyNetworkCA || t.proxy != nil && inProxyNetwork(t.Environ)
}

// proxyNetworkAdvice is what to do then. BuildKit adds its CA to the first file
// of imageStores that the image has when the RUN starts, even to an empty one,
// and takes it out again at the end. Source: InjectProxyCA in
// executor/proxyca_linux.go.
func proxyNetworkAdvice(host string) string {
	return host + " cannot be reached over TLS: this RUN is in BuildKit's proxy network, and the image has no CA bundle to which BuildKit adds" +
		" the CA of its proxy (or the RUN has made a new one)." +
		" Ways out: give the image one before this RUN, even an empty one (RUN mkdir -p /etc/ssl/certs && touch " + imageStores()[0] + ")," +
		" build with LOOPX_APT=off and a source policy that turns http into https, or build without the proxy network"
}
