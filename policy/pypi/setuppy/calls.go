package setuppy

// calls finds the calls of setup, and whatever else is done with it. It gives
// the opening brackets.
func (f *file) calls() []int {
	var out []int
	for i, t := range f.tokens {
		if t.kind != name || !f.aliases[f.text(i)] || f.imported[i] || f.isKeyword(i) {
			continue
		}
		before := f.text(i - 1)
		switch {
		case before == "." && (f.text(i) != "setup" || !f.ofModule(i)):
		case before == "def" || before == "class":
			// A method named setup is no concern.
			if f.tokens[i-1].first {
				f.unprovable("", i, "the file has a setup of its own")
			}
		case f.text(i+1) == "(":
			f.found[i+1] = true
			out = append(out, i+1)
		default:
			f.unprovable("", i, "setup is handed on instead of called")
		}
	}
	return out
}

// ofModule says whether the name at i, behind a dot, belongs to something that
// was imported: setuptools.setup, distutils.core.setup. A longer way is taken
// for one.
func (f *file) ofModule(i int) bool {
	const mostDots = 10
	for range mostDots {
		if f.kind(i-2) != name {
			return false
		}
		if f.text(i-3) != "." {
			return f.modules[f.text(i-2)]
		}
		i -= 2
	}
	return true
}

// isKeyword says whether the name at i is that of an argument in a call, or of
// a parameter: f(name=…).
func (f *file) isKeyword(i int) bool {
	before := f.text(i - 1)
	return (before == "(" || before == ",") && f.text(i+1) == "=" && f.tokens[i].parent >= 0 && f.text(int(f.tokens[i].parent)) == "("
}

// split cuts the tokens between lo and hi at commas, brackets kept whole. A
// comma at the end begins nothing.
func (f *file) split(lo, hi int) [][2]int {
	var out [][2]int
	start := lo
	for i := lo; i < hi; i++ {
		if pair := int(f.tokens[i].pair); pair > i {
			i = pair
		} else if f.text(i) == "," {
			out = append(out, [2]int{start, i})
			start = i + 1
		}
	}
	if start < hi {
		out = append(out, [2]int{start, hi})
	}
	return out
}

// arguments reads those of the call whose bracket is at open.
func (f *file) arguments(open int) {
	for _, a := range f.split(open+1, int(f.tokens[open].pair)) {
		lo, hi := a[0], a[1]
		switch {
		case f.text(lo) == "*" || f.text(lo) == "**":
			f.unprovable("", lo, "setup gets arguments from a variable")
		case hi-lo < 2 || f.text(lo+1) != "=" || f.kind(lo) != name:
			f.unprovable("", lo, "setup gets an argument without a name")
		default:
			f.argument(f.text(lo), lo+2, hi)
		}
	}
}

func (f *file) argument(key string, lo, hi int) {
	switch key {
	case InstallRequires, SetupRequires, TestsRequire:
		f.list(key, "", f.resolve(lo, hi))
	case ExtrasRequire:
		f.extras(f.resolve(lo, hi))
	case PythonRequires:
		f.specifiers(f.resolve(lo, hi))
	case "pbr":
		if f.text(lo) != "False" || hi-lo > 1 {
			f.unprovable(InstallRequires, lo, "pbr takes the requirements from requirements.txt")
		}
	}
}
