package checks

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

var signatureOff = Rule{
	Name: "SignatureOff", Severity: blocker, Class: securityPrivacy,
	Description: "The check of a package's or repository's signature is switched off.",
	Why: "The signature is what says that a package comes from its publisher; TLS only says which server, or which mirror, sent it. " +
		"Take the option out, and give the package manager the publisher's key.",
	Bad: "FROM debian:bookworm-slim\nRUN echo 'deb [trusted=yes] https://apt.example.com/ ./' >/etc/apt/sources.list.d/example.list\n",
	Good: "FROM debian:bookworm-slim\nCOPY example.asc /etc/apt/keyrings/\n" +
		"RUN echo 'deb [signed-by=/etc/apt/keyrings/example.asc] https://apt.example.com/ ./' >/etc/apt/sources.list.d/example.list\n",

	command:  signatureCommand,
	variable: signatureVariable,
	file:     signatureFile,
}

// unauthenticated are apt's settings that accept what no key has signed, in
// lower case. Sources: apt-get(8), apt-secure(8), apt.conf(5).
var unauthenticated = []string{"allowunauthenticated", "allowinsecurerepositories", "allowdowngradetoinsecurerepositories", "allowweakrepositories"}

// signatureSwitches are the options that switch the check off. Sources:
// apt-get(8), apk(8), rpm(8), yum(8), dnf.conf(5), zypper(8), go.dev/ref/mod
// "checksum database".
var signatureSwitches = []switches{
	{"apt apt-get aptitude apt-cache apt-file", either(
		flags("--allow-unauthenticated", "--force-yes", "--allow-insecure-repositories", "--allow-downgrade-to-insecure-repositories", "--allow-untrusted"),
		setOption(aptOption(isOn, unauthenticated...)),
	)},
	{"add-apt-repository apt-add-repository", contains("trusted=yes", "allow-insecure=yes")},
	{"apk", flags("--allow-untrusted")},
	{"rpm", flags("--nosignature", "--nogpg")},
	{"yum dnf microdnf tdnf dnf5 yum-config-manager", either(
		flags("--nogpgcheck", "--nogpg", "--nosignature", "--no-gpgchecks"),
		assigned(func(s string) bool { return isOff(valueOf(s, "gpgcheck")) || isOff(valueOf(s, "pkg_gpgcheck")) }, "--setopt"),
	)},
	{"zypper", flags("--no-gpg-checks", "--no-gpgcheck", "--allow-unsigned-rpm")},
	{"pacman", flags("--nosignature")},
}

// signatureSettings are the same in files and in the environment. Sources: as
// above, and sources.list(5), yum.conf(5), pacman.conf(5).
var signatureSettings = []setting{
	spelled("trusted", `trusted\s*=\s*yes\b`, "trusted=yes", "apt"),
	spelled("trusted:", `Trusted:\s*yes\b`, "Trusted: yes", "apt"),
	spelled("allow-insecure", `allow-insecure\s*[=:]\s*yes\b`, "allow-insecure=yes", "apt"),
	spelled("allow", `Allow(?:Unauthenticated|InsecureRepositories|DowngradeToInsecureRepositories|WeakRepositories)(?:[\s=]|\\?["'])+(?:true|1|yes|on|with|enable)\b`,
		"Allow…", "apt"),
	spelled("force-yes", `APT::Get::force-yes(?:[\s=]|\\?["'])+(?:true|1|yes|on)\b`, "force-yes", "apt"),
	spelled("gpgcheck", `(?:pkg_)?gpgcheck\s*=\s*["']?(?:0|false|no|off)\b`, "gpgcheck=0", "yum"),
	spelled("siglevel", `SigLevel\s*=\s*(?:Never|[^\n]*\bTrustAll\b)`, "SigLevel", "pacman"),
	spelled("gosumdb", `GOSUMDB=["']?off\b`, "GOSUMDB=off", "Go"),
	spelled("gonosum", `GONOSUM(?:DB|CHECK)=["']?(?:\*|1\b|(?:github\.com|gitlab\.com|golang\.org|gopkg\.in|bitbucket\.org)(?:/\*)?["',\s]|(?:github\.com|gitlab\.com|golang\.org|gopkg\.in|bitbucket\.org)(?:/\*)?$)`,
		"GONOSUMDB", "Go"),
	spelled("gonosum", `GONOSUM(?:DB|CHECK)=["']?1\b`, "GONOSUMCHECK", "Go"),
}

func signatureMessage(what, of string) string {
	return fmt.Sprintf("%s switches the check of signatures off%s, so anything that the server sends is installed; "+
		"take it out, and give the publisher's key", what, of)
}

func signatureCommand(c *Command) []Finding {
	var out places
	inCalls(c, signatureSwitches, func(name, word string) {
		out.add(c.place(name, word), signatureMessage(option(name, shortened(word)), " for "+name))
	})
	inScripts(c, signatureSettings, func(s *script, span [2]int, g setting) { addSignature(&out, s.Text, span, g) })
	return out.findings
}

func signatureFile(f File) []Finding {
	var out places
	inContent(f, signatureSettings, func(span [2]int, g setting) { addSignature(&out, f.Content, span, g) })
	return out.findings
}

func addSignature(out *places, t textmap.Text, span [2]int, g setting) {
	at := t.Slice(span[0], span[1])
	if localSource(t.String(), span[0]) {
		return
	}
	what := g.what
	if what == "Allow…" {
		what = letters(at.String())
	}
	out.add(at, signatureMessage(what, " for "+g.tool))
}

func signatureVariable(v Variable) []Finding {
	assignment := v.Name + "=" + v.Value.String()
	lower := strings.ToLower(assignment)
	for _, g := range signatureSettings {
		if spans := g.find(assignment, lower); len(spans) > 0 && !localSource(assignment, spans[0][0]) {
			return []Finding{found(v.Value, signatureMessage(v.Name, " for "+g.tool))}
		}
	}
	return nil
}

// shortened is a source line's option alone: the line may hold credentials.
func shortened(word string) string {
	for _, o := range []string{"trusted=yes", "allow-insecure=yes"} {
		if strings.Contains(word, o) {
			return o
		}
	}
	return word
}

// letters is the name that s begins with.
func letters(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && r != '-' }); i >= 0 {
		return s[:i]
	}
	return s
}

// localSource reports whether the source of apt that byte i of s is an option
// of is a folder of the image itself: what is there was put there by the build.
func localSource(s string, i int) bool {
	line, _, _ := strings.Cut(s[i:], "\n")
	_, rest, ok := strings.Cut(line, "]")
	if !ok {
		return false
	}
	rest = strings.TrimLeft(rest, " \t")
	return strings.HasPrefix(rest, "file:") || strings.HasPrefix(rest, "copy:") || strings.HasPrefix(rest, "cdrom:")
}
