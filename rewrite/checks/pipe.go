package checks

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var curlPipeShell = Rule{
	Name: "CurlPipeShell", Severity: warning, Class: validation,
	Description: "A script is run as it comes from the network, with nothing that checks it.",
	Why: "Whoever controls the server, or what it serves on that day, runs commands in the build, and a transfer that breaks off runs half a script. " +
		"Fetch the file, compare its checksum or signature with the publisher's, and run it then.",
	Bad: "FROM debian:bookworm-slim\nRUN curl -fsSL https://get.example.com/install.sh | bash\n",
	Good: "FROM debian:bookworm-slim\n" +
		"ADD --checksum=sha256:24454f830cdb571e2c4ad15481119c43b3cafd48dd869a9b2945d1036d1dc68d https://get.example.com/install.sh /tmp/\n" +
		"RUN bash /tmp/install.sh\n",

	command: pipedCommand,
}

func pipedCommand(c *Command) []Finding {
	var out []Finding
	for _, s := range c.scripts {
		if !mentionsFetcher(s.lower) || !s.parse() {
			continue
		}
		checked := s.checked()
		for _, p := range s.pipelines {
			out = append(out, s.piped(p)...)
		}
		for _, cmd := range s.commands {
			out = append(out, s.substituted(cmd)...)
		}
		if !checked {
			out = append(out, s.ran()...)
		}
	}
	return out
}

func mentionsFetcher(lower string) bool {
	return strings.Contains(lower, "curl") || strings.Contains(lower, "wget") || strings.Contains(lower, "aria2c")
}

// fetcher reports whether the command fetches files from the network.
func (c *command) fetcher() bool {
	return slices.Contains([]string{"curl", "wget", "wget2", "aria2c", "fetch"}, c.name())
}

// own reports whether all that the command fetches is from the machine itself.
func (c *command) own() bool { return local(c.words()) }

func pipeMessage(from, to string) string {
	return fmt.Sprintf("%s runs what %s fetches and nothing checks it; fetch the file, compare its checksum or signature, and run it then", to, from)
}

// piped reports a fetch that is piped into a program that runs it.
func (s *script) piped(p pipeline) []Finding {
	from := ""
	for i, st := range p {
		all := s.in(st)
		if len(all) == 0 {
			return nil
		}
		first := all[0].started()
		if _, simple := st.Cmd.(*syntax.CallExpr); i > 0 && simple && from != "" && first.runsInput() {
			return []Finding{found(s.Slice(int(st.Pos().Offset()), all[0].to), pipeMessage(from, first.name()))}
		}
		for _, c := range all {
			if run := c.started(); run.fetcher() && !run.own() && from == "" {
				from = run.name()
			}
		}
		if i > 0 && (first.name() == "gpg" || first.name() == "jq" || first.name() == "grep") {
			return nil // what comes out is not what was fetched
		}
	}
	return nil
}

// runsInput reports whether the program runs what it reads from its standard
// input as commands or code.
func (c *command) runsInput() bool {
	name := c.name()
	args := c.args[1:]
	switch {
	case isShell(name):
		return shellReads(args)
	case isInterpreter(name):
		for _, a := range args {
			switch {
			case a.s == "-" || a.s == "--":
				return true
			case a.s == "-u" || a.s == "-E" || a.s == "-I" || a.s == "-B" || a.s == "-s":
			default:
				return false
			}
		}
		return true
	}
	return false
}

func shellReads(args []arg) bool {
	for i := 0; i < len(args); i++ {
		a := args[i].s
		switch {
		case a == "-" || a == "/dev/stdin" || a == "-s" || a == "--":
			return true
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+"):
			if strings.Contains(a, "c") {
				return false
			}
			if strings.Contains(a, "s") {
				return true
			}
			if strings.HasSuffix(a, "o") || strings.HasSuffix(a, "O") {
				i++
			}
		default:
			return false
		}
	}
	return true
}

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"}, name)
}

func isInterpreter(name string) bool {
	return slices.Contains([]string{"python", "perl", "ruby", "node", "nodejs", "php"}, strings.TrimRight(name, "0123456789."))
}

