package runline

import (
	"regexp"
	"slices"
	"strings"
)

// Kind says what an argument of an installer is.
type Kind int

// The kinds of arguments. Requirement is also a path or a URL.
const (
	Requirement     Kind = iota + 1
	File                 // a requirements file: -r
	Constraint           // a constraints file: -c
	BuildConstraint      // a constraints file for isolated builds
	Override             // a file of requirements that override others
	Editable             // -e
	Group                // a dependency group of pyproject.toml
	skipped              // the value of another option
	named                // the requirement of a tool whose command is the operand
)

// Grammar says how an installer reads a requirement.
type Grammar int

// The grammars. All take paths and URLs too.
const (
	PEP508 Grammar = iota
	At             // PEP 508, and name@version
	Poetry         // name@constraint, and name with an operator
)

// Argument is one word that an installer is given.
type Argument struct {
	Word
	Kind Kind
}

// Install is one command that asks an installer for packages.
type Install struct {
	// Tool is the installer with its subcommand: "pip install".
	Tool    string
	Grammar Grammar
	// Foreign is true for an installer of another ecosystem, whose arguments
	// are not listed.
	Foreign   bool
	Arguments []Argument
	// Pre is true if the command asks for pre-releases.
	Pre  bool
	Call Call
}

// Installs returns the commands of a RUN that install Python packages, in the
// order of the text. What a printing or searching program is given is not
// taken for a command.
func Installs(calls []Call) []Install {
	var out []Install
	for _, c := range calls {
		if i, ok := c.install(); ok {
			out = append(out, i)
		}
	}
	return out
}

// bystanders are programs whose arguments are no commands.
const bystanders = " echo printf cat tee grep egrep fgrep rg sed awk test [ which type alias unalias ln cp mv rm ls mkdir touch " +
	"chmod chown git curl wget export set cd source . "

// Find returns the index of the first word that names one of the programs, and
// the name: behind whatever starts it, such as sudo, env or a retry. It is -1 if
// there is none, or the words belong to a program that only prints or searches.
func (c Call) Find(programs ...string) (i int, name string) {
	if c.stands() {
		return -1, ""
	}
	for i := range c.Words {
		if name := c.name(i); slices.Contains(programs, name) {
			return i, name
		}
	}
	return -1, ""
}

// stands reports whether the arguments of the command are no commands.
func (c Call) stands() bool { return strings.Contains(bystanders, " "+c.name(0)+" ") }

// install finds the installer behind whatever starts it: sudo, env, a retry.
func (c Call) install() (Install, bool) {
	if c.stands() {
		return Install{}, false
	}
	for i := range c.Words {
		p, words := c.program(i)
		if p == nil {
			continue
		}
		if out, ok := p.read(words); ok {
			out.Call = c
			return out, true
		}
	}
	return c.foreign()
}

var (
	pipName    = regexp.MustCompile(`^pip(?:\d+(?:\.\d+)?)?$`)
	pythonName = regexp.MustCompile(`^(?:python|pypy)(?:\d+(?:\.\d+)?)?[a-z]?$|^py$`)
)

// program returns the installer that word i starts, with its arguments.
func (c Call) program(i int) (*program, []Word) {
	name, rest := c.name(i), c.Words[i+1:]
	if pythonName.MatchString(name) {
		name, rest = module(rest)
	}
	if pipName.MatchString(name) {
		name = "pip"
	}
	for k := range programs {
		if programs[k].name == name {
			return &programs[k], rest
		}
	}
	return nil, nil
}

// module returns what "python -m" runs, and its arguments.
func module(words []Word) (name string, rest []Word) {
	for i := 0; i < len(words); i++ {
		s := words[i].String()
		switch {
		case !strings.HasPrefix(s, "-") || strings.HasPrefix(s, "--"):
			return "", nil
		case s == "-W" || s == "-X":
			i++
		case strings.HasSuffix(s, "m") && i+1 < len(words):
			return words[i+1].String(), words[i+2:]
		case strings.HasPrefix(s, "-m"):
			return s[2:], words[i+1:]
		case strings.HasSuffix(s, "c"):
			return "", nil
		}
	}
	return "", nil
}

// read reads the arguments of an installer. ok is false if they install
// nothing.
func (p *program) read(words []Word) (out Install, ok bool) {
	a := arguments{program: p, words: words}
	for a.more() {
	}
	if a.use == nil {
		return Install{}, false
	}
	tool := strings.TrimSpace(p.name + " " + a.use.words)
	return Install{Tool: tool, Grammar: a.use.grammar, Arguments: a.out, Pre: a.pre}, true
}

