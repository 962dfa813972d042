package distro_test

import (
	"flag"
	"testing"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
)

var _ = flag.Bool("update", false, "there are no goldens here")

func TestOfImage(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"debian:12":                                         "debian 12",
		"debian:12.5-slim":                                  "debian 12",
		"debian:bookworm-slim":                              "debian 12",
		"debian:bookworm-20240513-slim":                     "debian 12",
		"debian:bookworm@sha256:00":                         "debian 12",
		"docker.io/library/debian:trixie":                   "debian 13",
		"registry.example.com:5000/debian:11":               "debian 11",
		"ubuntu:24.04":                                      "ubuntu 24.04",
		"ubuntu:noble-20240605":                             "ubuntu 24.04",
		"public.ecr.aws/ubuntu/ubuntu:22.04":                "ubuntu 22.04",
		"python:3.12-slim-bookworm":                         "debian 12",
		"node:20-bookworm":                                  "debian 12",
		"buildpack-deps:jammy":                              "ubuntu 22.04",
		"nvidia/cuda:12.4.1-devel-ubuntu22.04":              "ubuntu 22.04",
		"mcr.microsoft.com/devcontainers/base:ubuntu-22.04": "ubuntu 22.04",
		"gcr.io/distroless/python3-debian12:nonroot":        "debian 12",
		"x:${V}-bookworm":                                   "debian 12",
		// the system, and no release
		"debian":                "debian",
		"debian:latest":         "debian",
		"debian:stable-slim":    "debian",
		"debian:sid":            "debian",
		"ubuntu:latest":         "ubuntu",
		"debian@sha256:00":      "debian",
		"debian:${V}":           "debian",
		"ubuntu:99.04":          "ubuntu",
		"mcr.example/x:ubuntu":  "ubuntu",
		"mcr.example/x:debian9": "debian 9",
		// nothing
		"python:3.12-slim":      "unknown",
		"python:3.12":           "unknown",
		"${BASE}":               "unknown",
		"${BASE}:12":            "unknown",
		"scratch":               "unknown",
		"":                      "unknown",
		"alpine:3.22":           "unknown",
		"x:bookworm-and-jammy":  "unknown",
		"debian:jammy":          "unknown",
		"x/debian-ubuntu:1":     "unknown",
		"bookworm:5000/python":  "unknown",
		"bookworm/python:3":     "unknown",
		"x:12-slim":             "unknown",
		"foo-bookworm/python:3": "unknown",
	} {
		if got := distro.OfImage(ref).String(); got != want {
			t.Errorf("%s is %s, want %s", ref, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"debian:12": "debian 12", "debian:12.5": "debian 12", "Debian:Bookworm": "debian 12", "ubuntu:noble": "ubuntu 24.04", "ubuntu:24.04": "ubuntu 24.04",
		"alpine:3.22": "alpine 3.22",
	} {
		if got, err := distro.Parse(text); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "debian", "debian:", ":12", "debian:99", "debian:jammy", "ubuntu:24"} {
		if got, err := distro.Parse(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestOfEcosystem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]distro.Ecosystem{
		"Debian:12":                         {OS: distro.OS{System: "debian", Version: "12"}},
		"Debian":                            {OS: distro.OS{System: "debian"}},
		"Debian:99":                         {OS: distro.OS{System: "debian", Version: "99"}},
		"Debian:sid":                        {OS: distro.OS{System: "debian", Version: "sid"}},
		"Debian:bookworm-security":          {OS: distro.OS{System: "debian", Version: "12"}},
		"Ubuntu:zany":                       {OS: distro.OS{System: "ubuntu", Version: "zany"}},
		"Ubuntu:24.04:LTS":                  {OS: distro.OS{System: "ubuntu", Version: "24.04"}},
		"Ubuntu:25.10":                      {OS: distro.OS{System: "ubuntu", Version: "25.10"}},
		"Ubuntu:Pro:18.04:LTS":              {OS: distro.OS{System: "ubuntu", Version: "18.04"}, Pro: true},
		"Ubuntu:Pro:FIPS-updates:22.04:LTS": {OS: distro.OS{System: "ubuntu", Version: "22.04"}, Pro: true, Variant: "FIPS-updates"},
	} {
		if got, ok := distro.OfEcosystem(name); !ok || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "PyPI", "Alpine:v3.22", "npm"} {
		if got, ok := distro.OfEcosystem(name); ok {
			t.Errorf("%q: %+v", name, got)
		}
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n": "debian 12",
		"ID=ubuntu\nVERSION_ID='24.04'\n":                                                "ubuntu 24.04",
		"ID=alpine\r\nVERSION_ID=3.22.1\n":                                               "alpine 3.22.1",
		"ID=debian\n":                                                                    "debian",
	} {
		if got, ok := distro.Release(text); !ok || got.String() != want {
			t.Errorf("%q: %s, %v, want %s", text, got, ok, want)
		}
	}
	if got, ok := distro.Release("NAME=x\n"); ok {
		t.Errorf("a text without an ID is %s", got)
	}
}

func TestOlder(t *testing.T) {
	t.Parallel()
	debian := func(v string) distro.OS { return distro.OS{System: "debian", Version: v} }
	if !distro.Older(debian("9"), debian("12")) || distro.Older(debian("12"), debian("9")) || distro.Older(debian("12"), debian("12")) {
		t.Error("the order of Debian's releases is wrong")
	}
	if distro.Older(debian("9"), distro.OS{System: "ubuntu", Version: "24.04"}) {
		t.Error("releases of two systems have an order")
	}
	if o, ok := distro.Suite("bookworm-security"); !ok || o != debian("12") || o.Codename() != "bookworm" {
		t.Errorf("bookworm-security is %s", o)
	}
}

// FuzzOfImage holds that any reference gives a release of the table, or none.
func FuzzOfImage(f *testing.F) {
	f.Add("debian:bookworm-slim@sha256:0")
	f.Add("a/b:1-ubuntu22.04")
	f.Fuzz(func(t *testing.T, ref string) {
		o := distro.OfImage(ref)
		if o.Known() && o.Codename() == "" {
			t.Errorf("%q is %s", ref, o)
		}
	})
}
