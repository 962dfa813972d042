package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

const (
	securityMirror      = "LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR"
	shortSecurityMirror = "LOOPX_DEBIAN_SECURITY_MIRROR"
)

// TestSecurityMirrorFromTheEnvironment: the flag without a value takes it from
// the environment of the client.
func TestSecurityMirrorFromTheEnvironment(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	ours := testbed.FrontendImage(t)
	h := newHost(t, testbed.MirrorOptions{
		Names: []string{"security.debian.org"},
		Files: map[string]string{"/security/dists/by-add": "by ADD\n", "/security/pool/by-curl": "by curl\n"},
	})
	c := callOf(t, syntax(ours, `FROM debian:bookworm-fetchers
ADD http://security.debian.org/debian-security/dists/by-add /add
RUN curl -fsS http://security.debian.org/debian-security/pool/by-curl -o /curl
`))
	mirror, other := h.expand("=https://HOST/security"), h.expand("=https://HOST/other")
	c.env = []string{securityMirror + mirror, shortSecurityMirror + other}
	// The long name wins.
	log := c.build(t, "build", "--no-cache", withCA(t, h.CA), "--build-arg="+securityMirror, "--build-arg="+shortSecurityMirror, ".")
	checkContains(t, log,
		"ADD http://security.debian.org/debian-security/dists/by-add /add (1 fetch via mirror)\n",
		"RUN curl -fsS http://security.debian.org/debian-security/pool/by-curl -o /curl (1 fetch via mirror)\n")
	for _, hit := range append(h.TLSHits(), h.ClearHits()...) {
		if hit.Host != h.name {
			t.Errorf("not at the mirror: %s", hit)
		}
	}
	h.checkOverTLS(t, "/security/dists/by-add", "/security/pool/by-curl")

	c.env = []string{shortSecurityMirror + mirror}
	c.build(t, "build", "--no-cache", withCA(t, h.CA), "--build-arg="+securityMirror, "--build-arg="+shortSecurityMirror, ".")
	h.checkOverTLS(t, "/security/dists/by-add", "/security/pool/by-curl")
}

// TestBadValueFailsFirst: nothing is fetched, and the error is one line that
// names the variable, what is wrong, and what to write.
func TestBadValueFailsFirst(t *testing.T) {
	ours := testbed.FrontendImage(t)
	for name, c := range map[string]struct{ variable, value, want string }{
		"clear text":  {securityMirror, "http://HOST/security", `"http://HOST/security" is not an https URL; write https://`},
		"ftp":         {securityMirror, "ftp://HOST/", `"ftp://HOST/" is not an https URL; `},
		"no scheme":   {shortSecurityMirror, "HOST", `"HOST" is not an https URL; `},
		"credentials": {securityMirror, "https://me:hunter2@HOST/", `"https://***@HOST/" holds a user or a password; `},
		"query":       {"LOOPX_DEBIAN_MIRROR", "https://HOST/debian?token=x", ` holds a query or a fragment; `},
		"mode":        {"LOOPX_MODE", "off", `"off" is no mode; write enforce or audit`},
		"host rule":   {"LOOPX_HOSTS", "HOST=ignore", ` has an action that is not an https URL; write upgrade, keep, refuse or an https URL`},
		"checks":      {"LOOPX_CHECKS", "false", `"false" is neither on nor off; `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{})
			run := callOf(t, syntax(ours, h.expand("FROM scratch\nADD http://HOST/add /add\n")))
			run.env = []string{c.variable + "=" + h.expand(c.value)}
			log := run.fails(t, "build", "--no-cache", "--build-arg="+c.variable, ".")
			h.checkOverTLS(t)
			checkContains(t, lastLine(log), "ERROR: failed to build: failed to solve: "+c.variable+": ", h.expand(c.want))
			if strings.Contains(log, "hunter2") {
				t.Errorf("it shows the password:\n%s", log)
			}
		})
	}
}

// TestUnknownVariableWarns: a typing error is told, with what may be meant, and
// the build goes on.
func TestUnknownVariableWarns(t *testing.T) {
	t.Parallel()
	h := newHost(t, testbed.MirrorOptions{})
	c := callOf(t, syntax(testbed.FrontendImage(t), h.expand("FROM scratch\nADD http://HOST/add /add\n")))
	log := c.build(t, "build", "--no-cache", "--build-arg=LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURTY_MIRROR=https://mirror.example/", ".")
	checkContains(t, log, "build arg LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURTY_MIRROR is not a variable of the LoopX frontend (did you mean "+securityMirror+"?)\n")
	h.checkOverTLS(t, "/add")
}

// TestOperatorCA: a RUN trusts the authority in the named context, and doesn't
// without it.
func TestOperatorCA(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	ca := testbed.NewCA(t, "company")
	h := newHost(t, testbed.MirrorOptions{CA: ca})
	c := callOf(t, syntax(testbed.FrontendImage(t), h.expand("FROM debian:bookworm-fetchers\nRUN curl -fsS http://HOST/curl && wget -q http://HOST/wget\n")))
	checkContains(t, c.fails(t, "build", "--no-cache", "."), "SSL certificate problem", "exit code: 60")
	h.checkOverTLS(t)
	c.build(t, "build", "--no-cache", withCA(t, ca), ".")
	h.checkOverTLS(t, "/curl", "/wget")
}

// TestPrivateKeyInOperatorCA: a key is refused by the name of its file, alone
// and behind a certificate.
func TestPrivateKeyInOperatorCA(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	ours := testbed.FrontendImage(t)
	for name, text := range map[string][]byte{
		"server-key.pem": private,
		"chain.crt":      append(testbed.DefaultCA(t).PEM, private...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{})
			dir := h.CA.Dir(t)
			writeFile(t, filepath.Join(dir, name), text)
			c := callOf(t, syntax(ours, h.expand("FROM scratch\nADD http://HOST/add /add\n")))
			log := c.fails(t, "build", "--no-cache", "--build-context=loopx-ca="+dir, ".")
			checkContains(t, lastLine(log), "build context loopx-ca: "+name+": holds a private key; ")
			h.checkOverTLS(t)
		})
	}
}
