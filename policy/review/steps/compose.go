package steps

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// compose reads a compose file
// (https://docs.docker.com/reference/compose-file/build/).
func (f *finder) compose(name string, data []byte) {
	all := parseYAML(data)
	if all == nil {
		f.add(Step{Kind: Compose, File: name, Why: whyParse})
	}
	for _, d := range all {
		f.composed(name, d)
	}
}

// composed reads one document of a compose file.
func (f *finder) composed(name string, d *document) {
	f.included(name, d)
	d.each(d.get(d.root, "services"), func(key, service *yaml.Node) {
		if build := d.get(service, "build"); build != nil {
			f.service(name, d, key, build)
		}
		if other := d.text(d.get(service, "extends"), "file"); other != "" {
			f.named(name, Compose, key.Line, key.Value, other, []string{folder(name)})
		}
	})
	if d.left < 0 {
		f.add(Step{Kind: Compose, File: name, Why: "has too many values"})
	}
}

// included has the files read that a compose file includes.
func (f *finder) included(name string, d *document) {
	list := d.get(d.root, "include")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range list.Content {
		paths := d.texts(item)
		if paths == nil {
			paths = d.texts(d.get(item, "path"))
		}
		for _, n := range paths {
			f.named(name, Compose, n.Line, "include", n.Value, []string{folder(name)})
		}
	}
}

// named has a file of builds read that another one names.
func (f *finder) named(name string, kind Kind, line int, by, other string, folders []string) {
	s := Step{Kind: kind, File: name, Line: line, Name: by, Text: other}
	f.resolve(&s, place{folders: folders, file: local(other)})
	if s.Why != "" {
		s.Why = "the file that is named " + s.Why
		f.add(s)
		return
	}
	for _, file := range s.Dockerfiles {
		f.ask(file, kind)
	}
}

// service reads what is said of a service's build.
func (f *finder) service(name string, d *document, key, build *yaml.Node) {
	s := Step{Kind: Compose, File: name, Line: build.Line, Name: key.Value}
	p := place{folders: []string{folder(name)}, inContext: true, defaults: dockerNames()}
	if build.Kind == yaml.ScalarNode {
		p.context, s.Text = build.Value, build.Value
	} else {
		p.context = d.text(build, "context")
		if n := d.get(build, "dockerfile_inline"); n != nil && scalar(n) != "" {
			s.Line, s.Inline = n.Line, &Inline{Text: strings.ReplaceAll(n.Value, "$$", "$"), Line: firstLine(n)}
			f.add(s)
			return
		}
		if n := d.get(build, "dockerfile"); n != nil {
			s.Line, s.Text, p.file = n.Line, scalar(n), scalar(n)
		}
	}
	f.resolve(&s, p)
	f.add(s)
}
