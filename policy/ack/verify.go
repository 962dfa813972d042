package ack

import (
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"
)

// skew is how far ahead of the verifier's clock the signer's may be.
const skew = 10 * time.Minute

// Verdict is what was found out about one entry.
type Verdict struct {
	State State
	// Why is one sentence that says what to do, if the entry does not count;
	// it is free of control characters if the entry is one of [Parse].
	Why string
	// Key is the fingerprint of the key that signed, "" if none did or it
	// cannot be read.
	Key string
	// Unsigned says that the entry counts without a signature.
	Unsigned bool
	// DaysLeft are the whole days until the entry ends, rounded up; 0 if it
	// has ended.
	DaysLeft int
}

// Outcome is what became of one finding.
type Outcome struct {
	Acknowledged bool
	// Entry is the index of the entry that acknowledges the finding, or that
	// would if it counted; -1 if there is none.
	Entry int
	// Why is one sentence: by whom and until when, or why not.
	Why string
}

// Result is the answer of [Verify].
type Result struct {
	// Entries are in the order of the entries, Findings in that of the
	// findings.
	Entries  []Verdict
	Findings []Outcome
}

// Check judges entries by themselves, without findings: no state of its
// verdicts is TooMany, Changed or Unused. now is the real time, never that of
// SOURCE_DATE_EPOCH.
func Check(entries []Entry, t Trust, now time.Time) []Verdict {
	verdicts := make([]Verdict, len(entries))
	for i := range entries {
		verdicts[i] = t.judge(&entries[i], now)
	}
	return verdicts
}

// judge is the whole decision about one entry.
func (t *Trust) judge(e *Entry, now time.Time) Verdict {
	v := Verdict{DaysLeft: daysLeft(e.Expires, now)}
	if t.Source == "" {
		v.State, v.Why = NoTrust, "no trusted source of signers is given, so no acknowledgement counts; name the allowed signers from outside of the change"
		return v
	}
	var key ssh.PublicKey
	if e.Signature == "" {
		v.Unsigned = t.Policy.Unsigned
		if !v.Unsigned {
			v.State, v.Why = Unsigned, "it has no signature; a reviewer signs it with loopxctl ack create"
			return v
		}
	} else if key, v.State, v.Why = t.signed(e, now); v.State != "" {
		v.Key = keyName(key)
		return v
	}
	v.Key = keyName(key)
	v.State, v.Why = t.applies(e, key, now)
	return v
}

func keyName(key ssh.PublicKey) string {
	if key == nil {
		return ""
	}
	return ssh.FingerprintSHA256(plainKey(key))
}

// signed judges the signature. The state is "" if all is well.
func (t *Trust) signed(e *Entry, now time.Time) (ssh.PublicKey, State, string) {
	s, err := parseSignature(e.Signature)
	switch {
	case err != nil:
		return nil, Unreadable, fmt.Sprintf("the signature %v; sign again", err)
	case s.namespace != Namespace:
		return s.key, WrongNamespace, fmt.Sprintf("the signature is made for the namespace %q, not %q; sign again", s.namespace, Namespace)
	case !s.verify(e.Payload()):
		return s.key, Altered, "the signature does not match what the entry says: it was edited after it was signed, or the signature is forged; restore it or sign again"
	case t.Revoked.has(s.key):
		return s.key, RevokedKey, "the key, or the authority of its certificate, is revoked; another reviewer signs again"
	}
	if r := t.allows(s, e.Principal, now); r != nil {
		return s.key, r.state, r.why
	}
	return s.key, "", ""
}

// applies judges what a signed entry is for.
func (t *Trust) applies(e *Entry, key ssh.PublicKey, now time.Time) (State, string) {
	maxDays := t.Policy.maxDays()
	switch {
	case t.Repository == "":
		return OtherRepository, fmt.Sprintf("it is for %s, and which repository this is is not known; name it", e.Repository)
	case t.Repository != e.Repository:
		return OtherRepository, fmt.Sprintf("it is for the repository %s, and this is %s", e.Repository, t.Repository)
	case t.isAuthor(e.Principal, key):
		return SelfGranted, fmt.Sprintf("%s is an author of the change; somebody else signs", e.Principal)
	case e.Expires.Sub(e.Created) > time.Duration(maxDays)*day:
		return TooLong, fmt.Sprintf("it lasts longer than %d days, which are the most; sign again for less", maxDays)
	case e.Created.After(now.Add(skew)):
		return NotYet, fmt.Sprintf("it is created at %s, which is not yet; check the clocks", stamp(e.Created))
	case !now.Before(e.Expires):
		return Expired, fmt.Sprintf("it expired on %s; its reason was: %s", date(e.Expires), oneLine(e.Reason))
	case !now.Before(e.Expires.Add(-ExpiringDays * day)):
		return Expiring, fmt.Sprintf("it expires on %s; mend what was found, or sign again", date(e.Expires))
	}
	return Good, ""
}

func date(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func daysLeft(expires, now time.Time) int {
	left := max(0, expires.Sub(now))
	days := int(left / day)
	if left%day > 0 {
		days++
	}
	return days
}
