package words

import (
	"path"
	"strings"
)

// written gives the URLs of a text the use that its sink implies; text that a
// shell reads is a script.
func (sh *shellText) written(w word, out sink) {
	switch out.kind {
	case shellIn:
		sh.nested(w, out.name)
	case codeIn:
		sh.a.code(w, out.name)
	case file:
		sh.a.keepFile(out.name, w)
		sh.a.urls(w, out.useOf(w.s))
	default:
		sh.a.urls(w, out.use())
	}
}

// keepFile remembers a text that is written to a file: the same command may
// run it, fetch what it lists or move it to where it has a meaning.
func (a *analyser) keepFile(name string, w word) {
	if strings.Contains(name, "${") || strings.HasPrefix(name, "/dev/") {
		return
	}
	if a.files == nil {
		a.files = map[string][]word{}
	}
	if len(a.files[name]) < maxTexts {
		a.files[name] = append(a.files[name], w)
	}
}

// path returns where a file stands, as far as the text says.
func (sh *shellText) path(name string) string {
	if sh.dir == "" || name == "" || strings.ContainsAny(name[:1], "/~$") {
		return strings.TrimPrefix(name, "./")
	}
	return path.Join(sh.dir, name)
}

// cd follows a change of directory.
func (sh *shellText) cd(args []word) {
	if len(args) != 1 || args[0].unknown() || args[0].s == "-" {
		sh.dir = ""
		return
	}
	sh.dir = sh.path(args[0].s)
}

// rereads looks at the files of the text that the program reads again.
func (inv *invocation) rereads() {
	if len(inv.a().files) == 0 {
		return
	}
	inv.execute(inv.word, nil)
	runs := isShell(inv.name) || inv.name == "." || inv.name == "source" || interpreters[inv.name] != nil
	for i, w := range inv.args {
		name := inv.sh.path(listed(inv.args, i))
		texts := inv.a().files[name]
		switch {
		case len(texts) == 0:
		case runs:
			inv.execute(w, texts)
			return // what follows are its arguments
		case inv.name == "mv" || inv.name == "cp" || inv.name == "install":
			inv.reread(texts, inv.copied(name))
		case filters[inv.name]:
			inv.reread(texts, inv.out)
		case inv.readsConfig(i):
			inv.reread(texts, sink{kind: settings, name: inv.name})
		case Fetches(inv.name) && readsList(inv.args, i):
			inv.reread(texts, sink{kind: fetcher, name: inv.name})
		case inv.name == "xargs":
			inv.reread(texts, xargsSink(inv.args))
		}
	}
}

// copied is where cp and its like put the file.
func (inv *invocation) copied(name string) sink {
	to := inv.sh.fileSink(inv.args[len(inv.args)-1])
	if strings.HasSuffix(to.name, "/") {
		to.name += path.Base(name)
	}
	return to
}

// reread gives texts of a file to one more sink.
func (inv *invocation) reread(texts []word, out sink) {
	for _, w := range texts {
		inv.a().deeper(func() { inv.sh.written(w, out) })
	}
}

// execute looks at the text of the file w as a program.
func (inv *invocation) execute(w word, texts []word) {
	if texts == nil {
		texts = inv.a().files[inv.sh.path(w.s)]
	}
	for _, dir := range binDirs {
		if len(texts) == 0 && !strings.Contains(w.s, "/") {
			texts = inv.a().files[dir+w.s]
		}
	}
	if len(texts) == 0 {
		return
	}
	name := inv.name
	if line, _, _ := strings.Cut(texts[0].s, "\n"); strings.HasPrefix(line, "#!") {
		name = interpreter(line)
	} else if !isShell(name) && interpreters[name] == nil {
		name = "sh"
	}
	whole := []word{joined(texts, "\n")}
	if isShell(name) {
		inv.reread(whole, sink{kind: shellIn, name: name})
		return
	}
	inv.reread(whole, sink{kind: codeIn, name: name})
}

// binDirs is what PATH usually holds.
var binDirs = []string{"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}

// listed is the name of a file in argument i: of "--file=FILE" the part behind
// the option.
func listed(args []word, i int) string {
	s := args[i].s
	if strings.HasPrefix(s, "--") {
		if _, value, ok := strings.Cut(s, "="); ok {
			return value
		}
	}
	return s
}

// readsList reports whether argument i is a file with addresses to fetch.
func readsList(args []word, i int) bool {
	opt, _, glued := strings.Cut(args[i].s, "=")
	if !glued && i > 0 {
		opt = args[i-1].s
	}
	switch opt {
	case "-i", "--input-file", "-K", "--config", "-r", "--requirement", "-c", "--constraint", "--file":
		return true
	}
	return false
}
