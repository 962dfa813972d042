package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

type psKind uint8

const (
	psUnknown   psKind = iota
	psFetch            // fetches the addresses it is given
	psConfigure        // writes them into PackageManagement's configuration
	psForget           // takes them out of there
	psPrint            // shows its arguments
	psOutput           // hands its arguments on
	psWrite            // writes its arguments, or what it reads, to a file
	psMatch            // looks for a pattern
	psRun              // runs a text
)

// psKinds are what the commands of PowerShell, and the methods of .NET, do with
// an address. Source: the reference of the modules Microsoft.PowerShell.Utility,
// BitsTransfer, PackageManagement, PowerShellGet and PSResourceGet, and of
// System.Net.
var psKinds = func() map[string]psKind {
	m := map[string]psKind{}
	for kind, names := range map[psKind]string{
		psFetch: `invoke-webrequest iwr invoke-restmethod irm curl wget start-bitstransfer add-bitsfile
			install-package save-package find-package install-packageprovider find-packageprovider install-module save-module find-module
			update-module install-script save-script find-script install-psresource save-psresource find-psresource add-appxpackage
			add-appxprovisionedpackage
			.downloadfile .downloadstring .downloaddata .downloadfileasync .downloadfiletaskasync .downloadstringtaskasync .openread
			.getasync .getstringasync .getbytearrayasync .getstreamasync`,
		psConfigure: `register-psrepository set-psrepository register-packagesource set-packagesource register-psresourcerepository
			set-psresourcerepository`,
		psForget: "unregister-psrepository unregister-packagesource unregister-psresourcerepository",
		psPrint:  "write-host write-verbose write-warning write-error write-information write-debug out-host out-null throw",
		psOutput: "write-output echo write",
		psWrite:  "set-content sc add-content ac out-file tee-object tee new-item ni",
		psMatch:  "select-string sls findstr where-object where",
		psRun:    "invoke-expression iex",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = kind
		}
	}
	return m
}()

// psKeywords stand before an expression. Source: about_Reserved_Words.
var psKeywords = setOf("if elseif else while until do for foreach in switch return try catch finally function param begin process end exit")

func printed(reason string) use { return use{role: route.Print, reason: reason} }

// pipeline looks at the commands of one, each with where its output goes.
func (r *psReader) pipeline(pipe []psCommand) {
	for i, c := range pipe {
		if i+1 < len(pipe) && c.out.kind == terminal {
			c.out = r.sink(pipe[i+1])
		}
		r.run(c)
	}
}

// sink is what becomes of text that c reads.
func (r *psReader) sink(c psCommand) sink {
	switch psKinds[r.name(c)] {
	case psWrite:
		return r.written(c)
	case psPrint:
		return sink{}
	case psRun:
		return sink{kind: codeIn, name: "PowerShell"}
	}
	return sink{kind: captured}
}

// written is the file that a command writes: the value of -Path and its like, or
// the first argument that is no parameter.
func (r *psReader) written(c psCommand) sink {
	for i, t := range c.args[1:] {
		switch before := strings.ToLower(r.text(c.args[i])); {
		case before == "-path" || before == "-filepath" || before == "-literalpath":
			return winFile(r.text(t))
		case r.parameter(t) == "" && (i == 0 || r.parameter(c.args[i]) == ""):
			return winFile(r.text(t))
		}
	}
	return sink{kind: file, name: "a file"}
}

// name is the command's name in lower case, "" for an expression; a method's
// has a dot before it.
func (r *psReader) name(c psCommand) string {
	if len(c.args) == 0 || c.args[0].quoted && !c.called {
		return ""
	}
	s := r.text(c.args[0])
	switch {
	case c.method && strings.ContainsAny(s, ".:"):
		return "." + strings.ToLower(s[strings.LastIndexAny(s, ".:")+1:])
	case !c.called && !isLetter(s[0]) && s[0] != '.' && s[0] != '\\':
		return ""
	}
	return winProgram(s)
}

// run looks at one command.
func (r *psReader) run(c psCommand) {
	for _, call := range c.calls {
		call.out = c.out
		r.run(call)
	}
	name := r.name(c)
	switch {
	case len(c.args) == 0:
	case name == "" && r.assigns(c):
		r.assign(c)
	case name == "" || psKeywords[name]:
		r.arguments(c.args, r.handedOn(c.out, "word of PowerShell"), c.out)
	case psKinds[name] == psFetch && r.program(c, name), psKinds[name] == psUnknown && r.native(c, name):
	case name == ".setenvironmentvariable" && len(c.args) > 2:
		r.inv.assigned(r.w, r.text(c.args[1]), c.args[2])
	case name == ".replace" && len(c.args) > 1:
		r.plain(c.args[1:2], matchUse("argument of a function that matches"))
		r.plain(c.args[2:], r.use(c, name))
	case psKinds[name] == psUnknown && !c.method && !strings.Contains(name, "-"):
		r.plain(c.args, r.use(c, name))
	default:
		r.arguments(c.args, r.use(c, name), c.out)
	}
}

