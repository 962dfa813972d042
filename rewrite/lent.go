package rewrite

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// form is how a RUN's text gets a line of sh before its own.
type form int

const (
	formShell  form = iota // before the text that a shell is given
	formExec               // by a shell that starts the argv
	formScript             // below the first line of a script
	formNone
)

// lent is a RUN as it stands in the text, apart from what the text lends to it.
type lent struct {
	cmd  words.Input // the author's command alone
	form form
	// flags are the mounts of ours in the line; more are the author's, as TARGET
	// and TYPE.
	flags []textmap.Text
	more  [][2]string
	// at is the text that the mounts come before, text what the line of sh comes
	// before.
	at, text textmap.Text
	line     textmap.Text // ours before text; empty if there is none
	given    []string     // the parts of line: see lineOfOurs
	mounted  bool
	image    string // that ours are mounted from
	// ours are the sources of the mounts of ours, by their targets.
	ours map[string]string
}

// mountOfOurs is a mount as words writes it. Its groups are the image, the folder
// in it, and the target.
var mountOfOurs = regexp.MustCompile(`^--mount=type=(?:bind,from=([^,\s]+@sha256:[0-9a-f]{64}),source=(/loopx/(?:run|ca|apt/\w+)(?:/apt/[a-z-]+)?),target=(` +
	regexp.QuoteMeta(LentDir) + `|` + regexp.QuoteMeta(AptConfFile) + `|` + regexp.QuoteMeta(SudoersFile) + `)` +
	`|tmpfs,target=` + regexp.QuoteMeta(LentOperator) + `|secret,id=` + LentAuthID + `,target=` + regexp.QuoteMeta(LentAuth) + `)$`)

// The line of sh that words writes. Its groups are the variables, the check that
// apt's configuration is there, and the operator's table.
var (
	lineOfOurs = regexp.MustCompile(`^(?:export((?: [A-Z_]+=(?:/[\w./-]+|"\$\{[A-Z_]+:-/[\w./-]+\}"))+); )?` +
		`(test -s ` + regexp.QuoteMeta(LentConf) + ` \|\| exit 100; )?` +
		`(?:printf %s '([^']*)' >` + regexp.QuoteMeta(LentRoute) + ` \|\| exit 100; )?`)
	variableOfOurs = regexp.MustCompile(`([A-Z_]+)=("[^"]*"|\S+)`)
)

// What stands between the line of sh and an argv.
const (
	execute  = `exec "$@"`
	argvName = "loopx"
)

// separate finds what the text lends to a RUN already. cmd is the whole command.
func separate(in *instruction, c *instructions.RunCommand, b body, cmd words.Input) *lent {
	l := &lent{cmd: cmd}
	l.place(c, b)
	if len(in.node.Flags) == 0 {
		return l
	}
	head := textmap.Text{}
	if i, ok := l.headEnd(b.line); ok {
		head = b.line.Slice(0, i)
	}
	if l.mounts(in.node.Flags, head); l.mounted {
		l.take()
	}
	return l
}

// place finds the form of the command, and where in it ours would stand.
func (l *lent) place(c *instructions.RunCommand, b body) {
	switch {
	case !c.PrependShell:
		l.form = formExec
		if i := arrayAt(b.line, c.CmdLine); i >= 0 {
			l.at = b.line.Slice(i, i+1)
		}
		return
	case l.cmd.Script.Len() > 0:
		l.placeScript()
	default:
		l.text = l.cmd.Args[len(l.cmd.Args)-1]
		if !isShellForm(l.cmd.Args[:len(l.cmd.Args)-1]) {
			l.form = formNone
		}
	}
	if len(c.CmdLine) > 0 {
		l.at, _ = tail(b.line, c.CmdLine[0])
	}
}

// placeScript finds where ours would stand in a script.
func (l *lent) placeScript() {
	l.form, l.text = formNone, textmap.Text{}
	if i := strings.IndexByte(l.cmd.Script.String(), '\n') + 1; i > 0 && i < l.cmd.Script.Len() && forShell(l.cmd.Script.String()[:i]) {
		l.form, l.text = formScript, l.cmd.Script.Slice(i, l.cmd.Script.Len())
	}
}

// isShellForm reports whether a shell of the POSIX kind is given a text behind
// these words.
func isShellForm(shell []textmap.Text) bool {
	n := len(shell)
	return n > 1 && commandFlag(shell[n-1].String()) &&
		slices.ContainsFunc(shell[:n-1], func(w textmap.Text) bool { return isShell(path.Base(w.String())) })
}

