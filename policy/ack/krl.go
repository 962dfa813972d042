package ack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"

	"golang.org/x/crypto/ssh"
)

// krlMagic begins OpenSSH's binary revocation lists. Their format is that of
// OpenSSH's PROTOCOL.krl; the numbers below are from it.
const krlMagic = "SSHKRL\n\x00"

const (
	krlCertificates = 1
	krlExplicit     = 2
	krlSHA1         = 3
	krlSHA256       = 5

	krlSerialList   = 0x20
	krlSerialRange  = 0x21
	krlSerialBitmap = 0x22
	krlKeyID        = 0x23
)

// certificates are those of one authority that a KRL revokes.
type certificates struct {
	authority []byte // its key; empty for every authority
	serials   []serials
	ids       []string
}

// serials are serial numbers from min to max, without those whose bit is not
// set if there is a bitmap.
type serials struct {
	min, max uint64
	bitmap   *big.Int
}

func (s *serials) has(n uint64) bool {
	return n >= s.min && n <= s.max && (s.bitmap == nil || s.bitmap.Bit(int(n-s.min)) == 1)
}

func (c *certificates) has(cert *ssh.Certificate) bool {
	if len(c.authority) > 0 && !bytes.Equal(c.authority, cert.SignatureKey.Marshal()) {
		return false
	}
	return slices.Contains(c.ids, cert.KeyId) || slices.ContainsFunc(c.serials, func(s serials) bool { return s.has(cert.Serial) })
}

var errKRL = errors.New("is a binary revocation list (KRL) that is malformed; make it again with ssh-keygen -k")

// parseKRL adds what a KRL revokes. What it doesn't know it takes for an
// error, since it may revoke something.
func (r *Revoked) parseKRL(data []byte) error {
	in := wire{rest: data[len(krlMagic):]}
	version := in.uint32()
	in.uint64() // version of the list
	in.uint64() // when it was made
	in.uint64() // flags: none are defined
	in.text()   // reserved
	in.text()   // comment
	if in.ended || version != 1 {
		return errKRL
	}
	for len(in.rest) > 0 {
		kind, section := in.byte(), wire{rest: in.text()}
		if in.ended {
			return errKRL
		}
		if err := r.parseSection(kind, section); err != nil {
			return err
		}
	}
	return nil
}

func (r *Revoked) parseSection(kind byte, in wire) error {
	if kind == krlCertificates {
		return r.parseCertificates(in)
	}
	for len(in.rest) > 0 {
		item := in.text()
		switch {
		case in.ended:
			return errKRL
		case kind == krlExplicit:
			r.addBlob(item)
		case kind == krlSHA256 && len(item) == 32:
			r.sums[[32]byte(item)] = true
		case kind == krlSHA1 && len(item) == 20:
			r.sha1[[20]byte(item)] = true
		case kind == krlSHA256 || kind == krlSHA1:
			return errKRL
		default:
			return errors.New("is a revocation list (KRL) with a part that is not known, such as a signature of the list; make it again with ssh-keygen -k")
		}
	}
	return nil
}

func (r *Revoked) parseCertificates(in wire) error {
	c := certificates{authority: in.text()}
	in.text() // reserved
	for len(in.rest) > 0 && !in.ended {
		kind, section := in.byte(), wire{rest: in.text()}
		if in.ended {
			return errKRL
		}
		if err := c.parse(kind, section); err != nil {
			return err
		}
	}
	if in.ended {
		return errKRL
	}
	r.certificates = append(r.certificates, c)
	return nil
}

func (c *certificates) parse(kind byte, in wire) error {
	for len(in.rest) > 0 {
		switch kind {
		case krlSerialList:
			n := in.uint64()
			c.serials = append(c.serials, serials{min: n, max: n})
		case krlSerialRange:
			c.serials = append(c.serials, serials{min: in.uint64(), max: in.uint64()})
		case krlSerialBitmap:
			s := serials{min: in.uint64(), bitmap: new(big.Int).SetBytes(in.text())}
			s.max = s.min + uint64(s.bitmap.BitLen())
			if s.max < s.min {
				return errKRL
			}
			c.serials = append(c.serials, s)
		case krlKeyID:
			c.ids = append(c.ids, string(in.text()))
		default:
			return errors.New("is a revocation list (KRL) that revokes certificates in a way that is not known; make it again with ssh-keygen -k")
		}
		if in.ended {
			return errKRL
		}
	}
	return nil
}

// wire reads SSH's data types (RFC 4251, section 5). After an end that came too
// early it is bad, and all values are zero.
type wire struct {
	rest  []byte
	ended bool
}

// take returns the next n bytes.
func (w *wire) take(n uint64) []byte {
	if n > uint64(len(w.rest)) {
		w.rest, w.ended = nil, true
		return nil
	}
	head := w.rest[:n]
	w.rest = w.rest[n:]
	return head
}

func (w *wire) byte() byte {
	if b := w.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (w *wire) uint32() uint32 {
	if b := w.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (w *wire) uint64() uint64 {
	if b := w.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (w *wire) text() []byte { return w.take(uint64(w.uint32())) }
