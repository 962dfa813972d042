// Package ack reads, signs and verifies acknowledgements: the statements by
// which a reviewer with a key lifts a blocking finding for a stated time and
// reason. It is pure: it reads no files and no clock; what it trusts and what
// time it is come from the caller.
package ack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy"
)

// Namespace is the SSHSIG namespace of every signature of an acknowledgement.
const Namespace = "loopx-ack"

// Path is where the acknowledgements of a repository are, from its root, with
// slashes.
const Path = ".loopx/acknowledgements.yaml"

// MaxDays is how many days an acknowledgement lasts at most, unless the
// trusted policy says otherwise.
const MaxDays = 180

// ExpiringDays is how many days ahead the end of an acknowledgement is
// announced.
const ExpiringDays = 14

// MaxReason is the length of the longest reason, in bytes.
const MaxReason = 4096

const day = 24 * time.Hour

// Entry is one acknowledgement.
type Entry struct {
	Subject
	// Occurrences is how many findings alike the reviewer has seen: more are
	// not acknowledged.
	Occurrences int
	// Reason is one line or a text; it has no control characters but "\n".
	Reason string
	// Principal is who signs, as the file of allowed signers names them.
	Principal string
	// Created and Expires are in UTC and have whole seconds.
	Created, Expires time.Time
	// Repository is an identifier as [RepositoryID] makes it.
	Repository string
	// Signature is an armored SSHSIG, or "".
	Signature string
	// Line is where the entry begins in its file, from 1; 0 if it is in none.
	Line int
	// end is the line after the entry's last.
	end int
}

// Subject is what an acknowledgement is about: a finding, as it can be told
// from others.
type Subject struct {
	// Rule is the id of the rule.
	Rule string
	// Fingerprint is that of the finding.
	Fingerprint string
	// File is a path with slashes, relative to the root of the repository; ""
	// if the finding is in none.
	File string
	// Instruction is the digest of the instruction after ARG and ENV are
	// expanded: "sha256:" and 64 hexadecimal digits; "" only if the finding is
	// in no instruction of a Dockerfile.
	Instruction string
}

// NewSubject returns what tells f from other findings. instruction is the text
// of the instruction that f is in, after ARG and ENV are expanded; "" only if
// it is in none.
func NewSubject(f policy.Finding, instruction string) Subject {
	s := Subject{Rule: f.Rule, Fingerprint: f.Fingerprint}
	if f.Location != nil {
		s.File = f.Location.File
	}
	if instruction != "" {
		s.Instruction = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(instruction)))
	}
	return s
}

// payloadVersion is the first line of what is signed. It changes with the
// fields, so that no signature means two things.
const payloadVersion = "loopx-ack 1\n"

// Payload returns the bytes that are signed. After the version, each field is
// one line in a fixed order: its name, a blank, the length of its value in
// bytes, a colon, the value. The length makes the value's own line breaks and
// colons harmless.
func (e *Entry) Payload() []byte {
	var b bytes.Buffer
	b.WriteString(payloadVersion)
	for _, f := range e.fields() {
		fmt.Fprintf(&b, "%s %d:%s\n", f.name, len(f.value), f.value)
	}
	return b.Bytes()
}

type field struct{ name, value string }

// optional reports whether the field may be empty; it is not written then.
func (f field) optional() bool { return f.name == "instruction" || f.name == "file" }

// fields are all fields but the signature, in the order in which they are
// written and signed.
func (e *Entry) fields() []field {
	return []field{
		{"repository", e.Repository},
		{"rule", e.Rule},
		{"fingerprint", e.Fingerprint},
		{"occurrences", strconv.Itoa(e.Occurrences)},
		{"instruction", e.Instruction},
		{"file", e.File},
		{"reason", e.Reason},
		{"principal", e.Principal},
		{"created", stamp(e.Created)},
		{"expires", stamp(e.Expires)},
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Check returns what is wrong with the values of an entry, apart from its
// signature and the clock.
func (e *Entry) Check() error {
	for _, f := range e.fields() {
		if f.value == "" && f.optional() {
			continue
		}
		if err := checkText(f.name, f.value); err != nil {
			return err
		}
	}
	switch {
	case e.Occurrences < 1:
		return errors.New("occurrences is not a number from 1 on")
	case e.Instruction != "" && !digest.MatchString(e.Instruction):
		return fmt.Errorf("instruction %q is not sha256: and 64 hexadecimal digits in lower case", e.Instruction)
	case len(e.Reason) > MaxReason:
		return fmt.Errorf("reason has %d bytes; %d are the most", len(e.Reason), MaxReason)
	case e.Created.Nanosecond() != 0 || e.Expires.Nanosecond() != 0:
		return errors.New("created and expires have no fractions of a second")
	case !e.Expires.After(e.Created):
		return errors.New("expires is not after created")
	case strings.ContainsFunc(e.Signature, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }):
		return errors.New("signature holds other characters than an armored signature has")
	}
	return nil
}

// tidy gives an armored signature without blanks around its lines and without
// empty lines; armor doesn't count them.
func tidy(armored string) string {
	var b strings.Builder
	for line := range strings.Lines(armored) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func checkText(name, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return fmt.Errorf("%s is empty", name)
	case strings.TrimSpace(value) != value:
		return fmt.Errorf("%s begins or ends with a blank", name)
	case !utf8.ValidString(value):
		return fmt.Errorf("%s is not UTF-8", name)
	}
	for _, r := range value {
		if !strconv.IsPrint(r) && (r != '\n' || name != "reason") {
			return fmt.Errorf("%s holds %s: only visible characters and blanks are allowed", name, strconv.QuoteRuneToASCII(r))
		}
	}
	return nil
}

// same reports whether two entries acknowledge the same.
func (e *Entry) same(o *Entry) bool {
	return e.Subject == o.Subject && e.Repository == o.Repository
}
