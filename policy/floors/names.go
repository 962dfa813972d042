package floors

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// namesOf returns what an advisory is called first, and its other names. The
// first is that of a record, of Python's own database if there is one.
func namesOf(h osv.Hit) (head string, others []string) { return named(*h.Advisory, h.Records) }

func named(a osv.Advisory, records []string) (head string, others []string) {
	for _, start := range []string{"MAL-", "PYSEC-", ""} {
		i := slices.IndexFunc(records, func(id string) bool { return strings.HasPrefix(id, start) })
		if i >= 0 {
			head = records[i]
			break
		}
	}
	for _, id := range a.IDs {
		if id != head {
			others = append(others, id)
		}
	}
	return head, others
}

// records are the ids of an advisory's sources.
func records(a osv.Advisory) []string {
	var all []string
	for _, s := range a.Sources {
		all = append(all, s.ID)
	}
	return all
}
