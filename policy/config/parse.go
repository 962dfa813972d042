package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// place says in whose file a section may stand.
type place int

const (
	// ofProject are sections about the project itself.
	ofProject place = iota
	// ofBoth are what an organisation and a project may say.
	ofBoth
	// ofOrganisation are sections that must not come from the change that is
	// checked.
	ofOrganisation
)

// section is a top-level key, in whose file it may stand, what reads it, and
// what the JSON Schema says of it.
type section struct {
	key   string
	place place
	read  func(*reader, *Config, *yaml.Node)
	shape shape
}

// sections are all of them.
func sections() []section {
	return []section{
		{LockKey, ofOrganisation, (*reader).locked, yes("What the file says is locked: a project and whoever calls a build may only tighten it.")},
		{contactKey, ofOrganisation, func(r *reader, c *Config, n *yaml.Node) { c.Fetch.Contact = r.text(n) }, text("Whom to ask about what is locked; refusals show it.")},
		{ModeKey, ofOrganisation, (*reader).mode, words("What a blocker does: fail the build, or warn.", route.Enforce, route.Audit)},
		{ChecksKey, ofOrganisation, (*reader).textChecks, words("Whether the text of a Dockerfile is checked.", ChecksOn, ChecksOff)},
		{RepositoryKey, ofOrganisation, (*reader).repository, text("The repository that is built, host/path, for acknowledgements.")},
		{AptKey, ofBoth, (*reader).apt, words("Which RUNs have apt served over TLS.", AptAuto, AptAll, AptOff)},
		{mirrorsKey, ofBoth, (*reader).mirrors, mirrorsShape()},
		{Keyserver, ofBoth, (*reader).keyserver, mirrorShape("OpenPGP key servers in place of all public ones, in the order to try them.")},
		{hostsKey, ofBoth, (*reader).hosts, hostsShape()},
		{"floors", ofProject, (*reader).floors, floorsShape()},
		{"require_floor", ofProject, func(r *reader, c *Config, n *yaml.Node) { c.RequireFloor = r.bool(n) }, yes("Every external dependency must have a lower bound.")},
		{"cap", ofProject, (*reader).cap, capShape()},
		{"exceptions", ofProject, (*reader).exceptions, exceptionsShape()},
		{"private", ofProject, (*reader).private, listOf("Projects that no public index has; * is any text.", text(""))},
		{"library", ofProject, func(r *reader, c *Config, n *yaml.Node) { c.Library = r.bool(n) }, yes("Others install the project beside their own dependencies.")},
		{"scopes", ofProject, (*reader).scopes, scopesShape()},
		{"unpinned", ofProject, func(r *reader, c *Config, n *yaml.Node) { c.Unpinned = word(r, n, Fail, Warn, Allow) }, words("A violation by a requirement that names no version.", Fail, Warn, Allow)},
		{"unprovable", ofProject, func(r *reader, c *Config, n *yaml.Node) { c.Unprovable = word(r, n, Fail, Warn, Allow) }, words("A requirement of which nothing can be told.", Fail, Warn, Allow)},
		{"minimum_severity", ofProject, func(r *reader, c *Config, n *yaml.Node) { c.MinimumSeverity = word(r, n, Severities()...) }, words("The least severity that counts.", Severities()...)},
		{"database", ofProject, (*reader).database, databaseShape()},
		{"advisories", ofProject, (*reader).advisories, advisoriesShape()},
		{"environments", ofProject, (*reader).environments, environmentsShape()},
		{"presets", ofProject, (*reader).presets, presetsShape()},
		{"release", ofProject, (*reader).release, releaseShape()},
		{"review", ofProject, (*reader).review, reviewShape()},
		{"strict_constraints", ofProject, func(r *reader, c *Config, n *yaml.Node) { c.StrictConstraints = r.bool(n) }, yes("Check constraints that bind nothing.")},
	}
}

// Parse reads a project's file; name is what messages call it. A text without a
// document is an empty file. The error is of type [Errors].
func Parse(name string, data []byte) (*Config, error) { return parse(name, data, ofProject) }

// ParseOrganisation is Parse for the file of an organisation.
func ParseOrganisation(name string, data []byte) (*Config, error) {
	return parse(name, data, ofOrganisation)
}

func parse(name string, data []byte, whose place) (*Config, error) {
	r := reader{file: name}
	c := &Config{Name: name}
	root := r.document(data)
	if root != nil && r.plain(root) {
		readers := map[string]func(*yaml.Node){}
		var keys []string
		for _, s := range sections() {
			if s.place != ofBoth && s.place != whose {
				r.misplaced(s, root)
				readers[s.key] = func(*yaml.Node) {}
				continue
			}
			keys = append(keys, s.key)
			readers[s.key] = func(n *yaml.Node) { s.read(&r, c, n) }
		}
		r.mapping(root, "the file", keys, readers)
	}
	if err := r.errors.sorted(); err != nil {
		return nil, err
	}
	return c, nil
}

// misplaced tells where a section belongs that is of the other file.
func (r *reader) misplaced(s section, root *yaml.Node) {
	key := keyOf(root, s.key)
	switch {
	case key == nil:
	case s.place == ofProject:
		r.fail(key, "%s is of a project: it belongs in %s at the root of the build context, not in an organisation's file", s.key, File)
	default:
		r.fail(key, "%s is never read from a project's file, which the change that is checked could edit: it belongs in %s/%s of the organisation's frontend image", s.key, Dir, File)
	}
}

// reader reads nodes and collects what is wrong with them.
type reader struct {
	file   string
	errors Errors
}

// fail records what is wrong at a node.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.errors = append(r.errors, &Error{r.file, n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// document returns the one node of a YAML text, nil if there is none.
func (r *reader) document(data []byte) *yaml.Node {
	if len(data) > MaxFile {
		r.fail(&yaml.Node{}, "the file is larger than %d bytes", MaxFile)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		r.notYAML(err)
		return nil
	}
	switch err := dec.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.notYAML(err)
		return nil
	default:
		r.fail(&more, "a second document begins here: the file is one")
		return nil
	}
	if root := doc.Content[0]; root.ShortTag() != "!!null" || root.Anchor != "" {
		return root
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// notYAML takes the line out of the text of the YAML package's error, which has
// it nowhere else.
func (r *reader) notYAML(err error) {
	text := err.Error()
	at := &yaml.Node{}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		at.Line, _ = strconv.Atoi(m[1]) // "" is line 0
		text = strings.TrimPrefix(text, m[0])
	}
	r.fail(at, "this is not YAML: %s", shown(text))
}

// plain refuses what makes a YAML text mean other than what it shows.
func (r *reader) plain(n *yaml.Node) bool {
	ok := true
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fail(n, "anchors (&) and aliases (*) are not allowed: write the value out")
		ok = false
	case n.Style&yaml.TaggedStyle != 0:
		r.fail(n, "tags (%s) are not allowed: leave it out", shown(n.Tag))
		ok = false
	}
	for _, child := range n.Content {
		ok = r.plain(child) && ok
	}
	return ok
}

// shown is foreign text as a message has it: short, and only text.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return plain.Text(s)
}

// quoted is foreign text in quotes.
func quoted(s string) string { return `"` + shown(s) + `"` }
