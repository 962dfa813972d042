package format

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// issue is what Debian's security tracker says about a vulnerability in a source
// package (https://security-tracker.debian.org/tracker/data/json).
type issue struct {
	Description string `json:"description"`
	Releases    map[string]struct {
		Status string `json:"status"`
		Fixed  string `json:"fixed_version"`
	} `json:"releases"`
}

// isTracker reports whether an object has the tracker's form: source packages,
// each with its vulnerabilities. One is enough to tell.
func isTracker(f fields) bool {
	for _, raw := range f {
		if raw[0] != '{' {
			return false
		}
		var issues map[string]fields
		if json.Unmarshal(raw, &issues) != nil {
			return false
		}
		for _, one := range issues {
			if one.has("releases") {
				return true
			}
		}
	}
	return false
}

// tracker reads the whole tracker: a record for each vulnerability, under the name
// that OSV gives it ("DEBIAN-CVE-2024-6119"). The tracker has no times.
func tracker(raw json.RawMessage) ([]osv.Record, error) {
	var packages map[string]map[string]issue
	if err := json.Unmarshal(raw, &packages); err != nil {
		return nil, err
	}
	records := map[string]*osv.Record{}
	for _, source := range slices.Sorted(maps.Keys(packages)) {
		for _, id := range slices.Sorted(maps.Keys(packages[source])) {
			one := packages[source][id]
			r := records[id]
			if r == nil {
				r = trackerRecord(id, one.Description)
				records[id] = r
			}
			r.Affected = append(r.Affected, one.affected(source)...)
		}
	}
	var all []osv.Record
	for _, id := range slices.Sorted(maps.Keys(records)) {
		all = append(all, *records[id])
	}
	return all, nil
}

func trackerRecord(id, description string) *osv.Record {
	r := &osv.Record{
		ID: id, Details: description,
		References: []osv.Reference{{Type: "ADVISORY", URL: "https://security-tracker.debian.org/tracker/" + id}},
	}
	if strings.HasPrefix(id, "CVE-") {
		r.ID, r.Upstream = "DEBIAN-"+id, []string{id}
	}
	return r
}

// affected is what is said of each release. "0" as the fixed version says that it
// never was affected; "undetermined" says nothing, and gives no range.
func (i issue) affected(source string) []osv.Affected {
	var all []osv.Affected
	for _, codename := range slices.Sorted(maps.Keys(i.Releases)) {
		o, ok := distro.Suite(codename)
		if !ok {
			continue // sid
		}
		a := osv.Affected{Ecosystem: "Debian:" + o.Version, Name: source}
		switch s := i.Releases[codename]; s.Status {
		case "resolved":
			a.Ranges = below(s.Fixed)
		case "open":
			a.Ranges = below("")
		}
		all = append(all, a)
	}
	return all
}
