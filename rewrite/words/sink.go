package words

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

type sinkKind uint8

const (
	terminal sinkKind = iota // printed for people
	captured                 // $(…): becomes part of another word
	file                     // written to sink.name
	program                  // read by the program sink.name as its data
	fetcher                  // read by sink.name, which fetches it
	shellIn                  // run by a shell
	codeIn                   // run by the interpreter sink.name
	settings                 // read by sink.name as its configuration
)

// sink is where the text that a command prints ends up.
type sink struct {
	kind sinkKind
	name string // the file, or the program
}

// use is the role of text, and how that was seen.
type use struct {
	role   route.Role
	reason string
	tool   string
	// uneditable, if set, says why the text is not changed whatever the
	// decision.
	uneditable string
	// prefix is set where an address may be all scheme: "http://" stands for
	// every host.
	prefix bool
	// build is set for text of a file that builds are made from: an address in
	// it may be a repository's.
	build bool
	// properties is set for text of a file in which a backslash may stand
	// before a colon.
	properties bool
}

func matchUse(reason string) use { return use{role: route.Match, reason: reason} }
func wordUse(reason string) use  { return use{role: route.Word, reason: reason} }

// use returns the role of a URL in text that goes to s.
func (s sink) use() use {
	switch s.kind {
	case captured:
		return wordUse("output of a command substitution")
	case file:
		return fileUse(s.name)
	case program:
		return use{role: route.ForeignConfig, reason: "input of " + s.name, tool: s.name}
	case fetcher:
		return use{role: route.Fetch, reason: "input of " + s.name, tool: s.name}
	case settings:
		return use{role: route.PackageConfig, reason: "configuration that " + s.name + " reads", tool: s.name}
	case codeIn, shellIn:
		return use{role: route.Word, reason: "code that " + s.name + " runs", tool: s.name}
	}
	return use{role: route.Print, reason: "printed"}
}

// useOf is use for a text of which more is known than where it goes.
func (s sink) useOf(text string) use {
	u := s.use()
	if u.role == route.Print && strings.Contains(s.name, "${") {
		if line, ok := lineUse(text); ok {
			return line
		}
	}
	return u
}

// lineUse is the use of a line of configuration that tells by itself what it
// is, whatever file it goes to: a deb line, yum's baseurl.
func lineUse(text string) (use, bool) {
	before := "x"
	if sp := spans(text); len(sp) > 0 {
		before = text[:sp[0].from]
	}
	key, _ := keyBefore(before)
	switch {
	case debLine(before):
		return use{role: route.AptSource, reason: "a deb line written to a file", tool: "apt"}, true
	case strings.HasSuffix(key, "baseurl"):
		return use{role: route.PackageConfig, reason: "configuration of yum", tool: "yum"}, true
	}
	return use{}, false
}

// redirected returns where st's output goes, given that it would go to out.
func (sh *shellText) redirected(st *syntax.Stmt, out sink) sink {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if r.N != nil && r.N.Value != "1" {
				continue
			}
			if p, ok := soleSubstitution(r.Word); ok && len(p.Stmts) > 0 {
				out = sh.pipeSink(p.Stmts[0], out)
			} else {
				out = sh.fileSink(sh.word(r.Word))
			}
		case syntax.DplOut:
			if w := r.Word.Lit(); w == "2" && (r.N == nil || r.N.Value == "1") {
				out = sink{}
			}
		}
	}
	return out
}

// input looks at the text that a redirection feeds to a statement, whose
// reader says what becomes of it.
func (sh *shellText) input(r *syntax.Redirect, reader func() sink) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		sh.written(sh.heredoc(r), reader())
	case syntax.WordHdoc:
		sh.written(sh.word(r.Word), reader())
	case syntax.RdrIn:
		if p, ok := soleSubstitution(r.Word); ok {
			sh.subshell(p.Stmts, reader())
			return
		}
		for _, text := range sh.a.files[sh.path(sh.word(r.Word).s)] {
			sh.written(text, reader())
		}
	}
}

