package pep508

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

func pythons(t testing.TB, specifiers string) pep440.Set {
	t.Helper()
	s, err := pep440.ParseSpecifiers(specifiers)
	if err != nil {
		t.Fatal(err)
	}
	return s.Set()
}

func TestNever(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		marker, requires string
		want             bool
	}{
		{`python_version < "3.8"`, ">=3.8", true},
		{`python_version < "3.8"`, ">=3.7", false},
		{`python_version < "3.8"`, "", false},
		{`python_version <= "3.8"`, ">=3.8.1", false},
		{`python_version <= "3.8"`, ">=3.9", true},
		{`python_version < "3"`, ">=3.8", true},
		{`python_version == "2.7"`, ">=3", true},
		{`python_version == "2.*"`, ">=3", true},
		{`python_version == "3.*"`, ">=3", false},
		{`python_version != "3.*"`, "~=3.8", true},
		{`python_version > "3.10"`, "<3.11", true},
		{`python_version > "3.10"`, "<=3.11", false},
		{`python_version > "3.10.4"`, "<3.11", true},
		{`python_version >= "3.10.4"`, "==3.10.*", true},
		{`python_version < "3.10.4"`, "==3.10.*", false},
		{`python_version == "3.10.4"`, "", true},
		{`python_version === "3.10"`, ">=3.11", true},
		{`python_version === "3"`, "", true},
		{`python_version ~= "3.8"`, ">=4", true},
		{`python_version ~= "3.8"`, ">=3.20", false},
		{`"3.8" > python_version`, ">=3.8", true},
		{`"3.8" > python_version`, ">=3.7", false},
		{`"3.8" <= python_version`, "<3.8.dev0", true},
		{`python_version in "2.6 2.7"`, ">=3", true},
		{`python_version in "2.7, 3.10"`, ">=3.2", false},
		{`python_version in "2.7, 3.10"`, "==3.1.*", false},
		{`python_version in "2.7, 3.10"`, ">=3.2,<3.10.dev0", true},
		{`python_version in "three"`, ">=3", true},
		{`python_version not in "3.8, 3.9"`, ">=3.8,<3.10.dev0", true},
		{`python_version not in "3.8, 3.9"`, ">=3.8", false},
		{`python_version in "12345.6"`, ">=3", false},
		{`python_full_version < "3.8.1"`, ">=3.8.1", true},
		{`python_full_version < "3.8.1"`, ">=3.8", false},
		{`python_full_version == "3.7.*"`, ">=3.8", true},
		{`python_full_version > "3.8"`, "==3.8", true},
		{`"3.8.1" > python_full_version`, ">=3.8.2", true},
		{`"3.8.1" >= python_full_version`, ">=3.8.1", false},
		{`"3.8.1" < python_full_version`, "<3.8", true},
		{`"3.8.1" == python_full_version`, ">=3.9", true},
		{`"3.8.1" ~= python_full_version`, ">=3.9", true},
		{`"3.8.1" != python_full_version`, "==3.8.1", false},
		{`python_version < "3.8" and sys_platform == "win32"`, ">=3.8", true},
		{`python_version < "3.8" or sys_platform == "win32"`, ">=3.8", false},
		{`python_version < "3.8" or python_full_version < "3.8.2"`, ">=3.9", true},
		{`os_name == "nt" and (python_version < "3.6" or python_version < "3.8")`, ">=3.8", true},
		{`python_version < "3.8" and python_version >= "3.9"`, "", true},
		{`python_version < "3.8" and os_name == "nt" or python_version < "3.7"`, ">=3.8", true},
		// Not understood.
		{`implementation_version < "3.8"`, ">=3.8", false},
		{`extra == "dev"`, ">=3.8", false},
		{`"a" == "b"`, ">=3.8", false},
		{`python_version == os_name`, ">=3.8", false},
		{`python_version < "nine"`, ">=3.8", false},
		{`python_version < "1!3.8"`, "", false},
		{`python_version >= "1!3.8"`, "", false},
		{`python_version >= "99999999999999999999.0"`, "", false},
		{`python_full_version in "2.7.18"`, ">=3.8", false},
		{`"2" in python_version`, ">=3.8", false},
		{`python_full_version === "2.7.18"`, ">=3.8", false},
		{`"nine" <= python_full_version`, ">=3.8", false},
		// An error is no proof.
		{`python_version ~= "3"`, ">=4", false},
		// No Python at all proves nothing.
		{`python_version < "3.8"`, ">=3,<2", false},
	} {
		if got := parseMarker(t, tc.marker).Never(pythons(t, tc.requires)); got != tc.want {
			t.Errorf("with requires-python %q, %s is never true: %t, want %t", tc.requires, tc.marker, got, tc.want)
		}
	}
	if (*Marker)(nil).Never(pep440.All()) {
		t.Error("no marker is never true")
	}
}

