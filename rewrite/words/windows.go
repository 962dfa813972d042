package words

import (
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// windows reads what PowerShell or cmd is told to run. The programs in it are
// not listed as commands: what the lists are for knows a POSIX shell only.
func (inv *invocation) windows() {
	text, ok := inv.windowsText()
	if !ok {
		for _, w := range inv.args {
			inv.a().scanLines(w)
		}
		return
	}
	a := inv.a()
	a.quiet++
	a.deeper(func() {
		if inv.name == "cmd" {
			(&cmdReader{inv: inv, lexer: lexer{w: text}}).read()
		} else {
			(&psReader{inv: inv, lexer: lexer{w: text}}).statements(0)
		}
	})
	a.quiet--
	text.use()
}

// windowsText returns the text that a shell of Windows is given: all that
// stands behind cmd's /C or /K, or behind PowerShell's -Command, whose name may
// be missing.
func (inv *invocation) windowsText() (text word, ok bool) {
	rest := inv.windowsWords()
	text = joined(rest, " ")
	if len(rest) > 1 && !slices.ContainsFunc(rest, func(w word) bool { return w.source() != text.source() }) {
		text.pieces = literalWord(text.text()).pieces
	}
	return text, len(rest) > 0
}

// windowsWords returns the words that the text is made of.
func (inv *invocation) windowsWords() []word {
	for i := 0; i < len(inv.args); i++ {
		opt := strings.ToLower(inv.args[i].s)
		rest := inv.args[i+1:]
		switch {
		case inv.name == "cmd" && (opt == "/c" || opt == "/k"):
			return rest
		case inv.name == "cmd":
		case !strings.HasPrefix(opt, "-") && !strings.HasPrefix(opt, "/"):
			return inv.args[i:]
		case len(opt) > 1 && strings.HasPrefix("-command", "-"+opt[1:]):
			return rest
		case psValues[opt[1:]]:
			i++
		}
	}
	return nil
}

// psValues are PowerShell's options that take a value, with their short forms.
// Source: about_Pwsh and about_PowerShell_exe.
var psValues = setOf(`executionpolicy ex ep exec version v outputformat of o inputformat in inp windowstyle w psconsolefile
	configurationname config workingdirectory wd encodedcommand e ec enc`)

// rangeOf is a token of a text: the bytes [from, to), without the quotes around
// it if quoted.
type rangeOf struct {
	from, to int
	quoted   bool
	more     bool // it goes on with the value of the token before it
}

// lexer is what reading both shells needs.
type lexer struct {
	w  word
	at int
}

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.w.s) {
		return l.w.s[l.at+n]
	}
	return 0
}

func (l *lexer) text(t rangeOf) string { return l.w.s[t.from:t.to] }
func (l *lexer) word(t rangeOf) word   { return l.w.slice(t.from, t.to) }

func (l *lexer) words(tokens []rangeOf) []word {
	out := make([]word, len(tokens))
	for i, t := range tokens {
		out[i] = l.word(t)
	}
	return out
}

// winFile is a file of Windows as the names in the tables are written.
func winFile(name string) sink {
	return sink{kind: file, name: strings.ReplaceAll(strings.Trim(name, `"'`), `\`, "/")}
}

// winProgram is the name of the program that a command's first word names.
func winProgram(s string) string {
	s = path.Base(strings.ReplaceAll(strings.Trim(s, `"'@`), `\`, "/"))
	low := strings.ToLower(s)
	for _, ending := range []string{".exe", ".cmd", ".bat", ".com"} {
		if rest, ok := strings.CutSuffix(low, ending); ok {
			return rest
		}
	}
	return low
}

// native looks at a program that is no command of the shell of Windows; ok is
// false if it is not known.
func (inv *invocation) native(name string, args []word, out sink) (ok bool) {
	n := known(name)
	shell := isShell(n) || n == "cmd" || n == "powershell" || n == "pwsh"
	if !shell && !Fetches(n) && configWords[n] == "" && interpreters[n] == nil {
		return false
	}
	for i, w := range args {
		args[i] = inv.expand(w)
	}
	inner := invocation{sh: inv.sh, name: n, word: args[0], args: args[1:], out: out}
	inner.run()
	return true
}

// winServer are programs that configure a server or the system, by name.
var winServer = setOf("netsh reg sc new-webbinding new-website set-itemproperty new-itemproperty set-webconfigurationproperty")

func serverUse(name string) use {
	return use{role: route.ForeignConfig, reason: "argument of " + name}
}
