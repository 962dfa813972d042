package steps

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// workflow reads a file of a CI system: what actions are given, and the commands.
func (f *finder) workflow(name string, data []byte) {
	d := parseYAML(data)
	if d == nil {
		f.add(Step{Kind: Workflow, File: name, Why: whyParse})
		return
	}
	w := &workflow{finder: f, document: d, name: name, folders: []string{""}}
	d.all(d.root, w.places)
	d.left = maxNodes
	d.all(d.root, w.mapping)
	if d.left < 0 {
		f.add(Step{Kind: Workflow, File: name, Why: "has too many values"})
	}
}

type workflow struct {
	*finder
	*document
	name    string
	folders []string // where a command of the file may run
	// checkouts are folders that the repository is checked out to, with a slash.
	checkouts []string
}

// places notes where commands run, and where the repository is.
func (w *workflow) places(n *yaml.Node) {
	if dir := local(w.text(n, "working-directory")); dir != "" && !isVariable(dir) {
		w.folders = append(w.folders, dir)
	}
	if uses(w.text(n, "uses"), "actions/checkout") {
		if dir, ok := clean(w.text(w.get(n, "with"), "path")); ok && dir != "." {
			w.checkouts = append(w.checkouts, dir+"/")
		}
	}
}

// uses reports whether a step uses an action, of any version.
func uses(text, action string) bool {
	name, _, _ := strings.Cut(text, "@")
	return strings.EqualFold(name, action)
}

// mapping looks at one mapping, which may be a step of a job.
func (w *workflow) mapping(n *yaml.Node) {
	with := w.get(n, "with")
	action := w.text(n, "uses")
	s := Step{Kind: Workflow, File: w.name, Line: n.Line, Name: action}
	switch {
	case uses(action, "docker/build-push-action"):
		w.buildPush(s, with)
	case uses(action, "docker/bake-action"):
		w.bakeAction(s, with)
	case strings.EqualFold(w.text(n, "using"), "docker"):
		w.action(s, w.get(n, "image"))
	}
	for _, key := range []string{"run", "script", "before_script", "after_script", "command", "commands", "bash"} {
		for _, text := range texts(w.get(n, key)) {
			w.shell(text)
		}
		if nested := w.get(n, key); nested != nil && nested.Kind == yaml.MappingNode && key == "run" {
			for _, text := range texts(w.get(nested, "command")) { // CircleCI
				w.shell(text)
			}
		}
	}
}

// buildPush is docker/build-push-action: the file is a path from the folder of the
// checkout, if the context is one.
func (w *workflow) buildPush(s Step, with *yaml.Node) {
	context, file := w.text(with, "context"), w.get(with, "file")
	p := place{folders: []string{""}, context: local(context), defaults: dockerNames()}
	if n := w.get(with, "dockerfile"); file == nil {
		file = n // of old versions
	}
	if file != nil {
		s.Line, s.Text, p.file = file.Line, scalar(file), local(scalar(file))
	} else {
		s.Text = context
	}
	if inside, ok := strings.CutPrefix(context, "{{defaultContext}}"); ok {
		p.context, p.inContext = strings.TrimPrefix(inside, ":"), true
	}
	w.resolve(&s, p)
	w.add(s)
}

// resolve is that of the finder, with the folders of checkouts taken away.
func (w *workflow) resolve(s *Step, p place) {
	for _, dir := range w.checkouts {
		p.context, p.file = strings.TrimPrefix(p.context+"/", dir), strings.TrimPrefix(strings.TrimPrefix(p.file, "./"), dir)
		p.context = strings.TrimSuffix(p.context, "/")
	}
	w.finder.resolve(s, p)
}

// bakeAction is docker/bake-action.
func (w *workflow) bakeAction(s Step, with *yaml.Node) {
	var files []string
	for _, n := range texts(w.get(with, "files")) {
		files = append(files, strings.FieldsFunc(n.Value, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })...)
	}
	folders := []string{""}
	if dir := local(w.text(with, "workdir")); dir != "" {
		folders = append(folders, dir)
	}
	w.bakeFiles(s, files, folders)
}

// action is a container action, whose image may be a Dockerfile beside it
// (https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax).
func (w *workflow) action(s Step, image *yaml.Node) {
	name := scalar(image)
	if name == "" || strings.HasPrefix(strings.ToLower(name), "docker://") {
		return
	}
	s.Line, s.Name, s.Text = image.Line, "container action", name
	w.finder.resolve(&s, place{folders: []string{folder(w.name)}, file: name})
	w.add(s)
}

// expression is one of GitHub Actions, which a shell does not know.
const expression = "${{"

// shell looks at the commands of a text.
func (w *workflow) shell(n *yaml.Node) {
	if !strings.Contains(n.Value, "build") && !strings.Contains(n.Value, "compose") && !strings.Contains(n.Value, "bake") && !strings.Contains(n.Value, "bud") {
		return
	}
	calls, ok := parseShell(masked(n.Value))
	first := firstLine(n)
	if !ok {
		if strings.Contains(n.Value, "docker") || strings.Contains(n.Value, "buildah") {
			w.add(Step{Kind: Workflow, File: w.name, Line: n.Line, Name: "commands", Why: "the shell's text " + whyParse[len("the file "):]})
		}
		return
	}
	folders := slices.Clone(w.folders)
	for _, c := range calls {
		if dir, ok := c.changesTo(); ok {
			for _, from := range slices.Clone(folders) {
				if dir := joined(from, local(dir)); !slices.Contains(folders, dir) && len(folders) < 50 {
					folders = append(folders, dir)
				}
			}
			continue
		}
		line := n.Line
		if first > 0 {
			line = first + c.line - 1
		}
		w.call(c, Step{Kind: Workflow, File: w.name, Line: line}, folders)
	}
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
