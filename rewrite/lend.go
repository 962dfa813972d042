package rewrite

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// words returns the mounts and the line of sh that lend want to a RUN.
func (p *planner) words(st *stage, l *lent, apt AptUse, want wanted) (mounts []string, line string) {
	c := p.cfg.Carry
	image := cmp.Or(c.Image, l.image)
	bind := func(source, target string) {
		mounts = append(mounts, "--mount=type=bind,from="+image+",source="+source+",target="+target)
	}
	if !want.apt {
		bind(ImageCA, LentDir)
		return mounts, export(want.variables)
	}
	folder := p.folder(st)
	bind(folder, LentDir)
	switch cover, _ := apt.Cover(l.covered); cover {
	case CoverConf:
		bind(folder+confName, AptConfFile)
	case CoverSudoers:
		bind(folder+sudoersName, SudoersFile)
	}
	route := l.part(3)
	if c.Route != nil {
		route = LentTable(c.Route)
	}
	if route != "" {
		mounts = append(mounts, "--mount=type=tmpfs,target="+LentOperator)
		if c.Secret || c.Route == nil && l.has("--mount=type=secret,") {
			mounts = append(mounts, "--mount=type=secret,id="+LentAuthID+",target="+LentAuth)
		}
		route = "printf %s '" + route + "' >" + LentRoute + " || exit 100; "
	}
	if !slices.Contains(apt.Drops, aptConfig) {
		want.variables = append([][2]string{{aptConfig, LentConf}}, want.variables...)
	}
	return mounts, export(want.variables) + "test -s " + LentConf + " || exit 100; " + route
}

// LentTable is an operator's table as a text writes it down for a RUN: JSON that
// stands between single quotes of sh.
func LentTable(table []byte) string { return strings.ReplaceAll(string(table), "'", `\u0027`) }

// has reports whether one of our mounts begins so.
func (l *lent) has(mount string) bool {
	for _, f := range l.flags {
		if strings.HasPrefix(f.String(), mount) {
			return true
		}
	}
	return false
}

// folder is the folder in the image for RUNs of a stage. An image is pulled for
// the platform that is built for; a stage of another one names its own folder.
func (p *planner) folder(st *stage) string {
	if st.platform != "" {
		if folder, ok := p.cfg.Carry.Folder(st.platform); ok {
			return folder
		}
	}
	return ImageRun
}

func export(variables [][2]string) string {
	if len(variables) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("export")
	for _, v := range variables {
		b.WriteString(" " + v[0] + "=" + v[1])
	}
	b.WriteString("; ")
	return b.String()
}

// edits returns the edits of src that put mounts and line in place of what is
// there. ok is false if there is no place for them.
func (l *lent) edits(src string, mounts []string, line string) (edits []Edit, ok bool) {
	before, ok := l.mountEdits(src, strings.Join(mounts, " "))
	if !ok {
		return nil, false
	}
	behind, ok := l.lineEdit(line)
	if !ok {
		return nil, false
	}
	for _, e := range append(before, behind) {
		last := len(edits) - 1
		switch {
		case e.New == src[e.Start:e.End]:
		case last >= 0 && edits[last].Start == e.Start && edits[last].End == e.End:
			edits[last].New += e.New
		default:
			edits = append(edits, e)
		}
	}
	return edits, true
}

// mountEdits puts all in the place of the first mount of ours, or before the
// command.
func (l *lent) mountEdits(src, all string) ([]Edit, bool) {
	if len(l.flags) == 0 {
		at, _, ok := l.at.Range(0, min(1, l.at.Len()))
		return []Edit{{Start: at, End: at, New: all + " "}}, ok
	}
	var edits []Edit
	for i, f := range l.flags {
		from, to, ok := f.Range(0, f.Len())
		if !ok {
			return nil, false
		}
		if i > 0 { // with the blank before it
			all = ""
			if src[from-1] == ' ' {
				from--
			}
		}
		if n := len(edits); n > 0 && edits[n-1].End == from {
			edits[n-1].End = to
			continue
		}
		edits = append(edits, Edit{Start: from, End: to, New: all})
	}
	return edits, true
}

// lineEdit puts a line of sh before the command, in the place of the one there.
func (l *lent) lineEdit(line string) (Edit, bool) {
	if l.form == formExec {
		return l.execEdit(line)
	}
	old := l.line
	if old.Len() == 0 {
		at, _, ok := l.text.Range(0, min(1, l.text.Len()))
		return Edit{Start: at, End: at, New: line}, ok
	}
	from, to, ok := old.Range(0, old.Len())
	return Edit{Start: from, End: to, New: line}, ok
}

// execEdit is lineEdit for an argv: a shell that runs the line starts it.
func (l *lent) execEdit(line string) (Edit, bool) {
	text := quote(line + execute)
	if l.line.Len() > 0 {
		from, to, ok := l.line.Range(0, l.line.Len())
		return Edit{Start: from, End: to, New: text[1 : len(text)-1]}, ok
	}
	_, at, ok := l.at.Range(0, l.at.Len())
	return Edit{Start: at, End: at, New: `"/bin/sh", "-c", ` + text + `, "` + argvName + `", `}, ok
}

// quote spells s as a JSON string, with no more escapes than there must be.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
