package format

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// usnPage is a notice as https://ubuntu.com/security/notices/USN-….json has it.
type usnPage struct {
	ID        string                   `json:"id"`
	Title     string                   `json:"title"`
	Summary   string                   `json:"summary"`
	Text      string                   `json:"description"`
	Published string                   `json:"published"`
	CVEs      []string                 `json:"cves_ids"`
	Packages  map[string][]pagePackage `json:"release_packages"`
}

type pagePackage struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  bool   `json:"is_source"`
	Pocket  string `json:"pocket"`
	Link    string `json:"source_link"`
}

// usnTeam is a notice as https://github.com/canonical/ubuntu-security-notices has
// it, in the folder usn.
type usnTeam struct {
	ID       string                 `json:"id"`
	Title    string                 `json:"title"`
	Summary  string                 `json:"summary"`
	Text     string                 `json:"description"`
	Time     float64                `json:"timestamp"`
	CVEs     []string               `json:"cves"`
	Releases map[string]teamRelease `json:"releases"`
}

type teamRelease struct {
	Sources     map[string]teamPackage `json:"sources"`
	Binaries    map[string]teamPackage `json:"binaries"`
	AllBinaries map[string]teamPackage `json:"allbinaries"`
}

type teamPackage struct {
	Version string `json:"version"`
	Source  string `json:"source"`
	Pocket  string `json:"pocket"`
}

// ubuntuPage reads a notice of the page. It has no time of its last change: a
// notice that changes gets another number, so that of its publication stands for
// it.
func ubuntuPage(raw json.RawMessage) ([]osv.Record, error) {
	var u usnPage
	if err := json.Unmarshal(raw, &u); err != nil {
		return nil, err
	}
	r := usn(u.ID, u.Title, u.Summary, u.Text, u.CVEs)
	r.Published = moment(u.Published, &r.Notes)
	r.Modified = r.Published
	for _, codename := range slices.Sorted(maps.Keys(u.Packages)) {
		b := release{record: &r, codename: codename}
		for _, p := range u.Packages[codename] {
			if p.Source {
				b.source(p.Name, p.Version, p.Pocket)
			}
		}
		for _, p := range u.Packages[codename] {
			if !p.Source {
				b.binary(path.Base(p.Link), p.Pocket, osv.Binary{Name: p.Name, Version: p.Version})
			}
		}
		b.close()
	}
	return []osv.Record{r}, nil
}

// ubuntuTeam reads a notice of the security team.
func ubuntuTeam(raw json.RawMessage) ([]osv.Record, error) {
	var u usnTeam
	if err := json.Unmarshal(raw, &u); err != nil {
		return nil, err
	}
	r := usn(u.ID, u.Title, u.Summary, u.Text, u.CVEs)
	if u.Time > 0 && u.Time < 1<<40 {
		r.Published = time.Unix(int64(u.Time), 0).UTC()
		r.Modified = r.Published
	}
	for _, codename := range slices.Sorted(maps.Keys(u.Releases)) {
		team := u.Releases[codename]
		b := release{record: &r, codename: codename}
		for _, name := range slices.Sorted(maps.Keys(team.Sources)) {
			b.source(name, team.Sources[name].Version, "")
		}
		list := team.AllBinaries
		if len(list) == 0 {
			list = team.Binaries
		}
		for _, name := range slices.Sorted(maps.Keys(list)) {
			p := list[name]
			b.binary(p.Source, p.Pocket, osv.Binary{Name: name, Version: p.Version})
		}
		b.close()
	}
	return []osv.Record{r}, nil
}

func usn(id, title, summary, text string, cves []string) osv.Record {
	if summary == "" || len(title) > len(summary) {
		summary = title
	}
	if id != "" && !strings.HasPrefix(id, "USN-") && id[0] >= '0' && id[0] <= '9' {
		id = "USN-" + id
	}
	return osv.Record{
		ID: id, Summary: strings.Join(strings.Fields(summary), " "), Details: text, Upstream: cves,
		References: []osv.Reference{{Type: "ADVISORY", URL: "https://ubuntu.com/security/notices/" + id}},
	}
}

// release is what a notice says of one release of Ubuntu.
type release struct {
	record   *osv.Record
	codename string
	sources  []osv.Affected
	// pro are the sources whose fix is in the archives of Ubuntu Pro alone.
	pro map[string]bool
}

// from notes the pocket that a source or one of its binaries comes from.
func (b *release) from(source, pocket string) {
	if b.pro == nil {
		b.pro = map[string]bool{}
	}
	b.pro[source] = b.pro[source] || strings.HasPrefix(pocket, "esm")
}

func (b *release) source(name, version, pocket string) {
	b.from(name, pocket)
	b.sources = append(b.sources, osv.Affected{Name: name, Ranges: below(version)})
}

// binary adds a package to the source that it is built from. Where none is
// named, it belongs to the only one there is, or stands for itself.
func (b *release) binary(source, pocket string, p osv.Binary) {
	i := slices.IndexFunc(b.sources, func(a osv.Affected) bool { return a.Name == source })
	if i < 0 && len(b.sources) == 1 {
		i = 0
	}
	if i < 0 {
		b.sources = append(b.sources, osv.Affected{Name: p.Name, Ranges: below(p.Version)})
		i = len(b.sources) - 1
	}
	b.from(b.sources[i].Name, pocket)
	b.sources[i].Binaries = append(b.sources[i].Binaries, p)
}

// close adds what the release says to the record.
func (b *release) close() {
	o, ok := distro.Suite(b.codename)
	version := o.Version
	if !ok {
		version = b.codename
		b.record.Notes = append(b.record.Notes, fmt.Sprintf("the release %.40q is not known here", b.codename))
	}
	for _, a := range b.sources {
		a.Ecosystem = "Ubuntu:" + version
		if b.pro[a.Name] {
			a.Ecosystem = "Ubuntu:Pro:" + version
		}
		b.record.Affected = append(b.record.Affected, a)
	}
}
