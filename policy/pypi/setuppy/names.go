package setuppy

import "strconv"

// follow gives the value that a name stands for in the whole file.
func (f *file) follow(text string) expr {
	e, ok := f.known[text]
	if !ok {
		f.known[text] = expr{reason: "the name stands for itself"}
		e = f.bare(f.assigned(text))
		f.known[text] = e
	}
	return e
}

// assigned finds the literal that a name stands for: one assignment at the
// left margin, and no other use in the file than being read.
func (f *file) assigned(text string) expr {
	var to *expr
	for _, k := range f.names[text] {
		if f.tokens[k].first && to == nil {
			if e, ok := f.assignment(k); ok {
				to = &e
				continue
			}
		}
		if f.text(k-1) != "." && !f.isKeyword(k) && !f.isRead(k) {
			return expr{reason: "the name is used on line " + strconv.Itoa(int(f.tokens[k].line)) + " in a way that may change it"}
		}
	}
	if to == nil {
		return expr{reason: "the name is not assigned at the left margin of this file"}
	}
	return *to
}

// assignment gives the right side of "name = …" or "name: type = …".
func (f *file) assignment(k int) (expr, bool) {
	eq := k + 1
	if f.text(eq) == ":" {
		for f.kind(eq) != newline && f.text(eq) != "=" && f.text(eq) != ";" {
			eq = max(eq, int(f.tokens[eq].pair)) + 1
		}
	}
	if f.text(eq) != "=" {
		return expr{}, false
	}
	end := eq + 1
	for f.kind(end) != newline && f.text(end) != ";" {
		end = max(end, int(f.tokens[end].pair)) + 1
	}
	return expr{lo: eq + 1, hi: end}, end > eq+1
}

// isRead says whether the name at k is a value, an element or an operand of +
// among the arguments of a call of setup, or in a literal that is assigned to
// a name which is only read itself. An argument of another call is not: that
// may change it.
func (f *file) isRead(k int) bool {
	switch f.text(k - 1) {
	case "=", ":", ",", "(", "[", "{", "+", "*":
	default:
		return false
	}
	switch f.text(k + 1) {
	case ",", ")", "]", "}", "+":
	default:
		return false
	}
	const mostNested = 50
	outer := int(f.tokens[k].parent)
	for range mostNested {
		if outer < 0 || f.found[outer] {
			return outer >= 0
		}
		if f.isCall(outer) {
			return false
		}
		next := int(f.tokens[outer].parent)
		if next < 0 {
			return f.inLiteral(outer)
		}
		outer = next
	}
	return false
}

// isCall says whether a bracket calls or subscripts what stands before it.
func (f *file) isCall(open int) bool {
	if f.text(open) == "{" || open == 0 {
		return false
	}
	before := f.tokens[open-1]
	return before.kind == name || before.kind == str || before.pair >= 0 && int(before.pair) < open-1
}

// inLiteral says whether an outermost bracket begins the value of a name that
// is only read.
func (f *file) inLiteral(open int) bool {
	const mostFollowed = 10
	if f.text(open-1) != "=" || f.kind(open-2) != name || !f.tokens[open-2].first || f.depth >= mostFollowed {
		return false
	}
	f.depth++
	defer func() { f.depth-- }()
	return f.follow(f.text(open-2)).reason == ""
}
