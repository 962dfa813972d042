package floors

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Derived is the floor of one project, as advisories give it.
type Derived struct {
	Name string `json:"name"`
	// Floor is a version, behind ">" if it is affected itself; "" if there is
	// no fixed version within what is declared.
	Floor string `json:"floor,omitempty"`
	// Overall is the floor if the upper bounds that are declared are left
	// aside, where that is another.
	Overall string `json:"overall,omitempty"`
	// IDs are the advisories about versions below the floor, By those of them
	// that it is no lower for.
	IDs []string `json:"ids"`
	By  []string `json:"by"`
	// Weak: the floor rests on a last affected version.
	Weak      bool `json:"weak,omitempty"`
	Malicious bool `json:"malicious,omitempty"`
	// Requirements counts the places that declare it.
	Requirements int `json:"requirements"`
}

// Floors is a table of derived floors.
type Floors struct {
	SchemaVersion int              `json:"schema_version"`
	Command       string           `json:"command"`
	Database      DatabaseDocument `json:"database"`
	Floors        []Derived        `json:"floors"`

	note string
}

// Derive returns the floor of each project that is declared and has an advisory
// that counts: the lowest bound above which nothing is affected below the
// highest upper bound that is declared of it. Projects are sorted by name.
func (r *Report) Derive() *Floors {
	c := newChecker(r.in)
	out := &Floors{SchemaVersion: SchemaVersion, Command: "floors derive", Database: r.databaseDocument(), Floors: []Derived{}, note: r.advisories()}
	declared := map[string]*ceiling{}
	for i := range c.all {
		q := &c.all[i]
		if c.outside(q) != "" || q.Name == "" {
			continue
		}
		t := declared[q.Name]
		if t == nil {
			t = &ceiling{}
			declared[q.Name] = t
		}
		t.requirements++
		if q.Unprovable != "" {
			t.open = true
		}
		for _, s := range q.Admits {
			t.add(s.Set())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if k := c.about(name); len(k.advisories) > 0 {
			out.Floors = append(out.Floors, derive(name, k.advisories, declared[name]))
		}
	}
	return out
}

func derive(name string, advisories []osv.Advisory, t *ceiling) Derived {
	d := Derived{Name: name, Requirements: t.requirements, IDs: []string{}, By: []string{}}
	within := osv.Derive(advisories, t.declared(), false)
	d.Floor = said(reach(within, advisories))
	anywhere := osv.Derive(advisories, pep440.Specifiers{}, false)
	if all := said(reach(anywhere, advisories)); all != d.Floor {
		d.Overall = all
	}
	first := rankHits(within.Hits)
	for i, h := range within.Hits {
		head, _ := namesOf(h)
		d.IDs = append(d.IDs, head)
		if i < first {
			d.By = append(d.By, head)
		}
		d.Weak = d.Weak || h.Advisory.Weak
		d.Malicious = d.Malicious || h.Advisory.Malicious
	}
	return d
}

// said is a bound as a policy has it, "" for none.
func said(b osv.Bound) string {
	if b.IsZero() {
		return ""
	}
	return floorText(b)
}

// ceiling is what is declared of a project, without lower bounds.
type ceiling struct {
	requirements int
	open         bool
	top          pep440.Set
}

// add widens the ceiling to the upper end of a set.
func (t *ceiling) add(set pep440.Set) {
	bands := set.Intervals()
	if len(bands) == 0 {
		return
	}
	t.top = t.top.Union(pep440.Stretch(pep440.Bound{}, bands[len(bands)-1].Upper))
}

func (t *ceiling) declared() osv.Declared {
	if t.open || t.top.Empty() {
		return finals{pep440.All()}
	}
	return finals{t.top}
}

// finals declares a set, of which an installer takes no stretch that holds
// pre-releases only.
type finals struct{ all pep440.Set }

// Set returns the set.
func (f finals) Set() pep440.Set { return f.all }

// EffectiveIn returns the stretches with final releases, all if pre says so.
func (f finals) EffectiveIn(within pep440.Set, pre bool) pep440.Set {
	var sets []pep440.Set
	for _, i := range f.all.Intersect(within).Intervals() {
		if pre || i.HasFinal() {
			sets = append(sets, i.Set())
		}
	}
	return pep440.UnionOf(sets...)
}

// Write writes the table as the section "floors" of a policy file, with what
// has no floor as comments.
func (f *Floors) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Floors that follow from %s. Review them before you use them.\n", plain.Text(f.note))
	if len(f.Floors) == 0 {
		b.WriteString("floors: {}\n")
	} else {
		b.WriteString("floors:\n")
	}
	for _, d := range f.Floors {
		b.WriteString(d.yaml())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d Derived) yaml() string {
	ids := plain.Text(strings.Join(quote(d.By), ", "))
	switch {
	case d.Malicious:
		return fmt.Sprintf("  # %s: an attack, remove it [%s]\n", d.Name, ids)
	case len(d.IDs) == 0:
		return fmt.Sprintf("  # %s: no advisory is about a version below the upper bounds that are declared\n", d.Name)
	case d.Floor == "":
		return fmt.Sprintf("  # %s: no version has a fix [%s]\n", d.Name, ids)
	}
	comment := ""
	if more := len(d.IDs) - len(d.By); more > 0 {
		comment += fmt.Sprintf("; %d more below it", more)
	}
	if d.Overall != "" {
		comment += "; without the upper bounds " + d.Overall
	}
	if d.Weak {
		comment += "; by a last affected version, which is weaker evidence"
	}
	if comment != "" {
		comment = " #" + strings.TrimPrefix(comment, ";")
	}
	name := d.Name
	if name == "null" {
		name = `"null"` // a project of that name would be no text
	}
	return fmt.Sprintf("  %s: {version: %q, ids: [%s]}%s\n", name, d.Floor, ids, comment)
}

// quote puts what YAML might take for something else in quotes.
func quote(ids []string) []string {
	var all []string
	for _, id := range ids {
		if strings.ContainsFunc(id, func(c rune) bool {
			return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
		}) {
			id = fmt.Sprintf("%q", id)
		}
		all = append(all, id)
	}
	return all
}
