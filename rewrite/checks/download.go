package checks

import (
	"fmt"
	"slices"
	"strings"
)

var downloadNotVerified = Rule{
	Name: "DownloadNotVerified", Severity: advisory, Class: validation,
	Description: "A fetched file is unpacked or installed, and nothing in the RUN compares a checksum or signature.",
	Why: "TLS says which server sent the file, not that it is the file which the publisher made or which the last build used. " +
		"Compare its checksum in the same RUN, or fetch it with ADD --checksum.",
	Bad: "FROM debian:bookworm-slim\nRUN curl -fsSLO https://downloads.example.com/tool.tar.gz && tar -xzf tool.tar.gz\n",
	Good: "FROM debian:bookworm-slim\nRUN curl -fsSLO https://downloads.example.com/tool.tar.gz && \\\n" +
		"    echo \"24454f830cdb571e2c4ad15481119c43b3cafd48dd869a9b2945d1036d1dc68d  tool.tar.gz\" | sha256sum -c && \\\n" +
		"    tar -xzf tool.tar.gz\n",

	command: downloadCommand,
}

func downloadCommand(c *Command) []Finding {
	var out []Finding
	for _, s := range c.scripts {
		if !mentionsFetcher(s.lower) || s.checked() || !s.parse() {
			continue
		}
		for _, p := range s.pipelines {
			out = append(out, s.unpacked(p)...)
		}
		out = append(out, s.installed()...)
	}
	return out
}

// checked reports whether the text may compare a checksum or a signature: any
// word that such a command would need counts.
func (s *script) checked() bool {
	for _, word := range []string{
		"sha1", "sha2", "sha3", "sha5", "shasum", "md5", "b2sum", "b3sum", "blake", "cksum", "checksum", "digest", "gpg", "gnupg", ".asc", ".sig",
		"signature", "verify", "cosign", "minisign", "signify", "openssl", "rpmkeys", "hash", "slsa",
	} {
		if strings.Contains(s.lower, word) {
			return true
		}
	}
	return false
}

func downloadMessage(from, to string) string {
	return fmt.Sprintf("%s takes a file that %s fetched, and nothing in this RUN checks it; compare its checksum or signature, or use ADD --checksum", to, from)
}

// unpacked reports a fetch that is piped into a program that unpacks it.
func (s *script) unpacked(p pipeline) []Finding {
	from := ""
	for _, st := range p {
		for _, c := range s.in(st) {
			run := c.started()
			switch {
			case run.fetcher() && !run.own():
				from = run.name()
			case from != "" && run.installs() && !strings.HasPrefix(run.name(), "chmod"):
				return []Finding{found(s.Slice(c.from, c.to), downloadMessage(from, run.name()))}
			}
		}
	}
	return nil
}

// installed reports files that are fetched and then unpacked or installed.
func (s *script) installed() []Finding {
	var out []Finding
	files := map[string]string{}
	for _, c := range s.commands {
		run := c.started()
		if len(files) > 0 && run.installs() {
			for _, a := range run.args[1:] {
				if name := base(strings.TrimPrefix(a.s, "--file=")); files[name] != "" {
					out = append(out, found(s.Slice(c.from, c.to), downloadMessage(files[name], run.name())))
					delete(files, name)
				}
			}
		}
		if run.fetcher() && !run.own() {
			for _, name := range saved(&run) {
				files[name] = run.name()
			}
		}
	}
	return out
}

// installs reports whether the command unpacks or installs files, or makes
// them programs.
func (c *command) installs() bool {
	args := c.words()
	if len(args) == 0 {
		return false
	}
	switch c.name() {
	case "tar", "bsdtar", "unzip", "7z", "7za", "gunzip", "bunzip2", "unxz", "cpio", "dpkg", "gdebi", "installer":
		return true
	case "rpm", "yum", "dnf", "apt", "apt-get", "apk", "microdnf", "zypper":
		return !slices.Contains(args, "--import")
	case "gzip", "bzip2", "xz":
		return slices.ContainsFunc(args[1:], func(a string) bool { return strings.HasPrefix(a, "-") && strings.Contains(a, "d") })
	case "chmod":
		return len(args) > 2 && (strings.Contains(args[1], "x") || strings.ContainsAny(args[1], "1357") && strings.Trim(args[1], "01234567") == "")
	case "install":
		return true
	}
	return false
}
