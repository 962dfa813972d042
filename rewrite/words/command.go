package words

import (
	"path"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// invocation is one run of a program.
type invocation struct {
	sh    *shellText
	name  string // the program's base name
	args  []word // its arguments, without the name
	stdin *word  // the text of a here-document, or nil
	out   sink   // where its output goes
}

// command looks at one command with its arguments.
func (sh *shellText) command(args []word, stdin *word, out sink) {
	for {
		if len(args) == 0 {
			return
		}
		name := programName(args[0])
		sh.a.ran(name)
		rest, nested := unwrapOne(name, args)
		if !nested {
			sh.run(invocation{sh: sh, name: name, args: args[1:], stdin: stdin, out: out})
			return
		}
		for _, w := range args[:len(args)-len(rest)] {
			sh.wrapperWord(w)
		}
		args = rest
	}
}

// wrapperWord looks at a word between a wrapper and the program it starts:
// "env NAME=http://…" sets a variable.
func (sh *shellText) wrapperWord(w word) {
	if name, _, ok := strings.Cut(w.s, "="); ok && isName(name) {
		sh.set(name, w.slice(len(name)+1, len(w.s)))
		return
	}
	sh.a.urls(w, wordUse("argument"))
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// programName is the base name of a command word, "$" if it is not known.
func programName(w word) string {
	if strings.Contains(w.s, "${") {
		return "$"
	}
	if i := strings.LastIndexByte(w.s, '\\'); i >= 0 && strings.Contains(w.s, `:\`) {
		return strings.ToLower(strings.TrimSuffix(w.s[i+1:], ".exe"))
	}
	name := path.Base(strings.ReplaceAll(w.s, `\`, ""))
	if name == "." && w.s != "." {
		return "$"
	}
	return strings.TrimSuffix(name, ".exe")
}

// run dispatches on the program. Each case says what the program's words are.
func (sh *shellText) run(inv invocation) {
	switch {
	case isShell(inv.name):
		inv.shell()
	case interpreters[inv.name] != nil:
		inv.interpreter(interpreters[inv.name])
	default:
		if read := reader(inv.name); read != nil {
			read(&inv)
		} else if fetches(inv.name) {
			inv.plain(inv.fetch())
		} else {
			inv.plain(wordUse("argument of " + inv.name))
		}
		if inv.stdin != nil {
			sh.a.written(*inv.stdin, stdinSink(append([]word{{s: inv.name}}, inv.args...), inv.out))
		}
	}
	sh.environmentOf(inv.name)
}

// reader returns how to read the words of a program that has a grammar of its
// own, or nil.
func reader(name string) func(*invocation) {
	switch name {
	case "echo", "printf", "print":
		return (*invocation).echo
	case "sed", "gsed":
		return (*invocation).sed
	case "awk", "gawk", "mawk", "nawk":
		return (*invocation).awk
	case "grep", "egrep", "fgrep", "rg", "test", "[", "expr", "jq":
		return (*invocation).match
	case "xmlstarlet", "xml":
		return (*invocation).identifiers
	case "git":
		return (*invocation).git
	case "curl":
		return (*invocation).curl
	case "wget", "wget2":
		return (*invocation).wget
	case "eval":
		return (*invocation).eval
	case "su", "runuser":
		return (*invocation).su
	case "find":
		return (*invocation).find
	case "debconf-set-selections":
		return (*invocation).foreign
	case "export", "readonly", "local", "declare":
		return (*invocation).declare
	case "npm", "yarn", "pnpm", "pip", "pip3", "conda", "mamba", "micromamba", "bundle", "composer",
		"yum-config-manager", "dnf", "zypper", "go", "poetry", "uv":
		return (*invocation).configurable
	case "gem":
		return (*invocation).gem
	case "gpg", "gpg2", "apt-key", "dirmngr":
		return (*invocation).keyserver
	case "powershell", "pwsh", "cmd":
		return (*invocation).windows
	case "add-apt-repository", "apt-add-repository":
		return (*invocation).aptRepository
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
	if i > 0 && proxyWord(inv.args[i-1].s) {
		return use{role: route.Proxy, reason: "a proxy's address"}
	}
	return u
}

func proxyWord(s string) bool {
	s = strings.ToLower(s)
	return strings.HasSuffix(s, "proxy") && !strings.HasSuffix(s, "goproxy") && !strings.Contains(s, "://")
}

func (inv *invocation) match() { inv.plain(matchUse("pattern of " + inv.name)) }

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

// echo gives the text to where it goes.
func (inv *invocation) echo() {
	for _, w := range inv.args {
		inv.a().written(w, inv.out)
	}
}

// written gives the URLs of a text the use that its sink implies; text that a
// shell reads is a script.
func (a *analyser) written(w word, out sink) {
	switch out.kind {
	case shellIn:
		a.nested(w, out.name)
	case codeIn:
		a.code(w, out.name)
	default:
		a.urls(w, out.use())
	}
}

// nested reads w as a script of the shell called name.
func (a *analyser) nested(w word, name string) {
	sh := &shellText{a: a, env: environment(a.in.Env), vars: a.vars()}
	t, arg := w.text(firstArg(w))
	sh.parse(t, arg, name)
	for _, as := range w.from {
		as.used = true
	}
}

func firstArg(w word) int {
	for _, p := range w.pieces {
		if !p.opaque {
			return p.arg
		}
	}
	return 0
}

// vars are the shell variables set so far, the latest value last.
func (a *analyser) vars() map[string][]*assign {
	m := map[string][]*assign{}
	for _, as := range a.assigns {
		m[as.name] = append(m[as.name], as)
	}
	return m
}

// code reads w as the program text of an interpreter: a change of the scheme
// is the most that is safe there.
func (a *analyser) code(w word, name string) {
	a.urls(w, use{role: route.Word, reason: "code of " + name, tool: name})
}

// declare looks at the arguments of a declaration builtin that was not parsed
// as one (after "command", in exec form).
func (inv *invocation) declare() {
	for _, w := range inv.args {
		inv.sh.wrapperWord(w)
	}
}

func (inv *invocation) eval() {
	for _, w := range inv.args {
		inv.a().nested(w, "sh")
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
				inv.a().nested(inv.args[i], inv.name)
				inv.rest(inv.args[i+1:])
				return
			}
			continue
		}
		command = command || strings.Contains(s[1:], "c")
		if strings.HasSuffix(s, "o") || strings.HasSuffix(s, "O") {
			i++ // -o takes the option's name
		}
	}
	inv.rest(inv.args)
	if inv.stdin != nil {
		inv.a().nested(*inv.stdin, inv.name)
	}
}

func (inv *invocation) rest(args []word) {
	for _, w := range args {
		inv.a().urls(w, wordUse("argument of "+inv.name))
	}
}

// su runs the value of -c.
func (inv *invocation) su() {
	for i, w := range inv.args {
		if i > 0 && (inv.args[i-1].s == "-c" || inv.args[i-1].s == "--command") {
			inv.a().nested(w, "sh")
			continue
		}
		inv.a().urls(w, wordUse("argument of "+inv.name))
	}
}

// find runs what follows -exec.
func (inv *invocation) find() {
	for i, w := range inv.args {
		if strings.HasPrefix(w.s, "-exec") || strings.HasPrefix(w.s, "-ok") {
			inv.sh.command(inv.args[i+1:], nil, inv.out)
			return
		}
		inv.a().urls(w, matchUse("pattern of find"))
	}
}

// interpreter looks at inline code and at code on the standard input.
func (inv *invocation) interpreter(codeFlags map[string]bool) {
	perlFilter := false
	for i, w := range inv.args {
		if inv.name == "perl" && len(w.s) > 1 && w.s[0] == '-' && w.s[1] != '-' && strings.ContainsAny(w.s, "pn") {
			perlFilter = true
		}
		switch {
		case perlFilter:
			inv.a().urls(w, matchUse("pattern of perl"))
		case i > 0 && codeFlags[inv.args[i-1].s]:
			inv.a().code(w, inv.name)
		default:
			inv.a().urls(w, inv.argUse(i, use{role: route.Word, reason: "argument of " + inv.name, tool: inv.name}))
		}
	}
	if inv.stdin != nil {
		inv.a().code(*inv.stdin, inv.name)
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
