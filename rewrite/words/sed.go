package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// sed reads the scripts of a sed command. What it matches stays; what it puts
// in has the use of the file that it edits.
func (inv *invocation) sed() {
	scripts, files := inv.sedOperands()
	u := inv.sedTarget(files)
	for _, w := range scripts {
		s := sedScript{inv: inv, w: w, put: u}
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

// sedTarget is the use of text that sed puts in: that of the file edited in
// place, or of where the output goes.
func (inv *invocation) sedTarget(files []word) use {
	inPlace := false
	for _, w := range inv.args {
		if strings.HasPrefix(w.s, "--in-place") || len(w.s) > 1 && w.s[0] == '-' && w.s[1] != '-' && strings.Contains(w.s, "i") {
			inPlace = true
		}
	}
	if !inPlace {
		return inv.out.use()
	}
	u := use{role: route.Print, reason: "sed's replacement"}
	for _, f := range files {
		if got := fileUse(f.s); u.role == route.Print {
			u = got
		}
	}
	return u
}

// sedScript reads one script. It knows the grammar of addresses and commands
// well enough to find the two sides of "s" and the text of "a", "i" and "c"
// (POSIX sed, and GNU sed's one-line form of those).
type sedScript struct {
	inv *invocation
	w   word
	put use
	at  int
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
	for _, as := range s.w.from {
		as.used = true
	}
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

// substitute is s/re/text/flags, with any byte for the slash.
func (s *sedScript) substitute(translate bool) {
	if s.at >= len(s.w.s) {
		return
	}
	delim := s.w.s[s.at]
	s.at++
	s.match(s.until(delim), delim)
	side := s.until(delim)
	if translate {
		return
	}
	s.text(side.unescape(func(c byte) bool { return c == delim || strings.IndexByte("./:-", c) >= 0 }))
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
	w = w.unescape(func(c byte) bool { return c == delim || c == '.' || c == '/' })
	s.inv.a().urls(w, matchUse("sed's pattern side"))
}

func (s *sedScript) text(w word) {
	u := s.put
	if u.role == route.Print && debLine(beforeURL(w.s)) {
		u = use{role: route.AptSource, reason: "a deb line put in by sed", tool: "apt"}
	}
	if u.role == route.AptSource {
		u.reason = "sed's replacement in an apt source"
	}
	s.inv.a().urls(w, u)
}

// beforeURL is the part of s before its first URL, "x" if there is none.
func beforeURL(s string) string {
	if sp := spans(s); len(sp) > 0 {
		return s[:sp[0].from]
	}
	return "x"
}