// TestNeverGivesUp holds that a marker without measure proves nothing.
func TestNeverGivesUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, part string
		// room is how often the part may stand in the text.
		room int
	}{
		{`python_version < "2"%s`, ` or python_version < "2"`, maxTerms - 1},
		{`python_version < "2" and (os_name == "x"%s)`, ` or os_name == "x"`, maxTerms - 2},
		{`python_version in "%s"`, `2.7 `, maxTerms},
	} {
		for _, n := range []int{tc.room, tc.room + 1} {
			m := parseMarker(t, fmt.Sprintf(tc.text, strings.Repeat(tc.part, n)))
			if got := m.Never(pythons(t, ">=3.8")); got != (n == tc.room) {
				t.Errorf("%s with %d more is never true: %t", tc.text, n, got)
			}
		}
	}
}

// interpreters are Pythons, real ones and some around the edges.
func interpreters() []map[string]string {
	full := []string{"2.6.9", "2.7.18", "3.0.0", "4.0.0", "4.1.0a1", "3.13.0rc2", "3.8.0a1", "3.8.0+", "3.13.0a4+", "0.1.0", "3.100.0"}
	for y := range 15 {
		for _, z := range []string{"0", "1", "18"} {
			full = append(full, fmt.Sprintf("3.%d.%s", y, z))
		}
	}
	var envs []map[string]string
	for i, version := range full {
		env := linux()
		parts := strings.SplitN(version, ".", 3)
		env["python_full_version"], env["python_version"] = version, parts[0]+"."+parts[1]
		if i%2 == 0 {
			env["os_name"] = "nt"
		}
		envs = append(envs, env)
	}
	return envs
}

// TestNeverIsProof asks Eval, for made-up markers, about every Python that
// Never has ruled out. A marker that fails there isn't true.
func TestNeverIsProof(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(83, 0))
	proven := 0
	for range 3000 {
		marker, requires := madeUpMarker(random, 0), madeUpRequires(random)
		m, set := parseMarker(t, marker), pythons(t, requires)
		if !m.Never(set) {
			continue
		}
		proven++
		for _, env := range interpreters() {
			v, err := pep440.Parse(strings.Replace(env["python_full_version"], "+", "+local", 1))
			if err != nil {
				t.Fatal(err)
			}
			if !set.Contains(v) {
				continue
			}
			if holds, _ := m.Eval(env); holds {
				t.Errorf("%s is said to be never true for %q: for %s it is", marker, requires, v)
			}
		}
	}
	if proven < 100 {
		t.Errorf("only %d of the markers were proven: the test shows too little", proven)
	}
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

func madeUpVersion(random *rand.Rand) string {
	return pick(random, "2", "2.7", "3", "3.0", "3.7", "3.8", "3.8.0", "3.8.1", "3.8.18", "3.9", "3.10", "3.13", "3.13.0rc2",
		"3.13.0a4", "3.8.0a1", "3.8+local", "3.8.0.post1", "3.8.dev1", "4", "4.0", "3.*", "3.8.*", "2.*", "v3.8", " 3.9 ", "0", "x", "1!3.8", "=3.8")
}

func madeUpRequires(random *rand.Rand) string {
	return pick(random, "", ">=3.8", ">=3.9,<4", ">=3.8.1", "<3.8", "~=3.8", "==3.8.*", "==3.10.*", ">3.8", ">=2.7,!=3.0.*", ">=4", "<3", "<=3.13", "==3.8", ">=3.13.0rc1")
}

func madeUpMarker(random *rand.Rand, depth int) string {
	if depth < 3 && random.IntN(2) == 0 {
		joined := madeUpMarker(random, depth+1) + pick(random, " and ", " or ") + madeUpMarker(random, depth+1)
		if random.IntN(2) == 0 {
			return "(" + joined + ")"
		}
		return joined
	}
	name := pick(random, pythonVersion, pythonVersion, pythonFullVersion, pythonFullVersion, "os_name", "implementation_version")
	op := pick(random, "<", "<=", "==", "!=", ">=", ">", "~=", "===", "in", "not in")
	text := madeUpVersion(random)
	if strings.HasSuffix(op, "in") {
		text = pick(random, "2.6 2.7", "3.8, 3.9", "3.10", "3", "3.", ".8", "")
	}
	if random.IntN(4) == 0 {
		return `"` + text + `" ` + op + " " + name
	}
	return name + " " + op + ` "` + text + `"`
}
