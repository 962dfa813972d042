package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/ack"
)

// newCommand is a program that gets our environment.
func newCommand(ctx context.Context, environ []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = environ
	return cmd
}

// sign signs an entry: with the key file that is named, by ssh-keygen, which
// asks for the passphrase; else with a key of the agent, where "SHA256:…" says
// which.
func (p *program) sign(ctx context.Context, e *ack.Entry, key string) error {
	if key != "" && !strings.HasPrefix(key, "SHA256:") {
		return p.signByFile(ctx, e, key)
	}
	return p.signByAgent(ctx, e, key)
}

func (p *program) signByFile(ctx context.Context, e *ack.Entry, key string) error {
	cmd := newCommand(ctx, p.environ, "ssh-keygen", "-q", "-Y", "sign", "-n", ack.Namespace, "-f", key)
	cmd.Stdin = bytes.NewReader(e.Payload())
	cmd.Stderr = p.stderr // it may ask to touch a security key
	out, err := cmd.Output()
	if err != nil {
		return &fault.Error{File: key, Message: "ssh-keygen did not sign with it: " + err.Error(), Todo: "Name a private key, or a public key or certificate whose private key is beside it or in the agent."}
	}
	e.Signature = string(out)
	return nil
}

func (p *program) signByAgent(ctx context.Context, e *ack.Entry, fingerprint string) error {
	socket, _ := p.env("SSH_AUTH_SOCK")
	if socket == "" {
		return fmt.Errorf("no key is named and no agent is there (SSH_AUTH_SOCK is not set)\nName a key: --key FILE, or start an agent: ssh-agent, ssh-add")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return &fault.Error{Message: "the SSH agent does not answer: " + err.Error(), Todo: "Start it again, or name a key: --key FILE."}
	}
	defer conn.Close()
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return &fault.Error{Message: "the SSH agent does not list its keys: " + err.Error(), Todo: "Unlock it, or name a key: --key FILE."}
	}
	signer, err := choose(signers, fingerprint)
	if err != nil {
		return err
	}
	if err := e.Sign(signer); err != nil {
		return &fault.Error{Message: "the SSH agent did not sign: " + err.Error(), Todo: "It may have asked for a confirmation, or a touch."}
	}
	return nil
}

// choose takes the one key that is meant. A certificate counts as its key, and
// the key alone is preferred to it.
func choose(signers []ssh.Signer, fingerprint string) (ssh.Signer, error) {
	found := map[string]ssh.Signer{}
	var names []string
	for _, s := range signers {
		key, err := ssh.ParsePublicKey(s.PublicKey().Marshal()) // an agent's key is of a type of its own
		if err != nil {
			continue
		}
		plain := true
		if cert, ok := key.(*ssh.Certificate); ok {
			key, plain = cert.Key, false
		}
		name := ssh.FingerprintSHA256(key)
		if found[name] == nil {
			names = append(names, name)
		}
		if found[name] == nil || plain {
			found[name] = s
		}
	}
	switch {
	case fingerprint != "" && found[fingerprint] != nil:
		return found[fingerprint], nil
	case fingerprint != "":
		return nil, fmt.Errorf("--key: the SSH agent has no key %s; it has %s", fingerprint, list(names))
	case len(names) != 1:
		return nil, fmt.Errorf("the SSH agent has %s; say which one signs: --key FILE or --key SHA256:…", list(names))
	}
	return found[names[0]], nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "no keys"
	}
	return strings.Join(names, ", ")
}
