package format

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// advisory is one of GitHub's REST API, "Global security advisories"
// (https://docs.github.com/rest/security-advisories/global-advisories).
type advisory struct {
	ID          string `json:"ghsa_id"`
	CVE         string `json:"cve_id"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Severity    string `json:"severity"`
	Page        string `json:"html_url"`
	Published   string `json:"published_at"`
	Updated     string `json:"updated_at"`
	Withdrawn   string `json:"withdrawn_at"`
	Identifiers []struct {
		Value string `json:"value"`
	} `json:"identifiers"`
	Vulnerabilities []vulnerability `json:"vulnerabilities"`
	Scores          struct {
		V3 score `json:"cvss_v3"`
		V4 score `json:"cvss_v4"`
	} `json:"cvss_severities"`
}

type score struct {
	Vector string `json:"vector_string"`
}

type vulnerability struct {
	Package struct {
		Ecosystem string `json:"ecosystem"`
		Name      string `json:"name"`
	} `json:"package"`
	Range   string  `json:"vulnerable_version_range"`
	Patched patched `json:"first_patched_version"`
}

// patched is a version, or an object that holds one, as GraphQL has it.
type patched string

// UnmarshalJSON takes both.
func (p *patched) UnmarshalJSON(raw []byte) error {
	if raw[0] == '{' {
		var o struct {
			Identifier string `json:"identifier"`
		}
		err := json.Unmarshal(raw, &o)
		*p = patched(o.Identifier)
		return err
	}
	return json.Unmarshal(raw, (*string)(p))
}

// ecosystems are GitHub's names and those of OSV, where they differ by more than
// case. Source: the OSV schema, "Defined ecosystems".
var ecosystems = map[string]string{
	"pip": "PyPI", "rubygems": "RubyGems", "maven": "Maven", "nuget": "NuGet", "go": "Go", "rust": "crates.io", "composer": "Packagist",
	"actions": "GitHub Actions", "pub": "Pub", "erlang": "Hex", "swift": "SwiftURL",
}

// github reads an advisory.
func github(raw json.RawMessage) ([]osv.Record, error) {
	var a advisory
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	r := osv.Record{ID: a.ID, Summary: a.Summary, Details: a.Description, Rating: strings.ToUpper(a.Severity)}
	r.Published, r.Modified, r.Withdrawn = moment(a.Published, &r.Notes), moment(a.Updated, &r.Notes), moment(a.Withdrawn, &r.Notes)
	for _, id := range a.Identifiers {
		r.Aliases = append(r.Aliases, id.Value)
	}
	r.Aliases = append(r.Aliases, a.CVE)
	slices.Sort(r.Aliases)
	r.Aliases = slices.DeleteFunc(slices.Compact(r.Aliases), func(id string) bool { return id == "" || id == a.ID })
	for _, s := range []osv.Severity{{Type: "CVSS_V3", Score: a.Scores.V3.Vector}, {Type: "CVSS_V4", Score: a.Scores.V4.Vector}} {
		if s.Score != "" {
			r.Severity = append(r.Severity, s)
		}
	}
	if a.Page != "" {
		r.References = []osv.Reference{{Type: "ADVISORY", URL: a.Page}}
	}
	for _, v := range a.Vulnerabilities {
		r.Affected = append(r.Affected, v.affected(&r.Notes))
	}
	return []osv.Record{r}, nil
}

func (v vulnerability) affected(notes *[]string) osv.Affected {
	a := osv.Affected{Ecosystem: v.Package.Ecosystem, Name: v.Package.Name}
	if name, ok := ecosystems[strings.ToLower(a.Ecosystem)]; ok {
		a.Ecosystem = name
	}
	v.bounds(&a, notes)
	return a
}

// bounds reads the range: comparisons with commas between them. An upper bound
// that is the last affected version gives way to the version that is named as
// patched, which is the stronger word. A part that can't be read makes the
// affected versions unknown.
func (v vulnerability) bounds(a *osv.Affected, notes *[]string) {
	from, upper := osv.Event{Kind: osv.Introduced, Version: "0"}, osv.Event{}
	for part := range strings.SplitSeq(v.Range, ",") {
		part = strings.TrimSpace(part)
		version := strings.TrimLeft(part, "<>= ")
		op := strings.TrimSpace(part[:len(part)-len(version)])
		switch {
		case version == "" || strings.ContainsAny(version, " <>=|"):
			*notes = append(*notes, "the range of affected versions can't be read")
			return
		case op == "=":
			a.Versions = append(a.Versions, version)
		case op == ">=" || op == ">": // nothing in between is told apart
			from.Version = version
		case op == "<":
			upper = osv.Event{Kind: osv.Fixed, Version: version}
		case op == "<=":
			upper = osv.Event{Kind: osv.LastAffected, Version: version}
		default:
			*notes = append(*notes, "the range of affected versions can't be read")
			return
		}
	}
	if v.Patched != "" && upper.Kind != osv.Fixed && len(a.Versions) == 0 {
		upper = osv.Event{Kind: osv.Fixed, Version: string(v.Patched)}
	}
	if len(a.Versions) > 0 {
		return
	}
	events := []osv.Event{from}
	if upper.Version != "" {
		events = append(events, upper)
	}
	a.Ranges = []osv.Range{{Type: "ECOSYSTEM", Events: events}}
}
