package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

var verificationOff = Rule{
	Name: "VerificationOff", Severity: blocker, Class: securityPrivacy,
	Description: "The check of a server's certificate is switched off, so TLS protects nothing.",
	Why: "Whoever is in the network between the build and the server can answer in the server's place, and what they send becomes part of the image. " +
		"Take the option out, and give the program the server's CA if that was the reason for it.",
	Bad:  "FROM debian:bookworm-slim\nRUN curl -fsSLk -o /tmp/tool.tar.gz https://downloads.example.com/tool.tar.gz\n",
	Good: "FROM debian:bookworm-slim\nRUN curl -fsSL --cacert /etc/ssl/company.crt -o /tmp/tool.tar.gz https://downloads.example.com/tool.tar.gz\n",

	command:  verificationCommand,
	variable: verificationVariable,
	file:     verificationFile,
}

// curlValued are the short options of curl that take a value.
// Source: curl(1).
const curlValued = "AbcCdDeEFHKmoPQrtTuUwxXyYz"

// verificationSwitches are the options that switch the check off. Sources:
// curl(1), wget(1), git-config(1) http.sslVerify, pip's and npm's and conda's
// configuration pages, dnf.conf(5), aria2c(1), httpie.io/docs/cli, svn help,
// lftp(1), skopeo(1), kubectl and helm options, apk(8).
var verificationSwitches = []switches{
	{"curl", either(flags("--insecure", "--insecur", "--insecu", "--insec", "--proxy-insecure", "--doh-insecure"), short('k', curlValued))},
	{"wget wget2", either(
		flags("--no-check-certificate", "--no-check-certificat", "--no-check-certific", "--no-check-cert", "--no-check"),
		assigned(wgetOff, "--check-certificate"),
		assigned(func(s string) bool { return wgetOff(valueOf(s, "check_certificate", "check-certificate")) }, "-e", "--execute"),
	)},
	{"git", either(
		assigned(gitOff, "-c", "--config"),
		gitConfig,
	)},
	{"pip pipx pipenv", either(flags("--trusted-host="), after(isSet, "config", "set", "global.trusted-host|install.trusted-host|download.trusted-host"))},
	{"uv", flags("--allow-insecure-host=", "--trusted-host=")},
	{"npm pnpm yarn bower cnpm", either(
		assigned(isOff, "--strict-ssl"), flags("--no-strict-ssl"),
		after(isOff, "set", "strict-ssl|enablestrictssl"), after(isOff, "config", "strict-ssl"),
	)},
	{"conda mamba micromamba", either(
		after(isOff, "--set", "ssl_verify"), after(isOff, "set", "ssl_verify"), assigned(isOff, "--ssl-verify"), flags("--insecure"),
	)},
	{"composer", either(after(isOn, "config", "disable-tls"), after(isOff, "config", "secure-http"))},
	{"bundle bundler", after(func(s string) bool { return s == "0" || strings.Contains(s, "VERIFY_NONE") }, "config", "ssl_verify_mode")},
	{"go", flags("-insecure", "--insecure")},
	{"apt apt-get aptitude apt-cache apt-file", setOption(aptOption(isOff, "::verify-peer", "::verify-host"))},
	{"yum dnf microdnf tdnf dnf5 yum-config-manager", assigned(func(s string) bool { return isOff(valueOf(s, "sslverify")) }, "--setopt")},
	{"apk opkg", flags("--no-check-certificate")},
	{"aria2c", assigned(isOff, "--check-certificate")},
	{"http https", assigned(isOff, "--verify")},
	{"svn", flags("--trust-server-cert", "--trust-server-cert-failures=")},
	{"hg", flags("--insecure")},
	{"mvn mvnw", mavenOff},
	{"lftp", contains("ssl:verify-certificate no", "ssl:verify-certificate false", "ssl:verify-certificate off")},
	{"skopeo podman buildah", assigned(isOff, "--tls-verify", "--src-tls-verify", "--dest-tls-verify")},
	{"kubectl helm oc", flags("--insecure-skip-tls-verify")},
	{"aws", flags("--no-verify-ssl")},
	{"ansible-galaxy", flags("--ignore-certs")},
	{"cargo", assigned(func(s string) bool { return isOff(valueOf(s, "http.check-revoke")) }, "--config")},
	{"Invoke-WebRequest iwr Invoke-RestMethod", flags("-SkipCertificateCheck")},
}

