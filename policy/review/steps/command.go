package steps

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// expression is one of GitHub Actions, which a shell does not know.
const expression = "${{"

// shell looks at the commands of a text.
func (w *workflow) shell(n *yaml.Node) {
	first := firstLine(n)
	w.commands(n.Value, func(line int) int {
		if first > 0 {
			return first + line - 1
		}
		return n.Line
	}, slices.Clone(w.folders), 0)
}

// maxNested is how deep texts of a shell in commands of a shell are looked into.
const maxNested = 3

// commands looks at those of a text. line is where a line of the text is in the
// file, folders are those in which they may run.
func (w *workflow) commands(text string, line func(int) int, folders []string, depth int) {
	if depth > maxNested || !slices.ContainsFunc([]string{"build", "compose", "bake", "bud", "<<"}, func(part string) bool { return strings.Contains(text, part) }) {
		return
	}
	calls, ok := parseShell(masked(text))
	if !ok {
		if strings.Contains(text, "docker") || strings.Contains(text, "buildah") {
			w.add(Step{Kind: Workflow, File: w.name, Line: line(1), Name: "commands", Why: "the shell's text " + whyParse[len("the file "):]})
		}
		return
	}
	for _, c := range calls {
		folders = w.does(c, line, folders, depth)
	}
}

// does looks at one command, and returns the folders in which the next may run.
func (w *workflow) does(c call, line func(int) int, folders []string, depth int) []string {
	if dir, ok := c.changesTo(); ok {
		for _, from := range slices.Clone(folders) {
			if dir := joined(from, local(dir)); !slices.Contains(folders, dir) && len(folders) < 50 {
				folders = append(folders, dir)
			}
		}
		return folders
	}
	for _, h := range c.heredocs {
		if Holds([]byte(h.text)) { // whatever becomes of it
			s := Step{Kind: Workflow, File: w.name, Line: line(h.line), Name: "heredoc", Inline: &Inline{Text: h.text}}
			if line(h.line+1) > s.Line {
				s.Inline.Line = s.Line
			}
			w.add(s)
		}
	}
	if inner, ok := c.inner(); ok {
		w.commands(inner, func(int) int { return line(c.line) }, slices.Clone(folders), depth+1)
	}
	w.call(c, Step{Kind: Workflow, File: w.name, Line: line(c.line)}, folders)
	return folders
}

// inner is the text that a command has a shell run.
func (c call) inner() (string, bool) {
	for i, word := range c.words {
		switch {
		case i == 0 && word == "eval":
			return strings.Join(c.words[1:], " "), true
		case i > 0 && i+1 < len(c.words) && shellOption.MatchString(word) && slices.ContainsFunc(c.words[:i], isShell):
			return c.words[i+1], true
		}
	}
	return "", false
}

// shellOption is "-c", alone or among others.
var shellOption = regexp.MustCompile(`^-[A-Za-z]*c$`)

func isShell(word string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh"}, path.Base(word))
}

// masked makes expressions of GitHub Actions variables of the shell; those that
// name the checkout stay readable.
func masked(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, expression)
		if i < 0 {
			return b.String() + text
		}
		end := strings.Index(text[i:], "}}")
		if end < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		if workspace.MatchString(text[i : i+end+2]) {
			b.WriteString("${GITHUB_WORKSPACE}")
		} else {
			b.WriteString("${EXPRESSION}")
		}
		text = text[i+end+2:]
	}
}

// changesTo is the folder that the command changes to.
func (c call) changesTo() (string, bool) {
	if len(c.words) < 2 || c.words[0] != "cd" && c.words[0] != "pushd" {
		return "", false
	}
	dir := c.words[len(c.words)-1]
	return dir, !isVariable(local(dir))
}

// engines are programs that build images.
func engines() []string {
	return []string{"docker", "docker.exe", "podman", "buildah", "nerdctl", "docker-compose", "docker-buildx", "buildx", "loopxctl"}
}

