package ack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// TestKRL holds that the binary lists of the real ssh-keygen revoke what they
// say, and nothing else.
func TestKRL(t *testing.T) {
	t.Parallel()
	authority := keyFile(t, "ed25519")
	cert := func(serial, id string) (path string, c *ssh.Certificate) {
		path = keyFile(t, "ed25519")
		keygen(t, nil, "-q", "-s", authority, "-I", id, "-z", serial, "-n", alice, path+".pub")
		return path, publicKey(t, path+"-cert.pub").(*ssh.Certificate)
	}
	path7, seven := cert("7", "seven")
	_, nine := cert("9", "nine")
	_, far := cert("1000000", "far")
	for _, tc := range []struct {
		name, spec        string
		seven, nine, last bool
	}{
		{"serial", "serial: 7\n", true, false, false},
		{"serials", "serial: 7\nserial: 9\n", true, true, false},
		{"range", "serial: 8-2000000\n", false, true, true},
		{"many, which makes a bitmap", "serial: 1\nserial: 3\nserial: 5\nserial: 6\nserial: 9\nserial: 12\nserial: 14\nserial: 17\n", false, true, false},
		{"id", "id: far\n", false, false, true},
		{"key", "key: " + read(t, path7+".pub") + "\n", true, false, false},
		{"sha1", "sha1: " + read(t, path7+".pub") + "\n", true, false, false},
		{"sha256", "sha256: " + read(t, path7+".pub") + "\n", true, false, false},
		{"hash", "hash: " + ssh.FingerprintSHA256(seven.Key) + "\n", true, false, false},
		{"authority", "key: " + read(t, authority+".pub") + "\n", true, true, true},
		{"nothing", "", false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			list := filepath.Join(t.TempDir(), "krl")
			keygen(t, nil, "-q", "-k", "-f", list, "-s", authority+".pub", write(t, tc.spec))
			data, err := os.ReadFile(list)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ParseRevoked(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := [...]bool{r.has(seven), r.has(nine), r.has(far)}; got != [...]bool{tc.seven, tc.nine, tc.last} {
				t.Errorf("revoked: %v", got)
			}
			for cut := len(krlMagic); cut < len(data); cut += 5 {
				if _, err := ParseRevoked(data[:cut]); err == nil && cut < 44 {
					t.Errorf("the first %d bytes are taken for a list", cut)
				}
			}
		})
	}
}

func publicKey(t testing.TB, path string) ssh.PublicKey {
	t.Helper()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestKRLOfAnotherAuthority holds that serials are those of one authority.
func TestKRLOfAnotherAuthority(t *testing.T) {
	t.Parallel()
	one, two := ed25519Key(t), ed25519Key(t)
	certs := certificates{authority: one.PublicKey().Marshal(), serials: []serials{{min: 0, max: 5}}}
	for _, tc := range []struct {
		by   ssh.Signer
		want bool
	}{{one, true}, {two, false}} {
		r := Revoked{certificates: []certificates{certs}}
		cert := certifiedBy(t, ed25519Key(t), tc.by).PublicKey()
		if r.has(cert) != tc.want {
			t.Errorf("revoked: %v", !tc.want)
		}
	}
}

func TestRevokedList(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	public := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
	fingerprint := ssh.FingerprintSHA256(key.PublicKey())
	for _, tc := range []struct {
		list string
		want bool
	}{
		{"", false},
		{"# " + public + "\n\n", false},
		{"\v\n\u00a0\n", false},
		{public, true},
		{"\t" + public + " alice's old laptop\r\n", true},
		{"# lost\n" + fingerprint + " alice's old laptop\n", true},
		{fingerprint + "=\n", true},
		{ssh.FingerprintSHA256(ed25519Key(t).PublicKey()), false},
	} {
		if r := revoking(t, tc.list); r.has(key.PublicKey()) != tc.want {
			t.Errorf("%q: revoked: %v", tc.list, !tc.want)
		}
	}
	for list, want := range map[string]string{
		"\nSHA256:x":      `line 2: "SHA256:x" is not a fingerprint`,
		"MD5:00:11":       "line 1: there is no key; a line is a public key, a certificate or a fingerprint SHA256:…",
		"ssh-rsa AAAA":    "line 1: the key cannot be read; a line is",
		krlMagic + "\x00": "is a binary revocation list (KRL) that is malformed",
	} {
		if _, err := ParseRevoked([]byte(list)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", list, err)
		}
	}
}
