// Package aptscript writes the shell script that moves an image's apt sources to
// TLS, for images that keep them so: the decisions of package route as programs of
// sed, which every image with apt has. It knows one-line and deb822 sources.
//
// What the script has no rule for, it refuses: it lists the lines and fails. So do
// an address that has a port of its own or is refused by the table, and one with a
// scheme of an apt transport before it (tor+http).
package aptscript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Paths in the image.
const (
	// Bundle holds the certificate authorities, Conf names them to apt.
	Bundle = "/usr/share/loopx/ca.crt"
	Conf   = "/etc/apt/apt.conf.d/zz-loopx-ca"
)

// Schemes with a mark before them, while a script runs: what is done, and what is
// kept or refused. No rule matches behind a mark.
const (
	done   = "done+"
	keep   = "keep+"
	refuse = "refuse+"
)

// leftover finds, in a line that is no comment, clear text that is not marked to
// be kept.
const leftover = `^[^#]*(^|[^p][+]|[^+])(http|ftp)://`

// Lines returns the commands, each of them one or more lines without a line
// ending; a line that goes on ends in a blank. A shell that is given all of them
// fails if one does, as by set -e, and otherwise exits 0.
func Lines(cfg route.Config) ([]string, error) {
	rules, err := newRules(cfg)
	if err != nil {
		return nil, err
	}
	lines := head()
	for _, r := range rules {
		lines = append(lines, "    -e '"+r.sed()+"' ")
	}
	return append(lines, tail()...), nil
}

// ruleLine is a line of a rule, as sed spells it.
var ruleLine = regexp.MustCompile(`^    -e 's#\(\^\|\[\]\[:space:\]:\]\)https?\??://[^#\']+#\\1(?:done\+https|keep\+http|refuse\+http)://[^#\'\s]*#gI' $`)

// Is reports whether lines are of the form that Lines returns, for some
// configuration and some state of the tables.
func Is(lines []string) bool {
	first, last := head(), tail()
	n := len(lines) - len(last)
	return n >= len(first) && slices.Equal(first, lines[:len(first)]) && slices.Equal(last, lines[n:]) &&
		!slices.ContainsFunc(lines[len(first):n], func(l string) bool { return !ruleLine.MatchString(l) })
}

func head() []string {
	return []string{
		`set -e; `,
		fail(`[ "$(id -u)" = 0 ]`, `loopx: this has to run as root: put USER root above it`),
		fail(`[ -e /usr/lib/apt/methods/https ]`, `loopx: the apt of this image can not fetch over TLS: take a newer base, or build with the LoopX frontend`),
		`if [ -s /etc/ssl/certs/ca-certificates.crt ]; then cat /etc/ssl/certs/ca-certificates.crt >>` + Bundle + `; fi; `,
		`echo 'Acquire::https::CaInfo "` + Bundle + `";' >` + Conf + `; `,
		`for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do `,
		`  [ -f "$f" ] || continue; `,
		`  sed -E -i -e '/^[[:space:]]*#/b' -e ':l' `,
	}
}

func tail() []string {
	return []string{
		`    -e 't l' "$f"; `,
		`  if grep -nE '` + leftover + `' "$f" >&2; then echo "loopx: $f: these lines have no form over TLS: name a mirror, or a host rule, when the Dockerfile is rewritten" >&2; exit 1; fi; `,
		`  sed -E -i 's#(keep|done)[+]http#http#g' "$f"; `,
		`done`,
	}
}

func fail(test, message string) string {
	return fmt.Sprintf(`%s || { echo "%s" >&2; exit 1; }; `, test, message)
}

// rule is one substitution.
type rule struct {
	hosts  []string // regular expressions
	path   string   // as in route.ArchiveRow; "*" for any address of the host
	port   string   // a regular expression, for what may stand behind the host
	scheme string   // "http", or "https?" where the operator moves both
	to     string   // what takes the place of scheme, host and path; with its mark
}

// sed spells r as a command of sed -E, with # for the delimiter. The groups are
// what is before the address, the host, the port, and what is behind the path.
func (r rule) sed() string {
	path, to := literal(r.path)+`(/|[[:space:]]|$)`, replacement(r.to)
	switch r.path {
	case "/":
		path = `(/?([[:space:]]|$))`
	case "/*", "*":
		path = `(/|[[:space:]]|$)`
	}
	if r.to == keep || r.to == refuse || r.to == done {
		to += "http"
		if r.to == done {
			to += "s"
		}
		to += `://\2`
		if r.to != done || r.port != httpPort {
			to += `\3`
		}
	}
	return fmt.Sprintf(`s#(^|[][:space:]:])%s://(%s)%s%s#\1%s\4#gI`, r.scheme, strings.Join(r.hosts, "|"), r.port, path, to)
}

// literal spells text as a regular expression.
func literal(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune(`.[]()*+?{}|^$\#`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// replacement spells text as the replacement of a substitution, inside of single
// quotes of the shell.
func replacement(text string) string {
	return strings.NewReplacer(`\`, `\\`, `&`, `\&`, `#`, `\#`, `'`, `%27`).Replace(text)
}
