package pep508

import "strings"

// Marker is an environment marker: comparisons joined by "and" and "or",
// grouped by parentheses. It is immutable. A nil Marker holds everywhere.
type Marker struct {
	// terms are in the order of the text. "and" binds tighter than "or".
	terms []term
}

// term is one comparison, or a group in parentheses.
type term struct {
	// or says that "or" stands before the term: it starts an alternative.
	or    bool
	group *Marker
	comparison
}

type comparison struct {
	left, right operand
	op          string
}

// operand is the name of a variable, or a literal text. Names are the present
// ones: os.name is read as os_name.
type operand struct {
	text    string
	literal bool
}

// The variables that are treated apart. PEP 508 has the first, PEP 751 the two
// sets.
const (
	extraVariable     = "extra"
	extrasVariable    = "extras"
	groupsVariable    = "dependency_groups"
	pythonVersion     = "python_version"
	pythonFullVersion = "python_full_version"
)

// variable returns the present name of a marker's variable: PEP 508's, PEP
// 751's two, and the old spellings that packaging takes.
func variable(word string) (string, bool) {
	switch word {
	case "os_name", "sys_platform", "platform_machine", "platform_python_implementation",
		"platform_release", "platform_system", "platform_version", pythonVersion,
		pythonFullVersion, "implementation_name", "implementation_version",
		extraVariable, extrasVariable, groupsVariable:
		return word, true
	case "os.name", "sys.platform", "platform.version", "platform.machine":
		return strings.Replace(word, ".", "_", 1), true
	case "platform.python_implementation", "python_implementation":
		return "platform_python_implementation", true
	}
	return "", false
}

// isVersion reports whether packaging compares the variable as a version: the
// ones that the specification calls Version, and platform_release.
func isVersion(variable string) bool {
	switch variable {
	case pythonVersion, pythonFullVersion, "implementation_version", "platform_release":
		return true
	}
	return false
}

// String returns the normal form, as packaging prints it: one blank between
// words, double quotes unless the text has one, present names of variables,
// normal names of extras, and the parentheses that are there, less those
// around everything and those around one comparison. ParseMarker reads the
// same marker from it. A nil Marker is "".
func (m *Marker) String() string {
	if m == nil {
		return ""
	}
	var out strings.Builder
	m.print(&out)
	return out.String()
}

func (m *Marker) print(out *strings.Builder) {
	for i, t := range m.terms {
		switch {
		case t.or:
			out.WriteString(" or ")
		case i > 0:
			out.WriteString(" and ")
		}
		if t.group != nil {
			out.WriteByte('(')
			t.group.print(out)
			out.WriteByte(')')
			continue
		}
		out.WriteString(t.comparison.String())
	}
}

func (c comparison) String() string {
	return c.left.String() + " " + c.op + " " + c.right.String()
}

func (o operand) String() string {
	switch {
	case !o.literal:
		return o.text
	case strings.Contains(o.text, `"`):
		return "'" + o.text + "'"
	}
	return `"` + o.text + `"`
}