// substituted reports "bash <(curl …)", "sh -c "$(curl …)"" and their like.
func (s *script) substituted(c command) []Finding {
	run := c.started()
	name := run.name()
	reads := name == "eval" || name == "source" || name == "." || isShell(name) || isInterpreter(name)
	if !reads || len(run.args) == 0 {
		return nil
	}
	code := name == "eval"
	for _, a := range run.args[1:] {
		if from := s.fetchIn(a, code); from != "" {
			return []Finding{found(s.Slice(c.from, c.to), pipeMessage(from, name))}
		}
		code = code || strings.HasPrefix(a.s, "-") && !strings.HasPrefix(a.s, "--") && strings.HasSuffix(a.s, "c")
	}
	if c.stmt == nil {
		return nil
	}
	for _, r := range c.stmt.Redirs {
		if r.Op == syntax.RdrIn && r.Word != nil && run.runsInput() {
			if from := s.fetchIn(arg{word: r.Word}, false); from != "" {
				return []Finding{found(s.Slice(c.from, c.to), pipeMessage(from, name))}
			}
		}
	}
	return nil
}

// fetchIn returns the program that fetches in the word, which is a process
// substitution or, where the word is code, a command substitution.
func (s *script) fetchIn(a arg, code bool) string {
	parts := a.word.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) == 0 {
		return ""
	}
	var stmts []*syntax.Stmt
	switch p := parts[0].(type) {
	case *syntax.ProcSubst:
		stmts = p.Stmts
	case *syntax.CmdSubst:
		if !code {
			return ""
		}
		stmts = p.Stmts
	}
	if len(stmts) != 1 {
		return ""
	}
	for _, c := range s.in(stmts[0]) {
		if run := c.started(); run.fetcher() && !run.own() {
			return run.name()
		}
	}
	return ""
}

// ran reports a file that is fetched and then run in the same text.
func (s *script) ran() []Finding {
	var out []Finding
	files := map[string]string{}
	for _, c := range s.commands {
		run := c.started()
		if name := run.runs(files); name != "" {
			out = append(out, found(s.Slice(c.from, c.to), pipeMessage(files[name], run.name())))
			delete(files, name)
		}
		if run.fetcher() && !run.own() {
			for _, name := range saved(&run) {
				files[name] = run.name()
			}
		}
	}
	return out
}

// runs returns the fetched file that the command runs.
func (c *command) runs(files map[string]string) string {
	if len(c.args) == 0 || len(files) == 0 {
		return ""
	}
	name := c.name()
	if strings.Contains(c.args[0].s, "/") && files[name] != "" {
		return name
	}
	if !isShell(name) && !isInterpreter(name) && name != "source" && name != "." {
		return ""
	}
	for _, a := range c.args[1:] {
		if strings.HasPrefix(a.s, "-") || strings.HasPrefix(a.s, "+") {
			continue
		}
		if files[base(a.s)] != "" {
			return base(a.s)
		}
		return ""
	}
	return ""
}

// saved are the names of the files that a fetch makes, without their folders.
func saved(c *command) []string {
	name := c.name()
	var out []string
	remote, named := name != "curl", false
	for i := 1; i < len(c.args); i++ {
		a := c.args[i].s
		next := ""
		if i+1 < len(c.args) {
			next = c.args[i+1].s
		}
		switch {
		case strings.HasPrefix(a, "--output=") || strings.HasPrefix(a, "--output-document=") || strings.HasPrefix(a, "--out="):
			out, named = append(out, base(a[strings.IndexByte(a, '=')+1:])), true
		case a == "--output" || a == "--output-document" || a == "--out":
			out, named = append(out, base(next)), true
			i++
		case a == "--remote-name" || a == "--remote-name-all":
			remote = true
		case len(a) > 1 && a[0] == '-' && a[1] != '-':
			letter := byte('o')
			if name != "curl" && name != "aria2c" {
				letter = 'O'
			}
			k := strings.IndexByte(a, letter)
			switch {
			case k > 0 && k == len(a)-1 && next != "":
				out, named = append(out, base(next)), true
				i++
			case k == 1:
				out, named = append(out, base(a[2:])), true
			case name == "curl" && strings.IndexByte(a, 'O') > 0:
				remote = true
			}
		case strings.Contains(a, "://") && remote && !named:
			out = append(out, base(a))
		}
	}
	if remote && !named && len(out) == 0 {
		for _, a := range c.args[1:] {
			if strings.Contains(a.s, "://") {
				out = append(out, base(a.s))
			}
		}
	}
	if c.file != "" {
		out = append(out, base(c.file))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" || s == "-" || s == "null" })
}
