package route

import (
	"errors"
	"slices"
	"strings"
)

// Names of environment variables and build arguments that are not derived from
// an archive's name.
const (
	modeVariable      = "LOOPX_MODE"
	hostsVariable     = "LOOPX_HOSTS"
	keyserverVariable = "LOOPX_KEYSERVER"
	// securityVariable is the older name of LOOPX_DEBIAN_SECURITY_MIRROR and
	// wins over it.
	securityVariable = "LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR"
)

// Variable is one environment variable, or build argument, that [FromEnv] reads.
type Variable struct {
	Name string
	// Archive is the archive whose mirrors it sets, or "".
	Archive string
	// Sets says in a few words what it sets; Example is a value for it.
	Sets, Example string
}

// Note is something an operator should know about a configuration that is
// accepted.
type Note struct {
	// Variable is the environment variable or the field of Config.
	Variable string
	// Message is one line without userinfo.
	Message string
	// Weakens is true if the setting lets clear text through.
	Weakens bool
}

// MirrorVariable returns the name of the variable that sets an archive's
// mirrors.
func MirrorVariable(archive string) string {
	if archive == keyservers {
		return keyserverVariable
	}
	return "LOOPX_" + strings.ToUpper(strings.ReplaceAll(archive, "-", "_")) + "_MIRROR"
}

// Variables returns every variable that [FromEnv] reads: mode, host rules, then
// one for each archive in the table's order. Security mirrors of Debian have
// two names; the one that wins comes first.
func Variables() []Variable {
	vars := []Variable{
		{Name: modeVariable, Sets: "what a refused fetch does: enforce fails the build, audit warns", Example: "audit"},
		{Name: hostsVariable, Sets: "host rules, separated by commas", Example: "nexus.example:8443=upgrade,10.0.0.5=keep,ftp.example=https://mirror.example/ftp"},
	}
	for _, archive := range embedded().names {
		v := Variable{Name: MirrorVariable(archive), Archive: archive, Sets: "mirrors of archive " + archive + ", in order", Example: mirrorExample(archive)}
		switch archive {
		case "debian-security":
			long := v
			long.Name = securityVariable
			vars = append(vars, long)
			v.Sets += "; " + securityVariable + " wins over it"
		case "ubuntu-security":
			v.Sets += "; without it those of archive ubuntu"
		case keyservers:
			v.Sets = "OpenPGP key servers in place of all public ones"
		}
		vars = append(vars, v)
	}
	return vars
}

// FromEnv reads the configuration from variables that lookup knows, such as
// os.LookupEnv; see [Variables]. An empty value counts as unset. Notes tell
// what was accepted but deserves a look. Each bad value is a *ConfigError; more
// than one are joined, see [errors.Join].
func FromEnv(lookup func(name string) (string, bool)) (Config, []Note, error) {
	r := envReader{lookup: lookup, from: map[string]string{}}
	for _, v := range Variables() {
		switch v.Name {
		case modeVariable:
			r.readMode()
		case hostsVariable:
			r.readHosts()
		default:
			r.readMirror(v)
		}
	}
	if len(r.errs) == 1 {
		return Config{}, nil, r.errs[0]
	}
	if err := errors.Join(r.errs...); err != nil {
		return Config{}, nil, err
	}
	return r.cfg, append(r.notes, r.cfg.notes(r.from)...), nil
}

// envReader collects what FromEnv reads.
type envReader struct {
	lookup func(string) (string, bool)
	cfg    Config
	from   map[string]string // archive -> the variable that set it
	notes  []Note
	errs   []error
}

// value returns a variable's value without blanks around it; an empty one is
// unset.
func (r *envReader) value(name string) (string, bool) {
	v, ok := r.lookup(name)
	v = strings.TrimSpace(v)
	return v, ok && v != ""
}

// fail notes an error of a variable.
func (r *envReader) fail(name string, err error) { r.errs = append(r.errs, named(err, name)) }