// forShell reports whether the first line of a script names a shell.
func forShell(first string) bool {
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	return len(words) > 0 && (isShell(path.Base(words[0])) ||
		path.Base(words[0]) == "env" && len(words) > 1 && isShell(words[1]))
}

// headEnd returns where in line the flags of the instruction end.
func (l *lent) headEnd(line textmap.Text) (int, bool) {
	from, _, ok := l.at.Range(0, min(1, l.at.Len()))
	if !ok {
		return 0, false
	}
	for i := range line.Len() {
		if at, _, ok := line.Range(i, i+1); ok && at == from {
			return i, true
		}
	}
	return 0, false
}

// mounts sorts the flags into ours and the author's. head is the text before the
// command.
func (l *lent) mounts(flags []string, head textmap.Text) {
	next := 0
	for _, f := range flags {
		m := mountOfOurs.FindStringSubmatch(f)
		i := strings.Index(head.String()[next:], f)
		if m == nil || i < 0 {
			l.author(f)
			continue
		}
		l.flags = append(l.flags, head.Slice(next+i, next+i+len(f)))
		next += i + len(f)
		if l.ours == nil {
			l.ours = map[string]string{}
		}
		l.ours[m[3]] = m[2]
		if m[3] == LentDir {
			l.mounted, l.image = true, m[1]
		}
	}
}

// author remembers where a mount of the author's is. A field that is quoted, or
// has a variable in it, is read as it stands.
func (l *lent) author(flag string) {
	list, ok := strings.CutPrefix(flag, "--mount=")
	if !ok {
		return
	}
	m := [2]string{"", "bind"}
	for field := range strings.SplitSeq(list, ",") {
		switch key, value, _ := strings.Cut(field, "="); strings.ToLower(key) {
		case "target", "dst", "destination":
			m[0] = path.Clean("/" + value)
		case "type":
			m[1] = value
		}
	}
	l.more = append(l.more, m)
}

// Line is the line of sh by which a text lends what serves apt.
type Line struct {
	// Conf says that it gives apt its configuration.
	Conf bool
	// Table is the operator's table in it, "" for none; see [LentTable].
	Table string
}

// TakeLine takes the line out of a command as an exec op has it. ok is false, and
// rest the command itself, if there is none.
func TakeLine(cmd words.Input) (rest words.Input, line Line, ok bool) {
	l := &lent{cmd: cmd}
	switch n := len(cmd.Args); {
	case cmd.Script.Len() > 0:
		l.placeScript()
	case n > 4 && cmd.Args[3].String() == argvName:
		l.form = formExec
	case n > 1 && isShellForm(cmd.Args[:n-1]):
		l.text = cmd.Args[n-1]
	}
	if l.take(); l.part(2) == "" {
		return cmd, Line{}, false
	}
	return l.cmd, Line{l.exportsConf(), l.part(3)}, true
}

// take takes the line of sh out of the command.
func (l *lent) take() {
	if l.form == formExec {
		l.takeExec()
		return
	}
	n := l.match(l.text.String())
	if n == 0 {
		return
	}
	l.line = l.text.Slice(0, n)
	rest := l.text.Slice(n, l.text.Len())
	if l.form != formScript {
		l.cmd.Args = append(slices.Clone(l.cmd.Args[:len(l.cmd.Args)-1]), rest)
		return
	}
	var b textmap.Builder
	b.Init("")
	b.Append(l.cmd.Script.Slice(0, l.cmd.Script.Len()-l.text.Len()))
	b.Append(rest)
	l.cmd.Script = b.Text()
}

// takeExec takes the shell that starts the argv out of the command.
func (l *lent) takeExec() {
	a := l.cmd.Args
	if len(a) < 5 || a[0].String() != "/bin/sh" || a[1].String() != "-c" || a[3].String() != argvName {
		return
	}
	text, ok := strings.CutSuffix(a[2].String(), execute)
	if n := l.match(text); ok && n > 0 && n == len(text) {
		l.line, l.cmd.Args = a[2], a[4:]
	}
}

// match returns the length of the line of sh that s starts with.
func (l *lent) match(s string) int {
	if m := lineOfOurs.FindStringSubmatch(s); m != nil {
		l.given = m
		return len(m[0])
	}
	return 0
}

