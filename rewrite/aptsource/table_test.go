package aptsource

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// row is one input with what apt makes of it.
type row struct {
	name     string
	text     string
	entries  []string // as [show] prints them
	problems []string // "line: message"
}

// show prints what matters of an entry on one line. The URI is shown as apt
// prints it, then as it stands in the text if that is something else.
func show(e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d: ", e.Line)
	if len(e.Types) > 0 {
		b.WriteString(strings.Join(e.Types, "+") + " ")
	}
	b.WriteString(e.Address())
	if text := e.URI.String(); text+"/" != e.Address() {
		fmt.Fprintf(&b, " (%s)", text)
	}
	if len(e.Suites) > 0 {
		b.WriteString(" " + strings.Join(e.Suites, ","))
	}
	if len(e.Components) > 0 {
		b.WriteString(" " + strings.Join(e.Components, ","))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		fmt.Fprintf(&b, " %s=%s", name, strings.Join(e.Options[name], ","))
	}
	if !e.Enabled {
		b.WriteString(" off")
	}
	return b.String()
}

func showAll(entries []Entry, problems []Problem) (e, p []string) {
	for _, entry := range entries {
		e = append(e, show(entry))
	}
	for _, problem := range problems {
		p = append(p, fmt.Sprintf("%d: %s", problem.Line, problem.Message))
	}
	return e, p
}

func checkRows(t *testing.T, rows []row, f Format) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			entries, problems := showAll(Parse(textmap.Identity(r.text), f))
			if diff := cmp.Diff(r.entries, entries); diff != "" {
				t.Errorf("entries of %q (-want +got):\n%s", r.text, diff)
			}
			if diff := cmp.Diff(r.problems, problems); diff != "" {
				t.Errorf("problems of %q (-want +got):\n%s", r.text, diff)
			}
		})
	}
}

func entry(s ...string) []string   { return s }
func problem(s ...string) []string { return s }