// arguments is the state of reading.
type arguments struct {
	*program
	words    []Word
	at       int
	operands int
	names    []string // the operands that name the subcommand
	use      *usage
	out      []Argument
	pre      bool
	named    bool // an option has said which package the operand's command is in
	only     bool // no more options
}

func (a *arguments) more() bool {
	if a.at >= len(a.words) {
		return false
	}
	w := a.words[a.at]
	a.at++
	s := w.String()
	switch {
	case a.only || len(s) < 2 || s[0] != '-':
		return a.operand(w)
	case s == "--":
		a.only = true
	case s[1] == '-':
		a.long(w)
	default:
		a.short(w)
	}
	return true
}

// operand takes a word that is no option. It ends the reading where what
// follows belongs to another program, or where nothing is installed.
func (a *arguments) operand(w Word) bool {
	if a.use == nil {
		a.names = append(a.names, w.String())
		words := strings.Join(a.names, " ")
		for i := range a.uses {
			if a.uses[i].words == words {
				a.use = &a.uses[i]
				return true
			}
		}
		if a.uses[0].words != "" {
			return slices.ContainsFunc(a.uses, func(u usage) bool { return strings.HasPrefix(u.words, words+" ") })
		}
		a.use = &a.uses[0]
	}
	a.operands++
	switch {
	case a.operands <= a.use.skip:
	case a.use.runs:
		if !a.named {
			a.add(w, a.use.kind)
		}
		return false
	default:
		a.add(w, a.use.kind)
	}
	return true
}

// add lists an argument. The group of "uv add" is where the package goes, not
// what is installed.
func (a *arguments) add(w Word, k Kind) {
	if k == named {
		a.named, k = true, Requirement
	}
	if k == Group && a.use != nil && a.use.words == "add" {
		return
	}
	if k != skipped && k != 0 {
		a.out = append(a.out, Argument{w, k})
	}
}

// long reads --name, --name=value or --name value.
func (a *arguments) long(w Word) {
	name, value, given := strings.Cut(w.String(), "=")
	kind, takes := a.options[name]
	switch {
	case name == "--pre" || name == "--allow-prereleases" || name == "--prerelease" && !takes:
		a.pre = true
	case name == "--prerelease":
		a.pre = a.prerelease(value, given)
	case takes && given:
		a.value(w.from(len(name)+1), kind)
	case takes:
		a.following(kind)
	}
}

// prerelease takes the value of uv's --prerelease.
func (a *arguments) prerelease(value string, given bool) bool {
	if !given && a.at < len(a.words) {
		value = a.words[a.at].String()
		a.at++
	}
	return value == "allow"
}

// short reads -abc: each a flag, up to the first that takes the rest, or the
// next word.
func (a *arguments) short(w Word) {
	s := w.String()
	for i := 1; i < len(s); i++ {
		kind, takes := a.options["-"+s[i:i+1]]
		if !takes {
			continue
		}
		if i+1 < len(s) {
			a.value(w.from(i+1), kind)
		} else {
			a.following(kind)
		}
		return
	}
}

// following takes the next word as an option's value.
func (a *arguments) following(k Kind) {
	if a.at < len(a.words) {
		a.value(a.words[a.at], k)
		a.at++
	}
}

// value takes an option's value. One of uv's may be a list of requirements.
func (a *arguments) value(w Word, k Kind) {
	if k != Requirement && k != named {
		a.add(w, k)
		return
	}
	for _, part := range w.list() {
		a.add(part, k)
	}
}

// from is the word without its first bytes.
func (w Word) from(i int) Word { return w.part(i, w.Text.Len()) }

// part is a part of the word.
func (w Word) part(i, j int) Word {
	if i == 0 && j == w.Text.Len() {
		return w
	}
	w.Text = w.Text.Slice(i, j)
	w.Start, w.End, _ = w.Text.Range(0, w.Text.Len())
	return w
}

// list splits at the commas that no specifier goes on behind.
func (w Word) list() []Word {
	var out []Word
	s, from := w.String(), 0
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			next := strings.TrimLeft(s[i+1:], " ")
			if depth > 0 || next == "" || strings.IndexByte("<>=!~", next[0]) >= 0 {
				continue
			}
			out = append(out, w.part(from, i))
			from = i + 1
		}
	}
	return append(out, w.part(from, len(s)))
}
