package cabundle

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
	"golang.org/x/crypto/x509roots/fallback/bundle"
	"google.golang.org/protobuf/proto"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func newCert(t testing.TB, name string) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestZeroBundleHoldsEveryRoot(t *testing.T) {
	got, err := ParseFile("ca.crt", Bundle{}.PEM())
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, c := range got {
		have[string(c.Raw)] = true
	}
	n := 0
	for root := range bundle.Roots() {
		n++
		if !have[string(root.Certificate)] {
			t.Errorf("root %d is missing", n)
		}
	}
	if n < 100 || len(got) != n {
		t.Errorf("the bundle has %d roots, the source %d", len(got), n)
	}
	if !bytes.Equal((Bundle{}).PEM(), (Bundle{}).PEM()) {
		t.Error("two calls differ")
	}
	if (Bundle{}).Operator() {
		t.Error("the public roots are said to be the operator's")
	}
}

func TestWithAppendsEachOnce(t *testing.T) {
	der, _ := newCert(t, "corp")
	certs, err := ParseFile("corp.pem", append([]byte("# corp\n"), certPEM(der)...))
	if err != nil {
		t.Fatal(err)
	}
	b := Bundle{}.With(append(certs, certs...))
	want := append(Bundle{}.PEM(), certPEM(der)...)
	if !bytes.Equal(b.PEM(), want) || !b.Operator() {
		t.Errorf("got %d bytes, operator %v; want %d, true", len(b.PEM()), b.Operator(), len(want))
	}
}

func TestParseFileErrors(t *testing.T) {
	der, key := newCert(t, "corp")
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"key beside the certificate": {append(certPEM(der), keyPEM...), "corp.pem: holds a private key"},
		"key in the old form":        {[]byte("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"), "corp.pem: holds a private key"},
		"other block":                {[]byte("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n"), `corp.pem: holds a "X509 CRL" block`},
		"der":                        {der, "corp.pem: holds no PEM certificate"},
		"empty":                      {nil, "corp.pem: holds no PEM certificate"},
		"not a certificate":          {certPEM([]byte("hello")), "corp.pem: certificate 1 cannot be read"},
		"cut off":                    {append(certPEM(der), "-----BEGIN CERTIFICATE-----\nAAAA\n"...), "corp.pem: 1 of 2 PEM blocks cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseFile("corp.pem", tc.data)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "AAAA") {
				t.Errorf("the error shows the content: %v", err)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	der, _ := newCert(t, "corp")
	certs, err := ParseFile("corp.pem", certPEM(der))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		tools    string
		set      string // variables that the RUN has
		operator bool
		want     string
	}{
		"curl":              {tools: "curl", want: "SSL_CERT_FILE"},
		"wget":              {tools: "wget", want: "SYSTEM_WGETRC SSL_CERT_FILE"},
		"git":               {tools: "git", want: "GIT_SSL_CAINFO GIT_SSL_CAPATH"},
		"several":           {tools: "wget git curl", want: "SYSTEM_WGETRC SSL_CERT_FILE GIT_SSL_CAINFO GIT_SSL_CAPATH"},
		"unknown":           {tools: "frobnicate", want: "SSL_CERT_FILE"},
		"author's own":      {tools: "curl git", set: "SSL_CERT_FILE GIT_SSL_CAINFO", want: "GIT_SSL_CAPATH"},
		"pip":               {tools: "pip", want: "SSL_CERT_FILE GIT_SSL_CAINFO GIT_SSL_CAPATH"},
		"pip with a CA":     {tools: "pip", operator: true, want: "PIP_CERT REQUESTS_CA_BUNDLE SSL_CERT_FILE GIT_SSL_CAINFO GIT_SSL_CAPATH"},
		"npm with a CA":     {tools: "npm", operator: true, want: "NODE_EXTRA_CA_CERTS SSL_CERT_FILE GIT_SSL_CAINFO GIT_SSL_CAPATH"},
		"npm with its own":  {tools: "npm", operator: true, set: "NODE_EXTRA_CA_CERTS", want: "SSL_CERT_FILE GIT_SSL_CAINFO GIT_SSL_CAPATH"},
		"nothing to fetch":  {},
		"curl's own bundle": {tools: "curl", set: "CURL_CA_BUNDLE", want: "SSL_CERT_FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			b := Bundle{}
			if tc.operator {
				b = b.With(certs)
			}
			set := strings.Fields(tc.set)
			var got []string
			for _, v := range b.Variables(strings.Fields(tc.tools), func(name string) bool { return slices.Contains(set, name) }) {
				got = append(got, v.Name)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpIsTheSameEveryTime(t *testing.T) {
	first, meta, err := Bundle{}.Op(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := Bundle{}.Op(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("two ops of one bundle differ")
	}
	var op pb.Op
	if err := proto.Unmarshal(first, &op); err != nil {
		t.Fatal(err)
	}
	if op.Platform != nil {
		t.Errorf("the op is for %v alone", op.Platform)
	}
	if got := meta.Description["llb.customname"]; got != VertexName {
		t.Errorf("the vertex is called %q", got)
	}
	if len(op.Inputs) != 0 {
		t.Errorf("the op has %d inputs", len(op.Inputs))
	}
	var files []string
	for _, a := range op.GetFile().Actions {
		f := a.GetMkfile()
		files = append(files, f.Path)
		if f.Mode != 0o444 || f.Timestamp != 0 {
			t.Errorf("%s: mode %o, time %d", f.Path, f.Mode, f.Timestamp)
		}
	}
	if diff := cmp.Diff([]string{"/ca.crt", "/wgetrc"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func BenchmarkPEM(b *testing.B) {
	for b.Loop() {
		Bundle{}.PEM()
	}
}

func BenchmarkOp(b *testing.B) {
	bundle := Bundle{}
	for b.Loop() {
		if _, _, err := bundle.Op(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOpDigest holds the digest of the op: it is part of the cache key of each
// RUN that has the bundle. It may change with the roots, not by accident.
func TestOpDigest(t *testing.T) {
	const golden = "testdata/op.digest"
	raw, _, err := Bundle{}.Op(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := digest.FromBytes(raw).String() + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("digest %swas %s-update accepts it: every RUN with the bundle will run again", got, want)
	}
}