// use is that of the addresses among a command's arguments.
func (r *psReader) use(c psCommand, name string) use {
	shown := r.text(c.args[0])
	if c.method {
		shown = shown[strings.LastIndexAny(shown, ".:")+1:]
	}
	switch psKinds[name] {
	case psFetch:
		return use{role: route.Fetch, reason: "argument of " + shown, tool: shown}
	case psConfigure:
		return use{role: route.PackageConfig, reason: "configuration of PowerShell", tool: shown}
	case psForget:
		return matchUse("key of PowerShell's configuration")
	case psPrint:
		return r.unlessCommand(c, printed("printed"))
	case psOutput:
		return r.unlessCommand(c, c.out.use())
	case psWrite:
		return r.unlessCommand(c, r.written(c).use())
	case psMatch:
		return matchUse("pattern of " + shown)
	}
	switch {
	case winServer[name]:
		return serverUse(shown)
	case psFiles[name] && len(c.args) > 1:
		return winFile(r.text(c.args[1])).use()
	case psTexts[name]:
		return r.handedOn(c.out, "argument of "+shown)
	}
	return wordUse("argument of " + shown)
}

// psTexts are methods that make a text of their arguments, psFiles those that
// write the others to the file that the first one names.
var (
	psTexts = setOf(".replace .format .concat .insert")
	psFiles = setOf(".writealltext .appendalltext .writealllines .appendalllines")
)

// unlessCommand is u, unless a string among the arguments holds a command.
func (r *psReader) unlessCommand(c psCommand, u use) use {
	for _, t := range c.args {
		if strings.Contains(r.text(t), "$(") {
			return wordUse("argument of " + r.text(c.args[0]))
		}
	}
	return u
}

// handedOn is the use of an expression's value: that of where it goes, or else
// not known.
func (r *psReader) handedOn(out sink, reason string) use {
	if out.kind == file || out.kind == codeIn {
		return out.use()
	}
	return wordUse(reason)
}

// program reports whether curl or wget is the program, and not PowerShell's own
// name for Invoke-WebRequest, and looks at it.
func (r *psReader) program(c psCommand, name string) bool {
	if name != "curl" && name != "wget" {
		return false
	}
	if !strings.HasSuffix(strings.ToLower(r.text(c.args[0])), ".exe") {
		for _, t := range c.args[1:] {
			switch r.parameter(t) {
			case "outfile", "uri", "usebasicparsing", "useb", "headers", "proxy", "outf":
				return false
			}
		}
	}
	return r.native(c, name)
}

func (r *psReader) native(c psCommand, name string) bool {
	return !c.method && r.inv.native(name, r.words(c.args), c.out)
}

// assigns reports whether c is "$name = …".
func (r *psReader) assigns(c psCommand) bool {
	return len(c.args) > 1 && strings.HasPrefix(r.text(c.args[0]), "$") && r.text(c.args[1]) == "="
}

// assign looks at what a variable is given: a value, or what a command prints.
func (r *psReader) assign(c psCommand) {
	value := psCommand{args: c.args[2:], out: sink{kind: captured}}
	if name := r.name(value); name != "" && !psKeywords[name] {
		r.run(value)
		return
	}
	name := r.text(c.args[0])[1:]
	if scope, rest, ok := strings.Cut(name, ":"); ok && strings.EqualFold(scope, "env") {
		for _, t := range value.args {
			r.inv.assigned(r.w, rest, t)
		}
		return
	}
	r.arguments(value.args, wordUse("value of "+name), value.out)
}

// parameter is the name of a parameter in lower case, "" if t is none.
func (r *psReader) parameter(t rangeOf) string {
	s := r.text(t)
	if t.quoted || len(s) < 2 || s[0] != '-' || !isLetter(s[1]) {
		return ""
	}
	name, _, _ := strings.Cut(s[1:], ":")
	return strings.ToLower(name)
}

// arguments looks at the tokens of a command, each with the use u, or that of
// the parameter or operator before it.
func (r *psReader) arguments(tokens []rangeOf, u use, out sink) {
	var value []use // of what comes next: for its first token, its second and so on
	for i, t := range tokens {
		name := r.parameter(t)
		switch {
		case psOperators[name] && strings.HasSuffix(name, "replace"):
			value = []use{matchUse("operand of -" + name), r.handedOn(out, "replacement")}
			continue
		case psOperators[name]:
			value = []use{matchUse("operand of -" + name)}
			continue
		case name != "":
			value = nil
			if v, ok := psParameters[name]; ok {
				value = []use{v}
			}
		case i > 0 && !t.more && r.parameter(tokens[i-1]) == "":
			value = nil
		}
		current := u
		switch {
		case r.compared(tokens[i+1:]):
			current = matchUse("compared")
		case len(value) > 0:
			current = value[0]
		}
		r.inv.urlsIn(r.w, t, current)
		if name == "" && len(value) > 1 {
			value = value[1:]
		}
	}
}

// compared reports whether what follows a token, and the rest of its list, is
// an operator that compares it.
func (r *psReader) compared(next []rangeOf) bool {
	for _, t := range next {
		if name := r.parameter(t); name != "" || !t.more {
			return psCompares[name]
		}
	}
	return false
}

// plain looks at the arguments of a program that is not known: what looks like
// an operator may be an option of it.
func (r *psReader) plain(tokens []rangeOf, u use) {
	for _, t := range tokens {
		r.inv.urlsIn(r.w, t, u)
	}
}

// psParameters have values with a use of their own.
var psParameters = map[string]use{
	"proxy": proxyUse, "proxylist": proxyUse, "headers": headerUse, "useragent": headerUse, "referer": headerUse, "body": dataUse,
	"form": dataUse,
}

// psOperators match their right side, psCompares their left side too. Source:
// about_Comparison_Operators.
var (
	psOperators = cased("eq ne like notlike match notmatch contains notcontains in notin gt lt split replace")
	psCompares  = cased("eq ne like notlike match notmatch contains notcontains")
)

// cased is the set of operators with the forms that tell upper case from lower
// case, or don't.
func cased(names string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		m[name], m["c"+name], m["i"+name] = true, true, true
	}
	return m
}
