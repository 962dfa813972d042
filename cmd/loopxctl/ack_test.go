package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/loopx/loopx-frontend/policy/ack"
)

// testAgent serves an SSH agent with these keys and returns its socket.
func testAgent(t *testing.T, keys ...any) string {
	t.Helper()
	ring := agent.NewKeyring()
	for _, key := range keys {
		added, ok := key.(agent.AddedKey)
		if !ok {
			added.PrivateKey = key
		}
		if err := ring.Add(added); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "agent") // short: a socket's path has about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = agent.ServeAgent(ring, conn)
			_ = conn.Close()
		}
	}()
	return socket
}

// create runs "ack create" with an agent.
func create(t *testing.T, root, socket string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	args := append([]string{
		"ack", "create", "--root", root, "--repository", "git.example.com/acme/app", "--principal", "alice@example.com",
		"--finding", "4c1f0e", "--rule", "PipedToShell", "--file", "Dockerfile", "--instruction", "sha256:" + strings.Repeat("ab", 32),
		"--reason", "reviewed", "--expires", "30d",
	}, more...)
	var out, diag bytes.Buffer
	code = run(t.Context(), strings.NewReader(""), &out, &diag, args, []string{"SSH_AUTH_SOCK=" + socket, "PATH=" + os.Getenv("PATH")})
	return code, out.String(), diag.String()
}

func ed25519Key(t *testing.T) (ed25519.PrivateKey, ssh.PublicKey) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key, publicOf(t, key)
}

func publicOf(t *testing.T, key any) ssh.PublicKey {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer.PublicKey()
}

// certify makes a certificate for alice that never ends.
func certify(t *testing.T, key ssh.PublicKey, authority ed25519.PrivateKey) *ssh.Certificate {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(authority)
	if err != nil {
		t.Fatal(err)
	}
	cert := &ssh.Certificate{
		Key: key, CertType: ssh.UserCert, ValidPrincipals: []string{"alice@example.com"}, ValidBefore: ssh.CertTimeInfinity,
	}
	if err := cert.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	return cert
}

// TestAckAgent signs with the agent; ssh-keygen -Y verify takes it, and so does
// "ack verify".
func TestAckAgent(t *testing.T) {
	t.Parallel()
	one, onePublic := ed25519Key(t)
	two, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	twoPublic := publicOf(t, two)
	authority, authorityPublic := ed25519Key(t)
	certified := agent.AddedKey{PrivateKey: two, Certificate: certify(t, twoPublic, authority)}
	for _, tc := range []struct {
		name   string
		keys   []any
		args   []string
		by     ssh.PublicKey
		option string // of the allowed signers
		listed ssh.PublicKey
	}{
		{"the only key", []any{&one}, nil, onePublic, "", onePublic},
		{"one of two, by its fingerprint", []any{&one, two}, []string{"--key", ssh.FingerprintSHA256(twoPublic)}, twoPublic, "", twoPublic},
		{"a certificate of an RSA key", []any{certified}, nil, twoPublic, ",cert-authority", authorityPublic},
		{"a key that has a certificate, too", []any{certified, two}, nil, twoPublic, "", twoPublic},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			code, out, diag := create(t, root, testAgent(t, tc.keys...), tc.args...)
			if code != exitClean || !strings.Contains(out, "\nsigned with "+ssh.FingerprintSHA256(tc.by)+"\n") {
				t.Fatalf("exit code %d\n%s%s", code, out, diag)
			}
			_, line, _ := strings.Cut(out, "never into this change:\n    ")
			line, _, _ = strings.Cut(line, "\n")
			allowed := filepath.Join(t.TempDir(), "allowed")
			if err := os.WriteFile(allowed, append([]byte(`alice@example.com namespaces="loopx-ack"`+tc.option+" "), ssh.MarshalAuthorizedKey(tc.listed)...), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, diag = loopxctl(t, "", "ack", "verify", "--root", root, "--allowed-signers", allowed, "--repository", "git.example.com/acme/app")
			if code != exitClean || !strings.Contains(out, ": good: ") {
				t.Errorf("exit code %d\n%s%s", code, out, diag)
			}
			keygenVerifies(t, root, allowed)
			if err := os.WriteFile(allowed, []byte(line), 0o600); err != nil {
				t.Fatal(err)
			}
			keygenVerifies(t, root, allowed)
		})
	}
}

