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
	case codeIn, shellIn:
		return use{role: route.Word, reason: "code that " + s.name + " runs", tool: s.name}
	}
	return use{role: route.Print, reason: "printed"}
}

// fileUse returns the role of a URL in text that is written to a file. Which
// files configure a package manager is in their manuals; the names are those
// found in public Dockerfiles.
func fileUse(name string) use {
	base := path.Base(name)
	switch {
	case isAptSource(name):
		return use{role: route.AptSource, reason: "apt source written to " + name, tool: "apt"}
	case isPackageConfig(name, base):
		return use{role: route.PackageConfig, reason: "configuration written to " + name}
	case name == "/dev/stdout", name == "/dev/stderr", name == "/dev/tty", name == "/dev/null":
		return use{role: route.Print, reason: "printed"}
	}
	return use{role: route.Print, reason: "written to " + name}
}

func isAptSource(name string) bool {
	return strings.Contains(name, "sources.list") ||
		strings.Contains(name, "/apt/") && (strings.HasSuffix(name, ".list") || strings.HasSuffix(name, ".sources"))
}

func isPackageConfig(name, base string) bool {
	for _, dir := range []string{"/etc/apk/repositories", "/etc/yum.repos.d/", "/etc/zypp/repos.d/", "/etc/pacman.d/", "/etc/dnf/"} {
		if strings.Contains(name, dir) {
			return true
		}
	}
	switch base {
	case "pip.conf", ".npmrc", "npmrc", ".yarnrc", ".yarnrc.yml", ".gemrc", ".condarc", "condarc", "yum.conf", "dnf.conf",
		"pacman.conf", "mirrorlist", ".Rprofile", "Rprofile.site", ".pypirc", ".pydistutils.cfg", "uv.toml", "bunfig.toml":
		return true
	case "config.toml", "config":
		return strings.Contains(name, ".cargo") || strings.Contains(name, "/pip/")
	}
	return strings.HasSuffix(base, ".repo")
}

// redirected returns where st's output goes, given that it would go to out.
func (sh *shellText) redirected(st *syntax.Stmt, out sink) sink {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if r.N == nil || r.N.Value == "1" {
				out = sink{kind: file, name: sh.word(r.Word).s}
			}
		case syntax.DplOut:
			if w := r.Word.Lit(); w == "2" && (r.N == nil || r.N.Value == "1") {
				out = sink{}
			}
		}
	}
	return out
}

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
		args = append(args, sh.word(w))
	}
	return stdinSink(args, out)
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
		if name := path.Base(call.Args[0].Lit()); fetches(name) {
			found = sink{kind: fetcher, name: name}
		}
		return true
	})
	return found
}

// stdinSink returns where text ends up that the command args reads on its
// standard input, and prints to out if it is a filter.
func stdinSink(args []word, out sink) sink {
	args = unwrap(args)
	if len(args) == 0 {
		return out
	}
	name := path.Base(args[0].s)
	switch {
	case name == "tee" || name == "sponge":
		return teeSink(args[1:], out)
	case isShell(name):
		return sink{kind: shellIn, name: name}
	case interpreters[name] != nil:
		return sink{kind: codeIn, name: name}
	case name == "xargs" || name == "parallel":
		return xargsSink(args[1:])
	case filters[name]:
		return out
	case name == "dd":
		for _, a := range args[1:] {
			if f, ok := strings.CutPrefix(a.s, "of="); ok {
				return sink{kind: file, name: f}
			}
		}
		return out
	case fetches(name):
		return sink{kind: fetcher, name: name}
	}
	return sink{kind: program, name: name}
}

// teeSink prefers, of several files, one whose text has a meaning.
func teeSink(args []word, out sink) sink {
	found := out
	for _, a := range args {
		if strings.HasPrefix(a.s, "-") {
			continue
		}
		s := sink{kind: file, name: a.s}
		if found.kind != file || s.use().role != route.Print {
			found = s
		}
	}
	return found
}

func xargsSink(args []word) sink {
	for _, a := range args {
		if name := path.Base(a.s); fetches(name) {
			return sink{kind: fetcher, name: name}
		} else if isShell(name) {
			return sink{kind: fetcher, name: name}
		}
	}
	return sink{kind: program, name: "xargs"}
}

// filters print what they read, changed or not.
var filters = setOf(`cat sort uniq head tail tr cut sed gsed grep egrep fgrep rg awk gawk mawk nl rev tac fold fmt column
	paste envsubst stdbuf pv`)

func setOf(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}
