package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// sed reads the scripts of a sed command. What it matches stays; what it puts
// in has the use of the file that it edits.
func (inv *invocation) sed() {
	scripts, files := inv.sedOperands()
	put := inv.editTarget(inv.inPlace(), files)
	for _, w := range scripts {
		s := sedScript{inv: inv, w: w, put: put}
		s.read()
	}
	for _, f := range files {
		inv.a().urls(f, wordUse("argument of sed"))
	}
}

// sedOperands tells scripts from files: -e and --expression, or else the first
// operand, is the script.
func (inv *invocation) sedOperands() (scripts, files []word) {
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		switch s := w.s; {
		case s == "-e" || s == "--expression":
			if i++; i < len(inv.args) {
				scripts = append(scripts, inv.args[i])
			}
		case strings.HasPrefix(s, "--expression="):
			scripts = append(scripts, w.slice(len("--expression="), len(s)))
		case s == "-f" || s == "--file" || s == "-l":
			i++
		case len(s) > 1 && s[0] == '-' && s[1] != '-' && sedCluster(s):
			if i++; i < len(inv.args) {
				scripts = append(scripts, inv.args[i])
			}
		case len(s) > 1 && s[0] == '-':
		default:
			files = append(files, w)
		}
	}
	if len(scripts) == 0 && len(files) > 0 {
		return files[:1], files[1:]
	}
	return scripts, files
}

// sedCluster reports whether a cluster of short options ends in -e ("-re"). A
// suffix after -i is no option.
func sedCluster(s string) bool {
	return strings.HasSuffix(s, "e") && !strings.Contains(s, "i") || s == "-ie"
}

// editTarget is the use of text that sed or perl puts in: that of the file
// edited in place, or of where the output goes.
func (inv *invocation) editTarget(inPlace bool, files []word) target {
	t := target{use: use{role: route.Print, reason: inv.name + "'s replacement"}, unknown: len(files) == 0}
	if !inPlace {
		t.use, t.unknown, t.out = inv.out.use(), strings.Contains(inv.out.name, "${"), inv.out
		return t
	}
	for _, f := range files {
		name := inv.sh.path(f.s)
		u := fileUse(name)
		if u.forPackages() {
			t.files = append(t.files, name)
		}
		if t.use.role == route.Print {
			t.use = u
		}
		t.unknown = t.unknown || f.unknown() || f.s == "{}"
		t.build = t.build || isBuildFile(f.s)
	}
	return t
}

// target is where the text goes that sed puts in.
type target struct {
	use
	out     sink     // if it is not a file that is edited in place
	files   []string // those that are and configure a package manager
	unknown bool     // a file that is not known may be among the edited ones
	build   bool     // a file that builds fetch from is
}

func (inv *invocation) inPlace() bool {
	for _, w := range inv.args {
		if strings.HasPrefix(w.s, "--in-place") || len(w.s) > 1 && w.s[0] == '-' && w.s[1] != '-' && strings.Contains(w.s, "i") {
			return true
		}
	}
	return false
}

// sedScript reads one script. It knows the grammar of addresses and commands
// well enough to find the two sides of "s" and the text of "a", "i" and "c"
// (POSIX sed, and GNU sed's one-line form of those).
type sedScript struct {
	inv *invocation
	w   word
	put target
	at  int
	// pattern is what the last "s" matches. replaces is true if it holds an
	// address, archive if that is one of an apt archive.
	pattern           string
	replaces, archive bool
}

func (s *sedScript) read() {
	text := s.w.s
	for s.at < len(text) {
		c := text[s.at]
		switch {
		case strings.IndexByte(" \t\n;{}!,~$+0123456789", c) >= 0:
			s.at++
		case strings.HasPrefix(text[s.at:], "${"): // a variable's value
			s.at += max(strings.IndexByte(text[s.at:], '}'), 0) + 1
		case c == '/' || c == '\\':
			s.address(c)
		case c == '#':
			s.skipLine()
		case c == 's' || c == 'y':
			s.at++
			s.substitute(c == 'y')
		case c == 'a' || c == 'i' || c == 'c':
			s.at++
			s.insert()
		case strings.IndexByte("rwRW:btT", c) >= 0:
			s.skipLine()
		default:
			s.at++
		}
	}
	s.w.use()
}

// readPerl reads perl code for its substitutions.
func (s *sedScript) readPerl() {
	text := s.w.s
	for s.at < len(text) {
		c := text[s.at]
		s.at++
		if c != 's' || s.at >= len(text) || strings.IndexByte("|/#!@,{([<%~:+^", text[s.at]) < 0 {
			continue
		}
		if s.at < 2 || !isWordByte(text[s.at-2]) {
			s.substitute(false)
		}
	}
	s.w.use()
}

func isWordByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("_$@%&>", c) >= 0
}

