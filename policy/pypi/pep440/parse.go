package pep440

import (
	"strings"
	"unicode"
)

// Parse reads a version number. White space around it is allowed, as the
// packaging library allows it. The error is a *SyntaxError.
//
// Numbers may be of any length. The time is linear in the length of text.
func Parse(text string) (Version, error) {
	start, end := trimSpace(text)
	v, err := parseExact(text[start:end])
	if err != nil {
		err.Offset += start
		return Version{}, err
	}
	v.original = text
	return v, nil
}

// parseExact reads a version number without white space around it.
func parseExact(text string) (Version, *SyntaxError) {
	var space [48]byte
	s := scanner{text: text}
	key, err := s.version(space[:0])
	if err != nil {
		return Version{}, err
	}
	return Version{original: text, key: string(key), zeros: s.zeros, shape: s.shape}, nil
}

// isSpace is white space as Python's regular expressions know it.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// trimSpace returns where text begins and ends without the white space around
// it.
func trimSpace(text string) (start, end int) {
	left := strings.TrimLeftFunc(text, isSpace)
	start = len(text) - len(left)
	return start, start + len(strings.TrimRightFunc(left, isSpace))
}

// scanner reads one version number from the start of text to its end. Its
// methods take the key so far and return it with what they read; it is no
// field, so that it can stay on the stack.
type scanner struct {
	text  string
	pos   int
	zeros int
	shape shape
}

func (s *scanner) version(key []byte) ([]byte, *SyntaxError) {
	if s.pos < len(s.text) && lower(s.text[s.pos]) == 'v' {
		s.pos++
	}
	first := s.digits()
	if first == "" {
		return nil, s.fail("a version begins with a number, such as 1.0")
	}
	if s.pos < len(s.text) && s.text[s.pos] == '!' {
		s.pos++
		key = appendInt(key, first)
		if first = s.digits(); first == "" {
			return nil, s.fail("a number is missing after the epoch")
		}
	} else {
		key = append(key, firstInt)
	}
	key = s.suffixes(s.release(key, first))
	if s.pos < len(s.text) && s.text[s.pos] == '+' {
		if key = s.local(key); key == nil {
			return nil, s.fail("a part of the local label is missing: ASCII letters and digits")
		}
	}
	if s.pos < len(s.text) {
		return nil, s.fail("this is no part of a version number")
	}
	return key, nil
}

// release reads the parts that follow the first. Zeros wait until a part that
// is not zero follows, for those at the end are not part of the key.
func (s *scanner) release(key []byte, part string) []byte {
	for {
		if strings.Trim(part, "0") == "" {
			s.zeros++
		} else {
			for ; s.zeros > 0; s.zeros-- {
				key = append(key, firstInt)
			}
			key = appendInt(key, part)
		}
		if s.pos+1 >= len(s.text) || s.text[s.pos] != '.' || !isDigit(s.text[s.pos+1]) {
			return append(key, tagEnd)
		}
		s.pos++
		part = s.digits()
	}
}

// suffixes reads the pre-release, the post-release and the development
// release.
func (s *scanner) suffixes(key []byte) []byte {
	if s.pos == len(s.text) || s.text[s.pos] == '+' {
		return append(key, tagFinal, tagNoPost, tagNoDev)
	}
	pre, preNumber := s.pre()
	post, postNumber := s.post()
	dev, devNumber := s.suffix("dev")
	switch {
	case pre != 0:
		s.shape |= hasPre
		key = appendInt(append(key, pre), preNumber)
	case dev && !post:
		key = append(key, tagDevOnly)
	default:
		key = append(key, tagFinal)
	}
	if post {
		s.shape |= hasPost
		key = appendInt(append(key, tagPost), postNumber)
	} else {
		key = append(key, tagNoPost)
	}
	if dev {
		s.shape |= hasDev
		return appendInt(append(key, tagDev), devNumber)
	}
	return append(key, tagNoDev)
}

// pre reads a pre-release. The tag is 0 if there is none.
func (s *scanner) pre() (tag byte, number string) {
	for _, word := range [...]struct {
		text string
		tag  byte
	}{
		{"alpha", tagAlpha},
		{"a", tagAlpha},
		{"beta", tagBeta},
		{"b", tagBeta},
		{"preview", tagRC},
		{"pre", tagRC},
		{"rc", tagRC},
		{"c", tagRC},
	} {
		if ok, number := s.suffix(word.text); ok {
			return word.tag, number
		}
	}
	return 0, ""
}

// post reads a post-release; a hyphen and a number is one too.
func (s *scanner) post() (ok bool, number string) {
	if s.pos+1 < len(s.text) && s.text[s.pos] == '-' && isDigit(s.text[s.pos+1]) {
		s.pos++
		return true, s.digits()
	}
	for _, word := range [...]string{"post", "rev", "r"} {
		if ok, number = s.suffix(word); ok {
			return ok, number
		}
	}
	return false, ""
}

// suffix reads a word in letters of any case, with a separator allowed before
// and after it, and the number behind it, "" if there is none. It moves only
// if the word is there.
func (s *scanner) suffix(word string) (ok bool, number string) {
	at := s.pos
	if at < len(s.text) && isSeparator(s.text[at]) {
		at++
	}
	end := at + len(word)
	if end > len(s.text) || !equalFold(s.text[at:end], word) {
		return false, ""
	}
	if end < len(s.text) && isSeparator(s.text[end]) {
		end++
	}
	s.pos = end
	return true, s.digits()
}

// local reads the local label, which begins here. The key is nil if a segment
// has nothing in it.
func (s *scanner) local(key []byte) []byte {
	s.shape |= hasLocal
	for more := true; more; more = s.pos < len(s.text) && isSeparator(s.text[s.pos]) {
		s.pos++
		segment, number := s.segment()
		switch {
		case segment == "":
			return nil
		case number:
			key = appendInt(append(key, tagNumber), segment)
			continue
		}
		key = append(key, tagLetters)
		for i := range len(segment) {
			key = append(key, lower(segment[i]))
		}
		key = append(key, tagEnd)
	}
	return key
}

// segment reads ASCII letters and digits, and says whether they are all
// digits.
func (s *scanner) segment() (segment string, number bool) {
	start, number := s.pos, true
	for ; s.pos < len(s.text); s.pos++ {
		c := lower(s.text[s.pos])
		if letter := 'a' <= c && c <= 'z'; letter {
			number = false
		} else if !isDigit(c) {
			break
		}
	}
	return s.text[start:s.pos], number
}

func (s *scanner) digits() string {
	start := s.pos
	for s.pos < len(s.text) && isDigit(s.text[s.pos]) {
		s.pos++
	}
	return s.text[start:s.pos]
}

func (s *scanner) fail(message string) *SyntaxError {
	return &SyntaxError{What: "version", Text: s.text, Offset: s.pos, Message: message}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSeparator(c byte) bool { return c == '.' || c == '-' || c == '_' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// equalFold says whether text in small ASCII letters is word.
func equalFold(text, word string) bool {
	for i := range len(word) {
		if lower(text[i]) != word[i] {
			return false
		}
	}
	return true
}
