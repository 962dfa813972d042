package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// frontend checks that what made the build's definition, and those of builds
// that went into it, are allowed images.
func (j *judge) frontend() Check {
	b := j.platform.Build
	const todo = "Build it with an allowed image: # syntax=IMAGE@DIGEST, or --build-arg BUILDKIT_SYNTAX=IMAGE@DIGEST."
	if len(j.Config.Frontends) == 0 {
		return unproved(ImageFrontend, "Name the digests of the frontends that may build: release.frontends in loopx.yaml, or --frontend-digest.",
			"it is not said which frontends are allowed; this is %s", frontendName(b.Frontend))
	}
	if why := j.foreign(b.Frontend); why != "" {
		if b.Frontend.Name == "" {
			return unproved(ImageFrontend, todo, "the client made the build's definition by itself, so which frontend it had is not recorded")
		}
		return failed(ImageFrontend, todo, "%s", why)
	}
	if why := j.rerouted(b.Root); why != "" {
		return failed(ImageFrontend, todo, "%s, which handed on to %s", why, frontendName(b.Frontend))
	}
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		f := b.Inputs[name]
		why := j.foreign(f)
		if strings.HasSuffix(name, provenance.RootSuffix) {
			why = j.rerouted(&f)
		}
		if why != "" {
			return failed(ImageFrontend, todo, "the build that is the named context %s: %s", name, why)
		}
	}
	if lost := unrecorded(b); len(lost) > 0 {
		return unproved(ImageFrontend, "Build all of it in one go with a recent BuildKit, which records them, or with no other target as a named context.",
			"which frontends built %s is not recorded", number(len(lost), "named context", "named contexts")).with(lost)
	}
	return passed(ImageFrontend, "%s", frontendName(b.Frontend))
}

// rerouted says why the frontend that the client asked for is not one that may
// hand on to another: it could have given anything to that, and have changed what
// came back. The daemon's own, which follows syntax lines, may.
func (j *judge) rerouted(root *provenance.Frontend) string {
	if root == nil || root.Ref == "" && (root.Name == "" || root.Name == "dockerfile.v0") {
		return ""
	}
	return j.foreign(*root)
}

// unrecorded are the named contexts that are results of other builds, of which the
// daemon recorded nothing.
func unrecorded(b *provenance.Build) []string {
	all := contexts("", b.Frontend, b.Inputs)
	for name, f := range b.Inputs {
		if !strings.HasSuffix(name, provenance.RootSuffix) { // it has the contexts of what it led to
			all = append(all, contexts(name+"/", f, b.Inputs)...)
		}
	}
	slices.Sort(all)
	return all
}

// contexts are those among the named contexts of a frontend that are results of
// other builds, and none of known (dockerui's context:NAME=input:KEY).
func contexts(prefix string, f provenance.Frontend, known map[string]provenance.Frontend) []string {
	var lost []string
	for key, value := range f.Attrs {
		name, named := strings.CutPrefix(key, "context:")
		input, ok := strings.CutPrefix(value, "input:")
		if _, there := known[prefix+input]; named && ok && !there {
			lost = append(lost, prefix+name)
		}
	}
	return lost
}

// foreign says why a frontend is not allowed; "" if it is.
func (j *judge) foreign(f provenance.Frontend) string {
	switch {
	case f.Ref == "":
		return fmt.Sprintf("it is built by %s, which is none of the allowed frontends", frontendName(f))
	case f.Digest == "":
		return fmt.Sprintf("the digest of the frontend %s is not recorded", f.Ref)
	case !slices.Contains(j.Config.Frontends, f.Digest):
		return fmt.Sprintf("it is built by %s, which is none of the allowed frontends", frontendName(f))
	}
	return ""
}

func frontendName(f provenance.Frontend) string {
	switch {
	case f.Ref == "" && f.Name == "":
		return "a frontend that is not recorded"
	case f.Ref == "":
		return "the daemon's own " + f.Name
	}
	return f.Ref + " (" + cmp.Or(f.Digest, "no digest is recorded") + ")"
}

// settings checks that no build argument weakens what the frontend does. Both
// the daemon's record of them and the frontend's report are asked.
func (j *judge) settings() Check {
	b, r := j.platform.Build, j.platform.Report
	if b.Mode != provenance.Max && r == nil {
		return unproved(ImageSettings, atMax, "the build arguments are not recorded, as the provenance has mode=%s", b.Mode)
	}
	weak := weakArguments(b.BuildArgs)
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		f := b.Inputs[name]
		for _, w := range weakArguments(f.BuildArgs()) {
			weak = append(weak, "the build that is the named context "+name+": "+w)
		}
	}
	if r != nil {
		weak = append(weak, weakSettings(map[string]string{"LOOPX_MODE": r.Mode, "LOOPX_APT": r.Apt, "LOOPX_CHECKS": r.Checks}, r.Rules)...)
		if r.Checks == "" {
			weak = append(weak, "the report does not say whether LOOPX_CHECKS was off: its frontend is too old")
		}
	}
	if len(weak) > 0 {
		return failed(ImageSettings, "Build it without them.", "the build was weakened").with(weak)
	}
	return passed(ImageSettings, "nothing is turned off, and no public host is kept in clear text")
}

// weakArguments are the build arguments that weaken a build.
func weakArguments(args map[string]string) []string {
	cfg, _, err := route.FromEnv(func(name string) (string, bool) {
		value, ok := args[name]
		return value, ok
	})
	if err != nil {
		return []string{"a LOOPX_ build argument can't be read: " + err.Error()}
	}
	return weakSettings(map[string]string{
		"LOOPX_MODE": string(cfg.Mode), "LOOPX_APT": args["LOOPX_APT"], "LOOPX_CHECKS": args["LOOPX_CHECKS"],
	}, cfg.Hosts)
}

// weakSettings names what in settings and host rules weakens a build.
func weakSettings(settings map[string]string, rules []route.HostRule) []string {
	var weak []string
	for _, w := range [...][2]string{{"LOOPX_MODE", string(route.Audit)}, {"LOOPX_APT", "off"}, {"LOOPX_CHECKS", "off"}} {
		if settings[w[0]] == w[1] {
			weak = append(weak, w[0]+"="+w[1])
		}
	}
	for _, rule := range rules {
		if keepsClear(rule) {
			weak = append(weak, "LOOPX_HOSTS: clear text to "+rule.Host+" is kept")
		}
	}
	return weak
}
