// Package route answers one question for the whole product: where may this URL
// be fetched from? Every layer asks it: the words of a RUN, the source of an
// ADD, each address that apt asks for. It does no I/O.
//
// [NewTable] joins the embedded tables with the operator's [Config];
// [Table.Route] gives a [Decision] for a URL in its [Role]. The first of these
// that applies decides; its name is the decision's Rule.
//
//  1. role: text that the build does not fetch is kept, whatever else is
//     configured. A host rule says where a host is fetched from; a pattern must
//     still match, and the scheme of a proxy is that of the hop to it.
//  2. malformed, other-scheme: what cannot be read as a URL, and what is no
//     fetch over a network, is kept.
//  3. host-rule: the operator's word for the host; host with port before host
//     before the longest suffix.
//  4. loopback, wildcard, private-network, single-label, internal-name: what no
//     public network carries is kept.
//  5. variable-host: the scheme changes where the word is surely a fetch; other
//     text is kept.
//  6. explicit-port, public-ip: refused. No one says that TLS is spoken there,
//     and a guess would break a build without a word why.
//  7. operator-mirror, archive: an archive's URL goes to the operator's mirrors,
//     else to the archive's official TLS base.
//  8. host-table: what is known of other hosts; one without TLS is refused.
//  9. unknown-host: any other public host is fetched over TLS. If it has none,
//     the fetch fails; it never falls back to clear text.
//
// no-tls-form refuses ftp, rsync, svn and other schemes that TLS has no twin
// for, at step 7, and git where the host table knows no https for it. An ftp
// address of an archive, and of a few hosts that serve the same tree, is moved
// to https. mirror: and mirror+http: are refused: the list is one fetch, but it
// names hosts that are fetched in clear text after it. A prefix as pip and apt
// write it ("git+http", "tor+http") stays in front.
//
// # Credentials and other bounds
//
// A URL that holds credentials never changes its host: only the scheme may
// change (rule credentials), and names on the operator's own network are
// upgraded too. The roles [Word] and [PackageConfig] never reach an operator's
// mirror or the other host of a host rule: what such text is used for is not
// known, or it stays in the image. A Word may still move to the host that the
// tables name; PackageConfig only if the named host is known to have no TLS. A
// host rule with a URL out of reach means upgrade, but for text without
// credentials on a local host, and for a host that is known to have no TLS.
//
// # URLs that use TLS already
//
// They are kept (already-tls), unless the operator sends that archive or host
// elsewhere. A URL at a place to which the configuration itself sends fetches
// has arrived and is kept (operator-mirror), so routing a result again changes
// nothing.
//
// # How the archive table matches
//
// Hosts match without regard to case and to a dot at the end, paths on whole
// segments, longest first, after decoding of percent-encoded letters, digits
// and "-._~"; a run of slashes counts as one. A path with a ".." segment matches
// no archive. A port of its own matches nothing. What stands behind the matched
// path is kept byte for byte.
//
// security.debian.org was at first an archive at the root of its host, so its
// root, /dists and /pool go to /debian-security, like that folder itself. Other
// paths of that host keep their place.
//
// A variable stands as ${NAME}, $NAME, $(command) or `command` and is opaque:
// it matches no literal text, but a whole label that is one matches the "*" of
// an alias.
package route