// readMode reads LOOPX_MODE.
func (r *envReader) readMode() {
	if v, ok := r.value(modeVariable); ok {
		mode, err := ParseMode(v)
		if err != nil {
			r.fail(modeVariable, err)
		}
		r.cfg.Mode = mode
	}
}

// readHosts reads LOOPX_HOSTS: rules separated by commas or blanks.
func (r *envReader) readHosts() {
	v, _ := r.value(hostsVariable)
	t := Table{rules: map[hostKey]*hostRule{}}
	for _, text := range splitList(v) {
		rule, err := ParseHostRule(text)
		if err == nil {
			err = t.addRule(rule)
		}
		if err != nil {
			r.fail(hostsVariable, err)
			continue
		}
		r.cfg.Hosts = append(r.cfg.Hosts, rule)
	}
}

// readMirror reads the variable of one archive. The first variable that names
// the archive wins.
func (r *envReader) readMirror(v Variable) {
	value, ok := r.value(v.Name)
	if !ok {
		return
	}
	list, err := ParseMirror(v.Archive, value)
	switch {
	case err != nil:
		r.fail(v.Name, err)
	case r.from[v.Archive] == "":
		r.from[v.Archive] = v.Name
		if r.cfg.Mirrors == nil {
			r.cfg.Mirrors = map[string][]string{}
		}
		r.cfg.Mirrors[v.Archive] = list
	case !slices.Equal(list, r.cfg.Mirrors[v.Archive]):
		r.notes = append(r.notes, Note{Variable: v.Name, Message: r.from[v.Archive] + " is set to another value and wins"})
	}
}

// splitList splits at blanks and commas.
func splitList(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune(" ,\t\r\n", c) })
}

// Notes tells what in a valid Config deserves a look: a setting that lets clear
// text through, a mirror without a path for an archive that has one.
func (c Config) Notes() []Note { return c.notes(nil) }

// notes is Notes with the variable that set each archive's mirrors.
func (c Config) notes(from map[string]string) []Note {
	var notes []Note
	variable := func(name, field string) string {
		if from == nil {
			return field
		}
		return name
	}
	if c.Mode == Audit {
		notes = append(notes, Note{variable(modeVariable, "Mode"), "refused fetches are reported and built all the same", true})
	}
	for _, r := range c.Hosts {
		if r.Action == "keep" {
			notes = append(notes, Note{variable(hostsVariable, "Hosts"), "clear text to " + r.Host + " is kept", true})
		}
	}
	for _, archive := range embedded().names {
		for _, m := range c.Mirrors[archive] {
			if _, path, _ := strings.Cut(m, "://"); m != Default && !strings.Contains(path, "/") && strings.Contains(mirrorPath(archive), "/") {
				notes = append(notes, Note{
					variable(from[archive], "Mirrors["+archive+"]"),
					m + " has no path: the archive is expected at the root of that host", false,
				})
			}
		}
	}
	return notes
}

// mirrorPath is the path that a mirror of the archive usually has, or "".
func mirrorPath(archive string) string {
	_, path, _ := strings.Cut(mirrorExample(archive), ".example")
	return path
}

// UnknownVariable helps with a misspelt name: ok is true if name is no variable
// of [FromEnv] but looks like the one that it returns. Other LOOPX_ variables
// belong to other parts of the product.
func UnknownVariable(name string) (suggestion string, ok bool) {
	best := 3
	for _, v := range Variables() {
		if v.Name == name {
			return "", false
		}
		d := distance(strings.ToUpper(name), v.Name)
		word := strings.TrimSuffix(strings.TrimPrefix(v.Name, "LOOPX_"), "_MIRROR")
		if d < best && d <= max(1, len(word)/3) {
			best, suggestion = d, v.Name
		}
	}
	return suggestion, suggestion != ""
}

// distance is the number of single-byte insertions, removals, changes and
// swaps of neighbours that make b of a (optimal string alignment).
func distance(a, b string) int {
	var before, last, row []int
	for i := range len(a) + 1 {
		before, last, row = last, row, make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0:
				row[j] = j
				continue
			case j == 0:
				row[j] = i
				continue
			}
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
