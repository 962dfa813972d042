package words

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// takesTLS reports whether what sed puts in makes clear text of every https
// address that the pattern matches, as s/https/http/ does.
func (s *sedScript) takesTLS(put word) bool {
	rest, ok := strings.CutPrefix(put.s, "http")
	if !ok || strings.Trim(rest, ":/") != "" {
		return false
	}
	pattern := strings.TrimPrefix(s.pattern, "^")
	return pattern == "https"+rest || pattern == `https\?`+rest || pattern == "https?"+rest
}

// givesTLS reports whether what sed puts in makes https of http, and httpss of
// https.
func (s *sedScript) givesTLS(put word) bool {
	pattern := strings.TrimPrefix(s.pattern, "^")
	return pattern == "http" && (strings.HasPrefix(put.s, "https") || strings.HasPrefix(put.s, "&s"))
}

// takeTLS lists a replacement that takesTLS: it becomes one that changes
// nothing.
func (a *analyser) takeTLS(put word, u use) {
	p, _, ok := put.at(0)
	if !ok {
		return
	}
	f := Fetch{
		URL: "http://", Role: u.role, Reason: "takes TLS away: " + u.reason, Tool: "sed", Decision: schemePrefix,
		Arg: p.arg, Var: p.name,
	}
	f.Start, f.End, _ = p.text.Range(0, min(len("http"), p.text.Len()))
	f.Edits, _, f.Unedited = put.replace(0, len("http"), "https")
	a.out.Fetches = append(a.out.Fetches, f)
	put.use()
}

// keepAsWritten holds the texts that were written to files whose http sed turns
// into https afterwards.
func (a *analyser) keepAsWritten(files []string) {
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		edited := slices.ContainsFunc(files, func(pattern string) bool {
			same, err := path.Match(pattern, name)
			return pattern == name || same && err == nil
		})
		if !edited {
			continue
		}
		for _, text := range a.files[name] {
			a.hold(text, "a later command turns http into https, and would make httpss of it")
		}
	}
}

// forPackages reports whether text with this use is fetched by a package manager
// later on.
func (u use) forPackages() bool { return u.role == route.PackageConfig || u.role == route.AptSource }
