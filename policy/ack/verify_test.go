package ack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/loopx/loopx-frontend/policy"
)

func TestGood(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]ssh.Signer{"ed25519": ed25519Key(t), "ecdsa": ecdsaKey(t), "rsa": rsaKey(t, 2048)} {
		e := signed(t, key)
		got := Verify([]Entry{*e}, []Subject{finding}, trusting(t, line(alice, key.PublicKey())), today)
		want := Result{
			Entries: []Verdict{{State: Good, Key: ssh.FingerprintSHA256(key.PublicKey()), DaysLeft: 20}},
			Findings: []Outcome{{
				Acknowledged: true,
				Why:          "acknowledged by alice@example.com until 2026-12-20: the installer's checksum is pinned: see SEC-12",
			}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// refused is one way in which an entry does not count.
type refused struct {
	name   string
	entry  *Entry
	trust  Trust
	now    time.Time // zero is today
	others []Subject // beside finding
	state  State
	why    string // a part of the verdict's
	found  string // a part of the finding's; "" is why
}

func TestRefused(t *testing.T) {
	t.Parallel()
	key, other := ed25519Key(t), ed25519Key(t)
	trust := trusting(t, line(alice, key.PublicKey()))
	with := func(change func(*Trust)) Trust {
		changed := trust
		change(&changed)
		return changed
	}
	edited := func(change func(*Entry)) *Entry {
		e := signed(t, key)
		change(e)
		return e
	}
	const altered = "does not match what the entry says"
	unmatched := Subject{Rule: "OtherRule", Fingerprint: "f", File: "Dockerfile", Instruction: finding.Instruction}
	for _, tc := range []refused{
		{name: "no trusted source", entry: signed(t, key), trust: Trust{Repository: repository}, state: NoTrust, why: "no trusted source of signers is given, so no acknowledgement counts"},
		{name: "unsigned", entry: entry(), trust: trust, state: Unsigned, why: "it has no signature"},
		{name: "forged", entry: edited(func(e *Entry) { e.Signature = signed(t, key, func(e *Entry) { e.Reason = "x" }).Signature }), trust: trust, state: Altered, why: altered},
		{name: "edited reason", entry: edited(func(e *Entry) { e.Reason += "!" }), trust: trust, state: Altered, why: altered},
		{name: "edited expiry", entry: edited(func(e *Entry) { e.Expires = e.Expires.Add(time.Second) }), trust: trust, state: Altered, why: altered},
		{name: "edited creation", entry: edited(func(e *Entry) { e.Created = e.Created.Add(time.Second) }), trust: trust, state: Altered, why: altered},
		{name: "edited principal", entry: edited(func(e *Entry) { e.Principal = "bob@example.com" }), trust: trust, state: Altered, why: altered},
		{name: "copied to another finding", entry: edited(func(e *Entry) { e.Fingerprint = "f"; e.Rule = "OtherRule" }), trust: trust, state: Altered, why: altered, found: "nobody has acknowledged it"},
		{name: "copied to another rule", entry: edited(func(e *Entry) { e.Rule = "OtherRule" }), trust: trust, state: Altered, why: altered, found: "nobody has acknowledged it"},
		{name: "copied to another file", entry: edited(func(e *Entry) { e.File = "x" }), trust: trust, state: Altered, why: altered, found: "nobody has acknowledged it"},
		{name: "copied to another instruction", entry: edited(func(e *Entry) { e.Instruction = "sha256:" + strings.Repeat("cd", 32) }), trust: trust, state: Altered, why: altered, found: "was for another form of the instruction"},
		{name: "more occurrences by hand", entry: edited(func(e *Entry) { e.Occurrences = 2 }), trust: trust, others: []Subject{finding}, state: Altered, why: altered},
		{name: "copied with the repository", entry: edited(func(e *Entry) { e.Repository = "git.example.com/acme/other" }), trust: with(func(t *Trust) { t.Repository = "git.example.com/acme/other" }), state: Altered, why: altered},
		{name: "another repository", entry: signed(t, key), trust: with(func(t *Trust) { t.Repository = "git.example.com/acme/other" }), state: OtherRepository, why: "it is for the repository git.example.com/acme/app, and this is git.example.com/acme/other"},
		{name: "repository unknown", entry: signed(t, key), trust: with(func(t *Trust) { t.Repository = "" }), state: OtherRepository, why: "is not known"},
		{name: "wrong key", entry: signed(t, other), trust: trust, state: Untrusted, why: "is not among the signers of /etc/loopx/allowed_signers"},
		{name: "key of another", entry: signed(t, key), trust: trusting(t, line("bob@example.com", key.PublicKey())), state: Untrusted, why: "line 1 of the signers has the key for bob@example.com, not for alice@example.com"},
		{name: "principal excluded", entry: signed(t, key), trust: trusting(t, line("!alice@example.com,*@example.com", key.PublicKey())), state: Untrusted, why: "not for alice@example.com"},
		{name: "signers' namespaces", entry: signed(t, key), trust: trusting(t, line(`* namespaces="git,file"`, key.PublicKey())), state: Untrusted, why: "allows the key for the namespaces git,file, not for loopx-ack"},
		{name: "authority's own key", entry: signed(t, key), trust: trusting(t, line(`* cert-authority`, key.PublicKey())), state: Untrusted, why: "is not among the signers"},
		{name: "key not yet valid", entry: signed(t, key), trust: trusting(t, line(`* valid-after="20261201Z"`, key.PublicKey())), state: KeyNotValid, why: "valid from 2026-12-01T00:00:00Z on"},
		{name: "key no longer valid", entry: signed(t, key), trust: trusting(t, line(`* valid-before="20261130Z"`, key.PublicKey())), state: KeyNotValid, why: "valid until 2026-11-30T00:00:00Z"},
		{name: "revoked", entry: signed(t, key), trust: with(func(tr *Trust) { tr.Revoked = revoking(t, ssh.FingerprintSHA256(key.PublicKey())) }), state: RevokedKey, why: "is revoked"},
		{name: "self-granted", entry: signed(t, key), trust: with(func(t *Trust) { t.Authors = []string{"bob@example.com", "Alice@example.com"} }), state: SelfGranted, why: "alice@example.com is an author of the change; somebody else signs"},
		{name: "self-granted under another name", entry: signed(t, key), trust: withAuthor(trusting(t, line("alice@example.com,ali@home.example", key.PublicKey())), "ali@home.example"), state: SelfGranted, why: "is an author"},
		{name: "too long", entry: signed(t, key, func(e *Entry) { e.Expires = e.Created.Add(180*day + time.Second) }), trust: trust, state: TooLong, why: "longer than 180 days"},
		{name: "too long for the policy", entry: signed(t, key), trust: with(func(t *Trust) { t.Policy.MaxDays = 29 }), state: TooLong, why: "longer than 29 days"},
		{name: "from the future", entry: signed(t, key, func(e *Entry) { e.Created = today.Add(skew + time.Second) }), trust: trust, state: NotYet, why: "which is not yet"},
		{name: "expired", entry: signed(t, key), trust: trust, now: today.Add(20 * day), state: Expired, why: "it expired on 2026-12-20; its reason was: the installer's checksum is pinned: see SEC-12"},
		{name: "second occurrence", entry: signed(t, key), trust: trust, others: []Subject{finding}, state: TooMany, why: "it is signed for 1 of these findings, and there are 2"},
		{name: "not UTF-8 armor", entry: edited(func(e *Entry) { e.Signature = "\xff" }), trust: trust, state: Unreadable, why: "the signature is not an armored SSH signature"},
		{name: "unsigned, other repository", entry: entry(), trust: Trust{Source: "x", Policy: Policy{Unsigned: true}, Repository: "y/z"}, state: OtherRepository, why: "this is y/z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.check(t, unmatched)
		})
	}
}

func withAuthor(t Trust, author string) Trust {
	t.Authors = []string{author}
	return t
}

func revoking(t testing.TB, list string) Revoked {
	t.Helper()
	r, err := ParseRevoked([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// check wants the entry refused, and with it the finding and unmatched, which
// some of the entries were copied to.
func (tc refused) check(t *testing.T, unmatched Subject) {
	t.Helper()
	if tc.now.IsZero() {
		tc.now = today
	}
	findings := append([]Subject{finding, unmatched}, tc.others...)
	got := Verify([]Entry{*tc.entry}, findings, tc.trust, tc.now)
	v := got.Entries[0]
	if v.State != tc.state || !strings.Contains(v.Why, tc.why) {
		t.Errorf("the entry is %s: %s; want %s: %s", v.State, v.Why, tc.state, tc.why)
	}
	if tc.found == "" {
		tc.found = tc.why
	}
	if !strings.Contains(got.Findings[0].Why, tc.found) {
		t.Errorf("the finding: %s; want %s", got.Findings[0].Why, tc.found)
	}
	for i, f := range got.Findings {
		if f.Acknowledged {
			t.Errorf("finding %d is acknowledged", i)
		}
	}
}

// TestWrongNamespace makes a signature that only its namespace tells apart.
func TestWrongNamespace(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	e := entry()
	e.Signature = keygenSign(t, keyFile(t, "ed25519"), "file", e.Payload())
	got := Check([]Entry{*e}, trusting(t, line("*", key.PublicKey())), today)[0]
	if got.State != WrongNamespace || got.Why != `the signature is made for the namespace "file", not "loopx-ack"; sign again` {
		t.Errorf("%s: %s", got.State, got.Why)
	}
}

func TestNotMatched(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	trust := trusting(t, line(alice, key.PublicKey()))
	changed := finding
	changed.Instruction = "sha256:" + strings.Repeat("00", 32)
	for _, tc := range []struct {
		findings []Subject
		state    State
		why      []string
	}{
		{nil, Unused, []string{}},
		{[]Subject{changed}, Changed, []string{"the acknowledgement by alice@example.com was for another form of the instruction; review it and sign again"}},
	} {
		got := Verify([]Entry{*signed(t, key)}, tc.findings, trust, today)
		why := []string{}
		for _, f := range got.Findings {
			why = append(why, f.Why)
		}
		if diff := cmp.Diff(tc.why, why); got.Entries[0].State != tc.state || diff != "" {
			t.Errorf("%s, want %s (-want +got):\n%s", got.Entries[0].State, tc.state, diff)
		}
	}
}

// TestCounted holds that an entry for two is good for one and two, and that one
// of two entries which counts is enough.
func TestCounted(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	trust := trusting(t, line(alice, key.PublicKey()))
	two := signed(t, key, func(e *Entry) { e.Occurrences = 2 })
	elsewhere := signed(t, key, func(e *Entry) { e.Repository = "git.example.com/acme/fork" })
	for n := 1; n <= 3; n++ {
		findings := []Subject{finding, finding, finding}[:n]
		for i, f := range Verify([]Entry{*elsewhere, *two}, findings, trust, today).Findings {
			if f.Acknowledged != (n <= 2) || f.Acknowledged && f.Entry != 1 {
				t.Errorf("finding %d of %d: %+v", i, n, f)
			}
		}
	}
}

func TestExpiring(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	trust := trusting(t, line(alice, key.PublicKey()))
	e := []Entry{*signed(t, key)}
	for _, tc := range []struct {
		before time.Duration // the end
		state  State
		left   int
	}{
		{14*day + time.Second, Good, 15},
		{14 * day, Expiring, 14},
		{time.Second, Expiring, 1},
		{0, Expired, 0},
		{-1000 * day, Expired, 0},
	} {
		got := Verify(e, []Subject{finding}, trust, e[0].Expires.Add(-tc.before))
		if v := got.Entries[0]; v.State != tc.state || v.DaysLeft != tc.left {
			t.Errorf("%v before the end: %s, %d days left", tc.before, v.State, v.DaysLeft)
		}
		if got.Findings[0].Acknowledged != tc.state.Counts() {
			t.Errorf("%v before the end: %+v", tc.before, got.Findings[0])
		}
	}
}

func TestUnsignedAllowed(t *testing.T) {
	t.Parallel()
	trust := Trust{Source: "x", Policy: Policy{Unsigned: true}, Repository: repository}
	got := Verify([]Entry{*entry()}, []Subject{finding}, trust, today)
	want := Result{
		Entries:  []Verdict{{State: Good, Unsigned: true, DaysLeft: 20}},
		Findings: []Outcome{{Acknowledged: true, Why: "acknowledged without a signature, which the trusted policy allows, by alice@example.com until 2026-12-20: the installer's checksum is pinned: see SEC-12"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPolicyDays holds that a policy can allow more, too.
func TestPolicyDays(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	trust := trusting(t, line(alice, key.PublicKey()))
	trust.Policy.MaxDays = 400
	e := signed(t, key, func(e *Entry) { e.Expires = e.Created.Add(400 * day) })
	if v := Check([]Entry{*e}, trust, today)[0]; v.State != Good {
		t.Errorf("%+v", v)
	}
}

// TestSubject holds that a finding of another source, which is in no instruction
// and maybe in no file, can be acknowledged, and lends that to none that is.
func TestSubject(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	trust := trusting(t, line(alice, key.PublicKey()))
	f := policy.Finding{Rule: "CVE-2026-1", Fingerprint: "f"}
	foreign := NewSubject(f, "")
	f.Location = &policy.Location{File: "Dockerfile"}
	ours := NewSubject(f, "RUN true")
	want := Subject{
		Rule: "CVE-2026-1", Fingerprint: "f", File: "Dockerfile",
		Instruction: "sha256:6381c1a6bfc7d130582509d3631b4b4dbce5133fb22cb40c5694ed22275eba38",
	}
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e := signed(t, key, func(e *Entry) { e.Subject = foreign })
	all, err := Parse([]byte(appended(t, "", e, false)))
	if err != nil {
		t.Fatal(err)
	}
	got := Verify(all, []Subject{foreign, ours}, trust, today)
	if !got.Findings[0].Acknowledged || got.Findings[1].Acknowledged {
		t.Errorf("%+v", got)
	}
}

// TestPayload pins the bytes that are signed: a change of them needs another
// version.
func TestPayload(t *testing.T) {
	t.Parallel()
	e := entry()
	e.Reason = "größer\nrule 1:x"
	want := "loopx-ack 1\n" +
		"repository 24:git.example.com/acme/app\n" +
		"rule 12:PipedToShell\n" +
		"fingerprint 16:0f1e2d3c4b5a6978\n" +
		"occurrences 1:1\n" +
		fmt.Sprintf("instruction 71:%s\n", finding.Instruction) +
		"file 10:Dockerfile\n" +
		"reason 17:größer\nrule 1:x\n" +
		"principal 17:alice@example.com\n" +
		"created 20:2026-11-20T12:00:00Z\n" +
		"expires 20:2026-12-20T12:00:00Z\n"
	if diff := cmp.Diff(want, string(e.Payload())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
