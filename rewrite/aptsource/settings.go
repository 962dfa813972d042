package aptsource

import (
	"slices"
	"strconv"
	"strings"
)

// setting is an option that all entries for one release (same host, path and
// suite, whatever the scheme) must agree on, or apt reads no source at all.
type setting struct {
	name  string
	value func(e Entry, name string) string
	// lateStart is true if a value may follow entries that have none.
	lateStart bool
}

// settings are in the order in which apt 2.6.1 compares them.
var settings = []setting{
	{"allow-insecure", switchedOn, false},
	{"allow-weak", switchedOn, false},
	{"allow-downgrade-to-insecure", switchedOn, false},
	{"inrelease-path", asWritten, false},
	{"trusted", triState, false},
	{"check-valid-until", triState, false},
	{"valid-until-max", seconds, true},
	{"valid-until-min", seconds, true},
	{"check-date", triState, false},
	{"date-max-future", seconds, true},
	{"signed-by", keys, true},
}

func asWritten(e Entry, name string) string { return strings.Join(e.Options[name], "") }

// switchedOn ignores the allow-… fields of stanzas, as apt does.
func switchedOn(e Entry, name string) string {
	if on, _ := e.flag(name); on && e.Format == OneLine {
		return "yes"
	}
	return ""
}

func triState(e Entry, name string) string {
	if on, set := e.flag(name); set {
		return strconv.FormatBool(on)
	}
	return ""
}

func seconds(e Entry, name string) string {
	s := strings.TrimLeftFunc(asWritten(e, name), isSpaceRune)
	return strings.TrimLeft(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))], "0")
}

// keys brings file names, fingerprints or a whole key into one form.
func keys(e Entry, name string) string {
	v := asWritten(e, name)
	if strings.Contains(v, pgpKey) {
		lines := strings.Split(v, "\n")
		for i, line := range lines {
			if lines[i] = strings.TrimFunc(line, isSpaceRune); lines[i] == "." {
				lines[i] = ""
			}
		}
		return strings.Join(lines, "\n")
	}
	names := splitKeys(v)
	for i, n := range names {
		if !strings.HasPrefix(n, "/") {
			names[i] = strings.ToUpper(n)
		}
	}
	return strings.Join(names, ",")
}

const pgpKey = "-----BEGIN PGP PUBLIC KEY BLOCK-----"

func splitKeys(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || isSpaceRune(r) })
}

// signedByInvalid reports whether apt rejects the value of signed-by: it must
// be a key, or a list of absolute file names and fingerprints of 40 digits
// (with "!" behind them to exclude subkeys).
func (e Entry) signedByInvalid() bool {
	v := asWritten(e, "signed-by")
	if v == "" || strings.Contains(v, pgpKey) || isTemplate(v) {
		return false
	}
	names := splitKeys(v)
	for _, n := range names {
		digits := strings.TrimFunc(n, func(r rune) bool { return r < 0x80 && isHex(byte(r)) })
		fingerprint := len(n) == 40 && digits == "" || len(n) == 41 && n[40] == '!' && digits == "!"
		if !strings.HasPrefix(n, "/") && !fingerprint {
			return true
		}
	}
	return len(names) == 0
}

// releases remembers the settings of each release seen so far.
type releases map[string][]madeBy

// madeBy is the value of a setting and the number of the entry that made it.
type madeBy struct {
	value string
	entry int
}

// add records entry number n as fetched from uri. It returns the option on
// which it disagrees with an earlier entry, and that entry's number.
func (rs releases) add(n int, e Entry, uri string) (option string, with int) {
	for _, suite := range e.Suites {
		key := releaseKey(uri, suite)
		made := rs[key]
		if made == nil {
			made = make([]madeBy, len(settings))
			for i, s := range settings {
				made[i] = madeBy{s.value(e, s.name), n}
			}
			rs[key] = made
			continue
		}
		for i, s := range settings {
			switch v := s.value(e, s.name); {
			case v == made[i].value || isTemplate(v+made[i].value):
			case s.lateStart && made[i].value == "":
				made[i] = madeBy{v, n}
			default:
				return s.name, made[i].entry
			}
		}
	}
	return "", 0
}

// releaseKey identifies the Release file: its address without scheme and
// userinfo, from which apt makes the name of its copy.
func releaseKey(uri, suite string) string {
	a := splitAddress(uri)
	key := a.host + ":" + strconv.FormatUint(uint64(a.port), 10) + strings.TrimSuffix(a.path, "/") + "/"
	switch {
	case suite == "/":
		return key
	case strings.HasSuffix(suite, "/"):
		return key + suite
	}
	return key + "dists/" + suite + "/"
}

// withSettings adds what apt complains about once it has read all entries of
// a text, and sorts the problems by line.
func withSettings(problems []Problem, entries []Entry) []Problem {
	if !slices.ContainsFunc(entries, func(e Entry) bool { return len(e.Options) > 0 }) {
		return problems
	}
	rs := releases{}
	for n, e := range entries {
		if !e.Enabled {
			continue
		}
		if option, _ := rs.add(n, e, e.Decoded); option != "" {
			problems = append(problems, Problem{e.Line, "Conflicting values set for option " + option + " regarding one source"})
		}
		if e.signedByInvalid() {
			problems = append(problems, Problem{e.Line, "Invalid value set for option signed-by (not a fingerprint)"})
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems
}
