package config

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// AllPresets are those that are built in, as the file changes them.
func (c *Config) AllPresets() []preset.Preset {
	if c.Presets == nil {
		return preset.Builtin()
	}
	return c.Presets
}

// presets reads ID: {cadence: …, mode: …, …}. What the file does not say of a
// preset is as it is built in.
func (r *reader) presets(c *Config, n *yaml.Node) {
	c.Presets = preset.Builtin()
	known := preset.IDs(c.Presets)
	readers := map[string]func(*yaml.Node){}
	for i := range c.Presets {
		p := &c.Presets[i]
		readers[p.ID] = func(n *yaml.Node) { r.preset(p, n) }
	}
	r.mapping(n, "presets", known, readers)
}

func (r *reader) preset(p *preset.Preset, n *yaml.Node) {
	keys := []string{"enabled", "cadence", "mode", "checks", "sarif", "images", "thresholds"}
	readers := map[string]func(*yaml.Node){
		"enabled":    func(n *yaml.Node) { p.Disabled = !r.bool(n) },
		"cadence":    func(n *yaml.Node) { r.cadence(&p.Cadence, n) },
		"mode":       func(n *yaml.Node) { p.Mode = word(r, n, preset.Modes()...) },
		"checks":     func(n *yaml.Node) { p.Checks = r.checks(n) },
		"sarif":      func(n *yaml.Node) { p.Reports = r.reports(n) },
		"images":     func(n *yaml.Node) { p.Images = r.images(n) },
		"thresholds": func(n *yaml.Node) { r.thresholds(&p.Thresholds, n) },
	}
	if p.Updates != nil {
		keys = append(keys, "updates")
		readers["updates"] = func(n *yaml.Node) { r.updates(p.Updates, n) }
	}
	if !r.mapping(n, "the preset "+p.ID, keys, readers) {
		return
	}
	r.agree(p, n)
}

// agree asks that what a check reads is named where the check is, and nowhere
// else.
func (r *reader) agree(p *preset.Preset, n *yaml.Node) {
	has := map[preset.Check]bool{}
	for _, c := range p.Checks {
		has[c] = true
	}
	switch {
	case len(p.Reports) > 0 && !has[preset.Lens]:
		r.fail(n, "sarif names files, and the checks do not have lens, which reads them: add it to the checks")
	case len(p.Images) > 0 && !has[preset.Image]:
		r.fail(n, "images names some, and the checks do not have image, which verifies them: add it to the checks")
	case len(p.Images) == 0 && has[preset.Image]:
		r.fail(n, "the checks have image, and no image is named: write images: [registry.example.com/app@sha256:…]")
	case p.Thresholds.Advisories > 0 && !has[preset.Floors] && !has[preset.Advisories]:
		r.fail(n, "thresholds: advisories says how old the database may be, and the checks have neither advisories nor floors, which look at it: add advisories to the checks")
	case p.Updates != nil && !has[preset.Floors]:
		r.fail(n, "%s works on the check floors: add it to the checks", p.ID)
	}
}

// cadence reads "0 6 * * 1", or {cron: "0 6 * * 1", zone: Europe/Berlin}.
func (r *reader) cadence(c *preset.Cadence, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		r.cron(c, n)
		return
	}
	r.mapping(n, "the cadence", []string{"cron", "zone"}, map[string]func(*yaml.Node){
		"cron": func(n *yaml.Node) { r.cron(c, n) },
		"zone": func(n *yaml.Node) {
			if text := r.text(n); text != "" {
				zone, err := preset.ParseZone(text)
				if err != nil {
					r.fail(n, "%s", shownWhole(err))
					return
				}
				c.Zone = zone
			}
		},
	})
}

func (r *reader) cron(c *preset.Cadence, n *yaml.Node) {
	text := r.text(n)
	if text == "" {
		return
	}
	line, err := preset.ParseCron(text)
	if err != nil {
		r.fail(n, "%s", shownWhole(err))
		return
	}
	c.Cron = line
}

func (r *reader) checks(n *yaml.Node) []preset.Check {
	var all []preset.Check
	lines := map[preset.Check]int{}
	r.list(n, "checks", func(item *yaml.Node) {
		c := word(r, item, preset.Checks()...)
		switch {
		case c == "":
		case lines[c] != 0:
			r.fail(item, "%q is already in line %d: keep one of them", string(c), lines[c])
		default:
			lines[c] = item.Line
			all = append(all, c)
		}
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.fail(n, "the list of checks is empty: name a check, or write enabled: false")
	}
	return all
}

// reports are paths of files below the root.
func (r *reader) reports(n *yaml.Node) []string {
	var all []string
	r.list(n, "sarif", func(item *yaml.Node) {
		text := strings.TrimPrefix(r.text(item), "./")
		switch {
		case text == "":
		case strings.HasPrefix(text, "/") || strings.Contains(text, `\`) || path.Clean(text) != text || strings.HasPrefix(text, "../") || text == ".." || text == ".":
			r.fail(item, "%s is no file of the project: write its path from the root, with slashes", quoted(text))
		default:
			all = append(all, text)
		}
	})
	return all
}

func (r *reader) images(n *yaml.Node) []string {
	var all []string
	r.list(n, "images", func(item *yaml.Node) {
		text := r.text(item)
		switch {
		case text == "":
		case strings.HasPrefix(text, "/") || slices.Contains(strings.Split(text, "/"), ".."):
			r.fail(item, "%s leads out of the project: write a reference, or the path of an OCI layout from the root", quoted(text))
		case strings.HasPrefix(text, "-") || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }):
			r.fail(item, "%s is no image: write a reference such as registry.example.com/app:1, or the path of an OCI layout", quoted(text))
		default:
			all = append(all, text)
		}
	})
	return all
}

func (r *reader) thresholds(t *preset.Thresholds, n *yaml.Node) {
	r.mapping(n, "thresholds", []string{"warnings", "advisories", "acknowledgements"}, map[string]func(*yaml.Node){
		"warnings": func(n *yaml.Node) {
			text := r.text(n)
			most, err := strconv.Atoi(text)
			if text != "" && (err != nil || most < 0 || most > 1_000_000) {
				r.fail(n, "%s is no number of warnings: write one from 0 on, or leave the key out to accept any number", quoted(text))
				return
			}
			t.Warnings = most
		},
		"advisories":       func(n *yaml.Node) { t.Advisories = r.age(n) },
		"acknowledgements": func(n *yaml.Node) { t.Acknowledgements = r.age(n) },
	})
}

func (r *reader) updates(u *preset.Updates, n *yaml.Node) {
	r.mapping(n, "updates", []string{"allow", "deny"}, map[string]func(*yaml.Node){
		"allow": func(n *yaml.Node) { u.Allow = word(r, n, preset.Patch, preset.Minor) },
		"deny": func(n *yaml.Node) {
			u.Deny = nil
			r.list(n, "deny", func(item *yaml.Node) {
				switch text := r.text(item); {
				case text == "":
				case !pep503.Valid(strings.ReplaceAll(text, "*", "a")):
					r.fail(item, "%s is no project's name: letters, digits, - _ . and * for any text are allowed", quoted(text))
				default:
					u.Deny = append(u.Deny, pep503.Normalize(text))
				}
			})
		},
	})
}

// shownWhole is the text of an error that quotes the file, as harmless text.
func shownWhole(err error) string { return plain.Text(err.Error()) }
