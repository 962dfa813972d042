package ack

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Signer is one line of a file of allowed signers, see ssh-keygen(1),
// "ALLOWED SIGNERS".
type Signer struct {
	// Principals is the pattern list of whom the key signs for.
	Principals string
	Key        ssh.PublicKey
	// Authority says that Key signs certificates, not acknowledgements.
	Authority bool
	// Namespaces is a pattern list; "" allows every namespace.
	Namespaces string
	// ValidAfter and ValidBefore belong to the time in which the key is
	// valid; zero is no limit.
	ValidAfter, ValidBefore time.Time
	// Line is where the line is, from 1.
	Line int
}

// ParseSigners reads a file of allowed signers in the format of ssh-keygen(1).
// Dates without a "Z" are in zone. Unlike ssh-keygen, which leaves out a line
// that it cannot read, it takes it for an error: a [*SyntaxError].
func ParseSigners(data []byte, zone *time.Location) ([]Signer, error) {
	if len(data) > MaxFile {
		return nil, wrong(0, "the file is larger than %d bytes", MaxFile)
	}
	var all []Signer
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.Trim(string(line), " \t\r\n")
		if text == "" || text[0] == '#' {
			continue
		}
		s, err := parseSigner(text, zone)
		if err != nil {
			return nil, wrong(n, "%s", err.Error())
		}
		s.Line = n
		all = append(all, s)
	}
	return all, nil
}

func parseSigner(line string, zone *time.Location) (Signer, error) {
	principals, rest, err := firstWord(line)
	if err != nil {
		return Signer{}, err
	}
	s := Signer{Principals: principals}
	options := ""
	if s.Key, err = parseKey(rest); err != nil {
		if words, after := cutOptions(rest); strings.ContainsAny(after, " \t") {
			options = words
			s.Key, err = parseKey(after)
		}
	}
	if err != nil {
		return s, fmt.Errorf("%w; a line is: principals, options, type of the key, key", err)
	}
	if _, ok := s.Key.(*ssh.Certificate); ok {
		return s, fmt.Errorf("the key is a certificate; list the key of its authority, with cert-authority")
	}
	return s, s.parseOptions(options, zone)
}

// firstWord cuts the principals off, which may stand in double quotes.
func firstWord(line string) (word, rest string, err error) {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		word, rest, ok = strings.Cut(quoted, `"`)
		if !ok {
			return "", "", fmt.Errorf("a quote is not closed")
		}
	} else if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, rest = line[:i], line[i:]
	} else {
		word = line
	}
	if word == "" {
		return "", "", fmt.Errorf("the principals are empty")
	}
	return word, strings.Trim(rest, " \t"), nil
}

// cutOptions cuts at the first blank outside of double quotes.
func cutOptions(text string) (options, rest string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t'):
			return text[:i], strings.TrimLeft(text[i:], " \t")
		}
	}
	return text, ""
}

// parseKey reads "TYPE BASE64 [COMMENT]".
func parseKey(text string) (ssh.PublicKey, error) {
	words := strings.Fields(text)
	if len(words) < 2 {
		return nil, fmt.Errorf("there is no key")
	}
	blob, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil {
		return nil, fmt.Errorf("there is no key in base64")
	}
	key, err := ssh.ParsePublicKey(blob)
	if err != nil {
		return nil, fmt.Errorf("the key cannot be read")
	}
	if key.Type() != words[0] {
		return nil, fmt.Errorf("the key is one of type %s, not %s", key.Type(), words[0])
	}
	return key, nil
}

func (s *Signer) parseOptions(text string, zone *time.Location) error {
	seen := map[string]bool{}
	for text != "" {
		name, value, rest, err := cutOption(text)
		switch {
		case err != nil:
			return err
		case seen[name]:
			return fmt.Errorf("the option %s is given twice", name)
		}
		seen[name] = true
		if err := s.setOption(name, value, zone); err != nil {
			return err
		}
		text = rest
	}
	if !s.ValidAfter.IsZero() && !s.ValidBefore.IsZero() && !s.ValidAfter.Before(s.ValidBefore) {
		return fmt.Errorf("valid-after is not before valid-before")
	}
	return nil
}

// cutOption takes the first option: a name in lower case, and a value if it has
// one, which must stand in double quotes.
func cutOption(text string) (name, value, rest string, err error) {
	i := strings.IndexAny(text, "=,")
	if i < 0 {
		return strings.ToLower(text), "", "", nil
	}
	name, rest = strings.ToLower(text[:i]), text[i:]
	if quoted, ok := strings.CutPrefix(rest, `="`); ok {
		if value, rest, ok = dequote(quoted); !ok {
			return "", "", "", fmt.Errorf("the quote after %s= is not closed", name)
		}
	} else if rest[0] == '=' {
		return "", "", "", fmt.Errorf(`the value of %s is not in double quotes; write %s="…"`, name, name)
	}
	if rest == "" {
		return name, value, "", nil
	}
	rest, ok := strings.CutPrefix(rest, ",")
	if !ok || rest == "" {
		return "", "", "", fmt.Errorf("there is no option after %s", name)
	}
	return name, value, rest, nil
}

// dequote reads up to the closing quote; \" is a quote in the text.
func dequote(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:], true
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}

func (s *Signer) setOption(name, value string, zone *time.Location) (err error) {
	switch name {
	case "cert-authority":
		if s.Authority = true; value != "" {
			err = fmt.Errorf("cert-authority takes no value")
		}
	case "namespaces":
		if s.Namespaces = value; value == "" {
			err = fmt.Errorf("namespaces is empty")
		}
	case "valid-after":
		s.ValidAfter, err = parseDate(value, zone)
	case "valid-before":
		s.ValidBefore, err = parseDate(value, zone)
	default:
		err = fmt.Errorf("the option %q is not known; known are cert-authority, namespaces, valid-after, valid-before", name)
	}
	return err
}

// parseDate reads YYYYMMDD, YYYYMMDDHHMM and YYYYMMDDHHMMSS, in UTC with a "Z"
// at the end and in zone without.
func parseDate(text string, zone *time.Location) (time.Time, error) {
	digits := strings.TrimRight(text, "Zz")
	if len(text)-len(digits) == 1 {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(layout) == len(digits) && len(text)-len(digits) <= 1 {
			if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a date of the form YYYYMMDD[Z] or YYYYMMDDHHMM[SS][Z]", text)
}