// soleSubstitution returns the <(…) that w consists of.
func soleSubstitution(w *syntax.Word) (p *syntax.ProcSubst, ok bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	p, ok = w.Parts[0].(*syntax.ProcSubst)
	return p, ok
}

func (sh *shellText) fileSink(w word) sink { return sink{kind: file, name: sh.path(w.s)} }

// pipeSink returns where text ends up that is piped into st, whose own output
// goes to out.
func (sh *shellText) pipeSink(st *syntax.Stmt, out sink) sink {
	if st == nil {
		return out
	}
	out = sh.redirected(st, out)
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return sh.blockSink(st.Cmd, out)
	}
	args := make([]word, 0, len(call.Args))
	for _, w := range call.Args {
		args = sh.fields(args, w)
	}
	return sh.stdinSink(args, out)
}

// blockSink is pipeSink for a loop or a group: what reads the text there is
// whatever fetches in it.
func (sh *shellText) blockSink(c syntax.Command, out sink) sink {
	found := sink{kind: program, name: "a block"}
	if c == nil {
		return out
	}
	syntax.Walk(c, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || found.kind == fetcher {
			return true
		}
		args := make([]word, len(call.Args))
		for i, w := range call.Args {
			args[i].s = w.Lit()
		}
		if args = unwrap(args); len(args) > 0 && Fetches(path.Base(args[0].s)) {
			found = sink{kind: fetcher, name: path.Base(args[0].s)}
		}
		return true
	})
	return found
}

// stdinSink returns where text ends up that the command args reads on its
// standard input, and prints to out if it is a filter.
func (sh *shellText) stdinSink(args []word, out sink) sink {
	args = unwrap(args)
	if len(args) == 0 {
		return out
	}
	name := programName(args[0])
	switch {
	case name == "tee" || name == "sponge":
		return sh.teeSink(args[1:], out)
	case isShell(name):
		return sink{kind: shellIn, name: name}
	case name == "su" || name == "runuser" || name == "sudo":
		return sink{kind: shellIn, name: "sh"}
	case interpreters[name] != nil:
		return sink{kind: codeIn, name: name}
	case name == "xargs" || name == "parallel":
		return xargsSink(args[1:])
	case filters[name]:
		return out
	case name == "dd":
		for _, a := range args[1:] {
			if f, ok := strings.CutPrefix(a.s, "of="); ok {
				return sink{kind: file, name: sh.path(f)}
			}
		}
		return out
	case (name == "install" || name == "cp") && len(args) > 2:
		return sh.fileSink(args[len(args)-1]) // from /dev/stdin
	case Fetches(name):
		return sink{kind: fetcher, name: name}
	}
	if f, ok := sh.a.funcs[name]; ok {
		return sh.blockSink(f.body.Cmd, out)
	}
	return sink{kind: program, name: name}
}

// teeSink prefers, of several files, one whose text has a meaning.
func (sh *shellText) teeSink(args []word, out sink) sink {
	found := out
	for _, a := range args {
		if strings.HasPrefix(a.s, "-") {
			continue
		}
		s := sh.fileSink(a)
		if found.kind != file || s.use().role != route.Print {
			found = s
		}
	}
	return found
}

func xargsSink(args []word) sink {
	for _, a := range args {
		if name := path.Base(a.s); Fetches(name) || isShell(name) {
			return sink{kind: fetcher, name: name}
		}
	}
	return sink{kind: program, name: "xargs"}
}

// filters print what they read, changed or not.
var filters = setOf(`cat sort uniq head tail tr cut sed gsed grep egrep fgrep rg awk gawk mawk nl rev tac fold fmt column
	paste envsubst stdbuf pv shuf tsort unexpand expand dos2unix`)

func setOf(names string) map[string]bool {
	m := map[string]bool{}
	for n := range strings.FieldsSeq(names) {
		m[n] = true
	}
	return m
}
