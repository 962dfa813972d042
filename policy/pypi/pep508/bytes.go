package pep508

import "unicode"

// isBlank is PEP 508's wsp.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c)
}

func isNameByte(c byte) bool {
	return isAlphanumeric(c) || c == '.' || c == '-' || c == '_'
}

// isNameEnd takes "_" at the end of a name, which PEP 508 doesn't: packaging
// and pip do.
func isNameEnd(c byte) bool { return isAlphanumeric(c) || c == '_' }

// isOperatorByte is what the operators of specifiers and markers are made of.
// ^ is no operator here, but where one is meant.
func isOperatorByte(c byte) bool {
	switch c {
	case '<', '>', '=', '!', '~', '^':
		return true
	}
	return false
}

// isSpecifierByte holds up to where a list of clauses goes at most. A clause
// of === takes anything else.
func isSpecifierByte(c byte) bool { return c != ';' && c != ')' }

func isWordByte(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '.' }

// isSpace is white space as Python has it: Go's, and four separators.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f'
}
