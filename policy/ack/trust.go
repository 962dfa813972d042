package ack

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Trust is what decides which entries count. Nothing in it may come from the
// change that is checked.
type Trust struct {
	// Source says in a few words where the rest comes from. "" is no trusted
	// source: then no entry counts.
	Source  string
	Signers []Signer
	Revoked Revoked
	Policy  Policy
	// Repository is the identifier of the repository that is checked. If it
	// is "", no entry counts.
	Repository string
	// Authors are the e-mail addresses of the authors of the change, as far
	// as they are known.
	Authors []string
}

// refusal is why a signature does not count, and how near it came: of several
// lines that don't accept a key, the nearest tells the most.
type refusal struct {
	state State
	near  int
	why   string
}

// allows returns nil if the key of a signature may sign for principal now.
func (t *Trust) allows(s *signature, principal string, now time.Time) *refusal {
	best := &refusal{Untrusted, 0, fmt.Sprintf("the key %s is not among the signers of %s", ssh.FingerprintSHA256(plainKey(s.key)), t.Source)}
	for i := range t.Signers {
		r := t.Signers[i].allows(s, principal, now)
		if r == nil {
			return nil
		}
		if r.near > best.near {
			best = r
		}
	}
	return best
}

func (l *Signer) allows(s *signature, principal string, now time.Time) *refusal {
	key := s.key
	if l.Authority {
		cert, ok := key.(*ssh.Certificate)
		if !ok {
			return &refusal{}
		}
		key = cert.SignatureKey
	}
	if string(l.Key.Marshal()) != string(key.Marshal()) {
		return &refusal{}
	}
	at := fmt.Sprintf("line %d of the signers", l.Line)
	switch {
	case !matchList(l.Principals, principal):
		return &refusal{Untrusted, 1, fmt.Sprintf("%s has the key for %s, not for %s", at, l.Principals, principal)}
	case l.Namespaces != "" && !matchList(l.Namespaces, s.namespace):
		return &refusal{Untrusted, 2, fmt.Sprintf("%s allows the key for the namespaces %s, not for %s", at, l.Namespaces, s.namespace)}
	case !l.ValidAfter.IsZero() && now.Before(l.ValidAfter):
		return &refusal{KeyNotValid, 3, fmt.Sprintf("%s makes the key valid from %s on", at, stamp(l.ValidAfter))}
	case !l.ValidBefore.IsZero() && now.After(l.ValidBefore):
		return &refusal{KeyNotValid, 3, fmt.Sprintf("%s made the key valid until %s", at, stamp(l.ValidBefore))}
	case l.Authority:
		return certified(s.key.(*ssh.Certificate), principal, now)
	}
	return nil
}

// certified checks a certificate of a trusted authority. Unlike
// [ssh.CertChecker] it wants principals in it, as ssh-keygen does.
func certified(cert *ssh.Certificate, principal string, now time.Time) *refusal {
	switch {
	case cert.CertType != ssh.UserCert:
		return &refusal{Untrusted, 4, "the certificate is one for hosts, not for users"}
	case len(cert.ValidPrincipals) == 0:
		return &refusal{Untrusted, 4, "the certificate names no principals"}
	}
	checker := ssh.CertChecker{Clock: func() time.Time { return now }}
	if err := checker.CheckCert(principal, cert); err != nil {
		return &refusal{certState(cert, now), 4, "the certificate does not count: " + strings.TrimPrefix(err.Error(), "ssh: ")}
	}
	return nil
}

func certState(cert *ssh.Certificate, now time.Time) State {
	at := uint64(max(now.Unix(), 0))
	if at < cert.ValidAfter || at >= cert.ValidBefore {
		return KeyNotValid
	}
	return Untrusted
}

// isAuthor reports whether the signer is an author of the change: by the
// principal, by a principal of the certificate, or by another name that the
// signers have for the same key.
func (t *Trust) isAuthor(principal string, key ssh.PublicKey) bool {
	names := []string{principal}
	if cert, ok := key.(*ssh.Certificate); ok {
		names = append(names, cert.ValidPrincipals...)
	}
	if key != nil {
		plain := string(plainKey(key).Marshal())
		for _, l := range t.Signers {
			if string(l.Key.Marshal()) == plain && !l.Authority {
				names = append(names, strings.Split(l.Principals, ",")...)
			}
		}
	}
	for _, author := range t.Authors {
		for _, name := range names {
			if strings.EqualFold(name, author) {
				return true
			}
		}
	}
	return false
}
