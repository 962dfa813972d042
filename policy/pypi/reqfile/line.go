package reqfile

import (
	"path"
	"slices"
	"strings"
)

// line takes in one logical line: an entry, an include, or options.
func (r *reader) line(in include, src source, l logical) error {
	fail := func(kind ErrorKind, msg string) error {
		return &Error{File: in.path, Line: l.number, Kind: kind, Msg: msg}
	}
	for _, p := range l.swallowed {
		r.note(Swallowed, in.path, p.number, strings.TrimFunc(p.text, isSpace))
	}
	text, kept, ok := expand(l.text, r.env, r.limits.Line)
	if !ok {
		return fail(Limit, "the line is longer than the limit allows, or its variables never end")
	}
	args, rest := cutArgs(text)
	words, ok := shellWords(rest)
	if !ok {
		return fail(Syntax, "a quote or a backslash among the options is left open")
	}
	opts, wrong := parseOptions(words)
	if wrong != "" {
		return fail(Syntax, wrong)
	}
	e := Entry{Constraint: in.constraint, File: in.path, Line: l.number, EndLine: l.last, start: startOf(src, l.parts[0])}
	raw := func(name, value string) string {
		if text == l.text {
			return value
		}
		return rawValue(l.text, name, value)
	}
	editable, isEditable := opts.first("--editable")
	target, isInclude := opts.first("--requirement")
	constraints, isConstraints := opts.first("--constraint")
	switch {
	case args != "":
		e.Kind, e.Text, e.Raw = classify(args), args, args
		if text != l.text {
			e.Raw, _ = cutArgs(l.text)
		}
		e.pieces = r.pieces(src, l.parts, min(kept, len(args)))
		r.requirement(&e, &opts)
	case isEditable:
		e.Kind, e.Text, e.Raw = Editable, editable, raw("--editable", editable)
		r.requirement(&e, &opts)
	case isInclude:
		r.ignored(&e, &opts, "--requirement")
		e.Text, e.Raw = target, raw("--requirement", target)
		return r.include(e, false)
	case isConstraints:
		r.ignored(&e, &opts, "--constraint")
		e.Text, e.Raw = constraints, raw("--constraint", constraints)
		return r.include(e, true)
	default:
		r.setOptions(&e, &opts)
	}
	return nil
}

// cutArgs cuts a line before the first word that begins with a hyphen. Only a
// space ends a word here, not a tab.
func cutArgs(line string) (args, options string) {
	if strings.HasPrefix(line, "-") {
		return "", line
	}
	if i := strings.Index(line, " -"); i >= 0 {
		return line[:i], line[i+1:]
	}
	return line, ""
}

// rawValue gives the value of an option as it is written in a line whose
// variables are not expanded; or else if it isn't there.
func rawValue(line, name, or string) string {
	_, rest := cutArgs(line)
	if words, ok := shellWords(rest); ok {
		if opts, wrong := parseOptions(words); wrong == "" {
			if v, ok := opts.first(name); ok {
				return v
			}
		}
	}
	return or
}

// include reads the file that a line names, or says why not.
func (r *reader) include(e Entry, constraint bool) error {
	if isRemote(e.Text) {
		e.Kind, e.Reason = NotRead, "files are not fetched by URL"
		r.set.Entries = append(r.set.Entries, e)
		return nil
	}
	to, ok := inside(path.Dir(e.File), e.Text)
	if !ok {
		return &Error{File: e.File, Line: e.Line, Kind: Outside, Msg: "the include leads out of the folder that is read"}
	}
	return r.file(include{path: to, from: e.File, line: e.Line, constraint: constraint})
}

// inside joins a path to a folder below the root. It is not ok if it would
// leave the root, names the root itself or can't name a file.
func inside(dir, target string) (string, bool) {
	if target == "" || strings.HasPrefix(target, "/") || strings.ContainsRune(target, 0) {
		return "", false
	}
	to := path.Join(dir, target)
	if to == "." || to == ".." || strings.HasPrefix(to, "../") {
		return "", false
	}
	return to, true
}