var oneLineRows = []row{
	{"plain", "deb http://h/d a main\n", entry("1: deb http://h/d/ a main"), nil},
	{"source", "deb-src http://h/d a main contrib\n", entry("1: deb-src http://h/d/ a main,contrib"), nil},
	{"no last newline", "deb http://h/d a main", entry("1: deb http://h/d/ a main"), nil},
	{"empty", "", nil, nil},
	{"blank lines", "\n \n\t\n\r\n", nil, nil},
	{"leading blanks", "  \tdeb http://h/d a main\n", entry("1: deb http://h/d/ a main"), nil},
	{"tabs between words", "deb\thttp://h/d\ta\tmain\n", entry("1: deb http://h/d/ a main"), nil},
	{"vertical tab after the type", "deb\vhttp://h/d a main\n", entry("1: deb http://h/d/ a main"), nil},
	{"form feed after the type", "deb\fhttp://h/d a main\n", nil, problem("1: Type is not known on line 1 in source list")},
	{"CRLF", "deb http://h/d a main\r\n# x\r\ndeb http://i/d a main\r\n", entry("1: deb http://h/d/ a main", "3: deb http://i/d/ a main"), nil},
	{"trailing comment", "deb http://h/d a main # or contrib\n", entry("1: deb http://h/d/ a main"), nil},
	{"comment glued to a word", "deb http://h/d a main#x\n", entry("1: deb http://h/d/ a main"), nil},
	{"comment line", "# deb http://h/d a main\n  # deb http://h/d a main\n", nil, nil},
	{"comment in options", "deb [arch=a#b] http://h/d a main\n", entry("1: deb http://h/d/ a main arch=a#b"), nil},
	{"byte order mark", "\ufeffdeb http://h/d a main\n", nil, problem("1: Type is not known on line 1 in source list")},

	{"quoted URI", "deb \"http://h/d\" a main\n", entry(`1: deb http://h/d/ ("http://h/d") a main`), nil},
	{"quotes within", "deb ht\"t\"p://h/d a main\n", entry(`1: deb http://h/d/ (ht"t"p://h/d) a main`), nil},
	{"quoted blank", "deb \"http://h/a b\" a main\n", entry(`1: deb http://h/a b/ ("http://h/a b") a main`), nil},
	{"quoted suite", "deb http://h/d \"a\" \"main\"\n", entry("1: deb http://h/d/ a main"), nil},
	{"open quote", "deb \"http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file (URI)")},
	{"open quote in the suite", "deb http://h/d \"a main\n", nil, problem("1: Malformed entry 1 in list file (Suite)")},
	{"open quote in the components", "deb http://h/d a main \"contrib\n", entry("1: deb http://h/d/ a main"), nil},
	{"open quote after an exact path", "deb http://h/d ./ \"main\n", entry("1: deb http://h/d/ ./"), nil},
	{"empty URI", "deb \"\" a main\n", nil, problem("1: Malformed entry 1 in list file (URI parse)")},
	{"escaped colon", "deb http%3a//h/d a main\n", entry("1: deb http://h/d/ (http%3a//h/d) a main"), nil},
	{"escaped quote", "deb http://h/%22d a main\n", entry(`1: deb http://h/"d/ (http://h/%22d) a main`), nil},
	{"escape in the suite", "deb http://h/d %61 main\n", entry("1: deb http://h/d/ a main"), nil},
	{"no escape", "deb http://h/%zz%4 a main\n", entry("1: deb http://h/%zz%4/ a main"), nil},

	{"no slashes", "deb http:h/d a main\n", entry("1: deb http://h/d/ (http:h/d) a main"), nil},
	{"one slash", "deb http:/h/d a main\n", entry("1: deb http:/h/d/ a main"), nil},
	{"scheme only", "deb http:// a main\n", entry("1: deb http:// (http://) a main"), nil},
	{"no scheme", "deb h/d a main\n", nil, problem("1: Malformed entry 1 in list file (URI parse)")},
	{"upper case scheme", "deb HTTP://H/d a main\n", entry("1: deb HTTP://H/d/ a main"), nil},
	{"trailing slash", "deb http://h/debian/ a main\n", entry("1: deb http://h/debian/ (http://h/debian/) a main"), nil},
	{"two trailing slashes", "deb http://h/debian// a main\n", entry("1: deb http://h/debian// (http://h/debian//) a main"), nil},
	{"no path", "deb http://h a main\n", entry("1: deb http://h/ a main"), nil},
	{"root path", "deb http://h/ a main\n", entry("1: deb http://h/ (http://h/) a main"), nil},
	{"query", "deb http://h/d?x=1 a main\n", entry("1: deb http://h/d?x=1/ a main"), nil},
	{"fragment", "deb http://h/d#x a main\n", nil, problem("1: Malformed entry 1 in list file (Suite)")},
	{"architecture in the URI", "deb http://h/$(ARCH)/d a main\n", entry("1: deb http://h/$(ARCH)/d/ a main"), nil},
	{"architecture in the suite", "deb http://h/d binary-$(ARCH)/\n", entry("1: deb http://h/d/ binary-$(ARCH)/"), nil},
	{"architecture in a plain suite", "deb http://h/d a-$(ARCH) main\n", entry("1: deb http://h/d/ a-$(ARCH) main"), nil},

	{"userinfo", "deb http://user:p%40ss@h:80/d a main\n", entry("1: deb http://user:p%40ss@h:80/d/ a main"), nil},
	{"user only", "deb http://user@h/d a main\n", entry("1: deb http://user@h/d/ a main"), nil},
	{"two at signs", "deb http://u@v:p@h/d a main\n", entry("1: deb http://u%40v:p@h/d/ (http://u@v:p@h/d) a main"), nil},
	{"empty user", "deb http://@h/d a main\n", entry("1: deb http://@h/d/ a main"), nil},
	{"IPv6", "deb http://[::1]:8080/d a main\n", entry("1: deb http://[::1]:8080/d/ a main"), nil},
	{"IPv6 without port", "deb http://[::1]/d a main\n", entry("1: deb http://[::1]/d/ a main"), nil},
	{"odd ports", "deb http://h:/d a main\ndeb http://i:80x/d a main\ndeb http://j:-1/d a main\n", entry("1: deb http://h/d/ (http://h:/d) a main", "2: deb http://i:80/d/ (http://i:80x/d) a main", "3: deb http://j:4294967295/d/ (http://j:-1/d) a main"), nil},
	{"open bracket", "deb http://[h/d a main\n", nil, problem("1: Malformed entry 1 in list file (URI)")},

	{"exact path", "deb http://h/d suite/\n", entry("1: deb http://h/d/ suite/"), nil},
	{"flat", "deb http://h/d ./\n", entry("1: deb http://h/d/ ./"), nil},
	{"root suite", "deb http://h/d /\n", entry("1: deb http://h/d/ /"), nil},
	{"exact path with a component", "deb http://h/d suite/ main\n", nil, problem("1: Malformed entry 1 in list file (absolute Suite Component)")},
	{"suite with a slash", "deb http://h/d buster/updates main\n", entry("1: deb http://h/d/ buster/updates main"), nil},
	{"no component", "deb http://h/d a\n", nil, problem("1: Malformed entry 1 in list file (Component)")},
	{"no suite", "deb http://h/d\n", nil, problem("1: Malformed entry 1 in list file (Suite)")},
	{"type only", "deb\n", nil, problem("1: Malformed line 1 in source list (type)")},
	{"unknown type", "rpm http://h/d a main\n", nil, problem("1: Type 'rpm' is not known on line 1 in source list")},
	{"upper case type", "DEB http://h/d a main\n", nil, problem("1: Type 'DEB' is not known on line 1 in source list")},
	{"secret as type", "http://u:secret@h/d a main\n", nil, problem("1: Type is not known on line 1 in source list")},

	{"options", "deb [ arch=amd64,i386 lang=en ] http://h/d a main\n", entry("1: deb http://h/d/ a main arch=amd64,i386 lang=en"), nil},
	{"options without blanks", "deb [arch=amd64] http://h/d a main\n", entry("1: deb http://h/d/ a main arch=amd64"), nil},
	{"option twice", "deb [arch=amd64 arch=i386] http://h/d a main\n", entry("1: deb http://h/d/ a main arch=i386"), nil},
	{"options without a blank behind", "deb [arch=amd64]http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] too short)")},
	{"open options", "deb [arch=amd64 http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] not assignment)")},
	{"open options at the end", "deb [arch=amd64\n", nil, problem("1: Malformed entry 1 in list file ([option] unparsable)")},
	{"empty options", "deb [] http://h/d a main\ndeb [ ] http://i/d a main\n", entry("1: deb http://h/d/ a main", "2: deb http://i/d/ a main"), nil},
	{"short option", "deb [a=] http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] no value)")},
	{"shorter option", "deb [a= b=c] http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] too short)")},
	{"option without a name", "deb [=ab] http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] no key)")},
	{"option value in quotes", "deb [signed-by=\"/k y\"] http://h/d a main\n", entry("1: deb http://h/d/ a main signed-by=/k y"), problem("1: Invalid value set for option signed-by (not a fingerprint)")},
	{"option with a blank", "deb [signed-by=/k y] http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] too short)")},
	{"brackets in an option", "deb [arch=[a b] lang=en] http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file (URI parse)")},
	{"keys", "deb [signed-by=/k.gpg,0123456789012345678901234567890123456789!] http://h/d a main\n", entry("1: deb http://h/d/ a main signed-by=/k.gpg,0123456789012345678901234567890123456789!"), nil},
	{"relative key", "deb [signed-by=k.gpg] http://h/d a main\n", entry("1: deb http://h/d/ a main signed-by=k.gpg"), problem("1: Invalid value set for option signed-by (not a fingerprint)")},

	{
		"other methods", "deb file:/srv a main\ndeb file:///srv2 a main\ndeb copy:/srv ./\ndeb mirror+file:/etc/m a main\ndeb mirror://h/m a main\ndeb tor+http://h.onion/d a main\n",
		entry("1: deb file:/srv/ a main", "2: deb file:/srv2/ (file:///srv2) a main", "3: deb copy:/srv/ ./", "4: deb mirror+file:/etc/m/ a main", "5: deb mirror://h/m/ a main", "6: deb tor+http://h.onion/d/ a main"), nil,
	},
	{"cdrom", "deb cdrom:[name with blanks]/ a main\ndeb cdrom:[a/b]/ a main\n", entry("1: deb cdrom://name with blanks/ (cdrom:[name with blanks]/) a main", "2: deb cdrom://[a/b]/ (cdrom:[a/b]/) a main"), nil},
	{"continuation", "deb http://h/d \\\n a main\n", nil, problem("1: Malformed entry 1 in list file (Component)", "2: Type 'a' is not known on line 2 in source list")},

	{"conflict", "deb http://h/d a main\ndeb [trusted=yes] https://h/d a contrib\n", entry("1: deb http://h/d/ a main", "2: deb https://h/d/ a contrib trusted=yes"), problem("2: Conflicting values set for option trusted regarding one source")},
	{"same option", "deb [trusted=yes] http://h/d a main\ndeb [trusted=1] https://h/d/ a contrib\n", entry("1: deb http://h/d/ a main trusted=yes", "2: deb https://h/d/ (https://h/d/) a contrib trusted=1"), nil},
	{"other suite", "deb http://h/d a main\ndeb [trusted=yes] http://h/d b main\n", entry("1: deb http://h/d/ a main", "2: deb http://h/d/ b main trusted=yes"), nil},
	{"key lost", "deb [signed-by=/k] http://h/d a main\ndeb http://h/d a contrib\n", entry("1: deb http://h/d/ a main signed-by=/k", "2: deb http://h/d/ a contrib"), problem("2: Conflicting values set for option signed-by regarding one source")},
	{"key found", "deb http://h/d a main\ndeb [signed-by=/k] http://h/d a contrib\n", entry("1: deb http://h/d/ a main", "2: deb http://h/d/ a contrib signed-by=/k"), nil},
	{"conflicting allowance", "deb [allow-insecure=yes] http://h/d a main\ndeb http://h/d a contrib\n", entry("1: deb http://h/d/ a main allow-insecure=yes", "2: deb http://h/d/ a contrib"), problem("2: Conflicting values set for option allow-insecure regarding one source")},
}

