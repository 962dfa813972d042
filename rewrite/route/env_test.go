package route_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

func TestFromEnv(t *testing.T) {
	cfg, notes, err := route.FromEnv(lookup(
		"LOOPX_MODE=audit",
		"LOOPX_DEBIAN_MIRROR=https://a.example/debian,default",
		"LOOPX_UBUNTU_PORTS_MIRROR=https://a.example/ports",
		"LOOPX_PPA_MIRROR=https://ppa.example",
		"LOOPX_KEYSERVER=keys.example",
		"LOOPX_ROS2_MIRROR=",
		"LOOPX_HOSTS=nexus:8081=keep, [::1]=upgrade,a.example=https://b.example/x",
		"LOOPX_CHECKS=off", "LOOPX_APT=whatever",
	))
	if err != nil {
		t.Fatal(err)
	}
	want := route.Config{
		Mode: route.Audit,
		Mirrors: map[string][]string{
			"debian":       {"https://a.example/debian", "default"},
			"ubuntu-ports": {"https://a.example/ports"},
			"ppa":          {"https://ppa.example"},
			"keyserver":    {"hkps://keys.example"},
		},
		Hosts: []route.HostRule{{"nexus:8081", "keep"}, {"[::1]", "upgrade"}, {"a.example", "https://b.example/x"}},
	}
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Error(diff)
	}
	wantNotes := []route.Note{
		{"LOOPX_MODE", "refused fetches are reported and built all the same", true},
		{"LOOPX_HOSTS", "clear text to nexus:8081 is kept", true},
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Error(diff)
	}
	if got := cfg.Notes(); len(got) != 2 || got[0].Variable != "Mode" || got[1].Variable != "Hosts" {
		t.Errorf("notes of the Config: %v", got)
	}
	if cfg, notes, err := route.FromEnv(lookup()); err != nil || notes != nil || !cmp.Equal(cfg, route.Config{}) {
		t.Errorf("empty environment: %+v %v %v", cfg, notes, err)
	}
}

func TestFromEnvErrors(t *testing.T) {
	_, _, err := route.FromEnv(lookup(
		"LOOPX_MODE=warn",
		"LOOPX_DEBIAN_MIRROR=https://u:hunter@a.example/debian",
		"LOOPX_HOSTS=a.example=keep,b.example=no,a.example=refuse",
	))
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("error %v", err)
	}
	var variables []string
	for _, err := range joined.Unwrap() {
		var bad *route.ConfigError
		if !errors.As(err, &bad) {
			t.Fatalf("error %v", err)
		}
		variables = append(variables, bad.Variable)
		wantConfigError(t, err, bad.Variable+": ")
	}
	if diff := cmp.Diff([]string{"LOOPX_MODE", "LOOPX_HOSTS", "LOOPX_HOSTS", "LOOPX_DEBIAN_MIRROR"}, variables); diff != "" {
		t.Error(diff)
	}
}

// TestVariables sets each variable to its own example.
func TestVariables(t *testing.T) {
	archives := map[string]bool{}
	for _, v := range route.Variables() {
		cfg, _, err := route.FromEnv(lookup(v.Name + "=" + v.Example))
		if err != nil {
			t.Errorf("example of %s: %v", v.Name, err)
		}
		if v.Archive != "" && len(cfg.Mirrors[v.Archive]) != 1 {
			t.Errorf("%s sets %v", v.Name, cfg.Mirrors)
		}
		if cmp.Equal(cfg, route.Config{}) || v.Sets == "" || !strings.HasPrefix(v.Name, "LOOPX_") {
			t.Errorf("%s sets nothing", v.Name)
		}
		archives[v.Archive] = true
	}
	for _, name := range route.ArchiveNames() {
		if !archives[name] {
			t.Errorf("archive %s has no variable", name)
		}
	}
	for name := range strings.FieldsSeq(`LOOPX_MODE LOOPX_HOSTS LOOPX_KEYSERVER LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR
		LOOPX_DEBIAN_MIRROR LOOPX_DEBIAN_SECURITY_MIRROR LOOPX_DEBIAN_ARCHIVE_MIRROR LOOPX_DEBIAN_PORTS_MIRROR
		LOOPX_UBUNTU_MIRROR LOOPX_UBUNTU_SECURITY_MIRROR LOOPX_UBUNTU_PORTS_MIRROR LOOPX_UBUNTU_OLD_MIRROR
		LOOPX_KALI_MIRROR LOOPX_RASPBIAN_MIRROR LOOPX_ROS_MIRROR LOOPX_ROS2_MIRROR LOOPX_PPA_MIRROR`) {
		known := slices.ContainsFunc(route.Variables(), func(v route.Variable) bool { return v.Name == name })
		if _, ok := route.UnknownVariable(name); ok || !known {
			t.Errorf("%s is not a variable", name)
		}
	}
}

func TestUnknownVariable(t *testing.T) {
	for name, want := range map[string]string{
		"LOOPX_DEBAIN_MIRROR":         "LOOPX_DEBIAN_MIRROR",
		"LOOPX_DEBIAN_MIRRORS":        "LOOPX_DEBIAN_MIRROR",
		"LOOPX_DEBIAN_SECURTY_MIRROR": "LOOPX_DEBIAN_SECURITY_MIRROR",
		"LOOPX_HOST":                  "LOOPX_HOSTS",
		"LOOPX_MOED":                  "LOOPX_MODE",
		"loopx_mode":                  "LOOPX_MODE",
		"LOOPX_SKILLBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR": "LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR",
		"LOOPX_CHECKS":     "",
		"LOOPX_APT":        "",
		"LOOPX_APT_MIRROR": "",
		"PATH":             "",
		"":                 "",
	} {
		if got, ok := route.UnknownVariable(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", name, got, ok, want)
		}
	}
}
