package ack

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
)

// keyByLine compares keys by what they are written as.
var keyByLine = cmp.Transformer("key", func(k ssh.PublicKey) string { return string(ssh.MarshalAuthorizedKey(k)) })

func TestParseSigners(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t).PublicKey()
	k := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	zone := time.FixedZone("east", 2*60*60)
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, 11, 30, hour, minute, second, 0, time.UTC)
	}
	for text, want := range map[string]Signer{
		alice + " " + k: {Principals: alice, Key: key, Line: 1},
		"\n# a note\n \t" + alice + "\t" + k + " a comment\r\n": {Principals: alice, Key: key, Line: 3},
		`"` + alice + `,b@example.com" ` + k:                    {Principals: alice + ",b@example.com", Key: key, Line: 1},
		"* cert-authority " + k:                                 {Principals: "*", Key: key, Authority: true, Line: 1},
		"* Cert-Authority,NAMESPACES=\"a b,c\" " + k:            {Principals: "*", Key: key, Authority: true, Namespaces: "a b,c", Line: 1},
		`* namespaces="a\"b" ` + k:                              {Principals: "*", Key: key, Namespaces: `a"b`, Line: 1},
		`* valid-after="20261130" ` + k:                         {Principals: "*", Key: key, ValidAfter: at(-2, 0, 0), Line: 1},
		`* valid-after="20261130Z" ` + k:                        {Principals: "*", Key: key, ValidAfter: at(0, 0, 0), Line: 1},
		`* valid-before="202611301530" ` + k:                    {Principals: "*", Key: key, ValidBefore: at(13, 30, 0), Line: 1},
		`* valid-before="202611301530z" ` + k:                   {Principals: "*", Key: key, ValidBefore: at(15, 30, 0), Line: 1},
		`* valid-before="20261130153045" ` + k:                  {Principals: "*", Key: key, ValidBefore: at(13, 30, 45), Line: 1},
		`* valid-after="20261130Z",valid-before="20261130153045Z" ` + k: {
			Principals: "*", Key: key, ValidAfter: at(0, 0, 0), ValidBefore: at(15, 30, 45), Line: 1,
		},
	} {
		got, err := ParseSigners([]byte(text), zone)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff([]Signer{want}, got, keyByLine); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseSignersRefuses(t *testing.T) {
	t.Parallel()
	signer := ed25519Key(t)
	k := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
	cert := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(certifiedBy(t, signer, signer).PublicKey())))
	for text, want := range map[string]string{
		alice:                       "there is no key; a line is: principals, options, type of the key, key",
		k:                           "there is no key; a line is",
		alice + " ssh-ed25519 !":    "there is no key",
		alice + " ssh-ed25519 AAAA": "the key cannot be read",
		alice + " " + strings.Replace(k, "ssh-ed25519", "ssh-rsa", 1): "the key is one of type ssh-ed25519, not ssh-rsa",
		`"` + alice + " " + k:                                     "a quote is not closed",
		`"" ` + k:                                                 "the principals are empty",
		"* namespaces=loopx-ack " + k:                             `the value of namespaces is not in double quotes; write namespaces="…"`,
		`* namespaces="a ` + k:                                    "there is no key",
		`* namespaces="" ` + k:                                    "namespaces is empty",
		`* namespaces ` + k:                                       "namespaces is empty",
		`* namespaces="a",namespaces="b" ` + k:                    "the option namespaces is given twice",
		`* namespaces="a"b ` + k:                                  "there is no option after namespaces",
		`* cert-authority, ` + k:                                  "there is no option after cert-authority",
		`* cert-authority="x" ` + k:                               "cert-authority takes no value",
		`* no-touch-required ` + k:                                `the option "no-touch-required" is not known`,
		`* valid-after="2026-11-30" ` + k:                         `"2026-11-30" is not a date of the form`,
		`* valid-after="20261332" ` + k:                           `"20261332" is not a date`,
		`* valid-after="20261130ZZ" ` + k:                         `"20261130ZZ" is not a date`,
		`* valid-after="20261130Z",valid-before="20261130Z" ` + k: "valid-after is not before valid-before",
		"* " + cert:                                               "the key is a certificate; list the key of its authority, with cert-authority",
	} {
		_, err := ParseSigners([]byte("# one\n"+text), time.UTC)
		if err == nil || !strings.HasPrefix(err.Error(), "line 2: "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := ParseSigners(make([]byte, MaxFile+1), time.UTC); err == nil {
		t.Error("a file that is too large is read")
	}
}

// TestSecondLine holds that a line which doesn't allow a key doesn't stop one
// that does, and that the nearest tells why, where none does.
func TestSecondLine(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	e := []Entry{*signed(t, key)}
	no := line(`alice@example.com valid-before="20200101Z"`, key.PublicKey())
	far := line("bob@example.com", key.PublicKey())
	for text, want := range map[string]State{
		no + "\n" + line("alice@*", key.PublicKey()): Good,
		far + "\n" + no: KeyNotValid,
		no + "\n" + far: KeyNotValid,
		far:             Untrusted,
	} {
		if v := Check(e, trusting(t, text), today)[0]; v.State != want {
			t.Errorf("%s: %s: %s", text, v.State, v.Why)
		}
	}
}

func TestMatchList(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		list, s string
		want    bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"", "", true},
		{"a,b", "b", true},
		{"*", "", true},
		{"*@example.com", "alice@example.com", true},
		{"*@example.com", "alice@example.com.evil", false},
		{"*@example.com", "Alice@EXAMPLE.com", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"a*b*c", "a1b2b3c", true},
		{"a*b*c", "a1c2b", false},
		{"*,!bob", "bob", false},
		{"!bob,*", "alice", true},
		{"!bob", "alice", false},
		{strings.Repeat("*a", 50), strings.Repeat("a", 2000) + "b", false},
	} {
		if got := matchList(tc.list, tc.s); got != tc.want {
			t.Errorf("%q, %q: %v", tc.list, tc.s, got)
		}
	}
}
