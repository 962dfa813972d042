package route

import (
	_ "embed"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// The tables. Each file describes its own format.
var (
	//go:embed data/archives.tsv
	archivesTSV string
	//go:embed data/hosts.tsv
	hostsTSV string
	//go:embed data/local.tsv
	localTSV string
)

// TLS says whether a host is known to serve valid TLS under its own name.
type TLS string

// What is known about a host.
const (
	TLSYes     TLS = "yes"
	TLSNo      TLS = "no"
	TLSUnknown TLS = "unknown"
)

// ArchiveRow is one way in which an apt archive, or the OpenPGP key server, is
// named in sources.
type ArchiveRow struct {
	// Archive is the archive's name: "debian-security", "ubuntu", "keyserver".
	Archive string
	// Host is the host named in the source: a name, "*.suffix" for one or
	// more labels, or a name with "*" inside its labels for one label each.
	Host string
	// Path is "/debian" for that folder and all below it, "/" for an archive
	// at the root (the root itself, /dists and /pool), "/*" for the whole host.
	Path string
	// TLS is what is known of Host, not of Target.
	TLS TLS
	// Target is the official TLS base in place of scheme, host and Path; ""
	// if the archive has none.
	Target string
	// Source is what the claim rests on; Date (2006-01-02) is when it was
	// looked at, or the date of the fact itself.
	Source, Date string
}

// HostRow is what is known about a host that is no archive of its own. A
// public host without a row is upgraded all the same, but for git and ftp.
type HostRow struct {
	// Scheme of the address that the row speaks of: "http", "git" or "ftp".
	Scheme string
	// Host and Path are as in [ArchiveRow]; Path is never "/".
	Host, Path string
	TLS        TLS
	// Target is the TLS base in place of scheme, host and Path; "" for the
	// same host and path, or for none if TLS is no.
	Target string
	// Source and Date are as in [ArchiveRow].
	Source, Date string
}

// LocalRow is a domain or an address range that is not reached over a public
// network, so that clear text to it is kept.
type LocalRow struct {
	// Name is a domain, itself and all below it; "" if Net is set.
	Name string
	Net  netip.Prefix
	// Rule is the [Decision.Rule] that it leads to.
	Rule string
	// What completes "HOST is …"; Source is the document that says so.
	What, Source string
}

// Archives returns the archive table, in the order of its file. The caller
// may change the slice.
func Archives() []ArchiveRow { return slices.Clone(embedded().archives) }

// Hosts returns the host table, in the order of its file. The caller may
// change the slice.
func Hosts() []HostRow { return slices.Clone(embedded().hosts) }

// Local returns the domains and address ranges that are no public hosts, in
// the order of their file. The caller may change the slice.
func Local() []LocalRow { return slices.Clone(embedded().local) }

// ArchiveNames returns the name of each archive once, in the table's order.
func ArchiveNames() []string { return slices.Clone(embedded().names) }

// DataDate returns the latest date in the host and archive tables, as
// 2006-01-02.
func DataDate() string { return embedded().date }

// embedded reads the tables, once.
var embedded = sync.OnceValue(func() *index {
	x := &index{exact: map[string]*site{}, patterns: map[string][]*site{}, domains: map[string]*LocalRow{}}
	for _, f := range fields(archivesTSV, 7) {
		x.addArchive(ArchiveRow{Archive: f[0], Host: f[1], Path: f[2], TLS: TLS(f[3]), Target: f[4], Date: f[5], Source: f[6]})
	}
	for _, f := range fields(hostsTSV, 7) {
		x.addHost(HostRow{Scheme: f[0], Host: f[1], Path: f[2], TLS: TLS(f[3]), Target: f[4], Date: f[5], Source: f[6]})
	}
	for _, f := range fields(localTSV, 5) {
		x.addLocal(f[0], f[1], LocalRow{Rule: f[2], What: f[3], Source: f[4]})
	}
	x.sort()
	return x
})

// fields splits an embedded table into rows of n fields; "-" stands for "". A
// row of another width is a fault of this package, which its test finds.
func fields(table string, n int) [][]string {
	var rows [][]string
	for line := range strings.Lines(table) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != n {
			panic(fmt.Sprintf("route: embedded row has %d fields, not %d: %q", len(row), n, line))
		}
		for i := range row {
			if row[i] == "-" {
				row[i] = ""
			}
		}
		rows = append(rows, row)
	}
	return rows
}
