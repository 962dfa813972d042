package words

import (
	"net/netip"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// optionTable is what is needed to tell a program's operands from the values
// of its options.
type optionTable struct {
	short  string          // letters that take a value
	long   map[string]bool // names that take a value
	uses   map[string]use  // options whose value has a use of its own
	joined string          // letters that start a two-letter option ("-nv")
}

// curlOptions follows curl 8's manual page.
var curlOptions = optionTable{
	short: "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
	long: setOf(`abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
		continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation
		dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save
		expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode
		happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json
		keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt
		max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max pass pinnedpubkey
		preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers
		proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers
		proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer request
		request-target resolve retry retry-delay retry-max-time sasl-authzid service-name socks4 socks4a socks5
		socks5-gssapi-service socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max
		tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket upload-file url url-query user
		user-agent variable vlan-priority write-out`),
	uses: map[string]use{
		"x": proxyUse, "proxy": proxyUse, "preproxy": proxyUse, "noproxy": proxyUse, "proxy1.0": proxyUse,
		"socks4": proxyUse, "socks4a": proxyUse, "socks5": proxyUse, "socks5-hostname": proxyUse,
		"H": headerUse, "header": headerUse, "e": headerUse, "referer": headerUse, "A": headerUse, "user-agent": headerUse,
		"b": headerUse, "cookie": headerUse, "proxy-header": headerUse, "w": {role: route.Print, reason: "printed by curl"},
		"write-out": {role: route.Print, reason: "printed by curl"},
		"d":         dataUse, "data": dataUse, "data-raw": dataUse, "data-binary": dataUse, "data-ascii": dataUse, "data-urlencode": dataUse,
		"json": dataUse, "F": dataUse, "form": dataUse, "form-string": dataUse, "url-query": dataUse,
		"url": {role: route.Fetch, reason: "argument of curl", tool: "curl"},
	},
}

// wgetOptions follows wget 1.21's manual page.
var wgetOptions = optionTable{
	short: "aABDeGiIlolOPQRtTUwX", joined: "n",
	long: setOf(`append-output accept accept-regex reject reject-regex base bind-address bind-dns-address body-data body-file
		ca-certificate ca-directory certificate certificate-type ciphers compression config connect-timeout crl-file cut-dirs
		default-page directory-prefix dns-servers dns-timeout domains egd-file exclude-directories exclude-domains execute
		follow-tags ftp-password ftp-user header hsts-file http-passwd http-password http-user ignore-tags include-directories
		input-file input-metalink level limit-rate load-cookies local-encoding max-redirect method metalink-index
		output-document output-file password pinnedpubkey post-data post-file prefer-family preferred-location private-key
		private-key-type progress proxy-password proxy-user quota random-file read-timeout referer regex-type rejected-log
		remote-encoding report-speed restrict-file-names retry-on-http-error save-cookies secure-protocol start-pos timeout
		tries use-askpass user user-agent wait waitretry warc-cdx warc-dedup warc-file warc-header warc-max-size warc-tempdir`),
	uses: map[string]use{
		"header": headerUse, "referer": headerUse, "U": headerUse, "user-agent": headerUse,
		"post-data": dataUse, "body-data": dataUse, "B": {role: route.Fetch, reason: "base of wget's relative links", tool: "wget"},
		"base": {role: route.Fetch, reason: "base of wget's relative links", tool: "wget"},
		"i":    {role: route.Fetch, reason: "list that wget reads", tool: "wget"}, "input-file": {role: route.Fetch, reason: "list that wget reads", tool: "wget"},
		"e": {role: route.Word, reason: "setting of wget", tool: "wget"}, "execute": {role: route.Word, reason: "setting of wget", tool: "wget"},
	},
}

func (inv *invocation) curl() {
	if inv.connectsHere() {
		inv.plain(use{role: route.ForeignConfig, reason: "curl is told to connect to this machine"})
		return
	}
	inv.operands(&curlOptions)
}

// connectsHere reports whether curl's options name a local socket or a loopback
// address to connect to, whatever the URL says.
func (inv *invocation) connectsHere() bool {
	for i, w := range inv.args {
		switch w.s {
		case "--unix-socket", "--abstract-unix-socket":
			return true
		case "--resolve", "--connect-to":
			if to := inv.args[i+1:]; len(to) > 0 && (strings.HasSuffix(to[0].s, ":127.0.0.1") || strings.Contains(to[0].s, "localhost")) {
				return true
			}
		}
	}
	return false
}

func (inv *invocation) wget() { inv.operands(&wgetOptions) }

// operands walks the arguments: a value of an option has the option's use, an
// operand is fetched, with http:// assumed where it has no scheme.
func (inv *invocation) operands(t *optionTable) {
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		opt, valueAt, next := t.option(w.s)
		switch {
		case opt == "":
			inv.operand(w)
		case valueAt > 0:
			inv.value(t, opt, w.slice(valueAt, len(w.s)))
		case next && i+1 < len(inv.args):
			i++
			inv.value(t, opt, inv.args[i])
		}
	}
}

// option reads s as an option: its name, where a value glued to it starts (0
// if none), and whether its value is the next argument. For a cluster of short
// options the last one counts.
func (t *optionTable) option(s string) (name string, valueAt int, next bool) {
	if len(s) < 2 || s[0] != '-' {
		return "", 0, false
	}
	if strings.HasPrefix(s, "--") {
		name, _, glued := strings.Cut(s[2:], "=")
		if glued {
			return name, len(name) + 3, false
		}
		if name == "" {
			name = "--"
		}
		return name, 0, t.long[name]
	}
	for k := 1; k < len(s); k++ {
		if strings.IndexByte(t.joined, s[k]) >= 0 {
			k++
			continue
		}
		if strings.IndexByte(t.short, s[k]) >= 0 {
			if k+1 < len(s) {
				return s[k : k+1], k + 1, false
			}
			return s[k:], 0, true
		}
	}
	return s[1:], 0, false
}

func (inv *invocation) value(t *optionTable, opt string, w word) {
	u, ok := t.uses[opt]
	if !ok {
		u = use{role: route.Header, reason: "value of " + inv.name + "'s " + opt}
	}
	if opt == "url" {
		inv.operand(w)
		return
	}
	inv.a().urls(w, u)
}

// operand is a URL. curl and wget take one without a scheme for http.
func (inv *invocation) operand(w word) {
	if len(spans(w.s)) == 0 && !strings.Contains(w.s, "://") && hostLike(w.s) {
		inv.a().emitAs(w, span{0, len(w.s)}, "http://", inv.fetch())
		w.use()
		return
	}
	inv.a().urls(w, inv.fetch())
}

// hostLike reports whether s starts with a host name of two or more labels, the
// last one of letters, or with an IPv4 address, as a URL without a scheme does;
// "file.tar.gz" and "php7.4-curl" do not.
func hostLike(s string) bool {
	end := strings.IndexAny(s, "/?#")
	host := s
	if end >= 0 {
		host = s[:end]
	}
	host, _, _ = strings.Cut(host, ":")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Is4()
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || strings.Trim(l, letters+"0123456789-") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	if len(labels) < 2 || len(last) < 2 || strings.Trim(last, letters) != "" {
		return false
	}
	return end >= 0 || !fileEndings[strings.ToLower(last)]
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

var fileEndings = setOf(`gz tgz bz2 xz zst zip deb rpm txt json sh asc gpg pem crt key jar whl conf html htm xml list sources tar log
	md yml yaml toml py rb js sum sig sha256 sha512 md5 exe msi bin img iso out tmp pub patch diff`)