// address is /re/, or \cREc with any c.
func (s *sedScript) address(c byte) {
	s.at++
	if c == '\\' {
		if s.at >= len(s.w.s) {
			return
		}
		c = s.w.s[s.at]
		s.at++
	}
	s.match(s.until(c), c)
}

// delimiter reads the byte that ends each side; perl has pairs of brackets too.
func (s *sedScript) delimiter() (end byte, paired bool) {
	if s.at >= len(s.w.s) {
		return '/', false
	}
	c := s.w.s[s.at]
	s.at++
	if i := strings.IndexByte("([{<", c); i >= 0 && s.inv.name == "perl" {
		return ")]}>"[i], true
	}
	return c, false
}

// substitute is s/re/text/flags, with any byte for the slash.
func (s *sedScript) substitute(translate bool) {
	if s.at >= len(s.w.s) {
		return
	}
	delim, paired := s.delimiter()
	s.match(s.until(delim), delim)
	if paired {
		for s.at < len(s.w.s) && s.w.s[s.at] <= ' ' {
			s.at++
		}
		delim, _ = s.delimiter()
	}
	side := s.until(delim)
	if translate {
		return
	}
	s.text(side.unescape(func(c byte) (string, bool) {
		if c == delim || strings.IndexByte("./:-", c) >= 0 {
			return string(c), true
		}
		return control(c)
	}))
	for s.at < len(s.w.s) && strings.IndexByte("gpiIeMm0123456789", s.w.s[s.at]) >= 0 {
		s.at++
	}
	if s.at < len(s.w.s) && s.w.s[s.at] == 'w' {
		s.skipLine()
	}
}

// insert is the text of a, i or c, up to the end of its line.
func (s *sedScript) insert() {
	text := s.w.s
	for s.at < len(text) && strings.IndexByte(" \t\\\n", text[s.at]) >= 0 {
		s.at++
	}
	from := s.at
	s.pattern = ""
	for s.at < len(text) && (text[s.at] != '\n' || text[s.at-1] == '\\') {
		s.at++
	}
	s.text(s.w.slice(from, s.at))
}

// until returns the text up to the next unescaped delim and moves behind it. A
// delim inside the brackets of a regular expression ends it too, as in GNU sed.
func (s *sedScript) until(delim byte) word {
	from := min(s.at, len(s.w.s))
	for s.at < len(s.w.s) && s.w.s[s.at] != delim {
		if s.w.s[s.at] == '\\' {
			s.at++
		}
		s.at++
	}
	end := min(s.at, len(s.w.s))
	s.at = min(end+1, len(s.w.s))
	return s.w.slice(from, end)
}

func (s *sedScript) skipLine() {
	for s.at < len(s.w.s) && s.w.s[s.at] != '\n' {
		s.at++
	}
}

func (s *sedScript) match(w word, delim byte) {
	w = w.unescape(func(c byte) (string, bool) { return string(c), c == delim || c == '.' || c == '/' })
	if !w.written() && strings.Contains(w.s, "://") {
		s.inv.a().hold(w, "sed's pattern holds its value")
		return
	}
	s.pattern, s.replaces, s.archive = w.s, len(spans(w.s)) > 0, false
	for _, sp := range spans(w.s) {
		for _, below := range []string{"", "/debian", "/ubuntu"} { // the pattern may be a host alone
			s.archive = s.archive || s.inv.a().decide(w.s[sp.from:sp.to]+below, route.AptSource).Archive != ""
		}
	}
	s.inv.a().urls(w, matchUse("sed's pattern side"))
}

// text looks at what is put in.
func (s *sedScript) text(w word) {
	a, u := s.inv.a(), s.useOf(w)
	if s.put.out.kind == file {
		a.keepFile(s.put.out.name, w)
	}
	if !u.forPackages() {
		a.urls(w, u)
		return
	}
	switch {
	case s.givesTLS(w):
		a.keepAsWritten(s.put.files)
		return
	case s.takesTLS(w):
		a.takeTLS(w, u)
	default:
		a.urls(w, u)
	}
	for _, f := range s.put.files {
		a.keepFile(f, w)
	}
}

// useOf is the use of what is put in: that of its target. Where the file says
// nothing the text may: a line of configuration, what takes the place of an
// archive's address in a file that is not known, or of any address in one that
// a build fetches from.
func (s *sedScript) useOf(w word) use {
	u := s.put.use
	line, ok := lineUse(w.s)
	switch {
	case u.role != route.Print:
	case ok:
		u = line
	case s.put.unknown && s.archive:
		u = use{role: route.AptSource, tool: "apt"}
	case s.put.build && s.replaces:
		u = wordUse("takes the place of an address in a file of the build")
	}
	if u.role == route.AptSource {
		u.reason = "sed's replacement in an apt source"
	}
	return u
}
