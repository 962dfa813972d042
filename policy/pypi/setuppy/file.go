package setuppy

// file is a tokenized file, and what was found in it.
type file struct {
	src    string
	tokens []token
	// names are the places of each name.
	names map[string][]int
	// modules and aliases are names that imports made for modules and for
	// setup; imported are the tokens of imports.
	modules, aliases map[string]bool
	imported         map[int]bool
	// found are the opening brackets of the calls of setup.
	found map[int]bool
	// known are the names that were followed already.
	known map[string]expr
	// depth is how many names are being followed.
	depth int
	out   Setup
}

func newFile(src string, tokens []token) *file {
	f := &file{
		src: src, tokens: tokens,
		names:   map[string][]int{},
		modules: map[string]bool{}, aliases: map[string]bool{"setup": true}, imported: map[int]bool{},
		found: map[int]bool{}, known: map[string]expr{},
	}
	for i, t := range tokens {
		if t.kind == name {
			f.names[f.text(i)] = append(f.names[f.text(i)], i)
		}
	}
	for _, i := range f.names["import"] {
		if !f.imported[i] {
			f.importList(i)
		}
	}
	return f
}

// text gives the text of a token, "" outside the file.
func (f *file) text(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return f.src[f.tokens[i].start:f.tokens[i].end]
}

func (f *file) kind(i int) kind {
	if i < 0 || i >= len(f.tokens) {
		return newline
	}
	return f.tokens[i].kind
}

func (f *file) unprovable(key string, i int, reason string) {
	line := 1
	if i < len(f.tokens) {
		line = int(f.tokens[i].line)
	}
	f.out.Unprovable = append(f.out.Unprovable, Unprovable{key, line, reason})
}

// importList reads what stands behind the word import, at i.
func (f *file) importList(i int) {
	from := f.isFrom(i)
	path := ""
	for k := i + 1; k < len(f.tokens) && f.kind(k) != newline && f.text(k) != ";"; k++ {
		f.imported[k] = true
		switch t := f.text(k); {
		case f.kind(k) != name || t == "as" || f.text(k-1) == ".":
		case f.text(k-1) == "as":
			f.imports(from, path, t)
		default:
			path = t
			if f.text(k+1) != "as" {
				f.imports(from, t, t)
			}
		}
	}
}

// imports takes in one name: what it is for, and how it is called here. What
// comes out of a package may be a module: from distutils import core.
func (f *file) imports(from bool, what, as string) {
	if from && what == "setup" {
		f.aliases[as] = true
	} else {
		f.modules[as] = true
	}
}

// isFrom says whether the word import at i belongs to "from … import".
func (f *file) isFrom(i int) bool {
	for k := i - 1; k >= 0; k-- {
		switch t := f.text(k); {
		case t == "from":
			return true
		case f.kind(k) != name && t != "." && t != "...":
			return false
		}
	}
	return false
}
