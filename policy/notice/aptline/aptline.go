// Package aptline reads what commands ask apt for: the packages that apt-get,
// apt and aptitude are told to install by name, with the versions, suites and
// architectures that hold them to one, and what holds packages back.
//
// It is pure and runs nothing; package runline splits the commands.
package aptline

import (
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
)

// Action is what a command does to packages.
type Action string

// The actions. Upgrade moves all that is installed to the newest version.
const (
	Install Action = "install"
	Upgrade Action = "upgrade"
	Hold    Action = "hold"
	Unhold  Action = "unhold"
)

// Command is one command of apt.
type Command struct {
	// Tool is the program with its command: "apt-get install".
	Tool     string
	Action   Action
	Packages []Package
	// Unknown are arguments that stand for packages and don't name them: a
	// variable without a value, a pattern, a file, standard input.
	Unknown []Unknown
}

// Unknown is an argument whose packages are not known, and why.
type Unknown struct {
	runline.Word
	Why string
}

// Package is one package that a command names.
type Package struct {
	runline.Word
	// Name is the binary package; Arch is "" where none is named.
	Name, Arch string
	// Version is what "=" asks for, which may end in "*"; "" if any will do.
	// Open is true if it depends on a variable that is not known.
	Version string
	Open    bool
	// Suite is what "/" or --target-release asks for, "" if nothing.
	Suite string
}

// programs are those that are read. apt-fast and nala take apt-get's arguments.
var programs = []string{"apt-get", "apt", "aptitude", "apt-fast", "nala", "apt-mark"}

// Read returns the commands of apt among those of a RUN, in their order.
func Read(calls []runline.Call) []Command {
	var all []Command
	for _, c := range calls {
		i, name := c.Find(programs...)
		if i < 0 {
			continue
		}
		r := reader{words: c.Words[i+1:], program: name}
		if r.read() {
			r.stdin(c, i)
			all = append(all, r.out)
		}
	}
	return all
}

// actions are the commands that are read. Sources: apt-get(8), apt(8),
// aptitude(8), apt-mark(8).
var actions = map[string]Action{
	"install": Install, "reinstall": Install, "satisfy": Install,
	"upgrade": Upgrade, "dist-upgrade": Upgrade, "full-upgrade": Upgrade, "safe-upgrade": Upgrade,
	"hold": Hold, "unhold": Unhold,
}

// reader reads the arguments of one program.
type reader struct {
	words   []runline.Word
	program string
	out     Command
	suite   string
	only    bool // no more options
}

// read reads the arguments. It returns false if the command is none that is
// asked for.
func (r *reader) read() bool {
	command := ""
	var operands []runline.Word
	for at := 0; at < len(r.words); at++ {
		w := r.words[at]
		s := w.String()
		switch {
		case r.only || len(s) < 2 || s[0] != '-':
			if command == "" {
				command = s
				continue
			}
			operands = append(operands, w)
		case s == "--":
			r.only = true
		default:
			at += r.option(s, at)
		}
	}
	if command == "build-dep" {
		return r.buildDep(operands)
	}
	action, known := actions[command]
	if !known || (r.program == "apt-mark") != (action == Hold || action == Unhold) && r.program != "aptitude" {
		return false
	}
	r.out.Tool, r.out.Action = r.program+" "+command, action
	for _, w := range operands {
		r.operand(w)
	}
	return true
}

// buildDep reads apt-get build-dep, which installs what a source package needs to be
// built.
func (r *reader) buildDep(sources []runline.Word) bool {
	r.out.Tool, r.out.Action = r.program+" build-dep", Install
	for _, w := range sources {
		r.out.Unknown = append(r.out.Unknown, Unknown{w, "what a source package needs to be built is only known to the archive"})
	}
	return len(sources) > 0
}

// configured takes the suite of a setting of apt.conf(5), whose names have no case.
func (r *reader) configured(setting string) {
	name, value, _ := strings.Cut(setting, "=")
	if strings.EqualFold(name, "APT::Default-Release") && r.suite == "" {
		r.suite = strings.Trim(value, `"'`)
	}
}

// option reads an option, and returns how many words behind it are its value.
// Long options that take one: those of apt-get(8), apt(8) and aptitude(8).
func (r *reader) option(s string, at int) int {
	following := ""
	if at+1 < len(r.words) {
		following = r.words[at+1].String()
	}
	if strings.HasPrefix(s, "--") {
		name, value, given := strings.Cut(s, "=")
		if !slices.Contains(strings.Fields("--target-release --default-release --option --config-file --host-architecture --build-profiles --with-source --planner --solver --user-tag --add-user-tag"), name) {
			return 0
		}
		if !given {
			value = following
		}
		switch name {
		case "--target-release", "--default-release":
			r.suite = value
		case "--option":
			r.configured(value)
		}
		return count(!given)
	}
	return r.short(s, following)
}

// short reads short options, as [reader.option] does.
func (r *reader) short(s, following string) int {
	for i := 1; i < len(s); i++ {
		value := s[i+1:]
		if value == "" {
			value = following
		}
		switch s[i] {
		case 't':
			r.suite = strings.TrimPrefix(value, "=")
			return count(i+1 == len(s))
		case 'o':
			r.configured(value)
			return count(i+1 == len(s))
		case 'c', 'a', 'P', 'w', 'F', 'O':
			return count(i+1 == len(s))
		case '=':
			return 0
		}
	}
	return 0
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// operand reads what stands for a package. Source of the forms: apt-get(8),
// "install": name=version, name/suite, name:architecture, a name with "+" or "-"
// behind it, a pattern, and a file.
func (r *reader) operand(w runline.Word) {
	s := w.String()
	unknown := func(why string) { r.out.Unknown = append(r.out.Unknown, Unknown{w, why}) }
	name, version, pinned := strings.Cut(s, "=")
	suite := r.suite
	if !pinned {
		if before, after, ok := strings.Cut(name, "/"); ok && !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, ".") {
			name, suite = before, after
		}
	}
	name, arch, _ := strings.Cut(name, ":")
	switch {
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasSuffix(s, ".deb"):
		unknown("the file " + path.Base(s) + " is not read")
	case strings.Contains(name, "${"):
		unknown("a variable whose value is not known names the packages")
	case r.program == "aptitude" && strings.ContainsAny(name, "~?") || strings.ContainsAny(name, `*?[]^$|\`):
		unknown("a pattern stands for packages that only apt knows")
	case strings.HasSuffix(name, "-"), name == "":
		// to be removed
	case !isName(name):
		unknown("this is no name of a package")
	default:
		r.out.Packages = append(r.out.Packages, Package{
			Word: w, Name: name, Arch: arch, Version: version, Suite: suite, Open: strings.Contains(version, "${"),
		})
	}
}

// isName reports whether a text is the name of a package. Source: Debian Policy,
// 5.6.1; apt takes upper case too.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || i > 0 && (c == '+' || c == '-' || c == '.' || c == '_')) {
			return false
		}
	}
	return s != ""
}

// stdin says that xargs adds packages that the text of the command doesn't name.
func (r *reader) stdin(c runline.Call, i int) {
	for k := range i {
		if path.Base(c.Words[k].String()) == "xargs" {
			r.out.Unknown = append(r.out.Unknown, Unknown{c.Words[k], "xargs adds packages that the text doesn't name"})
			return
		}
	}
}