var deb822Rows = []row{
	{"plain", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("2: deb http://h/d/ a main"), nil},
	{"no final newline", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main", entry("2: deb http://h/d/ a main"), nil},
	{"empty", "", nil, nil},
	{"comments only", "# a\n# b", nil, nil},
	{"field names in any case", "types: deb\nURIS: http://h/d\nsUITES: a\nCOMPONENTS: main\n", entry("2: deb http://h/d/ a main"), nil},
	{"no blank after the colon", "Types:deb\nURIs:http://h/d\nSuites:a\nComponents:main\n", entry("2: deb http://h/d/ a main"), nil},
	{"blank before the colon", "Types : deb\nURIs\t:\thttp://h/d\nSuites: a\nComponents: main\n", entry("2: deb http://h/d/ a main"), nil},
	{"CRLF", "Types: deb\r\nURIs: http://h/d\r\nSuites: a\r\nComponents: main\r\n\r\nTypes: deb\r\nURIs: http://i/d\r\nSuites: a\r\nComponents: main\r\n", entry("2: deb http://h/d/ a main", "7: deb http://i/d/ a main"), nil},
	{"leading empty lines", "\n\n\nTypes: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("5: deb http://h/d/ a main"), nil},
	{"byte order mark", "\ufeffTypes: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n", nil, problem("1: Malformed stanza 1 in source list (type)")},

	{"several values", "Types: deb deb-src\nURIs: http://h/d http://i/d\nSuites: a b\nComponents: main contrib\n", entry("2: deb+deb-src http://h/d/ a,b main,contrib", "2: deb+deb-src http://i/d/ a,b main,contrib"), nil},
	{"folded with a blank", "Types: deb\nURIs:\n http://h/d\n http://i/d\nSuites: a\n b\nComponents: main\n", entry("3: deb http://h/d/ a,b main", "4: deb http://i/d/ a,b main"), nil},
	{"folded with a tab", "Types: deb\nURIs: http://h/d\n\thttp://i/d\nSuites:\n\ta\nComponents: main\n", entry("2: deb http://h/d/ a main", "3: deb http://i/d/ a main"), nil},
	{"comma", "Types: deb\nURIs: http://a,http://b\nSuites: a\nComponents: main\n", entry("2: deb http://a,http//b/ (http://a,http://b) a main"), nil},

	{"switched off", "Types: deb\nEnabled: no\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("3: deb http://h/d/ a main off"), nil},
	{"switched off otherwise", "Enabled: FALSE\nTypes: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\nEnabled: off\nTypes: deb\nURIs: http://h/d\nSuites: a\n\nEnabled: 0\nTypes: deb\n\nEnabled: 0x0\nTypes: deb\n", entry("3: deb http://h/d/ a main off", "9: deb http://h/d/ a off"), nil},
	{"switched off on the next line", "Types: deb\nEnabled:\n no\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("4: deb http://h/d/ a main off"), nil},
	{"switched off after a tab", "Types: deb\nEnabled:\n\tno\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("4: deb http://h/d/ a main"), nil},
	{"unknown truth", "Types: deb\nEnabled: nope\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("3: deb http://h/d/ a main"), nil},
	{"no truth", "Types: deb\nEnabled:\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("3: deb http://h/d/ a main"), nil},
	{"switched off with an unknown type", "Types: rpm\nEnabled: no\n", nil, problem("1: Type 'rpm' is not known on stanza 1 in source list")},

	{"comments", "# first\nTypes: deb\n# http://snapshot.debian.org/\nURIs: http://h/d\n#x\n http://i/d\nSuites: a\nComponents: main\n# last\n", entry("4: deb http://h/d/ a main", "6: deb http://i/d/ a main"), nil},
	{"indented comment", "Types: deb\nURIs: http://h/d\n # or another\nSuites: a\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (URI parse)")},
	{"comment behind a URI", "Types: deb\nURIs: http://h/d # x\nSuites: a\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (URI parse)")},
	{"comment behind a component", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main # x\n", entry("2: deb http://h/d/ a main,#,x"), nil},
	{"comment between empty lines", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\n#x\n\n#y\nTypes: deb\nURIs: http://i/d\nSuites: a\nComponents: main\n", entry("2: deb http://h/d/ a main", "10: deb http://i/d/ a main"), nil},
	{"comment for an empty line", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n#\nTypes: deb\nURIs: http://i/d\nSuites: a\nComponents: main\n", entry("7: deb http://i/d/ a main"), nil},

	{"two fields", "Types: deb\nURIs: http://h/d\nURIs: http://i/d\nSuites: a\nComponents: main\n", entry("3: deb http://i/d/ a main"), nil},
	{"singular URI", "Types: deb\nURI: http://h/d\nSuites: a\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (URI)")},
	{"singular suite", "Types: deb\nURIs: http://h/d\nSuite: a\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (Suite)")},
	{"quotes", "Types: deb\nURIs: \"http://h/d\"\nSuites: a\nComponents: main\n", entry(`2: deb "http://h/d"/ a main`), nil},
	{"escaped colon", "Types: deb\nURIs: http%3a//h/d\nSuites: a\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (URI parse)")},
	{"escape kept", "Types: deb\nURIs: http://h/%64\nSuites: a\nComponents: main\n", entry("2: deb http://h/%64/ a main"), nil},
	{"no slashes", "Types: deb\nURIs: http:h/d\nSuites: a\nComponents: main\n", entry("2: deb http://h/d/ (http:h/d) a main"), nil},
	{"exact path", "Types: deb\nURIs: http://h/d\nSuites: ./\n", entry("2: deb http://h/d/ ./"), nil},
	{"exact path with components", "Types: deb\nURIs: http://h/d\nSuites: ./\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (absolute Suite Component)")},
	{"no components", "Types: deb\nURIs: http://h/d\nSuites: a\n", nil, problem("1: Malformed entry 1 in sources file (Component)")},
	{"architecture", "Types: deb\nURIs: http://h/$(ARCH)\nSuites: a-$(ARCH)\nComponents: main\n", entry("2: deb http://h/$(ARCH)/ a-$(ARCH) main"), nil},

	{"first line indented", " Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n", nil, problem("2: Malformed stanza 1 in source list (type)")},
	{"first line indented and lost", " x\nTypes: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n", entry("3: deb http://h/d/ a main"), nil},
	{"no types", "URIs: http://h/d\nSuites: a\nComponents: main\n", nil, problem("1: Malformed stanza 1 in source list (type)")},
	{"empty types", "Types:\nURIs: http://h/d\nSuites: a\nComponents: main\n", nil, nil},
	{"unknown type", "Types: rpm\nURIs: http://h/d\nSuites: a\nComponents: main\n", nil, problem("1: Type 'rpm' is not known on stanza 1 in source list")},
	{"unknown second type", "Types: deb rpm\nURIs: http://h/d\nSuites: a\n", nil, problem("1: Malformed entry 1 in sources file (Component)")},
	{"second stanza malformed", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\nURIs: http://i/d\n\nTypes: deb\nURIs: http://j/d\nSuites: a\nComponents: main\n", entry("2: deb http://h/d/ a main", "9: deb http://j/d/ a main"), problem("6: Malformed stanza 2 in source list (type)")},
	{"empty lines between stanzas", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\n\n\nTypes: deb\nURIs: http://i/d\nSuites: a\nComponents: main\n\n\n", entry("2: deb http://h/d/ a main", "9: deb http://i/d/ a main"), nil},
	{"blanks between stanzas", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n \nTypes: deb\nURIs: http://i/d\nSuites: a\nComponents: main\n", entry("7: deb http://i/d/ a main"), nil},
	{"unknown fields", "X-Repolib-Name: x\nTypes: deb\nURIs: http://h/d\nSuites: a\nComponents: main\nX-Other: y\n z\n", entry("3: deb http://h/d/ a main"), nil},
	{"line without a colon", "Types: deb\nhello\nURIs: http://h/d\nSuites: a\nComponents: main\n", nil, problem("1: Malformed entry 1 in sources file (URI)")},
	{"last line without a colon", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\nhello\n", entry("2: deb http://h/d/ a main"), problem("6: Unable to parse package file (1)")},
	{"last bytes not dropped", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\nxy", entry("2: deb http://h/d/ a main"), problem("6: Unable to parse package file (1)")},
	{"last byte dropped", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\n\nx\n", entry("2: deb http://h/d/ a main"), nil},

	{"options", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\nArchitectures: amd64 i386\nLanguages-Remove: de\nTrusted: yes\nSigned-By:\n /k.gpg\nPDiffs: no\nBy-Hash: force\n", entry("2: deb http://h/d/ a main arch=amd64,i386 by-hash=force lang-=de pdiffs=no signed-by=/k.gpg trusted=yes"), nil},
	{"relative key", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\nSigned-By: k.gpg\n", entry("2: deb http://h/d/ a main signed-by=k.gpg"), problem("2: Invalid value set for option signed-by (not a fingerprint)")},
	{"no key", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\nSigned-By:\n", entry("2: deb http://h/d/ a main signed-by="), nil},
	{"conflict", "Types: deb\nURIs: http://h/d\nSuites: a b\nComponents: main\nTrusted: yes\n\nTypes: deb-src\nURIs: https://h/d/\nSuites: b\nComponents: main\n", entry("2: deb http://h/d/ a,b main trusted=yes", "8: deb-src https://h/d/ (https://h/d/) b main"), problem("8: Conflicting values set for option trusted regarding one source")},
	{"ignored allowance", "Types: deb\nURIs: http://h/d\nSuites: a\nComponents: main\nAllow-Insecure: yes\n\nTypes: deb\nURIs: http://h/d\nSuites: a\nComponents: contrib\n", entry("2: deb http://h/d/ a main allow-insecure=yes", "8: deb http://h/d/ a contrib"), nil},
}

// Rows that apt is not asked about, because its answer would be another one, or
// an abort.
var templateRows = []row{
	{"empty suite", "deb http://h/d \"\" main\n", entry("1: deb http://h/d/  main"), nil},
	{"escaped bracket", "deb [a=b%5d http://h/d a main\n", nil, problem("1: Malformed entry 1 in list file ([option] unparsable)")},
	{"variable suite", "deb http://h/d ${S} main\n", entry("1: deb http://h/d/ ${S} main"), nil},
	{"variable components", "deb http://h/d ${S}\n", entry("1: deb http://h/d/ ${S}"), nil},
	{"all but the URI", "deb http://h/${D} a\n", nil, problem("1: Malformed entry 1 in list file (Component)")},
	{"variable URI", "deb ${U} a main\n", entry("1: deb ${U}/ a main"), nil},
	{"variable rest", "deb ${REST}\n", entry("1: deb ${REST}/"), nil},
	{"variable host", "deb http://${H}:${P}/d a main\n", entry("1: deb http://${H}:${P}/d/ a main"), nil},
	{"variable options", "deb ${OPTS} http://h/d a main\n", entry("1: deb http://h/d/ a main"), nil},
	{"variable in options", "deb [arch=${A} ${B} signed-by=${K}] http://h/d a main\n", entry("1: deb http://h/d/ a main arch=${A} signed-by=${K}"), nil},
	{"exact path", "deb http://h/d ./ ${C}\n", entry("1: deb http://h/d/ ./ ${C}"), nil},
}

var deb822TemplateRows = []row{
	{"variables", "Types: ${T}\nURIs: ${U} http://${H}/d\nSuites: ${S}\nSigned-By: ${K}\n", entry("2: ${T} ${U}/ ${S} signed-by=${K}", "2: ${T} http://${H}/d/ ${S} signed-by=${K}"), nil},
}

func TestOneLine(t *testing.T) {
	checkRows(t, oneLineRows, OneLine)
	checkRows(t, templateRows, OneLine)
}

func TestDeb822(t *testing.T) {
	checkRows(t, deb822Rows, Deb822)
	checkRows(t, deb822TemplateRows, Deb822)
}
