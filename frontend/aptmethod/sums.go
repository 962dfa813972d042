package aptmethod

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

// sum is a hash of a file: apt's name of its kind, and its value.
type sum struct{ name, hex string }

// sumKind is a kind of hash that apt knows.
type sumKind struct {
	name string
	make func() hash.Hash
}

// sumKinds are all that apt knows, the best first. Source: SupportedHashes in
// apt-pkg/contrib/hashes.cc.
func sumKinds() []sumKind {
	return []sumKind{{"SHA512", sha512.New}, {"SHA256", sha256.New}, {"SHA1", sha1.New}, {"MD5Sum", md5.New}}
}

// sums hashes a file while it passes.
type sums struct {
	names  []string
	hashes []hash.Hash
	size   int64
}

// newSums returns the hashes that an item expects and apt relies on, all if
// there are none. Packages has an MD5 beside the SHA256 of each file: without it
// the method needs a quarter less time, and apt compares what both sides have.
// Source: operator== of HashStringList in apt-pkg/contrib/hashes.cc.
func newSums(i *item) *sums {
	s := &sums{}
	for _, kind := range sumKinds() {
		if !i.trusted() || i.relies(kind.name) && i.wants(kind.name) != "" {
			s.names = append(s.names, kind.name)
			s.hashes = append(s.hashes, kind.make())
		}
	}
	return s
}

// wants returns the expected hash of a kind, "" for none.
func (i *item) wants(name string) string {
	for _, w := range i.want {
		if w.name == name {
			return w.hex
		}
	}
	return ""
}

// Write adds p; it never fails.
func (s *sums) Write(p []byte) (int, error) {
	for _, h := range s.hashes {
		h.Write(p)
	}
	s.size += int64(len(p))
	return len(p), nil
}

// match reports whether what was added is the item's file, as far as apt says
// what that is.
func (s *sums) match(i *item) bool {
	if i.size >= 0 && s.size != i.size {
		return false
	}
	for k, name := range s.names {
		if want := i.wants(name); want != "" && !strings.EqualFold(want, hex.EncodeToString(s.hashes[k].Sum(nil))) {
			return false
		}
	}
	return true
}

// fields are the hashes as "201 URI Done" has them.
func (s *sums) fields() []message.Field {
	var fields []message.Field
	for k, name := range s.names {
		value := hex.EncodeToString(s.hashes[k].Sum(nil))
		if fields = append(fields, message.Field{Name: name + "-Hash", Value: value}); name == "MD5Sum" {
			fields = append(fields, message.Field{Name: "MD5-Hash", Value: value}) // apt before 1.1
		}
	}
	return append(fields, message.Field{Name: "Checksum-FileSize-Hash", Value: strconv.FormatInt(s.size, 10)})
}
