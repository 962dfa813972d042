package aptsource

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

func TestDetect(t *testing.T) {
	for path, want := range map[string]Format{
		"/etc/apt/sources.list":                       OneLine,
		"sources.list":                                OneLine,
		"/etc/apt/sources.list.d/debian.sources":      Deb822,
		"/etc/apt/sources.list.d/docker.list":         OneLine,
		"/etc/apt/sources.list.d/a_b-c.d:e.list":      OneLine,
		"/etc/apt/sources.list.d/${NAME}.list":        OneLine,
		"/etc/apt/sources.list.d/${NAME}-x.sources":   Deb822,
		"/etc/apt/sources.list.d/sources.list":        OneLine,
		"/etc/apt/sources.list.d/x.list.save":         NotRead,
		"/etc/apt/sources.list.d/debian.sources.orig": NotRead,
		"/etc/apt/sources.list.d/no-extension":        NotRead,
		"/etc/apt/sources.list.d/.hidden.list":        NotRead,
		"/etc/apt/sources.list.d/.list":               NotRead,
		"/etc/apt/sources.list.d/a b.list":            NotRead,
		"/etc/apt/sources.list.d/a+b.list":            NotRead,
		"/etc/apt/sources.list.d/a~.sources":          NotRead,
		"/etc/apt/sources.list.d/x.LIST":              NotRead,
		"/etc/apt/sources.list.d/${NAME.list":         NotRead,
		"/etc/apt/sources.list.d/":                    NotRead,
		"":                                            NotRead,
	} {
		if got := Detect(path); got != want {
			t.Errorf("Detect(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		text    string
		entry   string // "" if none
		problem string
	}{
		{"deb http://h/d a main", "1: deb http://h/d/ a main", ""},
		{" deb-src http://h/d ${S} main contrib # x\n", "1: deb-src http://h/d/ ${S} main,contrib", ""},
		{"deb [arch=${A} signed-by=/k] http://h/d ${S}-x main\r\n", "1: deb http://h/d/ ${S}-x main arch=${A} signed-by=/k", ""},
		{"deb ${REPO}", "1: deb ${REPO}/", ""},
		{"deb http://h/d ${S}", "1: deb http://h/d/ ${S}", ""},
		{"deb http://h/d a", "", "Malformed entry 1 in list file (Component)"},
		{"deb http://h/d a main\ndeb http://i/d a main", "", "more than one line"},
		{"deb http://h/d a main\ndeb http://i/d a main\n", "", "more than one line"},
		{"http://h/d", "", ""},
		{"deb", "", ""},
		{"debian http://h/d a main", "", ""},
		{"# deb http://h/d a main", "", ""},
		{"", "", ""},
	} {
		e, ok, p := ParseLine(textmap.Identity(c.text))
		got := ""
		if ok {
			got = show(e)
		}
		if got != c.entry {
			t.Errorf("ParseLine(%q) = %q, want %q", c.text, got, c.entry)
		}
		switch {
		case p == nil && c.problem != "", p != nil && p.Message != c.problem:
			t.Errorf("ParseLine(%q): problem %v, want %q", c.text, p, c.problem)
		}
	}
}

func TestMirrorList(t *testing.T) {
	checkRows(t, []row{
		{"plain", "http://h/d\nhttps://i/d/\n", entry("1: http://h/d/", "2: https://i/d/ (https://i/d/)"), nil},
		{"tags", "http://h/d\tpriority:1 arch:amd64\tarch:i386 odd\nhttp://i/d\t\n", entry("1: http://h/d/ arch=amd64,i386 priority=1", "2: http://i/d/"), nil},
		{"comments and empty lines", "#http://h/d\n\nhttp://i/d", entry("3: http://i/d/"), nil},
		{"CRLF", "http://h/d\r\nhttp://i/d\tpriority:1\r\n", entry("1: http://h/d/", "2: http://i/d/ priority=1"), nil},
		{"no quotes, no escapes", "\"http://h/d\"\nhttp%3a//h/d\n", entry(`1: "http://h/d"/`, "2: http%3a//h/d/"), nil},
		{"blanks belong to the URI", " http://h/d\n", entry("1:  http://h/d/"), nil},
	}, MirrorList)
}

func TestSuspicious(t *testing.T) {
	for text, want := range map[string]string{
		"deb http://h/d a main":                   "",
		"deb [trusted=yes] http://h/d a main":     "trusted=yes",
		"deb [trusted=1] http://h/d a main":       "trusted=yes",
		"deb [trusted=On] http://h/d a main":      "trusted=yes",
		"deb [trusted=no] http://h/d a main":      "",
		"deb [trusted=perhaps] http://h/d a main": "",
		"deb [Trusted=yes] http://h/d a main":     "",
		"deb [allow-downgrade-to-insecure=yes allow-weak=yes allow-insecure=yes] http://h/d a main":        "allow-insecure=yes allow-weak=yes allow-downgrade-to-insecure=yes",
		"deb [check-valid-until=no check-date=false] http://h/d a main":                                    "check-valid-until=no check-date=no",
		"deb [check-valid-until=yes] http://h/d a main":                                                    "",
		"Types: deb\nURIs: http://h/d\nSuites: ./\nTrusted: yes\nCheck-Valid-Until: no\nAllow-Insecure: 1": "trusted=yes allow-insecure=yes check-valid-until=no",
		"Types: deb\nURIs: http://h/d\nSuites: ./\nTrusted:\n":                                             "",
	} {
		f := OneLine
		if strings.HasPrefix(text, "Types") {
			f = Deb822
		}
		entries, _ := Parse(textmap.Identity(text), f)
		if len(entries) != 1 {
			t.Fatalf("%q: %d entries", text, len(entries))
		}
		if got := strings.Join(Suspicious(entries[0]), " "); got != want {
			t.Errorf("Suspicious(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestParseBool(t *testing.T) {
	for _, c := range []struct {
		words     string
		on, known bool
	}{
		{"yes|YES|true|with|on|enable|1|01|0x1|+1| 1|\t0X01", true, true},
		{"no|No|false|without|off|disable|0|00|0x0|-0|+0", false, true},
		{"2|-1|nope|1 |0 |08|0x|y|n| yes| |1x|--1", false, false},
	} {
		for word := range strings.SplitSeq(c.words, "|") {
			if on, known := parseBool(word); on != c.on || known != c.known {
				t.Errorf("parseBool(%q) = %v, %v", word, on, known)
			}
		}
	}
	if on, known := parseBool(""); on || !known {
		t.Errorf("parseBool of nothing = %v, %v; C's strtol reads it as 0", on, known)
	}
}

// TestRanges: each URI maps to its own bytes, whatever stands around it.
func TestRanges(t *testing.T) {
	const text = "# http://x/\nTypes: deb\nURIs:\n http://h/d\n# http://y/\n\thttp://i/d http://j/d\nSuites: a\nComponents: main\n"
	entries, _ := ParseSources(textmap.Identity(text))
	var got []string
	for _, e := range entries {
		start, end, ok := e.URI.Range(0, e.URI.Len())
		if !ok {
			t.Fatalf("%s has no source", e.URI.String())
		}
		got = append(got, text[start:end])
	}
	if want := []string{"http://h/d", "http://i/d", "http://j/d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