// call looks at one command: a build by one of the engines, behind whatever starts
// it.
func (w *workflow) call(c call, s Step, folders []string) {
	i := slices.IndexFunc(c.words, func(word string) bool { return slices.Contains(engines(), path.Base(word)) })
	if i < 0 || slices.Contains([]string{"echo", "printf", "grep"}, c.words[0]) {
		return
	}
	engine := path.Base(c.words[i])
	verb, args := verb(c.words[i+1:])
	s.Name = strings.Join([]string{engine, verb}, " ")
	s.Text = strings.Join(c.words[i:], " ")
	switch {
	case engine == "docker-compose" || verb == "compose":
		for _, file := range options(c.words[i+1:], "-f", "--file") {
			w.named(s.File, Compose, s.Line, s.Name, file, folders)
		}
	case verb == "bake" || verb == "f":
		w.bakeFiles(s, options(args, "-f", "--file"), folders)
	case verb == "build" || verb == "bud" || verb == "b":
		w.build(c, s, args, folders, engine)
	}
}

// valued are the options of the engines themselves that take a value
// (docker(1), podman(1)).
const valued = " --context -c --host -H --config --log-level -l --tlscacert --tlscert --tlskey --builder --root --runroot --storage-driver --connection " +
	"--url --identity --namespace -n --address -a --project-name -p --project-directory --env-file --profile --ansi --parallel -f --file "

// verb is the command of an engine, and what follows it.
func verb(words []string) (string, []string) {
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case strings.Contains(valued, " "+word+" "):
			i++
		case strings.HasPrefix(word, "-"), word == "buildx", word == "image", word == "builder":
		default:
			return word, words[i+1:]
		}
	}
	return "", nil
}

// options are the values of an option, by its short and its long name.
func options(words []string, short, long string) []string {
	var all []string
	for i, word := range words {
		switch {
		case (word == short || word == long) && i+1 < len(words):
			all = append(all, words[i+1])
		case strings.HasPrefix(word, long+"="):
			all = append(all, word[len(long)+1:])
		case strings.HasPrefix(word, short) && len(word) > len(short) && !strings.HasPrefix(word, "--"):
			all = append(all, strings.TrimPrefix(word[len(short):], "="))
		}
	}
	return all
}

// build is the command that builds an image.
func (w *workflow) build(c call, s Step, args, folders []string, engine string) {
	p := place{folders: folders, defaults: dockerNames()}
	if engine == "podman" || engine == "buildah" {
		p.defaults = podmanNames()
	}
	if files := options(args, "-f", "--file"); len(files) > 0 {
		p.file = local(files[len(files)-1])
	}
	p.context = local(operand(args))
	stdin := p.file == "-" || p.file == "" && p.context == "-"
	if n := len(c.heredocs); stdin && n > 0 && !c.heredocs[n-1].variable {
		if !Holds([]byte(c.heredocs[n-1].text)) { // one that does is told of already
			s.Inline = &Inline{Text: c.heredocs[n-1].text}
			w.add(s)
		}
		return
	}
	if w.resolve(&s, p); stdin {
		s.Text = strings.Join(strings.Fields(c.source), " ") // what is built is in there
	}
	w.add(s)
}

// switches are the options of a build that take no value (docker-buildx-build(1),
// buildah-build(1)); all others take one.
const switches = " --no-cache --pull --push --load -q --quiet --rm --force-rm --squash --compress -D --debug --check --disable-content-trust " +
	"--layers --no-hostname --no-hosts --squash-all --stdin --tls-verify --progress-plain "

// operand is the context of a build: the last word that is neither an option nor
// an option's value.
func operand(args []string) string {
	context := ""
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "-" || !strings.HasPrefix(word, "-"):
			context = word
		case strings.Contains(word, "=") || strings.Contains(switches, " "+word+" "):
		case !strings.HasPrefix(word, "--") && len(word) > 2: // -tNAME
		default:
			i++
		}
	}
	return context
}