// requirement appends an entry with the options that are its own.
func (r *reader) requirement(e *Entry, opts *parsed) {
	own := []string{"--hash", "--global-option", "--config-settings"}
	if e.Kind == Editable {
		own = []string{"--editable", "--config-settings"}
	} else {
		for _, v := range opts.all("--hash") {
			algorithm, digest, _ := strings.Cut(v, ":")
			e.Hashes = append(e.Hashes, Hash{algorithm, digest})
		}
		e.GlobalOptions = opts.all("--global-option")
	}
	for _, v := range opts.all("--config-settings") {
		key, value, _ := strings.Cut(v, "=")
		e.ConfigSettings = append(e.ConfigSettings, Setting{key, value})
	}
	e.Unset = variables(e.Text)
	r.ignored(e, opts, own...)
	r.set.Entries = append(r.set.Entries, *e)
}

// pieces turns parts into places of the file, up to byte kept of the text.
func (r *reader) pieces(src source, parts []part, kept int) []piece {
	first := len(r.slab)
	for _, p := range parts {
		if p.at >= kept {
			break
		}
		r.addPieces(src, p, min(p.n, kept-p.at))
	}
	return r.slab[first:len(r.slab):len(r.slab)]
}

// addPieces adds the first n bytes of a part, cut where the file's bytes
// differ from the text's.
func (r *reader) addPieces(src source, p part, n int) {
	for k := 0; k < n; {
		at := p.from + k
		width := n - k
		if len(src.wide) > 0 {
			width = 0
			for k+width < n && src.text[at+width] < 0x80 {
				width++
			}
		}
		if width > 0 {
			r.slab = append(r.slab, piece{p.at + k, width, placeOf(src, p.line, at), src.exact})
		}
		k += max(width, 1)
	}
}

func startOf(src source, p part) Place { return placeOf(src, p.line, p.from) }

func placeOf(src source, l physical, at int) Place {
	offset := src.offset(at)
	return Place{offset, l.row, 1 + offset - src.offset(l.rowStart)}
}

// setOptions takes in a line of options for the whole set.
func (r *reader) setOptions(e *Entry, opts *parsed) {
	for _, o := range opts.options {
		switch o.Name {
		case "--pre":
			r.set.Pre = true
		case "--all-releases":
			r.allReleases(o.Value)
		}
	}
	r.ignored(e, opts, allOptions)
	if len(opts.options) > 0 {
		e.Kind, e.Options = Option, opts.options
		r.set.Entries = append(r.set.Entries, *e)
	}
}

func (r *reader) allReleases(value string) {
	for name := range strings.SplitSeq(value, ",") {
		switch name {
		case ":all:":
			r.set.Pre = true
		case ":none:", "":
		default:
			r.set.PreNames = append(r.set.PreNames, name)
		}
	}
}

// allOptions stands for every name in a call of ignored.
const allOptions = "*"

// ignored notes options that have no effect, and words that belong to none.
// Options in taken have one, but of includes and editables only the first.
func (r *reader) ignored(e *Entry, opts *parsed, taken ...string) {
	used := false
	for _, o := range opts.options {
		switch {
		case taken[0] == allOptions && o.Name != "--hash":
		case slices.Contains(taken, o.Name) && !(once(o.Name) && used):
			used = used || once(o.Name)
		default:
			r.note(IgnoredOption, e.File, e.Line, o.Name)
		}
	}
	for _, w := range opts.words {
		r.note(IgnoredWord, e.File, e.Line, w)
	}
}

func once(name string) bool {
	return name == "--requirement" || name == "--constraint" || name == "--editable"
}

func (r *reader) note(kind NoteKind, file string, line int, text string) {
	r.set.Notes = append(r.set.Notes, Note{kind, file, line, text})
}