// verificationSettings are the same in files and in the environment. Sources as
// above, and nodejs.org/api/cli, peps.python.org/pep-0493, wget(1) "wgetrc",
// getcomposer.org/doc/06-config, yarnpkg.com/configuration.
var verificationSettings = []setting{
	spelled("verify-peer", `Verify-Peer(?:[\s=]|\\?["'])+(?:false|0|no|off|without|disable)\b`, "Verify-Peer", "apt"),
	spelled("verify-host", `Verify-Host(?:[\s=]|\\?["'])+(?:false|0|no|off|without|disable)\b`, "Verify-Host", "apt"),
	spelled("git_ssl_no_verify", `GIT_SSL_NO_VERIFY=`, "GIT_SSL_NO_VERIFY", "git"),
	spelled("sslverify", `sslVerify\s*=\s*["']?(?:false|no|off|0)\b`, "sslverify", "git or yum"),
	spelled("trusted-host", `trusted-host\s*=\s*[\w"'$]`, "trusted-host", "pip"),
	spelled("pip_trusted_host", `PIP_TRUSTED_HOST=["']?[\w$*]`, "PIP_TRUSTED_HOST", "pip"),
	spelled("strict-ssl", `strict-ssl\s*[= ]\s*["']?false\b`, "strict-ssl", "npm or yarn"),
	spelled("npm_config_strict_ssl", `npm_config_strict_ssl=["']?(?:false|0)\b`, "npm_config_strict_ssl", "npm"),
	spelled("enablestrictssl", `enableStrictSsl:\s*["']?false\b`, "enableStrictSsl", "yarn"),
	spelled("node_tls_reject_unauthorized", `NODE_TLS_REJECT_UNAUTHORIZED=["']?0`, "NODE_TLS_REJECT_UNAUTHORIZED", "Node.js"),
	spelled("pythonhttpsverify", `PYTHONHTTPSVERIFY=["']?0`, "PYTHONHTTPSVERIFY", "Python"),
	spelled("ssl_verify", `(?:CONDA_|MAMBA_)?ssl_verify\s*[:=]\s*["']?(?:false|no|0|off)\b`, "ssl_verify", "conda"),
	spelled("disable-tls", `"disable-tls"\s*:\s*true\b`, "disable-tls", "composer"),
	spelled("secure-http", `"secure-http"\s*:\s*false\b`, "secure-http", "composer"),
	spelled("ssl_verify_mode", `:?(?:BUNDLE_)?ssl_verify_mode["']?\s*[:= ]\s*["']?(?:0\b|OpenSSL::SSL::VERIFY_NONE)`, "ssl_verify_mode", "RubyGems"),
	spelled("goinsecure", `GOINSECURE=["']?[\w*]`, "GOINSECURE", "Go"),
	spelled("-insecure", `GOFLAGS=["']?[^\n;&|]*-insecure\b`, "-insecure", "Go"),
	spelled("check_certificate", `check_certificate\s*=\s*["']?(?:off|no|0|quiet)\b`, "check_certificate", "wget"),
	spelled("perl_lwp_ssl_verify_hostname", `PERL_LWP_SSL_VERIFY_HOSTNAME=["']?0`, "PERL_LWP_SSL_VERIFY_HOSTNAME", "Perl"),
	spelled("wagon.http.ssl", `-Dmaven\.wagon\.http\.ssl\.(?:insecure|allowall)=true`, "maven.wagon.http.ssl.insecure", "Maven"),
	spelled("cargo_http_check_revoke", `CARGO_HTTP_CHECK_REVOKE=["']?false`, "CARGO_HTTP_CHECK_REVOKE", "cargo"),
	spelled("check-revoke", `check-revoke\s*=\s*false\b`, "check-revoke", "cargo"),
	spelled("servercertificatevalidationcallback", `ServerCertificateValidationCallback\s*=\s*\{\s*\$true`, "ServerCertificateValidationCallback", "PowerShell"),
	spelled("uv_insecure_host", `UV_INSECURE_HOST=["']?[\w$*]`, "UV_INSECURE_HOST", "uv"),
	spelled("azure_cli_disable_connection_verification", `AZURE_CLI_DISABLE_CONNECTION_VERIFICATION=["']?1`, "AZURE_CLI_DISABLE_CONNECTION_VERIFICATION", "az"),
	spelled("curlrc", `(?:--?)?insecure["']?\s*(?:>>?|\|\s*tee(?: -a)?)\s*\S*curlrc\b`, "insecure", "curl"),
	spelled("ssl_verify=no", `[?&]ssl_verify=no\b`, "ssl_verify=no", "zypper"),
}

