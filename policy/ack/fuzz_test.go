package ack

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
)

// FuzzParse holds of any file of acknowledgements: nothing panics; without a
// trusted source nothing counts, and nothing that an unknown key signed; what
// is read can be written and is then read as the same; an entry can be added to
// it, or the file is refused whole.
func FuzzParse(f *testing.F) {
	key := ed25519Key(f)
	one, err := Append(nil, signed(f, key), false)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(one)
	f.Add([]byte("version: 1\nacknowledgements:\n- rule: a\n  reason: |\n    b\n"))
	f.Add([]byte("a: &a [*a]\n---\n!!x y: {<<: z}\n"))
	trust := trusting(f, line(alice, ed25519Key(f).PublicKey()))
	more := entry()
	more.Fingerprint = "one more"
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Parse(data)
		if err != nil {
			if out, err := Append(data, more, false); err == nil {
				t.Errorf("%q is refused, and added to: %q", data, out)
			}
			return
		}
		for _, trust := range []Trust{{Repository: repository}, trust} {
			for i, v := range Verify(all, []Subject{finding}, trust, today).Entries {
				if v.State.Counts() {
					t.Errorf("%+v counts", all[i])
				}
			}
		}
		rewritten(t, all)
		if out, err := Append(data, more, true); err == nil {
			if again, err := Parse(out); err != nil || len(again) < len(all) || !bytes.Contains(again[len(again)-1].Payload(), []byte("one more")) {
				t.Errorf("%q became %q, which is read as %+v: %v", data, out, again, err)
			}
		}
	})
}

// rewritten writes what was read.
func rewritten(t *testing.T, all []Entry) {
	t.Helper()
	var out []byte
	for i := range all {
		var err error
		if out, err = Append(out, &all[i], false); err != nil {
			t.Fatalf("%+v: %v", all[i], err)
		}
	}
	again, err := Parse(out)
	if err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	if diff := cmp.Diff(all, again, same); diff != "" {
		t.Errorf("(-read +read again):\n%s", diff)
	}
}

// FuzzSigners holds of any files of signers and revoked keys: nothing panics;
// each line that is read has a principal and a key; and a key that is revoked
// never counts.
func FuzzSigners(f *testing.F) {
	key := ed25519Key(f)
	public := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
	f.Add([]byte(alice+" "+public+"\n"), []byte("# none\n"))
	f.Add([]byte(`"*,!b" cert-authority,namespaces="loopx-*",valid-after="20260101Z",valid-before="20271231235959" `+public+" c\n"), []byte(public))
	f.Add([]byte("* namespaces=\"a\\\"b\" ssh-ed25519 AAAA\n"), []byte(krlMagic+"\x00\x00\x00\x01"))
	e := []Entry{*signed(f, key)}
	f.Fuzz(func(t *testing.T, list, revoked []byte) {
		signers, err := ParseSigners(list, time.UTC)
		if err != nil {
			signers = nil
		}
		for _, s := range signers {
			if s.Principals == "" || s.Key == nil || s.Line == 0 {
				t.Errorf("%q: %+v", list, s)
			}
		}
		trust := Trust{Source: "x", Signers: signers, Repository: repository}
		before := Check(e, trust, today)[0].State
		if before.Counts() && !bytes.Contains(list, []byte(strings.Fields(public)[1])) {
			t.Errorf("%q lists the key", list)
		}
		if trust.Revoked, err = ParseRevoked(revoked); err != nil {
			return
		}
		if after := Check(e, trust, today)[0].State; after != before && after != RevokedKey {
			t.Errorf("%q makes %s of %s", revoked, after, before)
		}
	})
}
