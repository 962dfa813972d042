package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// completeDockerfiles offers the Dockerfiles and folders that begin with what
// is typed; where there is none of them, the shell offers all files.
func completeDockerfiles(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	dir, base := filepath.Split(typed)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var files, folders []string
	for _, e := range entries {
		switch {
		case !strings.HasPrefix(e.Name(), base) || base == "" && strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			folders = append(folders, dir+e.Name()+"/")
		case dockerfile.IsName(e.Name()):
			files = append(files, dir+e.Name())
		}
	}
	switch {
	case len(files) == 0:
		return nil, cobra.ShellCompDirectiveDefault
	case len(folders) == 0:
		return files, cobra.ShellCompDirectiveNoFileComp
	}
	return append(files, folders...), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeMirror offers "ARCHIVE=" for --mirror.
func completeMirror(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, name := range route.ArchiveNames() {
		names = append(names, name+"=")
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeHostRule offers the hosts of the table for --host, and the actions
// once a host is typed.
func completeHostRule(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if host, _, ok := strings.Cut(typed, "="); ok {
		return []string{host + "=upgrade", host + "=keep", host + "=refuse", host + "=https://"}, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, host := range hostNames() {
		names = append(names, host+"=")
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeHost offers the hosts of the table.
func completeHost(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return hostNames(), cobra.ShellCompDirectiveNoFileComp
}
