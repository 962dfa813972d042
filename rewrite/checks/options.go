package checks

import (
	"slices"
	"strings"
)

// off and on are the values that configuration files read as no and as yes.
// Sources: StringToBool in apt-pkg/contrib/strutl.cc; git-config(1), "boolean".
var (
	off = []string{"false", "no", "off", "0", "without", "disable"}
	on  = []string{"true", "yes", "on", "1", "with", "enable"}
)

func isOff(s string) bool { return slices.Contains(off, strings.ToLower(strings.Trim(s, `'"`))) }
func isOn(s string) bool  { return slices.Contains(on, strings.ToLower(strings.Trim(s, `'"`))) }

// switches is what to look for on the command line of some programs.
type switches struct {
	programs string // names, apart by blanks
	// find returns the arguments that do it: those of argv, without the name.
	find func(args []string) []string
}

// has reports whether the names are those of s.
func (s switches) has(name string) bool {
	for p := range strings.FieldsSeq(s.programs) {
		if p == name {
			return true
		}
	}
	return false
}

// flags finds long options. One that ends in "=" is followed by a value, in
// the same word or in the next.
func flags(names ...string) func([]string) []string {
	return func(args []string) []string {
		var out []string
		for i, a := range args {
			if a == "--" {
				break
			}
			for _, name := range names {
				bare, valued := strings.CutSuffix(name, "=")
				switch {
				case a == bare && !valued:
					out = append(out, a)
				case a == bare && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && args[i+1] != "":
					out = append(out, a)
				case valued && strings.HasPrefix(a, name) && a != name:
					out = append(out, a)
				}
			}
		}
		return out
	}
}

// assigned finds options whose value is one that ok accepts: "--name=value" and
// "--name value". Names have no case.
func assigned(ok func(string) bool, names ...string) func([]string) []string {
	return func(args []string) []string {
		var out []string
		for i, a := range args {
			name, value, glued := strings.Cut(a, "=")
			if !slices.Contains(names, strings.ToLower(name)) {
				continue
			}
			switch {
			case glued && ok(value):
				out = append(out, a)
			case !glued && i+1 < len(args) && ok(args[i+1]):
				if strings.Contains(args[i+1], "=") {
					a = args[i+1] // NAME=VALUE says more than -o
				}
				out = append(out, a)
			}
		}
		return out
	}
}

// either joins what several functions find.
func either(all ...func([]string) []string) func([]string) []string {
	return func(args []string) []string {
		var out []string
		for _, f := range all {
			out = append(out, f(args)...)
		}
		return out
	}
}

// short finds the letter among short options, alone or in a cluster. valued are
// the letters of the options that take a value: it ends the cluster.
func short(letter byte, valued string) func([]string) []string {
	return func(args []string) []string {
		var out []string
		for i := 0; i < len(args); i++ {
			a := args[i]
			if a == "--" {
				break
			}
			if len(a) < 2 || a[0] != '-' || a[1] == '-' {
				continue
			}
			for k := 1; k < len(a); k++ {
				if a[k] == letter {
					out = append(out, a)
					break
				}
				if strings.IndexByte(valued, a[k]) >= 0 {
					if k == len(a)-1 {
						i++ // the value is the next word
					}
					break
				}
			}
		}
		return out
	}
}

// setOption finds "-o NAME=VALUE" of apt, glued or not.
func setOption(ok func(setting string) bool) func([]string) []string {
	return func(args []string) []string {
		var out []string
		for i, a := range args {
			value, glued := strings.CutPrefix(a, "--option=")
			switch {
			case glued:
			case (a == "-o" || a == "--option") && i+1 < len(args):
				a, value = args[i+1], args[i+1]
			case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "o") && strings.Contains(a, "::"):
				value = a[strings.IndexByte(a, 'o')+1:]
			case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "o") && i+1 < len(args) && strings.Contains(args[i+1], "::"):
				a, value = args[i+1], args[i+1]
			default:
				continue
			}
			if ok(strings.ToLower(strings.TrimPrefix(value, "="))) {
				out = append(out, a)
			}
		}
		return out
	}
}

// aptOption accepts the setting of one of these names, in lower case, to a
// value that ok accepts.
func aptOption(ok func(string) bool, names ...string) func(string) bool {
	return func(s string) bool {
		name, value, _ := strings.Cut(s, "=")
		for _, n := range names {
			if strings.HasSuffix(name, n) && ok(value) {
				return true
			}
		}
		return false
	}
}

// after finds a word behind these others, in this order with options between:
// after(isOff, "config", "set", "strict-ssl") accepts "config set strict-ssl
// false" and "config set strict-ssl=false". A word may list several, apart by
// "|".
func after(ok func(string) bool, path ...string) func([]string) []string {
	return func(args []string) []string {
		n := 0
		for i, a := range args {
			if n == len(path) {
				if ok(a) {
					return args[i-1 : i]
				}
				return nil
			}
			name, value, glued := strings.Cut(a, "=")
			last := n == len(path)-1
			switch {
			case slices.Contains(strings.Split(path[n], "|"), strings.ToLower(name)) && (!glued || last):
				if glued {
					if ok(value) {
						return []string{a}
					}
					return nil
				}
				n++
			case n > 0 && !strings.HasPrefix(a, "-") && !last:
				n = 0
			}
		}
		return nil
	}
}

// inCalls reports each word of the command's calls that the switches find.
func inCalls(c *Command, all []switches, report func(name, word string)) {
	for _, call := range c.Calls {
		if len(call.Args) < 2 {
			continue
		}
		name, args := python(call.Name, call.Args)
		for _, s := range all {
			if !s.has(name) || local(args) {
				continue
			}
			for _, word := range s.find(args) {
				report(call.Name, word)
			}
		}
	}
}

// python takes a module that python starts for the program, and the versions
// of a program's name for one.
func python(name string, argv []string) (string, []string) {
	args := argv[1:]
	bare := strings.TrimRight(name, "0123456789.")
	switch {
	case bare == "python" && len(args) > 1 && args[0] == "-m":
		return args[1], args[2:]
	case bare == "pip" || bare == "python":
		return bare, args
	}
	return name, args
}

// local reports whether all addresses of a command are the machine itself,
// where no certificate of an authority can be.
func local(args []string) bool {
	found := false
	for _, a := range args {
		_, rest, ok := strings.Cut(a, "://")
		if !ok {
			if !strings.HasPrefix(a, "localhost") && !strings.HasPrefix(a, "127.") {
				continue
			}
			rest = a
		}
		if !loopback(rest) {
			return false
		}
		found = true
	}
	return found
}

// loopback reports whether the authority of an address is the machine itself.
func loopback(rest string) bool {
	host := rest
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if strings.HasPrefix(host, "[::1]") {
		return true
	}
	host, _, _ = strings.Cut(host, ":")
	return host == "localhost" || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || strings.HasSuffix(host, ".localhost")
}
