package main

import (
	"path"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/bakefile"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
)

// groups are those of a bake file: default, and one of each folder that holds
// several Dockerfiles.
type groups struct {
	list []bakefile.Group
	of   map[string]int // folder, with slashes -> index in list
}

// newGroups names the groups of files, before any target has a name.
func newGroups(names *bakefile.Names, files []*report.File) *groups {
	g := &groups{list: []bakefile.Group{{Name: names.Take("default")}}, of: map[string]int{}}
	below := map[string]int{}
	for _, f := range files {
		for dir := path.Dir(f.Below); dir != "." && f.Problem == nil; dir = path.Dir(dir) {
			below[dir]++
			if below[dir] == 2 {
				g.of[dir] = -1
			}
		}
	}
	for _, f := range files {
		for _, dir := range folders(f.Below) {
			if g.of[dir] == -1 {
				g.of[dir] = len(g.list)
				g.list = append(g.list, bakefile.Group{Name: names.Take(bakefile.OfFolder(dir))})
			}
		}
	}
	return g
}

// folders are those above a file, the outermost first.
func folders(file string) []string {
	dir := path.Dir(file)
	if dir == "." {
		return nil
	}
	return append(folders(dir), dir)
}

// add puts a target into the groups of its file's folders.
func (g *groups) add(file, target string) {
	g.list[0].Targets = append(g.list[0].Targets, target)
	for _, dir := range folders(file) {
		if i, ok := g.of[dir]; ok {
			g.list[i].Targets = append(g.list[i].Targets, target)
		}
	}
}
