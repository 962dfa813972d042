package distro

import "strings"

// Ecosystem is what the name of an OSV ecosystem says about a distribution.
type Ecosystem struct {
	OS
	// Pro: the fix comes from Ubuntu Pro's archives alone, which need a
	// subscription.
	Pro bool
	// Variant names builds that only some systems use ("FIPS-updates"), "" for the
	// archive that everybody has.
	Variant string
}

// OfEcosystem reads the ecosystem of a record: "Debian:12", "Ubuntu:24.04:LTS",
// "Ubuntu:Pro:18.04:LTS", "Debian". Only what is Ubuntu Pro's has variants: any other
// word is a release, known here or not. ok is false for those of others. Source: the
// OSV schema, "Defined ecosystems", and Ubuntu's records.
func OfEcosystem(name string) (e Ecosystem, ok bool) {
	parts := strings.Split(name, ":")
	e.System = strings.ToLower(parts[0])
	if e.System != Debian && e.System != Ubuntu {
		return Ecosystem{}, false
	}
	for _, part := range parts[1:] {
		if part == "" || strings.EqualFold(part, "LTS") {
			continue
		}
		if o, ok := numbered(e.System, part); ok {
			e.OS = o
		} else if o, ok := named(strings.ToLower(part)); ok && o.System == e.System {
			e.OS = o
		} else if strings.EqualFold(part, "Pro") {
			e.Pro = true
		} else if o, ok := Suite(strings.ToLower(part)); ok && o.System == e.System {
			e.OS = o // with a pocket behind it
		} else if e.Pro && (part[0] < '0' || part[0] > '9') {
			e.Variant = part
		} else {
			e.Version = strings.ToLower(part) // one that is not in the table, or "sid"
		}
	}
	return e, true
}