func verificationMessage(what, of string) string {
	return fmt.Sprintf("%s switches the check of the server's certificate off%s, so TLS protects nothing; "+
		"take it out, and give the server's CA if that was the reason for it", what, of)
}

func verificationCommand(c *Command) []Finding {
	var out places
	inCalls(c, verificationSwitches, func(name, word string) {
		out.add(c.place(name, word), verificationMessage(option(name, word), " for "+name))
	})
	inScripts(c, verificationSettings, func(s *script, span [2]int, g setting) {
		out.add(s.Slice(span[0], span[1]), verificationMessage(g.what, " for "+g.tool))
	})
	for _, s := range c.scripts {
		if !strings.Contains(s.lower, "curlrc") || !s.parse() {
			continue
		}
		for _, d := range s.docs {
			if d.reader >= 0 && isCurlrc(s.commands[d.reader].file) {
				curlrc(&out, s.Slice(d.from, d.to))
			}
		}
	}
	return out.findings
}

func verificationVariable(v Variable) []Finding {
	for _, g := range verificationSettings {
		assignment := v.Name + "=" + v.Value.String()
		if len(g.find(assignment, strings.ToLower(assignment))) > 0 {
			return []Finding{found(v.Value, verificationMessage(v.Name, " for "+g.tool))}
		}
	}
	return nil
}

func verificationFile(f File) []Finding {
	var out places
	inContent(f, verificationSettings, func(span [2]int, g setting) {
		out.add(f.Content.Slice(span[0], span[1]), verificationMessage(g.what, " for "+g.tool))
	})
	if isCurlrc(f.Path) {
		curlrc(&out, f.Content)
	}
	return out.findings
}

func isCurlrc(name string) bool {
	return slices.Contains([]string{".curlrc", "curlrc", "_curlrc"}, base(name))
}

// curlrc reports the option in a configuration file of curl, where it stands on
// a line of its own. Source: curl(1), --config.
func curlrc(out *places, t textmap.Text) {
	at := 0
	for line := range strings.Lines(t.String()) {
		word := strings.TrimSpace(line)
		if slices.Contains([]string{"insecure", "-k", "--insecure"}, word) {
			from := at + strings.Index(line, word)
			out.add(t.Slice(from, from+len(word)), verificationMessage(word, " for curl"))
		}
		at += len(line)
	}
}

// option is how a message names an option: without the other options of its
// cluster, and without a value that may be anybody's.
func option(program, word string) string {
	name, value, ok := strings.Cut(word, "=")
	switch {
	case program == "curl" && !strings.HasPrefix(word, "--"):
		return "-k"
	case ok && (isOff(value) || isOn(value)) && plainName.MatchString(name):
		return word
	}
	return plainName.FindString(name)
}

var plainName = regexp.MustCompile(`^[-\w.:*]+`)

func isSet(s string) bool { return s != "" }

// valueOf is the value of NAME=VALUE if NAME, or its part behind the last dot,
// is one of the names, which have no case.
func valueOf(s string, names ...string) string {
	name, value, _ := strings.Cut(s, "=")
	name = strings.ToLower(strings.TrimSpace(name))
	for _, n := range names {
		if name == n || strings.HasSuffix(name, "."+n) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func wgetOff(s string) bool { return isOff(s) || s == "quiet" }

// gitOff reports whether NAME=VALUE is http.sslVerify, or http.URL.sslVerify,
// with a value that git reads as no.
func gitOff(s string) bool {
	name, value, ok := strings.Cut(s, "=")
	return ok && gitName(name) && isOff(value)
}

func gitName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "http.") && strings.HasSuffix(name, ".sslverify")
}

// gitConfig finds "git config http.sslVerify false".
func gitConfig(args []string) []string {
	if !slices.Contains(args, "config") {
		return nil
	}
	for i := 0; i+1 < len(args); i++ {
		if gitName(args[i]) && isOff(args[i+1]) {
			return []string{args[i]}
		}
	}
	return nil
}

func mavenOff(args []string) []string {
	var out []string
	for _, a := range args {
		if name, value, _ := strings.Cut(a, "="); strings.HasPrefix(name, "-Dmaven.wagon.http.ssl.") && value != "false" &&
			(strings.HasSuffix(name, ".insecure") || strings.HasSuffix(name, ".allowall")) {
			out = append(out, a)
		}
	}
	return out
}

// contains finds words that hold one of the texts.
func contains(texts ...string) func([]string) []string {
	return func(args []string) []string {
		var out []string
		for _, a := range args {
			if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(a, t) }) {
				out = append(out, a)
			}
		}
		return out
	}
}
