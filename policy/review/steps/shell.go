package steps

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one command of a shell's text. Words that depend on variables are as
// they are written.
type call struct {
	words []string
	line  int
	// stdin is what a heredoc gives the command; nil if there is none, or it
	// depends on variables.
	stdin *string
}

// parseShell returns the simple commands of a text, in its order.
func parseShell(text string) ([]call, bool) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}
	var calls []call
	syntax.Walk(f, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			one := call{line: int(c.Pos().Line()), stdin: heredoc(s.Redirs)}
			for _, w := range c.Args {
				one.words = append(one.words, written(text, w))
			}
			calls = append(calls, one)
		}
		return true
	})
	return calls, true
}

// heredoc is the text of the last heredoc.
func heredoc(redirects []*syntax.Redirect) *string {
	for _, r := range slices.Backward(redirects) {
		if r.Hdoc == nil {
			continue
		}
		if text, ok := literal(r.Hdoc.Parts); ok {
			return &text
		}
	}
	return nil
}

// written is a word without its quotes; if it is no literal, as it is written.
func written(text string, w *syntax.Word) string {
	if plain, ok := literal(w.Parts); ok {
		return plain
	}
	return strings.ReplaceAll(text[w.Pos().Offset():w.End().Offset()], `"`, "")
}

func literal(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := literal(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape takes the backslashes away that quote one character.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
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
	return []string{"docker", "podman", "buildah", "nerdctl", "docker-compose", "loopxctl"}
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
	case verb == "bake":
		w.bakeFiles(s, options(args, "-f", "--file"), folders)
	case verb == "build" || verb == "bud":
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
	if (p.file == "-" || p.file == "" && p.context == "-") && c.stdin != nil {
		s.Inline = &Inline{Text: *c.stdin}
		w.add(s)
		return
	}
	w.resolve(&s, p)
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
