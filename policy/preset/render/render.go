// Package render writes the files that run a preset by its cadence: a workflow of
// GitHub Actions, a pipeline of GitLab, lines of a crontab, units of systemd. It is
// pure.
//
// None of them decides when a preset is due: they look, at the times of the cadence
// and in between, and loopxctl decides by its journal. So a scheduler that comes
// late, twice or not at all for a time changes nothing about once a period. Nothing
// in the files is unpinned: actions are named by commit, images by digest, and the
// program by its checksum.
package render

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/loopx/loopx-frontend/policy/preset"
)

// Target is what the files are for.
type Target string

// The targets.
const (
	GitHub  Target = "github-actions"
	GitLab  Target = "gitlab-ci"
	Crontab Target = "cron"
	Systemd Target = "systemd"
)

// Targets returns all of them.
func Targets() []Target { return []Target{GitHub, GitLab, Crontab, Systemd} }

// OnMachine reports whether the files run an installed program in a folder of the
// machine; the others fetch a release in a pipeline.
func (t Target) OnMachine() bool { return t == Crontab || t == Systemd }

// File is one that was rendered.
type File struct {
	Name string
	Text string
}

// Input is what the files go by.
type Input struct {
	Preset *preset.Preset
	// Archive is the https address of a release for Linux, as "make dist" makes it,
	// for pipelines.
	Archive string
	// Image is a reference with a digest, for GitLab: it has curl, tar and a sh.
	Image string
	// Program is the absolute path of the installed program, and Folder that of
	// what is checked, for machines.
	Program, Folder string
	// SHA256 is that of Archive or Program, in hexadecimal.
	SHA256 string
	// Root is the folder that is looked at, from where the program is run, and Config
	// the policy's file; "" for the usual ones.
	Root, Config string
	// State is a folder for the journal on a machine; "" for the user's.
	State string
	// Advisories is what "loopxctl floors update" is given: an address, or "" for
	// the usual one. Fetch says that advisories are fetched at all.
	Advisories string
	Fetch      bool
}

// Render makes the files for a target. The error says which part of the input
// cannot stand in them.
func Render(t Target, in Input) ([]File, error) {
	if err := in.check(t); err != nil {
		return nil, err
	}
	id := in.Preset.ID
	var names []string
	switch t {
	case GitHub:
		names = []string{"loopx-" + id + ".yml"}
	case GitLab:
		names = []string{"loopx-" + id + ".gitlab-ci.yml"}
	case Crontab:
		names = []string{"loopx-" + id + ".crontab"}
	case Systemd:
		names = []string{"loopx-" + id + ".service", "loopx-" + id + ".timer"}
	default:
		return nil, fmt.Errorf("nothing is rendered for %q", string(t))
	}
	var files []File
	for i, name := range names {
		text, err := in.fill(t, i)
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, text})
	}
	return files, nil
}

//go:embed templates
var templates embed.FS

// fill fills the template of one file.
func (in Input) fill(t Target, i int) (string, error) {
	name := map[Target][]string{
		GitHub: {"github.yml"}, GitLab: {"gitlab.yml"}, Crontab: {"crontab"}, Systemd: {"service", "timer"},
	}[t][i]
	// The marks are not those of a workflow's expressions.
	tmpl, err := template.New(name).Delims("[[", "]]").ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = tmpl.Execute(&b, in)
	return b.String(), err
}

// The methods below are for the templates.

// Cron is the cadence as every cron reads it.
func (in Input) Cron() string { return in.Preset.Cadence.Cron.Portable() }

// Zone is the cadence's time zone.
func (in Input) Zone() string { return in.Preset.Cadence.Zone.String() }

// Update is the command that fetches advisories; "" if none is needed.
func (in Input) Update() string {
	needed := slices.Contains(in.Preset.Checks, preset.Floors) || slices.Contains(in.Preset.Checks, preset.Advisories)
	if !in.Fetch || !needed {
		return ""
	}
	return strings.TrimSpace("floors update " + in.Advisories)
}

// Project are the flags that say what is looked at, and by which policy.
func (in Input) Project() string {
	text := ""
	if in.Root != "" {
		text += " --root " + in.Root
	}
	if in.Config != "" {
		text += " --config " + in.Config
	}
	return text
}

// Journal is the flag that names the journal; "" for the user's.
func (in Input) Journal() string {
	if in.State == "" {
		return ""
	}
	return " --state " + in.State
}

// Calendar are the times of the cadence as systemd.time(7) has them. There a day
// must fit both its name and its date; where the cadence asks for one of them, each
// has an entry.
func (in Input) Calendar() []string {
	v := in.Preset.Cadence.Cron.Values()
	names := []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	entry := func(dom, dow []int) string {
		day := ""
		if len(dow) > 0 {
			day = join(dow, func(n int) string { return names[n%7] }) + " "
		}
		return fmt.Sprintf("%s*-%s-%s %s:%s:00 %s", day, two(v[3]), two(dom), two(v[1]), two(v[0]), in.Zone())
	}
	if len(v[2]) > 0 && len(v[4]) > 0 {
		return []string{entry(v[2], nil), entry(nil, v[4])}
	}
	return []string{entry(v[2], v[4])}
}

// two joins numbers of two digits.
func two(values []int) string {
	return join(values, func(n int) string { return fmt.Sprintf("%02d", n) })
}

func join(values []int, word func(int) string) string {
	if len(values) == 0 {
		return "*"
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = word(v)
	}
	return strings.Join(words, ",")
}
