package aptsource

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oracle is a real apt with a root of its own: no sources, no configuration
// and no state of the machine.
type oracle struct {
	apt, parts string
	env        []string

	// How this version differs from the one that the package follows.
	asWritten   bool // up to 2.2: URIs are not brought into one form
	noInlineKey bool // up to 2.3: Signed-By takes no key
	lostKey     bool // from 3.0: an entry may drop the keys of another
}

func newOracle(t *testing.T) *oracle {
	t.Helper()
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		t.Fatalf("this test compares the readers with a real apt-get, which is not here: run it on Debian or Ubuntu, or in a container of theirs (%v)", err)
	}
	dir := t.TempDir()
	o := &oracle{apt: apt, parts: filepath.Join(dir, "parts")}
	for _, d := range []string{"parts", "state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "apt.conf")
	err = os.WriteFile(config, fmt.Appendf(nil, `
		Dir::Etc::parts "/dev/null";
		Dir::Etc::main "/dev/null";
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "%[1]s/parts";
		Dir::State "%[1]s/state";
		Dir::State::status "/dev/null";
		Dir::Cache "%[1]s/cache";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		Acquire::Languages "none";
	`, dir), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	o.env = []string{"APT_CONFIG=" + config, "LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	version, err := o.command("--version").Output()
	if err != nil {
		t.Fatalf("apt-get --version: %v", err)
	}
	line, _, _ := strings.Cut(string(version), "\n")
	t.Log(line)
	o.probe(t)
	return o
}

// inlineKey is a key as it may stand in a stanza.
const inlineKey = " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBF\n -----END PGP PUBLIC KEY BLOCK-----\n"

// probe finds out which apt it is, by what it does.
func (o *oracle) probe(t *testing.T) {
	t.Helper()
	ask := func(name, text string) answer { return o.ask(t, map[string]string{name: text})[name] }
	uri := ask("x.list", "deb http:h/d a main\n")
	o.asWritten = !slices.Contains(uri.targets, "deb|http://h/d/|a|main")
	key := ask("x.sources", "Types: deb\nURIs: http://h\nSuites: ./\nSigned-By:\n"+inlineKey)
	o.noInlineKey = len(key.complaints) > 0
	lost := ask("x.list", "deb [signed-by=/k] http://h a main\ndeb http://h a contrib\n")
	o.lostKey = len(lost.complaints) == 0
}

// skips reports whether this apt is known to answer differently.
func (o *oracle) skips(text string, ours answer) bool {
	switch {
	case o.noInlineKey && strings.Contains(text, pgpKey):
		return true
	case len(ours.complaints) == 0:
		return false
	}
	return o.lostKey && strings.HasPrefix(ours.complaints[0], "Conflicting values set for option signed-by")
}

func (o *oracle) command(args ...string) *exec.Cmd {
	cmd := exec.Command(o.apt, args...)
	cmd.Env = o.env
	return cmd
}

// answer is what apt says about one file.
type answer struct {
	complaints []string // without the file's name; none if accepted
	targets    []string // sorted, each once: type, URI, suite, component
}

// complaintFile finds the name of the file in apt's message.
var complaintFile = regexp.MustCompile(` ?/[^ ]*/parts/([^ ]*)`)

// ask gives apt the files, all at once, and returns its answer for each. Where
// a complaint does not name its file, it asks about one after the other.
func (o *oracle) ask(t *testing.T, files map[string]string) map[string]answer {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(o.parts, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(filepath.Join(o.parts, name))
	}
	answers := map[string]answer{}
	for {
		targets, complaints := o.run(t)
		if len(complaints) == 0 {
			for name := range targets {
				answers[name] = answer{targets: targets[name]}
			}
			return answers
		}
		rejected := map[string]answer{}
		for _, c := range complaints {
			name := slices.Sorted(maps.Keys(files))[0]
			if m := complaintFile.FindStringSubmatch(c); m != nil {
				name = m[1]
			} else if len(files) > 1 {
				return o.askEach(t, files)
			}
			c = complaintFile.ReplaceAllString(c, "")
			rejected[name] = answer{complaints: append(rejected[name].complaints, c)}
			os.Remove(filepath.Join(o.parts, name))
		}
		maps.Copy(answers, rejected)
		if len(answers) == len(files) {
			return answers
		}
	}
}

// askEach gives apt the files one by one.
func (o *oracle) askEach(t *testing.T, files map[string]string) map[string]answer {
	t.Helper()
	for name := range files {
		os.Remove(filepath.Join(o.parts, name))
	}
	answers := map[string]answer{}
	for name, text := range files {
		maps.Copy(answers, o.ask(t, map[string]string{name: text}))
	}
	return answers
}

// run returns the targets by file, or apt's complaints.
func (o *oracle) run(t *testing.T) (targets map[string][]string, complaints []string) {
	t.Helper()
	const format = "$(CREATED_BY)\x1f$(REPO_URI)\x1f$(RELEASE)\x1f$(COMPONENT)\x1f$(SOURCESENTRY)\x1e"
	cmd := o.command("indextargets", "--no-release-info", "--format", format)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	for line := range strings.Lines(stderr.String()) {
		c, ok := strings.CutPrefix(strings.TrimSpace(line), "E: ")
		switch {
		case ok && c != "The list of sources could not be read.":
			complaints = append(complaints, c)
		case strings.HasPrefix(line, "  "): // apt breaks a message where it holds a CR
			complaints[len(complaints)-1] += " " + c
		}
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || len(complaints) == 0) {
		t.Fatalf("apt-get indextargets: %v: %s", err, stderr.String())
	}
	targets = map[string][]string{}
	for record := range strings.SplitSeq(string(out), "\x1e\n") {
		f := strings.Split(record, "\x1f")
		typ := map[string]string{"Packages": "deb", "Sources": "deb-src"}[f[0]]
		if typ == "" {
			continue
		}
		path, _, _ := strings.Cut(f[4], ":")
		name := filepath.Base(path)
		component := strings.TrimPrefix(f[3], "$(COMPONENT)") // not set for an exact path
		target := strings.Join([]string{typ, f[1], f[2], component}, "|")
		targets[name] = append(targets[name], target)
	}
	for name := range targets {
		slices.Sort(targets[name])
		targets[name] = slices.Compact(targets[name])
	}
	return targets, complaints
}
