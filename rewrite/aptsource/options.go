package aptsource

import "strings"

// stanzaOptions are the fields that set an option, in the order of apt's
// ParseStanza: those of 2.6.1, Snapshot (3.0), Include and Exclude (3.1), and
// the allow-… options, which apt up to 3.0 reads in the one-line format only;
// they are kept so that they can be reported.
var stanzaOptions = []struct{ field, name string }{
	{"Architectures", "arch"},
	{"Architectures-Add", "arch+"},
	{"Architectures-Remove", "arch-"},
	{"Languages", "lang"},
	{"Languages-Add", "lang+"},
	{"Languages-Remove", "lang-"},
	{"Targets", "target"},
	{"Targets-Add", "target+"},
	{"Targets-Remove", "target-"},
	{"Trusted", "trusted"},
	{"Check-Valid-Until", "check-valid-until"},
	{"Valid-Until-Min", "valid-until-min"},
	{"Valid-Until-Max", "valid-until-max"},
	{"Check-Date", "check-date"},
	{"Date-Max-Future", "date-max-future"},
	{"Signed-By", "signed-by"},
	{"PDiffs", "pdiffs"},
	{"By-Hash", "by-hash"},
	{"Snapshot", "snapshot"},
	{"Include", "include"},
	{"Exclude", "exclude"},
	{"Allow-Insecure", "allow-insecure"},
	{"Allow-Weak", "allow-weak"},
	{"Allow-Downgrade-To-Insecure", "allow-downgrade-to-insecure"},
}

// isList reports whether apt splits the option's value at commas.
func isList(name string) bool {
	switch strings.TrimRight(name, "+-") {
	case "arch", "lang", "target":
		return true
	}
	return false
}

// optionValues returns the values of an option.
func optionValues(name, value string) []string {
	if isList(name) {
		return strings.Split(value, ",")
	}
	return []string{value}
}

// parseBool reads a truth value as apt's StringToBool does: 0 and 1 in C's
// notations, and words in any case. known is false for other text.
func parseBool(s string) (on, known bool) {
	switch strings.ToLower(s) {
	case "no", "false", "without", "off", "disable", "":
		return false, true
	case "yes", "true", "with", "on", "enable":
		return true, true
	}
	digits := strings.TrimLeft(s, "\t\n\v\f\r ")
	sign := ""
	if digits != "" && strings.IndexByte("+-", digits[0]) >= 0 {
		sign, digits = digits[:1], digits[1:]
	}
	if rest := strings.TrimPrefix(strings.ToLower(digits), "0x"); len(rest) < len(digits) {
		digits = rest
	}
	switch value := strings.TrimLeft(digits, "0"); {
	case value == "" && digits != "":
		return false, true
	case value == "1" && sign != "-":
		return true, true
	}
	return false, false
}

// flag returns the truth value of an option; set is false without it. A word
// that apt does not know is no.
func (e Entry) flag(name string) (on, set bool) {
	values, set := e.Options[name]
	if !set || len(values) == 0 {
		return false, set
	}
	on, _ = parseBool(values[len(values)-1])
	return on, true
}

// Suspicious returns what weakens apt's own checks of the source, as
// "trusted=yes", in a fixed order: unsigned or weakly signed archives that are
// accepted, and old ones that count as fresh. It says nothing about the URI.
func Suspicious(e Entry) []string {
	var found []string
	for _, weak := range []struct {
		name string
		on   bool
	}{
		{"trusted", true},
		{"allow-insecure", true},
		{"allow-weak", true},
		{"allow-downgrade-to-insecure", true},
		{"check-valid-until", false},
		{"check-date", false},
	} {
		if on, set := e.flag(weak.name); set && on == weak.on {
			found = append(found, weak.name+"="+map[bool]string{true: "yes", false: "no"}[on])
		}
	}
	return found
}
