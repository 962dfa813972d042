package steps

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// workflow reads a file of a CI system: what actions are given, and the commands.
func (f *finder) workflow(name string, data []byte) {
	all := parseYAML(data)
	if all == nil {
		f.add(Step{Kind: Workflow, File: name, Why: whyParse})
	}
	for _, d := range all {
		f.pipeline(name, d)
	}
}

// pipeline reads one document of a file of a CI system.
func (f *finder) pipeline(name string, d *document) {
	w := &workflow{finder: f, document: d, name: name, folders: []string{""}}
	w.includes()
	d.left = maxNodes
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
	w.names(n)
	w.container(n)
	for _, key := range []string{"run", "script", "before_script", "after_script", "command", "commands", "bash"} {
		for _, text := range w.texts(w.get(n, key)) {
			w.shell(text)
		}
	}
}

// includes has the files of the repository read that one of GitLab includes
// (https://docs.gitlab.com/ci/yaml/#includelocal).
func (w *workflow) includes() {
	list := w.get(w.root, "include")
	items := []*yaml.Node{list}
	if list != nil && list.Kind == yaml.SequenceNode {
		items = list.Content
	}
	for _, item := range items {
		for _, n := range append(w.texts(item), w.texts(w.get(item, "local"))...) {
			name := strings.TrimPrefix(n.Value, "/")
			if isRemote(name) || isVariable(name) {
				continue // it is no file of the tree, or of those of GitLab by its name
			}
			if one, why := w.one(path.Clean(name)); why == "" {
				w.ask(one, Workflow)
			}
		}
	}
}

// fileKeys are what CI systems and their actions call the path of a Dockerfile, in
// lower case and without "_" and "-".
const fileKeys = " dockerfile dockerfiles dockerfilepath containerfile containerfiles "

// names takes note of files that stand under such a name. What is no file may be
// anything.
func (w *workflow) names(n *yaml.Node) {
	w.each(n, func(key, value *yaml.Node) {
		word := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key.Value))
		if !strings.Contains(fileKeys, " "+word+" ") {
			return
		}
		for _, text := range w.texts(value) {
			s := Step{Kind: Workflow, File: w.name, Line: text.Line, Name: key.Value, Text: text.Value}
			p := place{folders: w.folders, context: local(w.text(n, "context")), file: local(text.Value)}
			if w.resolve(&s, p); s.Why == "" && p.file != "" {
				w.add(s)
			}
		}
	})
}

// container is a step that names an image and what it is started with, as Google's
// Cloud Build has it
// (https://cloud.google.com/build/docs/build-config-file-schema).
func (w *workflow) container(n *yaml.Node) {
	list := w.get(n, "args")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	program := w.text(n, "entrypoint")
	if program == "" {
		program, _, _ = strings.Cut(path.Base(w.text(n, "name")), "@")
		program, _, _ = strings.Cut(program, ":")
	}
	c := call{words: []string{program}, line: 1}
	for _, text := range w.texts(list) {
		c.words = append(c.words, text.Value)
	}
	c.source = strings.Join(c.words, " ")
	dir := local(w.text(n, "dir"))
	w.does(c, func(int) int { return list.Line }, append(slices.Clone(w.folders), dir), 0)
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
	for _, n := range w.texts(w.get(with, "files")) {
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
