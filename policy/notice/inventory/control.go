package inventory

import (
	"fmt"
	"strings"
)

// isField reports whether a line begins a stanza of control data. No package has
// a name with a capital.
func isField(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && name != "" && 'A' <= name[0] && name[0] <= 'Z' && !strings.ContainsAny(name, " \t{}[]\"")
}

// stanzas reads control data: dpkg's status file, apt's indexes Packages and
// Sources. Source of the form: Debian Policy, 5.1.
func stanzas(text string) (List, error) {
	var l List
	fields := map[string]string{}
	last, n := "", 0
	for line := range strings.Lines(text + "\n\n") {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
			if err := l.stanza(fields, n); err != nil {
				return l, err
			}
			clear(fields)
			last = ""
		case line[0] == ' ' || line[0] == '\t':
			if last == "Binary" {
				fields[last] += " " + strings.TrimSpace(line)
			}
		case line[0] == '#':
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				return l, &Error{n, fmt.Sprintf("%.40q is no field of a package", line)}
			}
			last = name
			fields[name] = strings.TrimSpace(value)
		}
	}
	return l, nil
}

// stanza adds one package; a stanza of Sources adds all that are built from it.
func (l *List) stanza(fields map[string]string, line int) error {
	name := fields["Package"]
	_, hasStatus := fields["Status"]
	binaries, isSource := fields["Binary"]
	switch {
	case len(fields) == 0:
		return nil
	case name == "":
		return &Error{line - 1, "a stanza names no package"}
	case isSource && !hasStatus:
		l.Form = "Sources"
		for binary := range strings.SplitSeq(binaries, ",") {
			if binary = strings.TrimSpace(binary); binary != "" {
				l.Packages = append(l.Packages, Package{Kind: "deb", Name: binary, Source: name})
			}
		}
		return nil
	}
	l.Form = "Packages"
	if hasStatus {
		l.Form, l.Installed = "status", true
		if !strings.HasSuffix(fields["Status"], " installed") {
			return nil
		}
	}
	p := Package{Kind: "deb", Name: name, Version: fields["Version"], Arch: fields["Architecture"]}
	p.Source, p.SourceVersion = source(fields["Source"])
	if p.Source == "" {
		p.Source = name
	}
	l.Packages = append(l.Packages, p)
	return nil
}

// source reads the field Source: a name, and the version if it is another one.
func source(text string) (name, version string) {
	name, rest, _ := strings.Cut(text, "(")
	return strings.TrimSpace(name), strings.Trim(rest, "() ")
}

// query reads the output of dpkg-query -W: a name and a version with a tab
// between them, and a source package in a third column, as -f
// '${Package}\t${Version}\t${source:Package}\n' gives it.
func query(text string) (List, error) {
	l := List{Form: "dpkg-query", Installed: true}
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		switch {
		case len(f) == 1 && f[0] == "", len(f) > 1 && f[1] == "":
			continue // one that is not installed has no version
		case len(f) < 2 || len(f) > 3 || f[0] == "":
			return l, &Error{n, "this is no line of dpkg-query -W: a package and its version, with a tab between them"}
		}
		p := Package{Kind: "deb", Version: f[1]}
		if p.Name, p.Arch, _ = strings.Cut(f[0], ":"); p.Name == "" {
			return l, &Error{n, "a package has no name"}
		}
		if len(f) == 3 {
			p.Source = f[2]
		}
		l.Packages = append(l.Packages, p)
	}
	return l, nil
}

// table reads the output of dpkg -l: of each line that begins with "ii" the
// package, its version and its architecture.
func table(text string) (List, error) {
	l := List{Form: "dpkg-query", Installed: true}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] != "ii" && f[0] != "hi" {
			continue
		}
		p := Package{Kind: "deb", Version: f[2], Arch: f[3]}
		if p.Name, _, _ = strings.Cut(f[1], ":"); p.Name != "" {
			l.Packages = append(l.Packages, p)
		}
	}
	return l, nil
}
