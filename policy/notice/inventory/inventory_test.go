package inventory_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/notice/inventory"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// listed is one line for the list and one for each package.
func listed(text string) string {
	l, err := inventory.Read(text)
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	b.WriteString(l.Form)
	if l.Installed {
		b.WriteString(" installed")
	}
	for _, p := range l.Packages {
		fmt.Fprintf(&b, "\n%s %s %s %s < %s %s (%s)", p.Kind, p.Name, p.Version, p.Arch, p.Source, p.SourceVersion, p.OS)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	const spdx = `{"spdxVersion":"SPDX-2.3","packages":[{"name":"libssl3","externalRefs":[{"referenceType":"cpe23Type","referenceLocator":"cpe:2.3:a"},{"referenceType":"purl","referenceLocator":"pkg:deb/debian/libssl3@3.0.11-1~deb12u2?arch=amd64&upstream=openssl&distro=debian-12"}]},{"name":"os"},{"externalRefs":[{"referenceType":"purl","referenceLocator":"pkg:pypi/setuptools@70.0.0"}]},{"externalRefs":[{"referenceType":"purl","referenceLocator":"pkg:golang/x.y/z@1"}]}]}`
	const spdxWant = "SPDX installed\ndeb libssl3 3.0.11-1~deb12u2 amd64 < openssl  (debian 12)\npypi setuptools 70.0.0  <   (unknown)"
	for _, tc := range []struct{ name, text, want string }{
		{
			"status", "Package: libssl3\nStatus: install ok installed\nArchitecture: amd64\nSource: openssl\nVersion: 3.0.11-1\nDescription: x\n more\n .\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n\nPackage: libc6\nStatus: install ok installed\nSource: glibc (2.36-9)\nVersion: 2.36-9+b1\n",
			"status installed\ndeb libssl3 3.0.11-1 amd64 < openssl  (unknown)\ndeb libc6 2.36-9+b1  < glibc 2.36-9 (unknown)",
		},
		{"Packages", "Package: curl\nVersion: 1\nFilename: x\n\n\nPackage: libcurl4\nSource: curl\nVersion: 1\n", "Packages\ndeb curl 1  < curl  (unknown)\ndeb libcurl4 1  < curl  (unknown)"},
		{"Sources", "Package: curl\nBinary: curl,\n libcurl4, libcurl4-doc\nVersion: 1\n", "Sources\ndeb curl   < curl  (unknown)\ndeb libcurl4   < curl  (unknown)\ndeb libcurl4-doc   < curl  (unknown)"},
		{"dpkg-query", "libssl3:amd64\t3.0.11-1\ncurl\t1\tcurl\nrc\t\n", "dpkg-query installed\ndeb libssl3 3.0.11-1 amd64 <   (unknown)\ndeb curl 1  < curl  (unknown)"},
		{"dpkg -l", "Desired=Unknown/Install\n| Status\n||/ Name Version Architecture Description\n+++-====-====\nii  libssl3:amd64  3.0.11-1  amd64  Secure\nrc  old  1  amd64  x\n", "dpkg-query installed\ndeb libssl3 3.0.11-1 amd64 <   (unknown)"},
		{"SPDX", spdx, spdxWant},
		{"an attestation", `{"_type":"https://in-toto.io/Statement/v0.1","predicateType":"https://spdx.dev/Document","predicate":` + spdx + "}", spdxWant},
		{"of buildx", `{"SPDX":` + spdx + "}", spdxWant},
		{"by platform", `{"linux/amd64":{"SPDX":` + spdx + `},"linux/arm64":{"SPDX":{"spdxVersion":"SPDX-2.3","packages":[{"externalRefs":[{"referenceType":"purl","referenceLocator":"pkg:pypi/a@1"}]}]}}}`, spdxWant + "\npypi a 1  <   (unknown)"},
		{
			"CycloneDX", `{"bomFormat":"CycloneDX","components":[{"purl":"pkg:deb/ubuntu/libssl3t64@3.0.13-0ubuntu3.4?arch=amd64&distro=ubuntu-24.04&upstream=openssl%403.0.13","components":[{"purl":"pkg:pypi/b@2"}]},{"name":"none"}]}`,
			"CycloneDX installed\ndeb libssl3t64 3.0.13-0ubuntu3.4 amd64 < openssl 3.0.13 (ubuntu 24.04)\npypi b 2  <   (unknown)",
		},
		{"Syft", `{"artifacts":[{"purl":"pkg:deb/debian/bash@5.2.15-2%2Bb2?distro=bookworm"}]}`, "Syft installed\ndeb bash 5.2.15-2+b2  < bash  (debian 12)"},
		{"a plus in a version", `{"artifacts":[{"purl":"pkg:deb/debian/g%2B%2B@4:12.2.0-3+b1?upstream=gcc-defaults@1.203+x"}]}`, "Syft installed\ndeb g++ 4:12.2.0-3+b1  < gcc-defaults 1.203+x (debian)"},
		// what is wrong
		{"empty", "", "error: line 1: this is no list of packages that is known: dpkg's status, the output of dpkg-query, an apt index, SPDX or CycloneDX as JSON"},
		{"prose", "hello world\n", "error: line 1: this is no list of packages that is known: dpkg's status, the output of dpkg-query, an apt index, SPDX or CycloneDX as JSON"},
		{"a stanza without a name", "Version: 1\n\n", "error: line 1: a stanza names no package"},
		{"a bad line", "Package: a\nbad\n", `error: line 2: "bad" is no field of a package`},
		{"a bad line of dpkg-query", "a\t1\nb\n", "error: line 2: this is no line of dpkg-query -W: a package and its version, with a tab between them"},
		{"no bill", "{}", "error: this is no bill of materials that is known: SPDX 2 or CycloneDX as JSON"},
		{"SPDX 3", `{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}`, "error: this is no bill of materials that is known: SPDX 2 or CycloneDX as JSON"},
		{"cut off", "{\n\"spdxVersion\": \"SP", "error: line 2: this is no JSON: unexpected end of JSON input"},
		{"another type", `{"spdxVersion":7}`, `error: line 1: the field "spdxVersion" holds number, which it must not`},
		{"no packages", `{"spdxVersion":"SPDX-2.3"}`, "error: there is no package in the list"},
		{"wrapped too deep", strings.Repeat(`{"predicate":`, 6) + spdx + strings.Repeat("}", 6), "error: this is no bill of materials that is known: SPDX 2 or CycloneDX as JSON"},
		{"a purl that is none", `{"artifacts":[{"purl":"pkg:deb/%zz"}]}`, `error: "pkg:deb/%zz" is no package URL`},
	} {
		if diff := cmp.Diff(tc.want, listed(tc.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	var x inventory.Index
	for _, text := range []string{"Package: libssl3\nSource: openssl\n", "Package: libssl3\nSource: openssl\n\nPackage: libx\nSource: a\n", "Package: libx\nSource: b\n"} {
		l, err := inventory.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		x.Add(l)
	}
	if diff := cmp.Diff([]string{"openssl"}, x.Sources("libssl3")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, x.Sources("libx")); diff != "" {
		t.Error(diff)
	}
	if got := x.Sources("none"); got != nil {
		t.Errorf("%v", got)
	}
}

// FuzzRead holds that any text is read or refused, and that what is read has a
// name.
func FuzzRead(f *testing.F) {
	f.Add("Package: a\nStatus: install ok installed\nVersion: 1\n")
	f.Add("a\t1\tb\n")
	f.Add("ii  a  1  amd64\n")
	f.Add(`{"spdxVersion":"SPDX-2.3","packages":[{"externalRefs":[{"referenceType":"purl","referenceLocator":"pkg:deb/debian/a@1?upstream=b%401"}]}]}`)
	f.Add(`{"bomFormat":"CycloneDX","components":[{"purl":"pkg:pypi/a@1"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := inventory.Read(text)
		if err != nil {
			return
		}
		for _, p := range l.Packages {
			if p.Name == "" {
				t.Errorf("%q: a package without a name", text)
			}
		}
	})
}
