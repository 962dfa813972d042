package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile matches the names of files with the terms of a module, or with what
// they require to be passed on.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licences are the terms of Go's library and of all modules in the programs, as
// their licences ask whoever passes on a program to pass them on. Each text is
// there once, below the names of the modules that come with it.
func (r *release) licences(ctx context.Context, programs []program) ([]byte, error) {
	folders, err := r.folders(ctx, programs)
	if err != nil {
		return nil, err
	}
	return licenceTexts(folders)
}

// licenceTexts collects the texts of modules, which folders maps to where they are.
func licenceTexts(folders map[string]string) ([]byte, error) {
	users := map[string][]string{} // text to modules
	for _, module := range slices.Sorted(maps.Keys(folders)) {
		texts, err := licencesIn(folders[module])
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no licence file in %s: look for its terms, and whether they let us pass it on", module, folders[module])
		}
		for _, text := range texts {
			users[text] = append(users[text], module)
		}
	}
	var out bytes.Buffer
	out.WriteString("The programs of this release hold these modules, under these terms.\n")
	byModules := func(a, b string) int {
		return strings.Compare(strings.Join(users[a], "\n")+a, strings.Join(users[b], "\n")+b)
	}
	for _, text := range slices.SortedFunc(maps.Keys(users), byModules) {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 72), strings.Join(users[text], "\n"), text)
	}
	return out.Bytes(), nil
}

// folders are where the sources of Go's library and of the modules are.
func (r *release) folders(ctx context.Context, programs []program) (map[string]string, error) {
	args := []string{"list", "-m", "-json"}
	for _, m := range modulesOf(programs) {
		args = append(args, m.Path+"@"+m.Version)
	}
	goroot, err := r.goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"Go's standard library": strings.TrimSpace(string(goroot))}
	list, err := r.goCommand(ctx, args...)
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(list)); ; {
		var m struct{ Path, Version, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return folders, nil
		} else if err != nil {
			return nil, err
		}
		folders[m.Path+" "+m.Version] = m.Dir
	}
}

func (r *release) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = r.root, r.progress
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}

// licencesIn are the texts in a folder, without blanks around them.
func licencesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")))
	}
	return texts, nil
}
