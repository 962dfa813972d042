package aptsource

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Routed is an Entry with its decision.
type Routed struct {
	Entry
	// Decision is the route's; for a stanza that is switched off it is Keep
	// with Rule "disabled". To ends in as many slashes as the URI of the text.
	Decision route.Decision
	// Edits change the source of the text so that apt reads Decision.To; nil
	// where nothing is to be changed.
	Edits []textmap.Edit
	// Problem says why there are no Edits although Decision moves the URI, ""
	// otherwise.
	Problem string
	// Note is something to tell a person about the move, or "".
	Note string
}

// Route decides every entry of one text and finds the edits for it. The edits
// of all entries together are disjoint. An entry that would then disagree with
// another one about an option of the same release is not edited: apt would
// read no source at all.
func Route(entries []Entry, t *route.Table) []Routed {
	return routeWith(entries, func(uri string) route.Decision {
		return t.Route(uri, route.Context{Role: route.AptSource})
	})
}

func routeWith(entries []Entry, decide func(uri string) route.Decision) []Routed {
	routed := make([]Routed, len(entries))
	for i, e := range entries {
		routed[i] = routeEntry(e, decide)
	}
	dropConflicts(routed)
	return routed
}

// routeEntry decides one entry by itself.
func routeEntry(e Entry, decide func(uri string) route.Decision) Routed {
	r := Routed{Entry: e}
	if !e.Enabled {
		r.Decision = route.Decision{Rule: "disabled", Why: "the stanza is switched off: apt does not read it"}
		return r
	}
	uri := canonical(e.Decoded)
	r.Decision = decide(uri)
	if r.Decision.Action != route.Upgrade && r.Decision.Action != route.Mirror {
		return r
	}
	r.keepSlashes(uri)
	if r.Decision.To == uri {
		return r
	}
	var ok bool
	if r.Edits, ok = replaceURI(e.URI, e.Format, r.Decision.To); !ok {
		r.Problem = "the address cannot be changed where it stands"
	}
	r.Note = note(r)
	return r
}

// keepSlashes gives the addresses of the decision as many slashes at their end
// as uri has.
func (r *Routed) keepSlashes(uri string) {
	end := uri[len(uri)-slashes(uri):]
	fix := func(to string) string {
		if strings.ContainsAny(to, "?#") {
			return to
		}
		return strings.TrimRight(to, "/") + end
	}
	r.Decision.To = fix(r.Decision.To)
	r.Decision.Mirrors = slices.Clone(r.Decision.Mirrors)
	for i, m := range r.Decision.Mirrors {
		r.Decision.Mirrors[i] = fix(m)
	}
}

// slashes counts the slashes at the end of the path of uri.
func slashes(uri string) int {
	path := splitAddress(uri).path
	return len(path) - len(strings.TrimRight(path, "/"))
}

// note warns of suites that a live mirror may not have: the security suites of
// releases up to buster were named X/updates and have moved to the archive.
func note(r Routed) string {
	if r.Decision.Action != route.Mirror {
		return ""
	}
	old := slices.IndexFunc(r.Suites, func(s string) bool { return strings.HasSuffix(s, "/updates") })
	if old < 0 {
		return ""
	}
	return "mirrors may not have the suite " + r.Suites[old] + " any more"
}

// dropConflicts takes back edits that would make two entries disagree about
// the options of one release, which apt takes for an error. It takes back the
// later entry's, or the earlier one's if only that has moved.
func dropConflicts(routed []Routed) {
	for slices.ContainsFunc(routed, Routed.moved) {
		n := conflict(routed)
		if n < 0 {
			return
		}
		routed[n].Edits = nil
		routed[n].Problem = "moved to this address, it would conflict with the options of another source"
	}
}

// conflict returns the number of the first entry whose edits make a conflict
// that was not there, or -1.
func conflict(routed []Routed) int {
	before, after := releases{}, releases{}
	for n, r := range routed {
		if !r.Enabled {
			continue
		}
		if option, _ := before.add(n, r.Entry, r.Decoded); option != "" {
			continue
		}
		option, with := after.add(n, r.Entry, r.readAs())
		switch {
		case option == "":
		case r.moved():
			return n
		case len(routed[with].Edits) > 0:
			return with
		}
	}
	return -1
}

// readAs returns the URI that apt reads once the edits are made.
func (r Routed) readAs() string {
	if len(r.Edits) == 0 {
		return r.Decoded
	}
	return r.Decision.To
}

// moved reports whether the edits change more than the scheme: only then can
// the entry meet another one.
func (r Routed) moved() bool {
	return len(r.Edits) > 0 && releaseKey(r.Decoded, "/") != releaseKey(r.Decision.To, "/")
}
