package route

import "strings"

// Action is what to do with a URL.
type Action uint8

const (
	// Keep leaves the URL as it is: it is not fetched over a public network.
	Keep Action = iota
	// Upgrade fetches the same content over TLS: from the same host, or from
	// the host that the embedded tables name as its TLS home.
	Upgrade
	// Mirror fetches from the operator's mirror instead.
	Mirror
	// Refuse means that the URL has no TLS form that is known to work.
	Refuse
)

// Role says what a URL is used for. It bounds what Route may do to it.
type Role uint8

const (
	// Fetch is a URL that a known program fetches: everything is allowed.
	Fetch Role = iota
	// AptSource is text that becomes an apt source: everything is allowed.
	AptSource
	// Keyserver is an OpenPGP key server, with or without a scheme.
	Keyserver
	// PackageConfig is text that becomes configuration of a package manager
	// other than apt (apk, pip, npm, gem, yum, …): it stays in the image, so
	// only the scheme may change, never to an operator's mirror.
	PackageConfig
	// Word is any other word of a command, its use unknown: the scheme may
	// change, or the host where the tables say that TLS lives elsewhere,
	// never to an operator's mirror.
	Word

	// The roles from here on are not fetches of the build: always Keep.

	// Proxy is a proxy's address; its scheme is that of the hop to the proxy.
	Proxy
	// Identifier names a thing (XML namespace, DTD, licence, RDF).
	Identifier
	// Match is text that is only compared: a grep pattern, sed's left side.
	Match
	// Print is text for people, on the terminal or in a file.
	Print
	// ForeignConfig is configuration of a server or another program.
	ForeignConfig
	// Header is the value of an HTTP header.
	Header
	// Runtime is used when a container runs, not when the image is built.
	Runtime
)

// Context is what Route needs to know beside the URL.
type Context struct {
	Role Role
}

// Decision is the answer of [Table.Route].
type Decision struct {
	Action Action
	// To is the URL to fetch instead; empty for Keep and Refuse. Userinfo,
	// query and fragment of the original are kept where the host is.
	To string
	// Mirrors are all URLs to try, in order, To first. One for Upgrade.
	Mirrors []string
	// Archive names the archive that the URL belongs to ("debian-security"),
	// or is empty.
	Archive string
	// Rule names what decided: "credentials", "host-rule", "loopback",
	// "private-network", "single-label", "internal-name", "wildcard",
	// "role", "explicit-port", "public-ip", "archive", "host-table",
	// "unknown-host", "no-tls-form", "variable-host", "already-tls",
	// "malformed", "operator-mirror", "other-scheme" (not a network fetch
	// that Route knows, or text without a scheme).
	Rule string
	// Why is one sentence for a person; for Refuse it names the ways out.
	// It never holds userinfo.
	Why string
}

// State says in a few words how rawURL, which d is about, is fetched as it
// stands: the verb of a message about it.
func (d Decision) State(rawURL string) string {
	switch {
	case len(rawURL) < len(tlsPrefix) || !strings.EqualFold(rawURL[:len(tlsPrefix)], tlsPrefix):
		return "is fetched in clear text"
	case d.Action == Refuse:
		return "is refused"
	}
	return "is not fetched from the operator's mirror"
}

const tlsPrefix = "https://"

// Mode is what a refused fetch does to a build.
type Mode string

const (
	// Enforce fails the build, listing every refused fetch. The default.
	Enforce Mode = "enforce"
	// Audit warns and builds.
	Audit Mode = "audit"
)

// Config is the operator's part of the decision. The zero value is the
// built-in default. As JSON it is what the method that serves apt is told, so
// the names there are part of what is mounted.
type Config struct {
	// Mode is Enforce if empty.
	Mode Mode `json:"mode,omitempty"`
	// Mirrors maps an archive's name to the base URLs to try in order; the
	// word "default" stands for the archive's official TLS base. Without an
	// entry the official base is used.
	Mirrors map[string][]string `json:"mirrors,omitempty"`
	// Hosts are the operator's host rules; the most specific one wins.
	Hosts []HostRule `json:"hosts,omitempty"`
}

// HostRule decides every URL of one host.
type HostRule struct {
	// Host is a name, an IP literal, or "*.suffix"; with ":port" it is for
	// that port only.
	Host string `json:"host"`
	// Action is "upgrade", "keep", "refuse", or an https URL that replaces
	// scheme and host (and is put before the path).
	Action string `json:"action"`
}
