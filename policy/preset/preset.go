// Package preset holds what is run on a cadence, at a notice and before a release:
// which checks, when, and what they decide. It is pure data and logic.
package preset

import (
	"slices"
	"time"
)

// Preset is a set of checks with a cadence.
type Preset struct {
	ID, Title string
	Maturity  Maturity
	// Disabled presets are never due, and are not run.
	Disabled bool
	// Triggers are those that the preset has; Cadence is that of [Weekly].
	Triggers []Trigger
	Cadence  Cadence
	Mode     Mode
	// Checks are run in this order.
	Checks []Check
	// Reports are what [Lens] reads: paths with slashes from the root, of SARIF
	// files.
	Reports []string
	// Images are what [Image] verifies: references, or paths of OCI layouts.
	Images     []string
	Thresholds Thresholds
	// Updates is nil for a preset that changes nothing.
	Updates *Updates
}

// IDs of the presets that are built in.
const (
	Security = "security"
	Sweeper  = "dependency-sweeper"
)

// Maturity is what may be relied on.
type Maturity string

// The maturities.
const (
	// Stable keeps what it checks and how it decides within a major version.
	Stable Maturity = "stable"
	// Beta may change with a minor version.
	Beta Maturity = "beta"
)

// Trigger is what starts a run.
type Trigger string

// The triggers.
const (
	// Weekly starts a run by the cadence, whatever that is.
	Weekly Trigger = "weekly"
	// Notice starts one on demand, about advisories.
	Notice Trigger = "notice"
	// Release starts one before a release.
	Release Trigger = "release"
)

// Triggers returns all of them.
func Triggers() []Trigger { return []Trigger{Weekly, Notice, Release} }

// Check names one of the checks that package scan runs, or [Image].
type Check string

// The checks.
const (
	Dockerfile       Check = "dockerfile"
	Rewrite          Check = "rewrite"
	Floors           Check = "floors"
	Lens             Check = "lens"
	Acknowledgements Check = "acknowledgements"
	Advisories       Check = "advisories"
	// Image verifies built images, as the release gate does.
	Image Check = "image"
)

// Checks returns all of them.
func Checks() []Check {
	return []Check{Dockerfile, Rewrite, Floors, Lens, Acknowledgements, Advisories, Image}
}

// Thresholds are from where on something blocks that else would not.
type Thresholds struct {
	// Warnings is how many open warnings are accepted; -1 is any number.
	Warnings int
	// Advisories is how old the advisory database may be; zero leaves it to the
	// policy of the floors.
	Advisories time.Duration
	// Acknowledgements is how long every acknowledgement must go on to hold; zero
	// accepts whatever holds now.
	Acknowledgements time.Duration
}

// AnyWarnings accepts any number of warnings.
const AnyWarnings = -1

// Safety is what a preset may never do, whatever the project says.
type Safety struct {
	// Writes is when files of the project are written, Network which connections
	// are opened, and Executes what of the project is run.
	Writes, Network, Executes string
}

// Safety returns what the preset may not do.
func (p *Preset) Safety() Safety {
	s := Safety{Writes: "never", Network: "none", Executes: "nothing"}
	if p.Updates != nil {
		s.Writes = "with --apply"
	}
	if slices.Contains(p.Checks, Image) {
		s.Network = "the registries of the images, by TLS"
	}
	return s
}

// Commands are what a person types.
func (p *Preset) Commands() []string {
	var all []string
	for _, t := range p.Triggers {
		all = append(all, p.Command(t))
	}
	if p.Updates != nil {
		all = append(all, p.Command(Weekly)+" --apply")
	}
	return append(all, "loopxctl preset due", "loopxctl preset history "+p.ID)
}

// Command is what starts a run by hand.
func (p *Preset) Command(t Trigger) string {
	text := "loopxctl preset run " + p.ID + " --trigger " + string(t)
	if t == Notice {
		text += " --notice FILE"
	}
	return text
}

// Builtin returns the presets that are built in, as they are without a word from
// the project.
func Builtin() []Preset {
	return []Preset{
		{
			ID: Security, Title: "Security of the build: fetches, dependencies, findings of other tools", Maturity: Stable,
			Triggers: Triggers(), Cadence: monday(), Mode: Enforce,
			Checks:     []Check{Dockerfile, Rewrite, Floors, Lens, Acknowledgements, Advisories},
			Thresholds: Thresholds{Warnings: AnyWarnings},
		},
		{
			ID: Sweeper, Title: "Dependency floors and pins, raised within patch and minor versions", Maturity: Beta,
			Triggers: []Trigger{Weekly}, Cadence: monday(), Mode: ReportFirst,
			Checks:     []Check{Floors, Advisories},
			Thresholds: Thresholds{Warnings: AnyWarnings},
			Updates:    &Updates{Allow: Minor},
		},
	}
}

// monday is 06:00 UTC of every Monday.
func monday() Cadence {
	c, err := ParseCron("0 6 * * 1")
	if err != nil {
		panic(err) // a constant that a test holds
	}
	return Cadence{Cron: c, Zone: time.UTC}
}

// Find returns the preset of an ID; nil if there is none.
func Find(all []Preset, id string) *Preset {
	i := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// IDs are those of presets.
func IDs(all []Preset) []string {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids
}