// keygenVerifies asks the real ssh-keygen about the one entry of a tree.
func keygenVerifies(t *testing.T, root, allowed string) {
	t.Helper()
	_, _, entries, err := readAcknowledgements(root)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	sig := filepath.Join(t.TempDir(), "sig")
	if err := os.WriteFile(sig, []byte(entries[0].Signature), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-n", ack.Namespace, "-I", "alice@example.com", "-f", allowed, "-s", sig)
	cmd.Stdin = bytes.NewReader(entries[0].Payload())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAckAgentRefuses holds that it is never guessed which key signs.
func TestAckAgentRefuses(t *testing.T) {
	t.Parallel()
	one, public := ed25519Key(t)
	two, _ := ed25519Key(t)
	for _, tc := range []struct {
		keys []any
		args []string
		want string
	}{
		{nil, nil, "loopxctl: the SSH agent has no keys; say which one signs: --key FILE or --key SHA256:…\n"},
		{[]any{&one, &two}, nil, "; say which one signs: --key FILE or --key SHA256:…\n"},
		{[]any{&one}, []string{"--key", "SHA256:x"}, "loopxctl: --key: the SSH agent has no key SHA256:x; it has " + ssh.FingerprintSHA256(public) + "\n"},
	} {
		root := t.TempDir()
		code, _, diag := create(t, root, testAgent(t, tc.keys...), tc.args...)
		if code != exitUsage || !strings.Contains(diag, tc.want) {
			t.Errorf("exit code %d, %s; want %s", code, diag, tc.want)
		}
		if _, err := os.Stat(filepath.Join(root, ".loopx")); err == nil {
			t.Error("something was written")
		}
	}
}

// TestAckLinks holds that links of the checked tree are not followed out of it,
// and that nothing is written then.
func TestAckLinks(t *testing.T) {
	t.Parallel()
	key, _ := ed25519Key(t)
	socket := testAgent(t, &key)
	for name, tc := range map[string]struct{ link, to, want string }{
		"the file":   {".loopx/acknowledgements.yaml", "elsewhere.yaml", "acknowledgements.yaml: is not a plain file\n"},
		"the folder": {".loopx", ".", "acknowledgements.yaml: cannot be read: "},
	} {
		root, outside := t.TempDir(), t.TempDir()
		link := filepath.Join(root, filepath.FromSlash(tc.link))
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, tc.to), link); err != nil {
			t.Fatal(err)
		}
		code, out, diag := create(t, root, socket)
		if code != exitFailed || out != "" || !strings.Contains(diag, tc.want) {
			t.Errorf("%s: exit code %d, %s%s", name, code, out, diag)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
	}
}

// ackCommands are the commands below "ack".
func ackCommands(t *testing.T) []*cobra.Command {
	t.Helper()
	root := newRoot(&program{env: lookup(nil)})
	cmd, _, err := root.Find([]string{"ack"})
	if err != nil || len(cmd.Commands()) != 3 {
		t.Fatal(cmd, err)
	}
	return cmd.Commands()
}

// TestAckFlags holds that a page of testdata/script types each flag of the ack
// commands, and the manual names it.
func TestAckFlags(t *testing.T) {
	t.Parallel()
	lines := typedLines(t, "testdata/script/ack*.txtar")
	manual, err := os.ReadFile("../../docs/acknowledgements.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range ackCommands(t) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			typed := false
			for _, line := range lines {
				typed = typed || strings.Contains(line, cmd.CommandPath()) && strings.Contains(line, "--"+f.Name)
			}
			if !typed {
				t.Errorf("no script types %s --%s", cmd.CommandPath(), f.Name)
			}
			if !bytes.Contains(manual, []byte("`--"+f.Name)) {
				t.Errorf("docs/acknowledgements.md does not name --%s", f.Name)
			}
		})
	}
}

// TestAckExamples holds that each of them has examples, and that they parse.
func TestAckExamples(t *testing.T) {
	t.Parallel()
	for _, cmd := range ackCommands(t) {
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", " ")) {
			_, typed, ok := strings.Cut(line, "loopxctl ack ")
			if !ok {
				continue
			}
			typed, _, _ = strings.Cut(typed, " | ")
			name, args, _ := strings.Cut(strings.TrimSpace(typed), " ")
			for _, other := range ackCommands(t) {
				if other.Name() == name {
					if err := other.ParseFlags(strings.Fields(strings.ReplaceAll(args, "'", ""))); err != nil {
						t.Errorf("%q: %v", typed, err)
					}
				}
			}
		}
	}
}

func TestChooseCertificate(t *testing.T) {
	t.Parallel()
	key, public := ed25519Key(t)
	plain, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certified, err := ssh.NewCertSigner(certify(t, public, key), plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, signers := range [][]ssh.Signer{{plain, certified}, {certified, plain}} {
		if got, err := choose(signers, ""); err != nil || got != plain {
			t.Errorf("%v, %v", got, err)
		}
	}
	if got, err := choose([]ssh.Signer{certified}, ssh.FingerprintSHA256(plain.PublicKey())); err != nil || got != certified {
		t.Errorf("%v, %v", got, err)
	}
}
