package words

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// invocation is one run of a program.
type invocation struct {
	sh   *shellText
	name string // the program's base name
	word word   // the program as the text names it
	args []word // its arguments, without the name
	out  sink   // where its output goes
}

// command looks at one command with its arguments.
func (sh *shellText) command(args []word, out sink) {
	by := sh.a.by
	defer func() { sh.a.by = by }()
	for len(args) > 0 {
		name := programName(args[0])
		sh.a.ran(name)
		sh.a.by = sh.a.called(name, args, sh.dir)
		rest, nested := sh.a.unwrapOne(name, args)
		if !nested {
			inv := invocation{sh: sh, name: known(name), word: args[0], args: args[1:], out: out}
			inv.run()
			return
		}
		for _, w := range args[1 : len(args)-len(rest)] {
			sh.setting(w, name)
		}
		args = rest
	}
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// programName is the base name of a command word, "$" if it is not known, or no
// name that a program has.
func programName(w word) string {
	if i := strings.LastIndexByte(w.s, '\\'); i >= 0 && strings.Contains(w.s, `:\`) {
		return cmp.Or(strings.ToLower(strings.TrimSuffix(w.s[i+1:], ".exe")), "$")
	}
	if w.unknown() || addressed(w) || strings.ContainsAny(w.s, " \t\n") {
		return "$"
	}
	name := path.Base(strings.ReplaceAll(w.s, `\`, ""))
	if name == "." && w.s != "." {
		return "$"
	}
	return strings.TrimSuffix(name, ".exe")
}

// run dispatches on the program. Each case says what the program's words are.
func (inv *invocation) run() {
	f, declared := inv.a().funcs[inv.name]
	read := reader(inv.name)
	switch {
	case declared:
		inv.callFunction(f)
	case isShell(inv.name):
		inv.shell()
	case interpreters[inv.name] != nil:
		inv.interpreter(interpreters[inv.name])
	case read != nil:
		read(inv)
	case !slices.ContainsFunc(inv.args, addressed):
		for _, w := range inv.args {
			w.use()
		}
	case Fetches(inv.name):
		inv.plain(inv.fetch())
	default:
		inv.plain(wordUse("argument of " + inv.name))
	}
	inv.rereads()
	inv.environment()
}

// addressed reports whether w may hold a URL.
func addressed(w word) bool { return strings.Contains(w.s, "://") }

// reader returns how to read the words of a program that has a grammar of its
// own, or nil.
func reader(name string) func(*invocation) {
	switch name {
	case "echo", "print":
		return (*invocation).echo
	case "printf":
		return (*invocation).printf
	case "sed", "gsed":
		return (*invocation).sed
	case "awk", "gawk", "mawk", "nawk":
		return (*invocation).awk
	case "test", "[":
		return (*invocation).test
	case "grep", "egrep", "fgrep", "rg", "expr", "jq":
		return (*invocation).match
	case "xmlstarlet", "xml":
		return (*invocation).identifiers
	case "git":
		return (*invocation).git
	case "curl":
		return (*invocation).curl
	case "wget", "wget2":
		return (*invocation).wget
	case "eval", "trap":
		return (*invocation).eval
	case "su", "runuser", "scl":
		return (*invocation).su
	case "find":
		return (*invocation).find
	case "debconf-set-selections", "augtool", "mysql", "mariadb", "psql", "sqlite3", "mongo", "redis-cli", "useradd", "adduser", "usermod":
		return (*invocation).foreign
	case "crudini", "openstack-config":
		return (*invocation).ini
	case "export", "readonly", "local", "declare", "typeset", "alias":
		return (*invocation).declare
	case "cd", "pushd":
		return func(inv *invocation) { inv.sh.cd(inv.args) }
	case "set":
		return (*invocation).set
	case "shift":
		return func(inv *invocation) { inv.sh.shift(inv.args) }
	case "gem", "jgem":
		return (*invocation).gem
	case "zypper":
		return (*invocation).zypper
	case "mvn", "mvnw":
		return (*invocation).maven
	case "gpg", "gpg2", "apt-key", "dirmngr", "pacman-key":
		return (*invocation).keyserver
	case "powershell", "pwsh", "cmd":
		return (*invocation).windows
	case "add-apt-repository", "apt-add-repository":
		return (*invocation).aptRepository
	}
	if configWords[name] != "" {
		return (*invocation).configurable
	}
	return nil
}

func (inv *invocation) a() *analyser { return inv.sh.a }

// plain gives every URL of the arguments the same use, but for the value of a
// proxy option.
func (inv *invocation) plain(u use) {
	for i, w := range inv.args {
		inv.a().urls(w, inv.argUse(i, u))
	}
}

// argUse is u, unless the word before argument i names a proxy.
func (inv *invocation) argUse(i int, u use) use {
	if i > 0 && !strings.Contains(inv.args[i-1].s, "://") && isProxy(inv.args[i-1].s, inv.args[i].s) {
		return proxyUse
	}
	return u
}

func (inv *invocation) match() { inv.plain(matchUse("pattern of " + inv.name)) }

// test looks at what is compared.
func (inv *invocation) test() {
	for i, w := range inv.args {
		switch w.s {
		case "=", "==", "!=":
			if i > 0 && i+1 < len(inv.args) {
				inv.sh.compare(inv.args[i-1], inv.args[i+1])
			}
		default:
			inv.sh.compared(w, false)
		}
	}
}

func (inv *invocation) foreign() {
	inv.plain(use{role: route.ForeignConfig, reason: "argument of " + inv.name})
}

func (inv *invocation) identifiers() {
	inv.plain(use{role: route.Identifier, reason: "name space of " + inv.name})
}

// fetch is the use of a URL among the arguments of a program that fetches.
func (inv *invocation) fetch() use {
	return use{role: route.Fetch, reason: "argument of " + inv.name, tool: inv.name}
}

// code reads w as the program text of an interpreter: a change of the scheme
// is the most that is safe there.
func (a *analyser) code(w word, name string) {
	a.urls(w, use{role: route.Word, reason: "code of " + name, tool: name})
}

// eval looks at the words as one script; trap runs its first one.
func (inv *invocation) eval() {
	args := inv.args
	if inv.name == "trap" {
		args = args[:min(1, len(args))]
	}
	if len(args) > 0 {
		inv.text(joined(args, " "), "sh")
	}
}

// shell finds the script of "sh -c": the first operand where an option holds
// a "c". Without one the shell reads its standard input, or a file.
func (inv *invocation) shell() {
	command := false
	for i := 0; i < len(inv.args); i++ {
		s := inv.args[i].s
		if len(s) < 2 || s[0] != '-' && s[0] != '+' || strings.HasPrefix(s, "--") {
			if !command {
				break
			}
			if !strings.HasPrefix(s, "--") {
				inv.text(inv.args[i], inv.name)
				inv.args = inv.args[i+1:]
				inv.plain(wordUse("argument of " + inv.name))
				return
			}
			continue
		}
		command = command || strings.Contains(s[1:], "c")
		if strings.HasSuffix(s, "o") || strings.HasSuffix(s, "O") {
			i++ // -o takes the option's name
		}
	}
	inv.plain(wordUse("argument of " + inv.name))
}

// su runs the value of -c, or what follows "--"; scl runs the last of its words
// as a script.
func (inv *invocation) su() {
	for i, w := range inv.args {
		switch {
		case w.s == "--" && i+1 < len(inv.args):
			inv.sh.command(inv.args[i+1:], inv.out)
			return
		case i > 0 && takesCommand(inv.args[i-1].s),
			inv.name == "scl" && i == len(inv.args)-1:
			inv.text(w, "sh")
		default:
			inv.a().urls(w, wordUse("argument of "+inv.name))
		}
	}
}

// takesCommand reports whether the word behind this option of su is a command:
// -c, -lc, --command.
func takesCommand(s string) bool {
	return s == "--command" || strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && strings.HasSuffix(s, "c")
}

// find runs what follows each -exec, on files that its path and -name tell.
func (inv *invocation) find() {
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		if !strings.HasPrefix(w.s, "-exec") && !strings.HasPrefix(w.s, "-ok") {
			inv.a().urls(w, matchUse("pattern of find"))
			continue
		}
		found := word{s: inv.args[0].s}
		for k, w := range inv.args[:i] {
			if w.s == "-name" {
				found.s = path.Join(found.s, inv.args[k+1].s)
			}
		}
		args := slices.Clone(inv.args[i+1:])
		if n := slices.IndexFunc(args, func(w word) bool { return w.s == ";" || w.s == "+" }); n >= 0 {
			args = args[:n]
		}
		i += len(args)
		for k := range args {
			if args[k].s == "{}" {
				args[k] = found
			}
		}
		inv.sh.command(args, inv.out)
	}
}

// awk programs are matched or computed: their URLs are never edited, but one
// that ends in a fetch is reported.
func (inv *invocation) awk() {
	u := matchUse("in an awk program")
	if inv.out.kind == fetcher || inv.out.kind == shellIn {
		u = use{
			role: route.Fetch, reason: "printed by an awk program for " + inv.out.name, tool: inv.out.name,
			uneditable: "it stands in an awk program",
		}
	}
	inv.plain(u)
}