// serves reports whether what the text lends already serves apt: the folder, the
// check that it is there, and the variable, or a file that stands in for it. A table
// that lets clear text through serves nothing.
func (l *lent) serves(apt AptUse) bool {
	if !l.mounted || l.part(2) == "" || !aptFolder.MatchString(l.ours[LentDir]) || weakens(l.part(3)) {
		return false
	}
	switch {
	case strings.HasSuffix(l.ours[AptConfFile], confName):
		return true
	case len(apt.Drops) == 1 && apt.Drops[0] == "sudo" && strings.HasSuffix(l.ours[SudoersFile], sudoersName):
		return true
	}
	return len(apt.Drops) == 0 && l.exportsConf()
}

// aptFolder is a folder of the image for RUNs that run apt.
var aptFolder = regexp.MustCompile(`^(?:` + ImageRun + `|/loopx/apt/\w+)$`)

// Files in such a folder that stand in for the variable.
const (
	confName    = "/apt/zz-loopx"
	sudoersName = "/apt/sudoers"
)

// weakens reports whether a table in a text lets clear text through, or is none.
func weakens(table string) bool {
	var cfg route.Config
	return table != "" && (json.Unmarshal([]byte(table), &cfg) != nil ||
		slices.ContainsFunc(route.Config{Hosts: cfg.Hosts}.Notes(), func(n route.Note) bool { return n.Weakens }))
}

// exportsConf reports whether the line gives apt its configuration.
func (l *lent) exportsConf() bool {
	return slices.ContainsFunc(variableOfOurs.FindAllStringSubmatch(l.part(1), -1), func(m []string) bool {
		return m[1] == aptConfig && m[2] == LentConf
	})
}

// part is one of the groups of lineOfOurs.
func (l *lent) part(n int) string {
	if n < len(l.given) {
		return l.given[n]
	}
	return ""
}

// variables returns those that are there already, and more behind them.
func (l *lent) variables(more [][2]string) [][2]string {
	var all [][2]string
	for _, m := range variableOfOurs.FindAllStringSubmatch(l.part(1), -1) {
		if m[1] != aptConfig {
			all = append(all, [2]string{m[1], m[2]})
		}
	}
	for _, v := range more {
		if !slices.ContainsFunc(all, func(have [2]string) bool { return have[0] == v[0] }) {
			all = append(all, [2]string{v[0], fmt.Sprintf(`"${%s:-%s}"`, v[0], v[1])})
		}
	}
	return all
}

// obstacle says which mount of the author's is in the way.
func (l *lent) obstacle() string {
	for _, m := range l.more {
		if m[0] == LentDir || strings.HasPrefix(m[0], LentDir+"/") || m[0] == LentAuth || m[0] == path.Dir(LentDir) && m[1] != "tmpfs" {
			return "the RUN mounts something at " + m[0] + ": take that mount out"
		}
	}
	return ""
}

// covered says what of the author's is mounted over target, as AptUse.Cover asks.
func (l *lent) covered(target string) string {
	for _, m := range l.more {
		if m[0] != "/" && (m[0] == target || strings.HasPrefix(target, m[0]+"/")) {
			return "the RUN mounts something at " + m[0] + ", where a file would have to be mounted"
		}
	}
	return ""
}

// unshelled says why no line of sh can be put before the command.
func (l *lent) unshelled() string {
	if l.form != formNone {
		return ""
	}
	if l.cmd.Script.Len() > 0 {
		first, _, _ := strings.Cut(l.cmd.Script.String(), "\n")
		return "its script is one for " + strconv.Quote(first) + ", and a line of sh has to go before what runs apt: run apt in a RUN of its own"
	}
	switch shell := strings.ToLower(path.Base(strings.ReplaceAll(l.cmd.Args[0].String(), `\`, "/"))); strings.TrimSuffix(shell, ".exe") {
	case "cmd", "powershell":
		return "its shell is that of Windows, where there is no apt: accept it with --apt=ignore"
	}
	return "its shell is " + strconv.Quote(l.cmd.Args[0].String()) + ", and a line of sh has to go before the command: " +
		`put SHELL ["/bin/sh", "-c"] above it, or write it in exec form`
}

// nonRoot says that a user can't write the operator's table. The mount point
// belongs to root.
func (l *lent) nonRoot(st *stage, line string) string {
	if !nonRootUser(st.user) || !strings.Contains(line, LentRoute) {
		return ""
	}
	return fmt.Sprintf("it runs as USER %s, who can't write down your mirrors and host rules for it: put USER root above it", st.user)
}
