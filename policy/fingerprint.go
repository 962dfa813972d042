package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path"
	"strings"
)

// fingerprintVersion separates these hashes from all others. It changes if
// what is hashed does, and every acknowledgement is void then.
const fingerprintVersion = "loopx finding 1"

// Fingerprint names a finding across runs: the SHA-256, in 64 lower-case hex
// digits, of
//
//   - the tool's name (not its version: an update is no new finding),
//   - the rule,
//   - the file, as a clean path,
//   - the evidence, or the message if there is none,
//
// all redacted by [Redact] and with each run of white space made one blank, each
// behind its length in eight bytes. No line and no column goes in, so it
// stays when a finding moves; no secret does, so it can be published. Two
// findings of one rule that show the same text in one file share it.
func Fingerprint(f Finding) string {
	text := f.Evidence
	if text == "" {
		text = f.Message
	}
	file := ""
	if f.Location != nil {
		file = CleanFile(f.Location.File)
	}
	h := sha256.New()
	for _, part := range []string{fingerprintVersion, Line(f.Tool.Name), Line(f.Rule), Redact(file), Line(text)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// shortFingerprint is how many digits of a fingerprint people are shown: 48 bits
// tell the blockers of a file apart.
const shortFingerprint = 12

// ShortFingerprint is the beginning of a fingerprint, as people are shown it.
func ShortFingerprint(f string) string { return f[:min(len(f), shortFingerprint)] }

// CleanFile is a file's name with slashes, and without "./" and the like.
func CleanFile(name string) string {
	if name == "" || strings.Contains(name, "://") {
		return name
	}
	return path.Clean(strings.ReplaceAll(name, `\`, "/"))
}

// Line makes one line of text that may be foreign: secrets redacted, each run
// of white space one blank, none at the ends.
func Line(text string) string { return strings.Join(strings.Fields(Redact(text)), " ") }
