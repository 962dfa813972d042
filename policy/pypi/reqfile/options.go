package reqfile

import (
	"slices"
	"strings"
)

// option is one that pip's reader takes in a file (SUPPORTED_OPTIONS and
// SUPPORTED_OPTIONS_REQ in src/pip/_internal/req/req_file.py, names from
// cli/cmdoptions.py).
type option struct {
	// name is the long name; alias is another one, short the letter.
	name, alias string
	short       byte
	// flag takes no value.
	flag bool
	// check refuses a value; nil takes any.
	check func(string) string
}

func optionTable() []option {
	return []option{
		{name: "--index-url", alias: "--pypi-url", short: 'i'},
		{name: "--extra-index-url"},
		{name: "--no-index", flag: true},
		{name: "--constraint", short: 'c'},
		{name: "--requirement", short: 'r'},
		{name: "--editable", short: 'e'},
		{name: "--find-links", short: 'f'},
		{name: "--no-binary", check: checkNames},
		{name: "--only-binary", check: checkNames},
		{name: "--prefer-binary", flag: true},
		{name: "--require-hashes", flag: true},
		{name: "--pre", flag: true},
		{name: "--all-releases", check: checkNames},
		{name: "--only-final", check: checkNames},
		{name: "--trusted-host"},
		{name: "--use-feature", check: checkFeature},
		{name: "--global-option"},
		{name: "--hash", check: checkHash},
		{name: "--config-settings", short: 'C', check: checkSetting},
	}
}

func checkNames(v string) string {
	if strings.HasPrefix(v, "-") {
		return "an option that wants names of packages is followed by another option"
	}
	return ""
}

func checkFeature(v string) string {
	if slices.Contains([]string{"fast-deps", "build-constraint", "inprocess-build-deps", "truststore", "no-binary-enable-wheel-cache"}, v) {
		return ""
	}
	return "--use-feature names a feature that pip does not know"
}

func checkHash(v string) string {
	algorithm, _, ok := strings.Cut(v, ":")
	if !ok {
		return "--hash wants an algorithm and a digest, as in --hash=sha256:…"
	}
	if !slices.Contains([]string{"sha256", "sha384", "sha512"}, algorithm) {
		return "--hash takes sha256, sha384 and sha512 only"
	}
	return ""
}

func checkSetting(v string) string {
	if strings.Contains(v, "=") {
		return ""
	}
	return "--config-settings wants KEY=VALUE"
}

// parsed is what stands behind a requirement, or on a line of its own: options
// in order, and words that belong to none.
type parsed struct {
	options []OptionValue
	words   []string
}

// all gives the values of an option, in order.
func (p *parsed) all(name string) []string {
	var out []string
	for _, o := range p.options {
		if o.Name == name {
			out = append(out, o.Value)
		}
	}
	return out
}

// first gives the value of an option where it stands first.
func (p *parsed) first(name string) (string, bool) {
	i := slices.IndexFunc(p.options, func(o OptionValue) bool { return o.Name == name })
	if i < 0 {
		return "", false
	}
	return p.options[i].Value, true
}

// parseOptions reads words as Python's optparse does: "--name value",
// "--name=value", a long name cut short where that is unambiguous, "-rvalue";
// "--" ends the options. The second result says what is wrong; "" if nothing.
func parseOptions(words []string) (parsed, string) {
	var out parsed
	if len(words) == 0 {
		return out, ""
	}
	table := optionTable()
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			out.words = append(out.words, words[i+1:]...)
			break
		}
		if len(w) < 2 || w[0] != '-' {
			out.words = append(out.words, w)
			continue
		}
		opt, value, attached, wrong := match(table, w)
		if wrong != "" {
			return out, wrong
		}
		if !opt.flag && !attached {
			if i++; i == len(words) {
				return out, "an option that wants a value has none"
			}
			value = words[i]
		}
		if opt.check != nil {
			if wrong := opt.check(value); wrong != "" {
				return out, wrong
			}
		}
		out.options = append(out.options, OptionValue{opt.name, value})
	}
	return out, ""
}

// match finds the option that a word names, and the value attached to it.
func match(table []option, w string) (opt option, value string, attached bool, wrong string) {
	const unknown = "an option that pip does not take in a requirements file"
	if w[1] != '-' {
		for _, o := range table {
			if o.short == w[1] {
				return o, w[2:], len(w) > 2, ""
			}
		}
		return option{}, "", false, unknown
	}
	name, value, attached := strings.Cut(w, "=")
	found := 0
	for _, o := range table {
		if o.name == name || o.alias == name {
			opt, found = o, 1
			break
		}
		for _, long := range []string{o.name, o.alias} {
			if strings.HasPrefix(long, name) {
				opt, found = o, found+1
			}
		}
	}
	switch {
	case found == 0:
		return opt, "", false, unknown
	case found > 1:
		return opt, "", false, "an option that is cut too short to know which is meant"
	case opt.flag && attached:
		return opt, "", false, opt.name + " takes no value"
	}
	return opt, value, attached, ""
}
